package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"
)

// apt installs Debian packages. The lists of a fresh machine are empty and those of an old one stale, so a failure is
// answered by fetching them, once.
func (s *setup) apt(ctx context.Context, packages []string) error {
	if len(packages) == 0 {
		return nil
	}
	install := append([]string{"apt-get", "install", "--yes", "--quiet", "--no-install-recommends"}, packages...)
	prefix, ok := asRoot()
	if _, err := exec.LookPath("apt-get"); err != nil || !ok {
		return fmt.Errorf("missing: %s; install them as root:\n  %s", strings.Join(packages, ", "),
			"apt-get install "+strings.Join(packages, " "))
	}
	start := time.Now()
	if _, err := quietly(ctx, slices.Concat(prefix, install)); err != nil {
		// A third-party source that does not answer makes update fail; the packages may be had all the same.
		_, _ = quietly(ctx, slices.Concat(prefix, []string{"apt-get", "update", "--quiet"}))
		if out, err := quietly(ctx, slices.Concat(prefix, install)); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(install, " "), err, out)
		}
	}
	fmt.Fprintf(s.out, "%-13s %s in %.1f s\n", "packages", strings.Join(packages, " "), time.Since(start).Seconds())
	return nil
}

// asRoot returns what to put in front of a command to run it as root.
func asRoot() (prefix []string, ok bool) {
	if os.Geteuid() == 0 {
		return nil, true
	}
	sudo, err := exec.LookPath("sudo")
	if err != nil {
		return nil, false
	}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		return []string{sudo}, true
	}
	return []string{sudo, "-n"}, exec.Command(sudo, "-n", "true").Run() == nil
}

func quietly(ctx context.Context, argv []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	cmd.Stdin = os.Stdin // for sudo's question
	return cmd.CombinedOutput()
}
