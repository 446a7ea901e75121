package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"gornic/configs"
	"gornic/fpga/flow"
	synthesized "gornic/fpga/netlist"
	"gornic/tb/netlist"
	"gornic/tb/netlist/short"
	"gornic/tb/rtl"
)

// mutantOptions are the flags of mutants.
type mutantOptions struct {
	count  int
	least  int
	seed   uint64
	config string
}

func mutantsCommand(flags *flag.FlagSet) func(context.Context, io.Writer, io.Writer) error {
	var o mutantOptions
	flags.IntVar(&o.count, "n", 50, "how many mutants; 0 runs the netlist as it is alone")
	flags.IntVar(&o.least, "least", -1, "how many have to fail (default nine tenths)")
	flags.Uint64Var(&o.seed, "seed", 1, "`seed` of the choice of LUTs")
	flags.StringVar(&o.config, "config", "tiny", "configuration of the core: `FILE` or a name")
	return func(ctx context.Context, stdout, stderr io.Writer) error { return mutants(ctx, o, stdout, stderr) }
}

// mutants runs the short list on the netlist of the core, which has to pass it, and on mutants, nearly all of which
// have to fail.
func mutants(ctx context.Context, o mutantOptions, stdout, stderr io.Writer) error {
	config, err := configs.Load(o.config)
	if err != nil {
		return &argumentError{err}
	}
	p := newProgress(stderr)
	defer p.close()
	b := short.Bench{Config: config}
	if b.Design, b.IO, err = rtl.Build(config); err != nil {
		return err
	}
	n, err := flow.Netlist(ctx, "core-"+config.Name, b.Design, flow.Options{Progress: p})
	if err != nil {
		return err
	}
	names, err := chooseLUTs(n, o.count, o.seed)
	if err != nil {
		return &argumentError{err}
	}
	p.Begin(2, 3, "compile", 0)
	start := time.Now()
	simulators, err := netlist.Prepare(ctx, b.Design, n, names)
	if err != nil {
		return err
	}
	p.End(time.Since(start), false)

	p.Begin(3, 3, "run", 0)
	p.Detail("the netlist as it is")
	b.Simulator = simulators.Original()
	if name, err := firstFailure(ctx, b); err != nil {
		return fmt.Errorf("the netlist fails %s: %w", name, err)
	}
	killed := 0
	for i, name := range names {
		p.Detail(fmt.Sprintf("mutant %d of %d, %d failed so far", i+1, len(names), killed))
		b.Simulator = simulators.Mutant(i)
		test, err := firstFailure(ctx, b)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		verdict := "passed everything"
		if err != nil {
			killed++
			verdict = "failed " + test
		}
		p.pause(func() { fmt.Fprintf(stdout, "%-3d %-70s %s\n", i+1, name, verdict) })
	}
	if o.least < 0 {
		o.least = o.count * 9 / 10
	}
	p.close()
	fmt.Fprintf(stdout, "the netlist passes; %d of %d mutants fail, at least %d have to\n", killed, len(names), o.least)
	if killed < o.least {
		return errors.New("too few mutants fail")
	}
	return nil
}

// firstFailure runs the short list up to the first test that fails, and names it.
func firstFailure(ctx context.Context, b short.Bench) (name string, err error) {
	for _, test := range short.List(b.Config) {
		if err := test.Run(ctx, b); err != nil {
			return test.Name, err
		}
	}
	return "", nil
}

// chooseLUTs draws LUTs of a netlist.
func chooseLUTs(n *synthesized.Netlist, count int, seed uint64) ([]string, error) {
	var luts []string
	for _, name := range slices.Sorted(maps.Keys(n.Cells)) {
		if n.Cells[name].Type == "LUT4" {
			luts = append(luts, name)
		}
	}
	if count < 0 || count > len(luts) {
		return nil, fmt.Errorf("-n %d: the netlist has %d LUTs", count, len(luts))
	}
	random := rand.New(rand.NewPCG(seed, 0x4C5554))
	random.Shuffle(len(luts), func(i, j int) { luts[i], luts[j] = luts[j], luts[i] })
	return luts[:count], nil
}
