package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gornic/tools/toolset"
)

// verify runs every tool once.
func (s *setup) verify(ctx context.Context, chosen []need, verbose bool) error {
	var errs []error
	for _, n := range chosen {
		version, where, err := s.look(ctx, n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if verbose {
			fmt.Fprintf(s.out, "%-13s %-9s %s\n", n.name, version, where)
		}
	}
	return errors.Join(errs...)
}

func (s *setup) look(ctx context.Context, n need) (version, where string, err error) {
	if n.unpacked {
		slurm, err := toolset.FindSlurm(s.build)
		return "-", slurm.Path("slurmctld"), err
	}
	if n.header != "" {
		if !n.present(s.build) {
			return "", "", fmt.Errorf("%s: %s is not there", n.name, n.header)
		}
		return "-", n.header, nil
	}
	tool, err := toolset.FindIn(s.build, n.command)
	if err != nil {
		return "", "", err
	}
	if version, err = tool.Version(ctx); err != nil {
		return "", "", err
	}
	where = tool.Path
	if tool.Pin != nil {
		where, err = filepath.Rel(filepath.Dir(s.build), s.dir(*tool.Pin))
	} else if pin, ok := n.pin(); ok {
		where += s.reason(pin)
	}
	return version, where, err
}

func (s *setup) reason(pin toolset.Pin) string {
	text, err := os.ReadFile(s.refusal(pin))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (%s could not be fetched: %s)", pin.Version, strings.TrimSpace(string(text)))
}
