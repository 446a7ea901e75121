package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"time"
)

// A step is one check. Its run writes what a person wants to see of it to out and returns an error where it failed;
// counts is nil for a step that counts as one.
type step struct {
	name    string
	timeout time.Duration
	run     func(ctx context.Context, env environment, out io.Writer) (counts *tally, err error)
}

// environment is where and how the steps run.
type environment struct {
	root string   // the module root
	vars []string // of the processes started
}

// programs is how many random programs each scenario of them runs; in Verilator there are six.
const programs = "34"

// lossy is how many programs run over a wire that fails.
const lossy = "60"

func steps() []step {
	return []step{
		{"gofmt", time.Minute, gofmt},
		{"vet", 5 * time.Minute, command("go", "vet", "./...")},
		{"gen", 5 * time.Minute, command("go", "run", "./gen", "-check")},
		// The core of the i5 is that of the i9 with smaller tables.
		{"size i9", 10 * time.Minute, command("go", "run", "./fpga", "size", "-board", "i9")},
		{"test", 45 * time.Minute, goTest},
		// The tests have played these on the native simulator: walks, programs, captures, faults.
		{"cosim", 40 * time.Minute, command("go", "run", "./tb/cosim", "-sim", "verilator", "-programs", programs)},
		{"soak", 15 * time.Minute, command("go", "run", "./tb/soak", "-q", "-checks", "-n", lossy)},
		{"formal", 30 * time.Minute, command("go", "run", "./tools/formal")},
		{"slurm", 10 * time.Minute, command("go", "run", "./cycle/slurm")},
	}
}

// command is a step that runs a program from the module root and shows its output if it fails. A program that ends with
// a line `N passed, N failed`, or `N passed, N failed, N skipped`, counts for as many; one that skips something tells why.
func command(argv ...string) func(context.Context, environment, io.Writer) (*tally, error) {
	return func(ctx context.Context, env environment, out io.Writer) (*tally, error) {
		text, err := env.output(ctx, argv...)
		counts := closingLine(string(text))
		if err != nil {
			_, _ = out.Write(text)
			if counts != nil && counts.failed == 0 {
				counts.failed = 1 // it counted, then failed at something else
			}
			return counts, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
		}
		if counts != nil && counts.skipped > 0 {
			_, _ = out.Write(text)
		}
		return counts, nil
	}
}

// closingLine reads the counts in the last line of a program's output; nil if there are none.
func closingLine(text string) *tally {
	text = strings.TrimRight(text, "\n")
	var t tally
	if n, _ := fmt.Sscanf(text[strings.LastIndex(text, "\n")+1:], "%d passed, %d failed, %d skipped", &t.passed, &t.failed, &t.skipped); n < 2 {
		return nil
	}
	return &t
}

// gofmt lists the Go files that are not formatted. It names folders, for gofmt itself would walk into build.
func gofmt(ctx context.Context, env environment, out io.Writer) (*tally, error) {
	dirs, err := sourceDirs(env.fsys())
	if err != nil {
		return nil, err
	}
	text, err := env.output(ctx, append([]string{"gofmt", "-l"}, dirs...)...)
	if err == nil && len(text) > 0 {
		err = fmt.Errorf("not formatted: %s", strings.Join(strings.Fields(string(text)), " "))
	}
	return nil, err
}

// sourceDirs are the folders at the top that may hold Go.
func sourceDirs(root fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "build" && !strings.HasPrefix(e.Name(), ".") {
			dirs = append(dirs, e.Name())
		}
	}
	return dirs, nil
}

func (env environment) command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = env.root, env.vars
	endWithChildren(cmd)
	return cmd
}

func (env environment) output(ctx context.Context, argv ...string) ([]byte, error) {
	return env.command(ctx, argv...).CombinedOutput()
}
