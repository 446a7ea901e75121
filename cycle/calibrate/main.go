package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/workload"
)

// options are the command's flags.
type options struct {
	events   string
	config   string
	latency  int
	wire     int
	seed     uint64
	streams  bool
	json     bool
	native   bool
	hops     string
	check    bool
	recorded bool
	match    string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	o, err := parse(os.Args[1:], os.Stderr)
	if err == nil {
		err = o.run(ctx, os.Stdout)
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(1)
	}
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("calibrate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.events, "events", "", "print what the RTL does with the workload `FILE`, or one of "+strings.Join(workload.Names(), ", "))
	flags.StringVar(&o.config, "config", "dc", "of both cores: tiny, board, dc or a file")
	flags.IntVar(&o.latency, "latency", 0, "of the memory of both hosts, `CYCLES`")
	flags.IntVar(&o.wire, "wire", 0, "of the wire, `CYCLES`")
	flags.Uint64Var(&o.seed, "seed", 1, "of requests and losses")
	flags.BoolVar(&o.streams, "streams", false, "with -events: everything that moves in a stream between two blocks")
	flags.BoolVar(&o.json, "json", false, "with -events: an object a line")
	flags.BoolVar(&o.native, "native", false, "simulate in Go: the same cycles, ready at once, and slower")
	flags.StringVar(&o.hops, "hops", "", "print how many cycles each block takes in the RTL of `CONFIG`")
	flags.BoolVar(&o.check, "check", false, "compare the model with what is recorded, and write nothing")
	flags.BoolVar(&o.recorded, "recorded", false, "fit and compare with what is recorded, without playing it again")
	flags.StringVar(&o.match, "run", "", "only cases whose name contains `TEXT`; nothing is written")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, nil
}

func (o options) run(ctx context.Context, w io.Writer) error {
	switch {
	case o.events != "":
		return o.printEvents(ctx, w)
	case o.hops != "":
		return o.printHops(ctx, w)
	case o.check:
		return o.checkRecorded(ctx, w)
	}
	return o.calibrate(ctx, w)
}

func (o options) simulator() sim.Simulator {
	if o.native {
		return sim.NativeSimulator
	}
	return verilator.Simulator
}
