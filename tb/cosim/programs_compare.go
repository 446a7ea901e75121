package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gornic/hdl/sim"
	"gornic/tb/axi"
	"gornic/tb/program"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/tb/workload"
	"gornic/verbs"
)

// compare does a program on the sides, and again between references, and compares
// what came of it.
func (p *programs) compare(ctx context.Context, work program.Program) (score, error) {
	var t score
	got, cycles, err := p.do(ctx, work, p.sides, rtl.NICOptions{Simulator: p.env.Simulator, Waves: p.env.Waves, NoChecks: p.many()})
	t.cycles = cycles
	if err != nil {
		return t, err
	}
	for _, a := range work.Acts {
		t.messages += a.Messages()
	}
	t.completions = got.Completions()
	want, _, err := p.do(ctx, work, [2]rtl.Kind{rtl.Reference, rtl.Reference}, rtl.NICOptions{Simulator: sim.NativeSimulator})
	if err != nil {
		return t, fmt.Errorf("between references: %w", err)
	}
	if err := got.Difference(want); err != nil {
		return t, fmt.Errorf("program %d, against references: %w", work.Seed, err)
	}
	return t, nil
}

// do does a program once, and returns how many cycles it took.
func (p *programs) do(ctx context.Context, work program.Program, sides [2]rtl.Kind, o rtl.NICOptions) (_ *program.Trace, cycles uint64, err error) {
	watch := monitor.New()
	l, capture, err := p.lab(work, sides, o, watch)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		cycles = l.Cycle()
		err = errors.Join(closing(err, l.Close), capture.close())
	}()
	var hosts [2]program.Host
	for i, h := range []*rtl.Host{l.A, l.B} {
		d, err := verbs.Open(ctx, hurried{h, l}, verbs.Config{MAC: h.MAC, Events: work.Timing.Events, Moderation: work.Timing.Moderation})
		if err != nil {
			return nil, 0, fmt.Errorf("host %v: %w", workload.Side(i), err)
		}
		hosts[i] = program.Host{Device: d, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6, Retries: sides[i] == rtl.Reference}
	}
	trace, err := program.Run(ctx, work, hosts, program.Options{Watch: watch})
	if err != nil {
		return trace, 0, fmt.Errorf("cycle %d: %w%s", l.Cycle(), err, counters(ctx, l))
	}
	for i, h := range hosts {
		if err := h.Device.Close(ctx); err != nil {
			return trace, 0, fmt.Errorf("host %v: %w", workload.Side(i), err)
		}
	}
	if err := l.Run(settle); err != nil {
		return trace, 0, err
	}
	return trace, 0, errors.Join(watch.Finish(), l.CheckGuards())
}

// programCycles is how many cycles a program may take: a hundred times as many as it does.
const programCycles = 3_000_000

// hurried is a host whose driver does not wait any longer then, for a command that never ends, say.
type hurried struct {
	*rtl.Host
	lab *rtl.Lab
}

func (h hurried) Wait(ctx context.Context) error {
	if h.lab.Cycle() > programCycles {
		return fmt.Errorf("not done after %d cycles", programCycles)
	}
	return h.Host.Wait(ctx)
}

// lab is two hosts with the timing of a program.
func (p *programs) lab(work program.Program, sides [2]rtl.Kind, o rtl.NICOptions, watch *monitor.Monitor) (*rtl.Lab, *capture, error) {
	t := work.Timing
	o.Pauses, o.Wire = t.RegisterPauses, t.WirePauses
	o.AXI = axi.Options{
		LatencyMin: t.LatencyMin, LatencyMax: t.LatencyMax, Reorder: t.Reorder, Interleave: t.Interleave, Pauses: t.MemoryPauses, Strict: t.Strict,
	}
	taps := []wire.Tap{watch.Tap, p.env.counts(sides)}
	var c *capture
	if p.env.Pcap != "" && slices.Contains(sides[:], rtl.Core) {
		var err error
		if c, err = newCapture(p.env.Pcap); err != nil {
			return nil, nil, err
		}
		taps = append(taps, c.Tap)
	}
	l, err := rtl.NewLab(p.design, p.io, rtl.Options{
		Config: p.env.Config, Sides: sides, NIC: o, Seed: work.Seed, Taps: taps, Slice: t.Slice, Wait: t.Wait,
	})
	if err != nil {
		return nil, nil, errors.Join(err, c.close())
	}
	return l, c, nil
}
