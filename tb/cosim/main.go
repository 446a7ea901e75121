// Command cosim runs the core's Verilog, simulated, against its reference in Go.
//
//	go run ./tb/cosim                                    every scenario, in every simulator there is
//	go run ./tb/cosim -list                              lists the scenarios
//	go run ./tb/cosim -run REGEXP                        the scenarios whose name matches
//	go run ./tb/cosim -workload FILE                     a workload of your own between two hosts
//	go run ./tb/cosim -run programs -programs 1000       random verbs programs, as many as there is time for
//	go run ./tb/cosim -run pairs/core-core -pcap w.pcap  what crosses the wire between two cores
//	go run ./tb/cosim -run walk -v                       the walks of the design documents, step by step
//	go run ./tb/cosim -run walk -json                    the same, one JSON object a step
//	go run ./tb/cosim -capture FILE                      the core in the place of those who answered in a capture, then of those who asked
//	go run ./tb/cosim -coverage FILE                     which opcodes crossed the wire, in which forms, as a table
//	go run ./tb/cosim -frames FILE...                    what the receive side makes of captured frames
//	go run ./tb/cosim -frames -json FILE...              the same, one JSON object a line
//	go run ./tb/cosim -frames -waves w.vcd FILE...       the same, and what went on inside, for a wave viewer
//
// Scenarios end with a table and a line "N passed, N failed"; before it stand the
// first difference of each that failed and the command that runs it again. With -json there is one
// JSON object a line instead: of a walk (docs/walks.md) one for each fact, of
// another scenario one. FILE of
// -workload is explained in package workload (tb/workload); with -frames it is a pcap or
// pcapng file or one frame in hexadecimal (*.hex); docs/formats.md explains the
// verdicts. The reference judges each frame beside the core, and a difference is
// an error. A frame of no bytes, which a capture may hold, cannot be put on a
// stream: its row is the reference's.
//
// The exit code is 0 when all went well, 1 when a scenario failed, a file could
// not be read or core and reference differ, 2 for wrong arguments.
//
// To read the code start with receiver.go (the core as a test bench sees it),
// then frames.go, scenario.go, or pair.go for whole NICs on a wire.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"gornic/configs"
	"gornic/hdl/sim"
	"gornic/tb/coverage"
	"gornic/tb/workload"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr, core(ctx))
	stop()
	os.Exit(code)
}

// options are the command's flags.
type options struct {
	frames   bool
	json     bool
	verbose  bool
	list     bool
	match    *regexp.Regexp
	sim      string
	seed     uint64
	waves    string
	pcap     string
	capture  string // file for the scenarios that replay one; empty: their own
	coverage string // file for the table of opcodes; empty: none
	config   string // empty: those of each scenario, with -frames board
	work     string // -workload
	programs int    // -programs; 0: the scenario's own number
	sample   int    // -sample; one of so many rows of tables
	// workload is what work stands for; nil: the scenarios' own.
	workload *workload.Workload
	files    []string
	args     []string // as they were given
	// table is what coverage asks for; nil: nobody does.
	table *coverage.Table
}

// plays tells that the options are for scenarios of two hosts.
func (o options) plays() bool { return o.workload != nil || o.writes() }

// suits tells that a scenario heeds what such options ask for.
func (o options) suits(s Scenario) bool {
	if o.capture != "" {
		return s.Replays
	}
	return s.Plays || !o.plays() || s.Writes && o.workload == nil
}

// writes tells that a run leaves a file, which one scenario alone may write.
func (o options) writes() bool { return o.pcap != "" || o.waves != "" }

// errUsage stands for wrong arguments that were reported already.
var errUsage = errors.New("wrong arguments")

// run is the command with everything it touches given.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, bench bench) int {
	o, err := parse(args, stderr, bench)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	case err != nil:
		fmt.Fprintf(stderr, "cosim: %v\n", err)
		return 2
	}
	switch {
	case o.list:
		listScenarios(stdout, bench.scenarios)
		return 0
	case o.frames:
		err = judgeFiles(ctx, o, stdout, stderr, bench)
	default:
		err = runScenarios(ctx, o, stdout, stderr, bench)
	}
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		err = fmt.Errorf("interrupted: %w", err)
	}
	fmt.Fprintf(stderr, "cosim: %v\n", err)
	return 1
}

