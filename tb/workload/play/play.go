package play

import (
	"context"
	"fmt"
	"net/netip"

	"gornic/tb/wire/monitor"
	"gornic/tb/workload"
	"gornic/verbs"
)

// Host is a host with an open device.
type Host struct {
	Device     *verbs.Device
	MAC        verbs.MAC
	IPv4, IPv6 netip.Addr
}

// Options of a run.
type Options struct {
	Seed uint64
	// Now is the cycle at the moment, for arrivals; nil: all work has arrived.
	Now func() uint64
	// Ready keeps a message that consumes a receive work request back until the
	// peer has posted one for it, so that no receiver is ever not ready.
	Ready bool
	// Attr, where it is not nil, changes the attributes of each queue pair before it
	// is connected: timeouts and retries, say.
	Attr func(*verbs.QPAttr)
	// Watch, where it is not nil, is told of the connections; the caller hangs it on
	// the wire. At the end it has to be content. Its Payloads is set.
	Watch *monitor.Monitor
	// Lie says how buffers lie in memory; the zero value: as the seed has it.
	Lie Lie
	// Patience is how often in a row the devices may be waited for in vain; 0: 10000.
	Patience int
}

// Lie is how buffers lie in memory.
type Lie uint8

// Ways in which buffers lie.
const (
	Mixed    Lie = iota // some in one piece, at any multiple of 8, some in scattered pages; the seed decides
	OnePiece            // each in one piece, from the beginning of a page on
	InPages             // each in scattered pages, likewise
)

// Report is what a run did.
type Report struct {
	Messages    int
	Bytes       int64
	Completions int
}

// Run plays a workload between two hosts: it makes what the workload needs,
// connects, sends everything, checks it, and destroys what it made. An error tells
// the first difference: which host, queue pair and request, what was expected and
// what came.
func Run(ctx context.Context, w workload.Workload, hosts [2]Host, o Options) (Report, error) {
	if o.Patience == 0 {
		o.Patience = 10000
	}
	g := &game{w: w, o: o}
	for i := range g.sides {
		g.sides[i].Host = hosts[i]
	}
	err := g.setUp(ctx)
	if err == nil {
		err = g.play(ctx)
	}
	if err == nil {
		err = g.checkEnd(ctx)
	}
	if o.Watch != nil {
		err = g.checkWire(err)
	}
	if err != nil {
		return g.report, fmt.Errorf("workload %s, seed %d: %w", w.Name, o.Seed, err)
	}
	return g.report, g.tearDown(ctx)
}

// game is a run.
type game struct {
	w      workload.Workload
	o      Options
	sides  [2]side
	report Report
}

// side is a host with its ends of the connections.
type side struct {
	Host
	pd   *verbs.PD
	ends []*end
}

// play posts and polls until all is done.
func (g *game) play(ctx context.Context) error {
	for idle := 0; !g.done(); idle++ {
		if idle > g.o.Patience {
			return fmt.Errorf("nothing happens any more: %w", g.stuck(ctx))
		}
		moved, err := g.round(ctx)
		if err != nil {
			return err
		}
		if moved {
			idle = 0
		}
		for i := range g.sides {
			if err := g.sides[i].Device.Wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// round does for each end what can be done now.
func (g *game) round(ctx context.Context) (bool, error) {
	moved := false
	for _, e := range g.ends() {
		n, err := e.poll(ctx)
		g.report.Completions += n
		if err != nil {
			return false, fmt.Errorf("%v: %w", e, err)
		}
		if err := e.postRecvs(ctx); err != nil {
			return false, fmt.Errorf("%v: %w", e, err)
		}
		if err := e.postTokens(ctx); err != nil {
			return false, fmt.Errorf("%v: %w", e, err)
		}
		sent, err := e.postSends(ctx, g.now())
		if err != nil {
			return false, fmt.Errorf("%v: %w", e, err)
		}
		g.report.Messages += sent
		moved = moved || n > 0 || sent > 0
	}
	return moved, nil
}

func (g *game) now() uint64 {
	if g.o.Now == nil {
		return ^uint64(0)
	}
	return g.o.Now()
}

func (g *game) ends() []*end {
	return append(append([]*end(nil), g.sides[0].ends...), g.sides[1].ends...)
}

func (g *game) done() bool {
	for _, e := range g.ends() {
		if !e.done() {
			return false
		}
	}
	return true
}

// stuck tells what the first end that is not done waits for.
func (g *game) stuck(ctx context.Context) error {
	for _, e := range g.ends() {
		if e.done() {
			continue
		}
		status, err := e.qp.Status(ctx)
		if err != nil {
			return err
		}
		return fmt.Errorf("%v has posted %d of %d sends, %d completions to come, %d receives to come: %+v",
			e, e.posted, len(e.sends), len(e.signaled), len(e.recvs)-e.received, status)
	}
	return nil
}
