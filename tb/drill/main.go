// Command drill plays protocol cases on the core: what packetdrill is for TCP, this is for RDMA.
//
//	go run ./tb/drill FILE...                  each case on the reference, and on the core in every simulator there is
//	go run ./tb/drill -sim native FILE...      on one of them: golden, native, verilator
//	go run ./tb/drill -v FILE...               every step, with the packets decoded
//	go run ./tb/drill -json FILE...            a JSON object a line for each case and simulator
//	go run ./tb/drill -list FILE...            what each case is about, without playing it
//	go run ./tb/drill -sim golden -pcap w.pcap FILE   what crossed the wire, for Wireshark
//
// A case is a YAML file: queue pairs, regions, and steps in order. What the peer sends is in the file,
// and so is what the NIC has to send, complete, report and leave in memory. docs/drill.md explains
// the language; tb/drill/examples has ten cases with comments, tb/drill/cases those of
// docs/protocol.md, section 9, tb/drill/security what attackers do. A folder stands for the cases in it.
//
// A case passes, or the first step that differs is printed: file, line, what was expected, what came,
// and the fields that differ.
//
// The exit code is 0 when all cases passed, 1 when one failed or could not be played to its end, 2 for wrong arguments
// and for files with mistakes. A simulator that is not installed is left out, with a message; one that was
// asked for with -sim has to be there.
//
// To read the code start with package script (the language), then package play; package packet is the wire.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"gornic/configs"
	"gornic/tb/drill/play"
	"gornic/tb/drill/script"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the command's flags.
type options struct {
	sim     string // empty: all
	config  string
	seed    uint64
	verbose bool
	json    bool
	list    bool
	pcap    string
	files   []string
}

// Exit codes.
const (
	exitPassed = 0
	exitFailed = 1
	exitUsage  = 2
)

// errUsage stands for wrong arguments that were reported already.
var errUsage = errors.New("wrong arguments")

// run is the command with everything it touches given.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitPassed
	case errors.Is(err, errUsage):
		return exitUsage
	case err != nil:
		fmt.Fprintf(stderr, "drill: %v\n", err)
		return exitUsage
	}
	cases, err := loadAll(o.files)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitUsage
	}
	if o.list {
		list(stdout, cases)
		return exitPassed
	}
	passed, err := playAll(ctx, o, cases, stdout, stderr)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "drill: %v\n", err)
		return exitFailed
	case !passed:
		return exitFailed
	}
	return exitPassed
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("drill", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.sim, "sim", "", "play on `NIC`: golden (the reference), native or verilator (the core); default all there are")
	flags.StringVar(&o.config, "config", "", "configuration of cases that name none: `FILE`, or one of "+strings.Join(configs.Names(), ", ")+" (default tiny with some more, see docs/drill.md)")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of cases that have none: of memory, state before reset, and what the bus does")
	flags.BoolVar(&o.verbose, "v", false, "show each step")
	flags.BoolVar(&o.json, "json", false, "one JSON object a line for each case and NIC")
	flags.BoolVar(&o.list, "list", false, "tell what the cases are about, and stop")
	flags.StringVar(&o.pcap, "pcap", "", "with one case and -sim: `FILE` to write what crosses the wire to")
	for rest := args; ; {
		if err := flags.Parse(rest); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return o, err
			}
			return o, errUsage
		}
		if flags.NArg() == 0 {
			return o, o.check()
		}
		o.files = append(o.files, flags.Arg(0))
		rest = flags.Args()[1:]
	}
}

// check looks at the arguments together, and finds the cases in folders.
func (o *options) check() (err error) {
	switch {
	case len(o.files) == 0:
		return errors.New("no case: name files, or folders such as tb/drill/cases")
	case o.sim != "" && !slices.Contains(play.Simulators(), o.sim):
		return fmt.Errorf("-sim %s: expected one of %s", o.sim, strings.Join(play.Simulators(), ", "))
	case o.json && (o.verbose || o.list):
		return errors.New("-json goes without -v and -list")
	}
	if o.config != "" {
		if _, err := configs.Load(o.config); err != nil {
			return err
		}
	}
	if o.files, err = expand(o.files); err != nil {
		return err
	}
	if o.pcap != "" && (len(o.files) != 1 || o.sim == "") {
		return errors.New("-pcap goes with one case and -sim")
	}
	return nil
}

// expand replaces folders by the cases in them.
func expand(files []string) ([]string, error) {
	var all []string
	for _, f := range files {
		info, err := os.Stat(f)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: there is no such file", f)
		case err != nil:
			return nil, err
		case !info.IsDir():
			all = append(all, f)
			continue
		}
		in, err := filepath.Glob(filepath.Join(f, "*.yaml"))
		if err != nil {
			return nil, err
		}
		if len(in) == 0 {
			return nil, fmt.Errorf("%s: no *.yaml in this folder", f)
		}
		all = append(all, in...)
	}
	return all, nil
}

// loadAll reads all cases, and finds all mistakes.
func loadAll(files []string) (cases []*script.Case, err error) {
	var errs []error
	for _, f := range files {
		c, err := script.Load(f)
		errs = append(errs, err)
		cases = append(cases, c)
	}
	return cases, errors.Join(errs...)
}