func parse(args []string, stderr io.Writer, bench bench) (options, error) {
	o := options{args: args}
	var match string
	flags := flag.NewFlagSet("cosim", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.frames, "frames", false, "judge the frames of the files that are given")
	flags.BoolVar(&o.json, "json", false, "one JSON object a line: a frame, a fact of a walk, or a scenario")
	flags.BoolVar(&o.verbose, "v", false, "show walks step by step")
	flags.BoolVar(&o.list, "list", false, "list the scenarios and stop")
	flags.StringVar(&match, "run", "", "only scenarios whose name matches `REGEXP`")
	flags.StringVar(&o.sim, "sim", "", "simulator, `native` or verilator (default every one there is; with -frames, -pcap, -waves native)")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of workloads, random frames, gaps and un-reset state")
	flags.StringVar(&o.work, "workload", "", "`FILE` to play in the pairs, or one of "+strings.Join(workload.Names(), ", "))
	flags.IntVar(&o.sample, "sample", 1, "of faults, rules and places only every `N`th row")
	flags.IntVar(&o.programs, "programs", 0, "`N` random programs in each scenario of them (default 10)")
	flags.StringVar(&o.pcap, "pcap", "", "with one pair: `FILE` to write what crosses the wire to")
	flags.StringVar(&o.capture, "capture", "", "`FILE` of a capture, whose responders and then requesters the core stands in for")
	flags.StringVar(&o.coverage, "coverage", "", "`FILE` to write a table to of the opcodes that cores sent and received")
	flags.StringVar(&o.waves, "waves", "", "with -frames or one pair: `FILE` to write the waves to (native: VCD, verilator: FST; of a pair x.a.vcd, x.b.vcd)")
	flags.StringVar(&o.config, "config", "", "configuration: `FILE`, or one of tiny, board, dc (default board and dc; with -frames board; pairs tiny)")
	for rest := args; ; {
		if err := flags.Parse(rest); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return o, err
			}
			return o, errUsage
		}
		if flags.NArg() == 0 {
			break
		}
		o.files = append(o.files, flags.Arg(0))
		rest = flags.Args()[1:]
	}
	return o, o.check(match, bench)
}

// check looks at the arguments together, and reads what they name.
func (o *options) check(match string, bench bench) (err error) {
	switch {
	case o.frames && len(o.files) == 0:
		return errors.New("-frames wants files")
	case !o.frames && len(o.files) > 0:
		return fmt.Errorf("unexpected argument %q: files go with -frames", o.files[0])
	case o.json && o.verbose, o.json && o.list:
		return errors.New("-json goes without -v and -list")
	case o.capture != "" && (o.frames || o.plays() || o.work != ""):
		return errors.New("-capture goes without -frames, -workload, -pcap and -waves")
	case o.coverage != "" && (o.frames || o.list):
		return errors.New("-coverage goes without -frames and -list")
	case o.frames && (o.work != "" || o.pcap != ""):
		return errors.New("-workload and -pcap go with pairs, not with -frames")
	case o.sample < 1:
		return fmt.Errorf("-sample %d: want 1 or more", o.sample)
	case o.programs < 0:
		return fmt.Errorf("-programs %d: want 1 or more", o.programs)
	case o.sim != "" && bench.simulator(o.sim) == nil:
		return fmt.Errorf("-sim %s: want native or verilator", o.sim)
	case o.sim == "" && o.writes():
		o.sim = sim.NativeSimulator.Name
	}
	if o.match, err = regexp.Compile(match); err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if o.work != "" {
		w, err := workload.Load(o.work)
		if err != nil {
			return err
		}
		o.workload = &w
	}
	if o.config != "" {
		if _, err := configs.Load(o.config); err != nil {
			return err
		}
	}
	return o.openCoverage()
}
