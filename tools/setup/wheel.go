package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gornic/tools/toolset"
)

//go:embed requirements launchers
var files embed.FS

// fetch unpacks a pinned tool's wheels into a folder beside its place, tries its commands, and moves it there: a folder
// with the right name is always whole.
func (s *setup) fetch(ctx context.Context, python string, pin toolset.Pin) error {
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

// writeLaunchers makes the commands of a pinned tool. Their texts are in launchers/; @PYTHON@ stands for the interpreter
// that the wheels were chosen for.
func writeLaunchers(bin, python string, pin toolset.Pin) error {
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	names := pin.Commands
	if pin.Name == toolset.Yosys {
		names = append(names, "yosys.py")
	}
	for _, name := range names {
		text, err := files.ReadFile("launchers/" + name)
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte("@PYTHON@"), []byte(python))
		if err := os.WriteFile(filepath.Join(bin, name), text, 0o755); err != nil {
			return err
		}
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

// pythonWithPip returns an interpreter that has pip, the one on the PATH before Debian's, or "".
func pythonWithPip(ctx context.Context) string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		// The interpreter's own word for its path: a name on the PATH may be a shim that picks another one elsewhere.
		out, err := exec.CommandContext(ctx, name, "-c", "import pip, sys; print(sys.executable)").Output()
		if err == nil {
			return strings.TrimSpace(string(out))
		}
	}
	return ""
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
