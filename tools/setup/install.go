package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"gornic/tools/toolset"
)

// setup installs into one build folder.
type setup struct {
	build   string
	pythons []string // interpreters to look for, the first choice first
	retry   bool
	out     io.Writer
}

// install brings the Debian packages that nothing stands in for, then the pinned tools, then the distribution's own of
// those that could not be fetched.
func (s *setup) install(ctx context.Context, chosen []need) error {
	pins := s.missingPins(ctx, chosen)
	packages := s.missingPackages(chosen, false)
	if len(pins) > 0 && len(s.pythonsWithPip(ctx)) == 0 {
		packages = append(packages, pythonPackages...)
	}
	if err := s.apt(ctx, packages); err != nil {
		return errors.Join(s.tooOld(chosen), err)
	}
	for _, pin := range pins {
		if err := s.fetch(ctx, pin); err != nil {
			s.giveUp(pin, err)
		}
	}
	if err := s.apt(ctx, s.missingPackages(chosen, true)); err != nil {
		return err
	}
	if slices.ContainsFunc(chosen, func(n need) bool { return n.unpacked }) {
		return s.unpackSlurm(ctx)
	}
	return nil
}

// missingPackages lists the packages of the tools that are not there, with or without the pinned ones among them.
func (s *setup) missingPackages(chosen []need, pinned bool) []string {
	var packages []string
	for _, n := range chosen {
		if _, ok := n.pin(); ok == pinned && !n.present(s.build) {
			packages = append(packages, n.packages...)
		}
	}
	return packages
}

// tooOld tells which tools are there, but too old: a package may be of no help behind them on the PATH.
func (s *setup) tooOld(chosen []need) error {
	var errs []error
	for _, n := range chosen {
		var old *toolset.OldError
		if _, err := toolset.FindIn(s.build, n.command); errors.As(err, &old) {
			errs = append(errs, old)
		}
	}
	return errors.Join(errs...)
}

func (s *setup) missingPins(ctx context.Context, chosen []need) []toolset.Pin {
	var pins []toolset.Pin
	for _, n := range chosen {
		pin, ok := n.pin()
		if ok && !s.unneeded(n, pin) && !s.complete(ctx, pin) && (s.retry || !exists(s.refusal(pin))) {
			pins = append(pins, pin)
		}
	}
	return pins
}

// unneeded tells that the machine's own tool is used, and the pinned one is not.
func (s *setup) unneeded(n need, pin toolset.Pin) bool {
	tool, err := toolset.FindIn(s.build, n.command)
	return pin.Slow && err == nil && tool.Pin == nil
}

// complete tells whether a pinned tool is there, made as this revision makes it, and starts: the interpreter that it was
// fetched for may be gone, or be another one after an upgrade of the system.
func (s *setup) complete(ctx context.Context, pin toolset.Pin) bool {
	made, err := os.ReadFile(filepath.Join(s.dir(pin), recipeFile))
	return err == nil && string(made) == recipe(pin) && try(ctx, s.dir(pin), pin) == nil
}

func (s *setup) dir(pin toolset.Pin) string { return filepath.Join(s.build, "tools", pin.Dir()) }

// refusal is the file that remembers why a pinned tool could not be had, so that every later run does not wait for a
// network that is not there.
func (s *setup) refusal(pin toolset.Pin) string { return s.dir(pin) + ".refused" }

func (s *setup) giveUp(pin toolset.Pin, err error) {
	fmt.Fprintf(s.out, "%-13s %-9s cannot be fetched, the distribution's own will do: %v\n", pin.Name, pin.Version, err)
	// Without the note the next run only tries again.
	_ = os.WriteFile(s.refusal(pin), []byte(err.Error()+"\n"), 0o644)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lock keeps two runs from installing at once.
func lock(build string) (unlock func(), err error) {
	dir := filepath.Join(build, "tools")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return func() { file.Close() }, nil
}
