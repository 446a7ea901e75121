// Command soak has two hosts do random verbs programs over a wire that fails, one after the other, until one does what the rules
// do not allow.
//
//	go run ./tb/soak -n 1000                   programs on core and core, core and reference, reference and core in turn
//	go run ./tb/soak -n 300000 -golden         between references alone: some hundred a second
//	go run ./tb/soak -sides core-core -sim native -config board
//	go run ./tb/soak -seed 17 -n 1 -pcap x.pcap   one program, and what crosses the wire in it
//	go run ./tb/soak goodput                   what losses leave of a queue pair's rate, against theory, and a plot of it
//	go run ./tb/soak congestion                how two cores answer the marks of routers, against the algorithm
//	go run ./tb/soak isolation                 what one queue pair in an RNR wait, or in retries, takes from the others
//
// A program (tb/program, Lossy) is drawn from a seed: losses of 0.1 to 30 % in each direction, duplicates, reordering, corruption,
// outages, short timers and few retries, receives that are posted late, queue pairs that are destroyed and made anew under load, PSNs just
// below their end; on cores host memory that answers late, out of order and with pauses. Everything that comes of it is judged: completions,
// memory, events, states, each packet on the wire. What may come of it is told in the comment of package program.
//
// The first program that fails ends the run: its error is printed, then the command that runs it alone, then what is left of
// it when all is taken away that it does not take to fail. The exit code is 0 when all went well, 1 when a program failed, 2 for wrong
// arguments. The same seeds do the same, however many run at once.
//
// To read the code start with soak.go; pair.go has the two hosts, failure.go what is told of a failure; goodput.go,
// congestion.go and isolation.go are the measurements, chart.go a plot.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"gornic/configs"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
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
	count   int
	seed    uint64
	config  configs.Config
	named   string // -config
	sides   []sides
	golden  bool
	sim     string
	workers int
	checks  bool
	pcap    string
	waves   string
	quiet   bool
	whole   bool
	most    int // failures
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "goodput":
			return runGoodput(ctx, args[1:], stdout, stderr)
		case "isolation":
			return runIsolation(ctx, args[1:], stdout, stderr)
		case "congestion":
			return runCongestion(ctx, args[1:], stdout, stderr)
		}
	}
	o, err := parse(args, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 2
	}
	s, err := newSoak(ctx, o, stderr)
	if err == nil {
		err = s.run(ctx)
	}
	if s != nil {
		fmt.Fprintln(stdout, s.score())
	}
	if err != nil {
		fmt.Fprintln(stdout, err)
		return 1
	}
	return 0
}

// mayBe are the pairs of NICs by name.
var mayBe = []string{"core-core", "core-reference", "reference-core"}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	all := strings.Join(mayBe, ",")
	names := flags.String("sides", all, "`PAIRS` of NICs of hosts a and b, each in its turn")
	flags.IntVar(&o.count, "n", 1000, "`NUMBER` of programs")
	flags.Uint64Var(&o.seed, "seed", 1, "`SEED` of the first program; those behind it have the next")
	flags.StringVar(&o.named, "config", "tiny", "`CONFIG` of the core: tiny, board, dc or a file")
	flags.BoolVar(&o.golden, "golden", false, "references at both ends")
	flags.StringVar(&o.sim, "sim", verilator.Simulator.Name, "simulator of cores: verilator or `native`")
	flags.IntVar(&o.workers, "j", runtime.NumCPU(), "`PROGRAMS` at once")
	flags.BoolVar(&o.checks, "checks", false, "the properties of the core are checked, too, at half the speed")
	flags.StringVar(&o.pcap, "pcap", "", "write what crosses the wire to `FILE`, of one program")
	flags.StringVar(&o.waves, "waves", "", "write waves of cores to `FILE`, of one program")
	flags.BoolVar(&o.whole, "whole", false, "host memory never answers with an error")
	flags.IntVar(&o.most, "failures", 1, "`NUMBER` of programs that may fail before no more are run")
	flags.BoolVar(&o.quiet, "q", false, "show no progress")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.count < 1 || o.workers < 1 || o.most < 1:
		return o, fmt.Errorf("-n %d -j %d -failures %d: want 1 or more of each", o.count, o.workers, o.most)
	case o.sim != sim.NativeSimulator.Name && o.sim != verilator.Simulator.Name:
		return o, fmt.Errorf("-sim %s: want native or verilator", o.sim)
	case o.golden && *names != all:
		return o, fmt.Errorf("-golden and -sides %s: want one of them", *names)
	case o.pcap+o.waves != "" && o.count != 1:
		return o, fmt.Errorf("-pcap and -waves want one program: -n 1, and its -seed")
	case o.waves != "" && o.golden:
		return o, fmt.Errorf("references have no waves")
	}
	return o, o.complete(*names)
}

// complete reads what flags name.
func (o *options) complete(names string) error {
	var err error
	if o.config, err = configs.Load(o.named); err != nil {
		return err
	}
	if o.golden {
		o.sides = []sides{{false, false}}
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		if !slices.Contains(mayBe, name) {
			return fmt.Errorf("-sides %s: want some of %s", name, strings.Join(mayBe, ", "))
		}
		a, b, _ := strings.Cut(name, "-")
		o.sides = append(o.sides, sides{a == "core", b == "core"})
	}
	return nil
}
