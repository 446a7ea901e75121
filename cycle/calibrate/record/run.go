package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gornic/cycle/model"
	"gornic/hdl/sim"
	"gornic/tb/axi"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/workload"
	"gornic/tb/workload/play"
	"gornic/verbs"
)

// Options of a run.
type Options struct {
	Seed     uint64 // of the workload's requests and of the wire's faults
	Latency  int    // of the memory of both hosts, in cycles
	Wire     int    // latency of the wire, in cycles
	Paged    bool   // buffers lie in scattered pages; else each in one piece
	Unready  bool   // senders do not wait until the receiver has posted
	NoChecks bool   // the core's own properties are left out, for speed
	// Attr changes attributes of the queue pairs; nil: nothing.
	Attr func(*verbs.QPAttr)
}

// Log is what a run was seen to do.
type Log struct {
	Events []model.Event // by cycle; those of one cycle by node, then kind
	Report play.Report
	Begin  uint64 // cycle of the first doorbell of a send queue
	Cycles uint64 // of the whole run, with what comes before
	// Streams are what moved in the streams between blocks of each node, if the core was prepared so.
	Streams [2][]sim.Event
}

// game is one run.
type game struct {
	lab      *rtl.Lab
	names    *names
	wire     *seenWire
	hosts    [2]*swift
	trace    [2][]sim.Event
	arrivals []uint64 // of requests that come at a time, in order
	begin    uint64   // cycle of the first look at arrivals
	began    bool
}

// WireCycles is from the last beat that leaves a core to the first that comes to the other, on a wire without latency.
const WireCycles = 2

// idleCycles is how long hosts wait at once with nothing to do.
const idleCycles = 64

// patience is how many waits in vain end a run.
const patience = 200_000

// Run plays a workload. An error is one of the play: whatever differs from what the workload asks for.
func (p *Prepared) Run(ctx context.Context, w workload.Workload, o Options) (*Log, error) {
	if n := w.Connections(); n > p.Config.QPs || n > p.Config.CQs {
		return nil, fmt.Errorf("record: workload %s has %d queue pairs, configuration %s no more than %d", w.Name, n, p.Config.Name, min(p.Config.QPs, p.Config.CQs))
	}
	g := &game{names: newNames(p.Config.QPs), wire: &seenWire{}}
	lab, err := rtl.NewLab(p.design, p.io, rtl.Options{
		Config: p.Config, Seed: o.Seed, Faults: w.Faults(o.Seed), Taps: []wire.Tap{g.wire.tap}, Slice: 1, Wait: 1,
		NIC: rtl.NICOptions{Simulator: p.simulator, Events: true, NoChecks: o.NoChecks, AXI: axi.Options{LatencyMin: o.Latency, LatencyMax: o.Latency}},
	})
	if err != nil {
		return nil, err
	}
	g.lab = lab
	lab.Link.Latency = rtl.Cycle * time.Duration(o.Wire)
	log, err := g.play(ctx, w, o)
	if err := errors.Join(err, lab.Close()); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return log, nil
}

func (g *game) play(ctx context.Context, w workload.Workload, o Options) (*Log, error) {
	var hosts [2]play.Host
	nics := []*rtl.Host{g.lab.A, g.lab.B}
	for i, h := range nics {
		g.hosts[i] = newSwift(h, g, i == 0)
	}
	for i, h := range nics {
		device, err := verbs.Open(ctx, g.hosts[i], verbs.Config{MAC: h.MAC})
		if err != nil {
			return nil, fmt.Errorf("host %v: %w", workload.Side(i), err)
		}
		hosts[i] = play.Host{Device: device, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6}
	}
	if w.Arrival.Kind != workload.Closed {
		for q := range w.Requests(o.Seed) {
			g.arrivals = append(g.arrivals, q.At)
		}
		slices.Sort(g.arrivals)
	}
	lie := play.OnePiece
	if o.Paged {
		lie = play.InPages
	}
	report, err := play.Run(ctx, w, hosts, play.Options{Seed: o.Seed, Now: g.now, Ready: !o.Unready, Lie: lie, Patience: patience, Attr: func(a *verbs.QPAttr) {
		g.names.connect(a)
		if o.Attr != nil {
			o.Attr(a)
		}
	}})
	if err != nil {
		return nil, err
	}
	g.collect()
	return g.log(report)
}

// now is the cycle since the hosts began to send.
func (g *game) now() uint64 {
	if !g.began {
		g.began, g.begin = true, g.lab.Cycle()
	}
	return g.lab.Cycle() - g.begin
}

// pass lets time pass until there is something for a host to do.
func (g *game) pass(ctx context.Context) error {
	for i := range g.hosts {
		g.hosts[i].written = false
	}
	for range g.idle() {
		if err := g.lab.Run(1); err != nil {
			return err
		}
		if g.hosts[0].written || g.hosts[1].written {
			break
		}
	}
	g.collect()
	return ctx.Err()
}

// idle is in how many cycles there is something to do at the latest.
func (g *game) idle() int {
	if !g.began {
		return 1
	}
	now := g.now()
	for len(g.arrivals) > 0 && g.arrivals[0] <= now {
		g.arrivals = g.arrivals[1:]
	}
	if len(g.arrivals) > 0 {
		return int(min(g.arrivals[0]-now, idleCycles))
	}
	return idleCycles
}

// collect takes the events of both cores.
func (g *game) collect() {
	for i := range g.hosts {
		g.trace[i] = append(g.trace[i], g.hosts[i].Core().Events()...)
	}
}
