package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"gornic/configs"
	"gornic/cycle/config"
	"gornic/tb/workload"
)

// command is one of the things that cycle does.
type command struct {
	name string
	args string // for people
	does string
	run  func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

func commands() []command {
	return []command{
		{"run", "FILE", "one run: rates, latencies, caches, the bottleneck", runRun},
		{"explain", "FILE", "where the cycles of each block went; -changes: what helps most", runExplain},
		{"sweep", "FILE", "every point of the file's sweep block; -shard i/n, -slurm", runSweep},
		{"collect", "FILE", "the results of a sweep as CSV and JSON, and what is missing", runCollect},
		{"plot", "FILE", "the results of a sweep as SVG and one HTML page", runPlot},
		{"compare", "A B", "two runs or sweeps: experiment files, or JSON of run and collect", runCompare},
		{"trace", "FILE", "a run with Akita's tracing, for Daisen", runTrace},
		{"schema", "", "the JSON Schema of experiment files", runSchema},
	}
}

// errUsage stands for wrong arguments that were told already.
var errUsage = errors.New("wrong arguments")

// usageError is a wrong argument that was not told yet.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run is the command with everything it touches given.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || args[0] == "help" || strings.TrimLeft(args[0], "-") == "help" || args[0] == "-h" {
		usage(stderr)
		if len(args) == 0 {
			return 2
		}
		return 0
	}
	var names []string
	for _, c := range commands() {
		if c.name == args[0] {
			return exit(ctx, c.run(ctx, args[1:], stdout, stderr), stderr)
		}
		names = append(names, c.name)
	}
	fmt.Fprintf(stderr, "cycle: %q: expected one of %s%s\n", args[0], strings.Join(names, ", "), configs.Nearest(args[0], names))
	return 2
}

// exit tells an error and returns the exit code that it stands for.
func exit(ctx context.Context, err error, stderr io.Writer) int {
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "cycle: %v\n", err)
		return 2
	case ctx.Err() != nil:
		fmt.Fprintf(stderr, "cycle: interrupted: %v\n", err)
		return 1
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(stderr, "cycle: %s\n", line)
	}
	return 1
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: go run ./cycle COMMAND [flags] ARGS; COMMAND -h lists its flags")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-13s %s\n", strings.TrimSpace(c.name+" "+c.args), c.does)
	}
}

// flags are those of one command, which may stand between and behind its arguments.
type flags struct {
	*flag.FlagSet
	args []string
}

func newFlags(name, args string, stderr io.Writer) *flags {
	f := &flags{FlagSet: flag.NewFlagSet("cycle "+name, flag.ContinueOnError)}
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintf(stderr, "usage: go run ./cycle %s [flags] %s\n", name, args)
		f.PrintDefaults()
	}
	return f
}

func (f *flags) parse(args []string) error {
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return err
			}
			return errUsage
		}
		if f.NArg() == 0 {
			return nil
		}
		f.args = append(f.args, f.Arg(0))
		args = f.Args()[1:]
	}
}

// chosen are the flags that say which experiment.
type chosen struct {
	nic, work string
	sets      []string
	path      string // of the file; empty if flags alone say it
}

// experiment adds the flags that say which experiment.
func (f *flags) experiment() *chosen {
	c := &chosen{}
	f.StringVar(&c.work, "workload", "", "no FILE, but this workload: `NAME` or file; with gornic come "+strings.Join(workload.Names(), ", "))
	f.StringVar(&c.nic, "nic", "", "with -workload: `CONFIG` of the core: tiny, board, dc or a file (default board)")
	f.Func("set", "`FIELD=VALUE` for any field of the experiment, as host.pcie.latency_ns=800; as often as needed", func(text string) error {
		c.sets = append(c.sets, text)
		return nil
	})
	return c
}

// load reads the experiment that flags and arguments say.
func (c *chosen) load(args []string) (*config.File, []config.Setting, error) {
	var settings []config.Setting
	for _, text := range c.sets {
		s, err := config.ParseSetting(text)
		if err != nil {
			return nil, nil, usageError{err}
		}
		settings = append(settings, s)
	}
	var file *config.File
	var err error
	switch {
	case c.work != "" && len(args) > 0:
		return nil, nil, usagef("-workload and %s: expected one of them", args[0])
	case c.work != "":
		if c.nic == "" {
			c.nic = "board"
		}
		file, err = config.Of(c.work, c.nic)
	case len(args) != 1:
		return nil, nil, usagef("%d files: expected one experiment file, or -workload", len(args))
	case c.nic != "":
		return nil, nil, usagef("-nic goes with -workload: in a file it is the field nic")
	default:
		c.path = args[0]
		file, err = config.Load(c.path)
	}
	return file, settings, err
}
