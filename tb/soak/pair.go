package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
	"gornic/tb/host"
	"gornic/tb/program"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

// sides tells which hosts have a core; the others have a reference.
type sides [2]bool

func (s sides) String() string { return kindOf(s[0]).String() + "-" + kindOf(s[1]).String() }

func kindOf(isCore bool) rtl.Kind {
	if isCore {
		return rtl.Core
	}
	return rtl.Reference
}

// bench runs programs, several at once.
type bench struct {
	options
	opens  sim.Simulator
	design *hdl.Design // nil: no side is a core
	io     *core.IO
}

// result is what came of a program.
type result struct {
	trace  *program.Trace
	cycles uint64
}

// newBench builds the core, and has it compiled once for all programs.
func newBench(ctx context.Context, o options) (*bench, error) {
	b := &bench{options: o, opens: sim.NativeSimulator.Cached(ctx)}
	if o.golden {
		return b, nil
	}
	var err error
	if b.design, b.io, err = rtl.Build(o.config); err != nil {
		return nil, err
	}
	if o.sim != verilator.Simulator.Name {
		return b, nil
	}
	b.opens = verilator.Simulator.Cached(ctx)
	return b, nil
}

// slow tells that a core takes minutes to do a program.
func (b *bench) slow() bool { return !b.golden && b.sim != verilator.Simulator.Name }

// do does a program.
func (b *bench) do(ctx context.Context, p program.Program, at sides) (result, error) {
	taps, watch, closeFile, err := b.taps()
	if err != nil {
		return result{}, err
	}
	if b.golden {
		r, err := b.doReferences(ctx, p, watch, taps)
		return r, errors.Join(err, closeFile())
	}
	r, err := b.doCores(ctx, p, at, watch, taps)
	return r, errors.Join(err, closeFile())
}

// taps are those of a wire: who judges it, and a capture file if one is wanted.
func (b *bench) taps() ([]wire.Tap, *monitor.Monitor, func() error, error) {
	watch := monitor.New()
	if b.pcap == "" {
		return []wire.Tap{watch.Tap}, watch, func() error { return nil }, nil
	}
	file, err := os.Create(b.pcap)
	if err != nil {
		return nil, nil, nil, err
	}
	capture, err := wire.NewPcap(file)
	if err != nil {
		return nil, nil, nil, errors.Join(err, file.Close())
	}
	return []wire.Tap{watch.Tap, capture.Tap}, watch, func() error { return errors.Join(capture.Err(), file.Close()) }, nil
}

// doCores does a program with a core on one side at least.
func (b *bench) doCores(ctx context.Context, p program.Program, at sides, watch *monitor.Monitor, taps []wire.Tap) (r result, err error) {
	t := p.Timing
	l, err := rtl.NewLab(b.design, b.io, rtl.Options{
		Config: b.config, Sides: [2]rtl.Kind{kindOf(at[0]), kindOf(at[1])}, Seed: p.Seed, Faults: p.Faults, Taps: taps, Slice: t.Slice, Wait: t.Wait,
		NIC: rtl.NICOptions{
			Simulator: b.opens, Waves: b.waves, NoChecks: !b.checks, Pauses: t.RegisterPauses, Wire: t.WirePauses,
			AXI: axi.Options{
				LatencyMin: t.LatencyMin, LatencyMax: t.LatencyMax, Reorder: t.Reorder, Interleave: t.Interleave, Pauses: t.MemoryPauses, Strict: t.Strict,
			},
		},
	})
	if err != nil {
		return r, err
	}
	defer func() {
		r.cycles = l.Cycle()
		err = errors.Join(err, l.Close())
	}()
	var hosts [2]program.Host
	for i, h := range []*rtl.Host{l.A, l.B} {
		d, err := verbs.Open(ctx, hurried{h, l}, verbs.Config{MAC: h.MAC, Events: t.Events, Moderation: t.Moderation})
		if err != nil {
			return r, fmt.Errorf("host %s: %w", "ab"[i:i+1], err)
		}
		hosts[i] = program.Host{Device: d, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6, Retries: true, Break: b.breaks(h.Memory)}
	}
	r.trace, err = program.Run(ctx, p, hosts, program.Options{
		Watch: watch, Clock: l.Link.Clock, Tick: tick(b.config), Patience: patience, Calm: calm(l.Link),
	})
	if err != nil {
		return r, fmt.Errorf("cycle %d: %w%s", l.Cycle(), err, counters(ctx, hosts))
	}
	return r, errors.Join(watch.Finish(), l.CheckGuards())
}

// breaks has pieces of a host's memory answer with errors; nil: it never does.
func (b *bench) breaks(m *host.Memory) func(addr, size uint64, kinds host.Kinds) (mend func()) {
	if b.whole {
		return nil
	}
	return func(addr, size uint64, kinds host.Kinds) func() { return m.InjectFault(addr, size, kinds).Remove }
}

// tick is how long 4.096 us of a retry timer take.
func tick(c configs.Config) time.Duration { return time.Duration(c.AckTick) * rtl.Cycle }

// patience is how many waits in vain are too many, where time is not up before.
const patience = 20000

// calm has a link lose nothing from now on, and tells whether it still holds frames.
func calm(l *wire.Link) func() bool {
	return func() bool {
		l.SetFaults(wire.Faults{})
		return l.Held() > 0
	}
}

// counters are those of both devices that are not 0, as far as they can be read.
func counters(ctx context.Context, hosts [2]program.Host) string {
	text := ""
	for i, h := range hosts {
		all, err := h.Device.Counters(ctx)
		if err != nil {
			continue
		}
		text += fmt.Sprintf("\nhost %s counts %v", "ab"[i:i+1], all)
	}
	return text
}

// mostCycles is how many a program may take: some hundred times as many as it does.
const mostCycles = 4_000_000

// hurried is a host whose driver does not wait any longer then, for a command that never ends, say.
type hurried struct {
	*rtl.Host
	lab *rtl.Lab
}

func (h hurried) Wait(ctx context.Context) error {
	if h.lab.Cycle() > mostCycles {
		return fmt.Errorf("not done after %d cycles", mostCycles)
	}
	return h.Host.Wait(ctx)
}
