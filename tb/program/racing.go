package program

import (
	"context"
	"fmt"

	"gornic/verbs"
)

// race is a Race at work.
type race struct {
	Race
	g      *game
	owner  *side
	cqs    [2]*verbs.CQ
	racers []*racer
	lent   *lent
	key    uint32     // that ends
	heard  int        // completions of the first wave
	posted int        // work requests of the owner
	own    []verbs.WC // their completions
	begun  bool       // what ends the key is on its way
	over   bool       // and its completion has been seen
	after  [][]byte   // what was under the key then, piece by piece of sinks
}

// racer is a Racer at work.
type racer struct {
	Racer
	user, owner    *end
	key            uint32     // that ends
	sends          []verbs.WC // completions
	receives       []verbs.WC
	events         []verbs.AsyncEvent
	refused, inMid bool
}

// newRace makes the queue pairs of a race, and lends the key.
func (g *game) newRace(ctx context.Context, number int) error {
	x := &race{Race: g.act.Races[number], g: g}
	x.owner = &g.sides[x.Owner]
	x.lent = x.owner.loans[x.Loan]
	g.races = append(g.races, x)
	for i := range g.sides {
		d := g.sides[i].Device
		cq, err := d.CreateCQ(ctx, verbs.CQInitAttr{Entries: x.Entries, EQ: d.EQ()})
		if err != nil {
			return err
		}
		x.cqs[i] = cq
	}
	for n, r := range x.Racers {
		pair, err := g.newPair(ctx, r.Connection, n, [2][2]*verbs.CQ{{x.cqs[0], x.cqs[0]}, {x.cqs[1], x.cqs[1]}}, false)
		if err != nil {
			return fmt.Errorf("racer %d: %w", n, err)
		}
		at := &racer{Racer: r, user: pair[1-x.Owner], owner: pair[x.Owner]}
		x.racers = append(x.racers, at)
		if err := at.receive(ctx); err != nil {
			return err
		}
	}
	return x.grant(ctx)
}

// receive posts all receives.
func (r *racer) receive(ctx context.Context) error {
	e := r.owner
	for i, receive := range e.Receives {
		if err := e.qp.PostRecv(ctx, verbs.RecvWR{WRID: recvID(i), SGL: e.side.list(receive.Pieces)}); err != nil {
			return err
		}
		e.offered++
	}
	return nil
}

// turn polls, posts, and ends the key when its time has come.
func (x *race) turn(ctx context.Context) (int, error) {
	n, err := x.poll(ctx)
	if err != nil {
		return n, err
	}
	if !x.begun && x.heard >= min(x.After, x.first()) {
		n++
		if err := x.end(ctx); err != nil {
			return n, fmt.Errorf("the end of the key: %w", err)
		}
	}
	for i, r := range x.racers {
		if r.Second && !x.renewed() || !x.g.hits(x.Pace) {
			continue
		}
		posted, err := x.send(ctx, r)
		if err != nil {
			return n, fmt.Errorf("racer %d: %w", i, err)
		}
		n += posted
	}
	return n, nil
}

// first is how many messages the first wave has.
func (x *race) first() int {
	n := 0
	for _, r := range x.racers {
		if !r.Second {
			n += len(r.user.Messages)
		}
	}
	return n
}

// renewed tells that the new key is good.
func (x *race) renewed() bool { return x.over && len(x.own) == x.posted }

// send posts messages up to one that rings, whether its queue pair has failed or not.
func (x *race) send(ctx context.Context, r *racer) (int, error) {
	e := r.user
	var wrs []verbs.SendWR
	for e.posted < len(e.Messages) {
		m := e.Messages[e.posted]
		wr, err := e.sendWR(ctx, m)
		if err != nil {
			return 0, err
		}
		if !r.Second && m.Lent != noLoan {
			if wr.RKey = x.key; m.Op == verbs.WRSendInv {
				wr.InvalidateRKey = x.key
			}
		}
		wrs = append(wrs, wr)
		e.posted++
		if m.Ring {
			break
		}
	}
	if len(wrs) == 0 {
		return 0, nil
	}
	return len(wrs), e.qp.PostSend(ctx, wrs...)
}

// poll takes the completions there are.
func (x *race) poll(ctx context.Context) (int, error) {
	total := 0
	for host, cq := range x.cqs {
		wc := make([]verbs.WC, 8)
		n, err := cq.Poll(ctx, wc)
		if err != nil {
			return total, err
		}
		total += n
		for _, c := range wc[:n] {
			if err := x.take(ctx, host, c); err != nil {
				return total, err
			}
		}
	}
	return total, nil
}

func (x *race) take(ctx context.Context, host int, c verbs.WC) error {
	for i, r := range x.racers {
		switch {
		case host == x.Owner && c.QPN != r.owner.qp.QPN(), host != x.Owner && c.QPN != r.user.qp.QPN():
			continue
		case host != x.Owner && c.Recv, host == x.Owner && !c.Recv && i != x.Poster:
			return fmt.Errorf("completion %+v is not due", c)
		case host != x.Owner:
			r.sends = append(r.sends, c)
			if !r.Second {
				x.heard++
			}
		case c.Recv:
			r.receives = append(r.receives, c)
			if c.Flags&verbs.WCWithInv != 0 {
				return x.ended(ctx)
			}
		default:
			return x.takeOwn(ctx, c)
		}
		return nil
	}
	return fmt.Errorf("completion %+v of a queue pair that there is not", c)
}

// takeOwn takes a completion of the owner's work requests. They are flushed only if the queue pair, which may use the
// key itself, was refused before they had completed.
func (x *race) takeOwn(ctx context.Context, c verbs.WC) error {
	x.own = append(x.own, c)
	if x.begun && !x.over && c.Status == verbs.StatusSuccess {
		return x.ended(ctx)
	}
	return nil
}

// done tells that all has come that will come.
func (x *race) done() bool {
	if !x.begun || len(x.own) < x.posted {
		return false
	}
	for _, r := range x.racers {
		switch {
		case r.Second && !x.renewed():
			return false
		case len(r.sends) < len(r.user.Messages):
			return false
		case r.failed() && len(r.receives) < r.owner.offered:
			return false
		case !r.failed() && len(r.receives) < r.owner.used():
			return false
		}
	}
	return true
}

// failed tells that a message of the user was refused.
func (r *racer) failed() bool {
	n := len(r.sends)
	return n > 0 && r.sends[n-1].Status != verbs.StatusSuccess
}

// left tells what a race waits for.
func (x *race) left(ctx context.Context) string {
	text := fmt.Sprintf("%v: begun %t, over %t; of the owner's %d work requests %v", x.Race, x.begun, x.over, x.posted, x.own)
	for i, r := range x.racers {
		user, err := r.user.qp.Status(ctx)
		owner, err2 := r.owner.qp.Status(ctx)
		text += fmt.Sprintf("\nracer %d has posted %d of %d messages; completions %v; receives %v; %+v (%v), %+v (%v)",
			i, r.user.posted, len(r.user.Messages), r.sends, r.receives, user, err, owner, err2)
	}
	return text
}

func (x *race) tearDown(ctx context.Context) error {
	for _, r := range x.racers {
		for _, e := range []*end{r.user, r.owner} {
			if err := e.qp.Destroy(ctx); err != nil {
				return err
			}
		}
	}
	for _, cq := range x.cqs {
		if err := cq.Destroy(ctx); err != nil {
			return err
		}
	}
	return nil
}
