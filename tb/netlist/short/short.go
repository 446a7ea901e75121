package short

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/tb/axi"
	"gornic/tb/program"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

// Bench is a core in a simulator.
type Bench struct {
	Config    configs.Config
	Design    *hdl.Design // of rtl.Build
	IO        *core.IO
	Simulator sim.Simulator
}

// Test is a test of a core.
type Test struct {
	Name string
	Run  func(ctx context.Context, b Bench) error
}

// List returns the tests of a configuration, the quickest to fail first: programs over a wire that works, which take 8 to 48 thousand cycles on
// the tiny core, and over one that fails, of which the first takes 136 thousand.
func List(c configs.Config) []Test {
	limits := program.LimitsOf(c)
	var tests []Test
	for _, seed := range []uint64{5, 2, 4, 1, 3, 0} {
		tests = append(tests, programTest(fmt.Sprintf("program %d", seed), program.Random(seed, limits), seed%2 == 0, 150_000))
	}
	for _, seed := range []uint64{0, 1} {
		tests = append(tests, programTest(fmt.Sprintf("lossy program %d", seed), program.Lossy(seed, limits), seed%2 == 0, 400_000))
	}
	return tests
}

// programTest runs a program with the core at host A, or else B, for so many cycles at most: several times as many as it takes, as a core that is
// broken often does nothing any more.
func programTest(name string, p program.Program, atA bool, most uint64) Test {
	sides := [2]rtl.Kind{rtl.Core, rtl.Reference}
	if !atA {
		sides = [2]rtl.Kind{rtl.Reference, rtl.Core}
	}
	return Test{name, func(ctx context.Context, b Bench) error { return b.run(ctx, p, sides, most) }}
}

func (b Bench) run(ctx context.Context, p program.Program, sides [2]rtl.Kind, most uint64) (err error) {
	t, watch := p.Timing, monitor.New()
	l, err := rtl.NewLab(b.Design, b.IO, rtl.Options{
		Config: b.Config, Sides: sides, Seed: p.Seed, Faults: p.Faults, Taps: []wire.Tap{watch.Tap}, Slice: t.Slice, Wait: t.Wait,
		NIC: rtl.NICOptions{
			Simulator: b.Simulator, NoChecks: true, Pauses: t.RegisterPauses, Wire: t.WirePauses,
			AXI: axi.Options{
				LatencyMin: t.LatencyMin, LatencyMax: t.LatencyMax, Reorder: t.Reorder, Interleave: t.Interleave, Pauses: t.MemoryPauses, Strict: t.Strict,
			},
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	var hosts [2]program.Host
	for i, h := range []*rtl.Host{l.A, l.B} {
		d, err := verbs.Open(ctx, hurried{h, l, most}, verbs.Config{MAC: h.MAC, Events: t.Events, Moderation: t.Moderation})
		if err != nil {
			return fmt.Errorf("host %s: %w", "ab"[i:i+1], err)
		}
		hosts[i] = program.Host{Device: d, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6, Retries: true}
	}
	_, err = program.Run(ctx, p, hosts, program.Options{
		Watch: watch, Clock: l.Link.Clock, Tick: time.Duration(b.Config.AckTick) * rtl.Cycle, Patience: patience, Calm: calm(l.Link),
	})
	if err != nil {
		return fmt.Errorf("cycle %d: %w", l.Cycle(), err)
	}
	return errors.Join(watch.Finish(), l.CheckGuards())
}

// patience is how many waits in vain are too many.
const patience = 2000

// calm has a link lose nothing from now on, and tells whether it still holds frames.
func calm(l *wire.Link) func() bool {
	return func() bool {
		l.SetFaults(wire.Faults{})
		return l.Held() > 0
	}
}

// hurried is a host whose driver does not wait for ever.
type hurried struct {
	*rtl.Host
	lab  *rtl.Lab
	most uint64 // cycles
}

// Wait implements verbs.Bus.
func (h hurried) Wait(ctx context.Context) error {
	if h.lab.Cycle() > h.most {
		return fmt.Errorf("not done after %d cycles", h.most)
	}
	return h.Host.Wait(ctx)
}
