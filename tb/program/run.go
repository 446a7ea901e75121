package program

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"gornic/tb/host"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

// Host is a host with an open device.
type Host struct {
	Device     *verbs.Device
	MAC        verbs.MAC
	IPv4, IPv6 netip.Addr
	// Retries tells that the device sends a request again whose receiver was not
	// ready. One that does not never has such a receiver.
	Retries bool
	// Break, where it is not nil, has size bytes of memory from a bus address on answer the device with errors, until
	// mend is called. Without it no memory of a program is broken.
	Break func(addr, size uint64, kinds host.Kinds) (mend func())
}

// Options of a run.
type Options struct {
	// Watch, where it is not nil, is told of the connections; the caller hangs it on
	// the wire. At the end of each act it has to be content.
	Watch *monitor.Monitor
	// Calm, where it is not nil, ends the faults of the wire, and tells whether it still holds frames; the program's
	// Faults the caller has put on it before.
	Calm func() (held bool)
	// Clock, where it is not nil, tells the time, in which 4.096 us of a retry timer are a Tick: no queue pair may take
	// longer than its timers allow.
	Clock func() time.Duration
	Tick  time.Duration
	// Patience is how often in a row the devices may be waited for in vain; 0: 1000.
	Patience int
}

// Run has two hosts do a program, and checks all that comes of it. An error tells the
// first difference: which act, host, queue pair and message, what was expected and
// what came. The trace is what came until then.
func Run(ctx context.Context, p Program, hosts [2]Host, o Options) (*Trace, error) {
	if o.Patience == 0 {
		o.Patience = 1000
	}
	trace := &Trace{}
	for i, act := range p.Acts {
		g := &game{act: act, number: i, o: o, seed: p.Seed, r: rand.New(rand.NewPCG(p.Seed, uint64(i)<<32|0x706C6179)), trace: trace}
		for k := range g.sides {
			g.sides[k] = side{Host: hosts[k], Station: act.Hosts[k], game: g, name: "ab"[k : k+1], byQPN: map[uint32]*end{}}
		}
		err := g.run(ctx)
		if o.Watch != nil {
			err = g.checkWire(err)
		}
		if err != nil {
			return trace, fmt.Errorf("program %d, act %d: %w", p.Seed, i, err)
		}
	}
	return trace, nil
}

// game is a run of an act.
type game struct {
	act    Act
	number int
	o      Options
	seed   uint64
	r      *rand.Rand // what is done when
	sides  [2]side
	ends   []*end // of both hosts
	failed bool   // queue pairs have been moved to ERR
	fresh  bool   // the wire is as it should be, and trials are in their last rounds
	trace  *Trace
	// counters are the words that atomics of several queue pairs work on.
	counters []*counter
	arenas   []*arena
	clock    int
	races    []*race
	trials   trials
}

// side is a host and what it has made.
type side struct {
	Host
	Station
	game    *game
	name    string
	pds     []*verbs.PD
	eqs     []*verbs.EQ
	cqs     []*queue
	areas   []*area
	loans   []*lent
	buffers []*verbs.Buffer
	byQPN   map[uint32]*end
}

// end is a queue pair at work.
type end struct {
	End
	c         Connection
	number    int // of the connection
	side      *side
	peer      *end
	qp        *verbs.QP
	record    *Record
	posted    int      // of Messages
	signaled  []int    // posted, with completions to come
	payloads  [][]byte // of the messages posted: what they send, or bring
	finished  int      // the messages before this are done, as the host knows
	offered   int      // of Receives
	received  int      // and completed
	late      int      // of Late, posted
	lateDone  int      // and completed
	failed    bool     // it has been moved to ERR, or will be for what was posted
	refused   bool     // its peer has the event of its Offence
	completed int      // flushed receives
}

func (e *end) String() string {
	return fmt.Sprintf("host %s, queue pair %d (QPN %#x, path MTU %d)", e.side.name, e.number, e.qp.QPN(), e.c.MTU.Bytes())
}

func (g *game) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{g.setUp, g.play, g.fail, g.play, g.freshTrials, g.play, g.settle, g.checkEnd, g.tearDown} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
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
		if err := g.sides[g.r.IntN(2)].Device.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// round gives each end and each CQ its turn, in any order.
func (g *game) round(ctx context.Context) (bool, error) {
	moved := false
	for i := range g.sides {
		n, err := g.sides[i].poll(ctx, g)
		if err != nil {
			return false, err
		}
		moved = moved || n > 0
	}
	for _, x := range g.races {
		n, err := x.turn(ctx)
		if err != nil {
			return false, fmt.Errorf("%v: %w", x, err)
		}
		moved = moved || n > 0
	}
	n, err := g.trials.turn(ctx)
	if err != nil {
		return false, err
	}
	moved = moved || n > 0
	for _, i := range g.r.Perm(len(g.ends)) {
		n, err := g.turn(ctx, g.ends[i])
		if err != nil {
			return false, fmt.Errorf("%v: %w", g.ends[i], err)
		}
		moved = moved || n > 0
	}
	return moved, nil
}

func (g *game) turn(ctx context.Context, e *end) (int, error) {
	n := 0
	if g.hits(g.act.Receive) {
		posted, err := e.postReceives(ctx)
		if err != nil {
			return 0, err
		}
		n += posted
	}
	if g.hits(g.act.Send) {
		posted, err := e.postSends(ctx)
		if err != nil {
			return 0, err
		}
		n += posted
	}
	return n, nil
}

func (g *game) hits(percent int) bool { return g.r.IntN(100) < percent }

func (g *game) done() bool {
	for _, e := range g.ends {
		if !e.done() || g.failed && !e.flushed() {
			return false
		}
	}
	return g.trials.done() && !slices.ContainsFunc(g.races, func(x *race) bool { return !x.done() })
}

// done tells that all messages have been sent and have arrived, and that what stays in
// the receive queue is there.
func (e *end) done() bool {
	return e.posted == len(e.Messages) && len(e.signaled) == 0 && e.offered == len(e.Receives) && e.received == e.used()
}

func (e *end) used() int { return used(e.Receives) }

// used is how many receives messages use.
func used(receives []Receive) int {
	n := 0
	for _, r := range receives {
		if r.Message >= 0 {
			n++
		}
	}
	return n
}

// flushed tells that a failed end has nothing in its queues any more.
func (e *end) flushed() bool {
	return !e.failed || e.lateDone == e.late && e.completed == len(e.Receives)-e.used()
}

// stuck tells what the ends wait for that are not done.
func (g *game) stuck(ctx context.Context) error {
	text := ""
	for _, e := range g.ends {
		if e.done() && (!g.failed || e.flushed()) {
			continue
		}
		status, err := e.qp.Status(ctx)
		if err != nil {
			return err
		}
		text += fmt.Sprintf("\n%v has posted %d of %d messages and %d of %d receives; waits for %d completions of messages, has %d of %d of receives, "+
			"%d and %d flushed of %d and %d: %+v", e, e.posted, len(e.Messages), e.offered, len(e.Receives), len(e.signaled), e.received, e.used(),
			e.lateDone, e.completed, len(e.Late), len(e.Receives)-e.used(), status)
	}
	for i := range g.sides {
		for _, q := range g.sides[i].cqs {
			if q != nil {
				text += "\n" + q.left(ctx)
			}
		}
	}
	for _, x := range g.races {
		if !x.done() {
			text += "\n" + x.left(ctx)
		}
	}
	return fmt.Errorf("not done is%s%s", text, g.trials.left(ctx))
}
