package program

import (
	"context"
	"fmt"
	"time"

	"gornic/verbs"
)

// trials are all of a game, which share a CQ at each host.
type trials struct {
	g    *game
	cqs  [2]*verbs.CQ
	all  []*trial
	ends [2]map[uint32]*triedEnd // of all rounds, by QPN
}

// trial is a Trial at work.
type trial struct {
	Trial
	number int
	rounds []*tried // those begun
	moved  time.Duration
}

// tried is a Round at work.
type tried struct {
	Round
	ends [2]*triedEnd
	over bool // both ends are destroyed
	mend []func()
}

// triedEnd is an end of a round, and what has come of its own messages and the receives that it has posted.
type triedEnd struct {
	*end
	round    *tried
	sends    []verbs.WC
	receives []verbs.WC
	events   []verbs.AsyncEvent
	left     []untouched
	gone     bool // it is destroyed
	quit     bool // without waiting
}

// trialCQ is the room for the completions of a trial: of two rounds, when one has just ended.
const trialCQ = 4 * trialDepth

func (g *game) newTrials(ctx context.Context) error {
	t := &g.trials
	t.g, t.ends = g, [2]map[uint32]*triedEnd{{}, {}}
	if len(g.act.Trials) == 0 {
		return nil
	}
	for i := range g.sides {
		d := g.sides[i].Device
		var err error
		if t.cqs[i], err = d.CreateCQ(ctx, verbs.CQInitAttr{Entries: trialCQ * len(g.act.Trials), EQ: d.EQ()}); err != nil {
			return fmt.Errorf("trials: %w", err)
		}
	}
	for i, x := range g.act.Trials {
		at := &trial{Trial: x, number: i}
		t.all = append(t.all, at)
		if err := t.next(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

// freshTrials begins the last rounds, when the wire is as it should be.
func (g *game) freshTrials(ctx context.Context) error {
	if g.o.Calm != nil {
		g.o.Calm()
	}
	g.fresh = true
	for _, x := range g.trials.all {
		if err := g.trials.next(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// next begins the next round of a trial, if it is its time.
func (t *trials) next(ctx context.Context, x *trial) error {
	n := len(x.rounds)
	if n == len(x.Rounds) || x.Rounds[n].Fresh != t.g.fresh {
		return nil
	}
	r := &tried{Round: x.Rounds[n]}
	if t.g.sides[0].Break == nil || t.g.sides[1].Break == nil {
		r.Broken = nil
	}
	if n > 0 { // on the same indices
		for i := range r.Ends {
			r.Ends[i].QPN = (x.rounds[n-1].ends[i].qp.QPN() + uint32(t.g.sides[i].Device.Attr().MaxQP)) & 0xFFFFFF
		}
	}
	x.rounds = append(x.rounds, r)
	pair, err := t.g.newPair(ctx, r.Connection, x.number, [2][2]*verbs.CQ{{t.cqs[0], t.cqs[0]}, {t.cqs[1], t.cqs[1]}}, !r.Fresh)
	if err != nil {
		return fmt.Errorf("trial %d, round %d: %w", x.number, n, err)
	}
	for i, e := range pair {
		r.ends[i] = &triedEnd{end: e, round: r}
		t.ends[i][e.qp.QPN()] = r.ends[i]
	}
	x.moved = t.now()
	return r.breakMemory()
}

// current is the round that is not over, nil if there is none.
func (x *trial) current() *tried {
	if n := len(x.rounds); n > 0 && !x.rounds[n-1].over {
		return x.rounds[n-1]
	}
	return nil
}

func (t *trials) now() time.Duration {
	if t.g.o.Clock == nil {
		return 0
	}
	return t.g.o.Clock()
}

// turn polls, posts, and ends rounds that are over.
func (t *trials) turn(ctx context.Context) (int, error) {
	total, err := t.poll(ctx)
	if err != nil {
		return total, err
	}
	for _, x := range t.all {
		r := x.current()
		if r == nil {
			continue
		}
		n, err := t.advance(ctx, x, r)
		if err != nil {
			return total, fmt.Errorf("trial %d, round %d (%v): %w", x.number, len(x.rounds)-1, r.Round, err)
		}
		total += n
	}
	return total, nil
}

// advance does what is to be done in a round.
func (t *trials) advance(ctx context.Context, x *trial, r *tried) (int, error) {
	n := 0
	for _, e := range r.ends {
		posted, err := t.post(ctx, x, e)
		if err != nil {
			return n, err
		}
		n += posted
	}
	if e := r.ends[r.By]; r.Quit >= 0 && !e.gone && len(r.ends[0].sends)+len(r.ends[1].sends) >= r.Quit {
		e.quit = true
		n++
		if err := e.destroy(ctx); err != nil {
			return n, err
		}
	}
	if n > 0 {
		x.moved = t.now()
	}
	if !r.done() {
		return n, t.late(x, r)
	}
	r.over = true
	for _, e := range r.ends {
		if err := e.destroy(ctx); err != nil {
			return n, err
		}
	}
	for _, mend := range r.mend {
		mend()
	}
	return n + 1, t.next(ctx, x)
}

func (e *triedEnd) destroy(ctx context.Context) error {
	if e.gone {
		return nil
	}
	e.gone = true
	return e.qp.Destroy(ctx)
}

// post posts receives, and messages up to one that rings.
func (t *trials) post(ctx context.Context, x *trial, e *triedEnd) (int, error) {
	if e.gone {
		return 0, nil
	}
	n := 0
	for e.offered < len(e.Receives) && (!e.Receives[e.offered].Late || t.g.hits(lateReceives)) {
		wr := verbs.RecvWR{WRID: recvID(e.offered), SGL: e.side.list(e.Receives[e.offered].Pieces)}
		if err := e.qp.PostRecv(ctx, wr); err != nil {
			return n, err
		}
		e.offered++
		n++
	}
	if !t.g.hits(x.Pace) {
		return n, nil
	}
	var wrs []verbs.SendWR
	for e.posted < len(e.Messages) {
		wr, err := e.sendWR(ctx, e.Messages[e.posted])
		if err != nil {
			return n, err
		}
		wrs = append(wrs, wr)
		e.posted++
		n++
		if e.Messages[e.posted-1].Ring {
			break
		}
	}
	if len(wrs) == 0 {
		return n, nil
	}
	return n, e.qp.PostSend(ctx, wrs...)
}

// lateReceives is in how many percent of turns a receive that is late is posted.
const lateReceives = 10

// poll takes the completions there are.
func (t *trials) poll(ctx context.Context) (int, error) {
	total := 0
	for host, cq := range t.cqs {
		if cq == nil {
			continue
		}
		wc := make([]verbs.WC, trialDepth)
		n, err := cq.Poll(ctx, wc)
		if err != nil {
			return total, fmt.Errorf("trials, host %s: %w", t.g.sides[host].name, err)
		}
		total += n
		for _, c := range wc[:n] {
			e := t.ends[host][c.QPN]
			if e == nil || e.gone {
				return total, fmt.Errorf("trials, host %s: completion %+v of a queue pair that there is not", t.g.sides[host].name, c)
			}
			if c.Recv {
				e.receives = append(e.receives, c)
			} else {
				e.sends = append(e.sends, c)
			}
			if err := e.leave(ctx, c); err != nil {
				return total, err
			}
			t.touch(e)
		}
	}
	return total, nil
}

// touch notes that something has come of a round.
func (t *trials) touch(e *triedEnd) {
	for _, x := range t.all {
		if x.current() == e.round {
			x.moved = t.now()
		}
	}
}

// failed tells that a message of the end, or a receive, has completed with an error: its queue pair is in ERR.
func (e *triedEnd) failed() bool {
	n, k := len(e.sends), len(e.receives)
	return n > 0 && e.sends[n-1].Status != verbs.StatusSuccess || k > 0 && e.receives[k-1].Status != verbs.StatusSuccess
}

// done tells that all has come that will come for sure.
func (r *tried) done() bool {
	for i, e := range r.ends {
		peer := r.ends[1-i]
		switch {
		case e.gone:
		case len(e.sends) < len(e.Messages):
			return false
		case e.failed() && (e.offered < len(e.Receives) || len(e.receives) < e.offered):
			return false
		case !e.failed() && !peer.gone && !peer.failed() && len(peer.sends) == len(peer.Messages) && len(e.receives) < e.used():
			return false
		}
	}
	return true
}

// late is an error if nothing has come of a round for longer than timers and retry counts allow.
func (t *trials) late(x *trial, r *tried) error {
	if t.g.o.Clock == nil {
		return nil
	}
	if allowed := t.allowed(r); t.now()-x.moved > allowed {
		return fmt.Errorf("nothing has come for %v, and timers allow %v: %s", t.now()-x.moved, allowed, r.left())
	}
	return nil
}

// handling is the time for everything else, in ticks.
const handling = 1000

// allowed is how long it may take at most until the next message completes, one way or the other: each of its packets
// may need all retries, and two ends may wait for one another.
func (t *trials) allowed(r *tried) time.Duration {
	ticks := time.Duration(handling)
	for _, e := range r.ends {
		most := 1
		for _, m := range e.Messages {
			most = max(most, e.c.packets(m))
		}
		rnr := time.Duration(e.peer.MinRNRTimer) * 20 // of the short codes that there are: in 10 us less than this
		try := time.Duration(4)<<e.Timeout + rnr
		ticks += time.Duration(most) * try * time.Duration(e.RetryCnt+e.RNRRetry+2)
	}
	return ticks * t.g.o.Tick
}

func (t *trials) done() bool {
	for _, x := range t.all {
		n := len(x.rounds)
		if x.current() != nil || n < len(x.Rounds) && x.Rounds[n].Fresh == t.g.fresh {
			return false
		}
	}
	return true
}

// left tells what trials wait for.
func (t *trials) left(ctx context.Context) string {
	text := ""
	for _, x := range t.all {
		if r := x.current(); r != nil {
			text += fmt.Sprintf("\ntrial %d, round %d (%v): %s", x.number, len(x.rounds)-1, r.Round, r.left())
			for _, e := range r.ends {
				if !e.gone {
					status, err := e.qp.Status(ctx)
					text += fmt.Sprintf("; %+v (%v)", status, err)
				}
			}
		}
	}
	return text
}

func (r *tried) left() string {
	text := ""
	for i, e := range r.ends {
		text += fmt.Sprintf("\nhost %s, QPN %#x, gone %t: posted %d of %d messages and %d of %d receives; completions %v and %v",
			"ab"[i:i+1], e.qp.QPN(), e.gone, e.posted, len(e.Messages), e.offered, len(e.Receives), e.sends, e.receives)
	}
	return text
}

func (t *trials) tearDown(ctx context.Context) error {
	for _, cq := range t.cqs {
		if cq != nil {
			if err := cq.Destroy(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
