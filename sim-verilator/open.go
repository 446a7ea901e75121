package verilator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
)

// Open makes a running copy of a design in Verilator; it has the type sim.Open. The first time it compiles the design, which
// takes seconds.
func Open(d *ir.Design, o sim.Options) (sim.Backend, error) {
	open, err := Prepare(context.Background(), d, o)
	if err != nil {
		return nil, err
	}
	return open(d, o)
}

// start loads an artefact and makes a copy of its design.
func start(d *ir.Design, o sim.Options, a *artefact, name string) (*backend, error) {
	lib, err := load(a.library)
	if err != nil {
		return nil, err
	}
	b := &backend{
		name: name, design: d, artefact: a, checks: sim.Checks(d),
		clocks: map[*ir.Clock]int{}, ports: map[*ir.Signal]port{},
	}
	var timings []sim.Timing
	for i, c := range d.Top.Clocks {
		b.clocks[c] = i
		timings = append(timings, o.Timing(c))
	}
	words := sharedClocks + 2*len(timings)
	for i, s := range topPorts(d) {
		n := ir.WordCount(s.Width)
		b.ports[s] = port{number: i, offset: words, words: n}
		words += n
	}
	waves := o.Waves
	if waves != "" {
		if waves, err = wavesPath(waves); err != nil {
			return nil, fmt.Errorf("waves: %w", err)
		}
	}
	b.simulation = newSimulation(lib, words, timings, verilatorSeed(o.Seed), waves)
	return b, nil
}

// wavesPath is the full path of the file for waves, which is made: Verilator does not say that it cannot write there.
func wavesPath(name string) (string, error) {
	f, err := os.Create(name)
	if err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	return filepath.Abs(name)
}

// verilatorSeed maps a seed to what Verilator takes: 31 bits, and not zero, which would ask the clock for one.
func verilatorSeed(seed uint64) uint64 {
	return sim.SplitMix64(&seed)>>34 + 1
}
