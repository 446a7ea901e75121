package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gornic/tools/toolset"
)

// fetch fetches a pinned tool for the first of the interpreters that it can be had for.
func (s *setup) fetch(ctx context.Context, pin toolset.Pin) error {
	err := errors.New("no Python with pip")
	for _, python := range s.pythonsWithPip(ctx) {
		if err = s.fetchFor(ctx, python, pin); err == nil {
			return nil
		}
	}
	return err
}

// fetchFor unpacks a pinned tool's wheels into a folder beside its place, tries its commands, and moves it there: a folder
// with the right name is always whole.
func (s *setup) fetchFor(ctx context.Context, python string, pin toolset.Pin) error {
	start := time.Now()
	dir := s.dir(pin) + ".part"
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := pip(ctx, python, pin, dir); err != nil {
		return err
	}
	if err := writeLaunchers(filepath.Join(dir, "bin"), python, pin); err != nil {
		return err
	}
	if err := try(ctx, dir, pin); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, recipeFile), []byte(recipe(pin)), 0o644); err != nil {
		return err
	}
	if err := os.RemoveAll(s.dir(pin)); err != nil {
		return err
	}
	if err := os.Rename(dir, s.dir(pin)); err != nil {
		return err
	}
	_ = os.Remove(s.refusal(pin)) // there is none the first time
	fmt.Fprintf(s.out, "%-13s %-9s fetched in %.1f s\n", pin.Name, pin.Version, time.Since(start).Seconds())
	return nil
}

func pip(ctx context.Context, python string, pin toolset.Pin, dir string) error {
	requirements, err := files.ReadFile("requirements/" + pin.Name + ".txt")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	list := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(list, requirements, 0o644); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
		"--no-deps", "--only-binary", ":all:", "--require-hashes", "--target", filepath.Join(dir, "lib"), "-r", list)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("pip: %w: %s", err, lastLine(out))
	}
	return nil
}

func try(ctx context.Context, dir string, pin toolset.Pin) error {
	for _, name := range pin.Commands {
		tool := toolset.Tool{Name: name, Path: filepath.Join(dir, "bin", name), Pin: &pin}
		if _, err := tool.Banner(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pythonsWithPip returns the interpreters that have pip.
func (s *setup) pythonsWithPip(ctx context.Context) []string {
	var pythons []string
	for _, name := range s.pythons {
		// The interpreter's own word for its path: a name on the PATH may be a shim that picks another one elsewhere.
		out, err := exec.CommandContext(ctx, name, "-c", "import pip, sys; print(sys.executable)").Output()
		if path := strings.TrimSpace(string(out)); err == nil && !slices.Contains(pythons, path) {
			pythons = append(pythons, path)
		}
	}
	return pythons
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
