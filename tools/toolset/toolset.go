package toolset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrAbsent is wrapped by the errors of Find when a tool is nowhere on the machine, or too old.
var ErrAbsent = errors.New("not installed (go run ./tools/setup installs it)")

// A Tool is a command that exists on this machine.
type Tool struct {
	Name string
	Path string // absolute
	Pin  *Pin   // nil where it is the machine's own
}

// Find locates a command: in build/tools of the module root, else on the PATH; the other way round where the pinned one is
// [Pin].Slow.
func Find(name string) (Tool, error) {
	build, err := BuildDir()
	if err != nil {
		return FindIn("", name)
	}
	return FindIn(build, name)
}

// FindIn is Find with a build folder of the caller's choice; "" looks on the PATH alone. A tool of the machine's own that
// is too old gives an *OldError.
func FindIn(build, name string) (Tool, error) {
	pin, pinned := PinOf(name)
	if pinned && pin.Slow {
		if tool, err := onPath(name); err == nil {
			return tool, nil
		}
	}
	if pinned && build != "" {
		path := filepath.Join(build, "tools", pin.Dir(), "bin", name)
		if isExecutable(path) {
			return Tool{Name: name, Path: path, Pin: &pin}, nil
		}
	}
	return onPath(name)
}

// onPath locates a command of the machine's own.
func onPath(name string) (Tool, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return Tool{}, fmt.Errorf("%s: %w", name, ErrAbsent)
	}
	if path, err = filepath.Abs(path); err != nil {
		return Tool{}, fmt.Errorf("%s: %w", name, err)
	}
	tool := Tool{Name: name, Path: path}
	if err := tool.tooOld(); err != nil {
		return Tool{}, err
	}
	return tool, nil
}

// Command prepares a run of the tool with the folder of every pinned tool in front of the PATH, since some tools call
// others (yosys-smtbmc calls z3).
func (t Tool) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.Path, args...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(t.Path)+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd
}

// ModuleRoot is the folder of the go.mod above the working folder.
func ModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("module root: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("module root: no go.mod above the working folder")
		}
		dir = parent
	}
}

// BuildDir is the folder for everything that is made and never committed: build in the module root.
func BuildDir() (string, error) {
	root, err := ModuleRoot()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "build"), nil
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
