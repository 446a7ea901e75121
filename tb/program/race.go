package program

import (
	"fmt"

	"gornic/verbs"
)

// Race is a key that ends while peers use it. Its queue pairs, its completion queues and the bytes under the
// key are its own; what may come of it is said in the comment of the package.
type Race struct {
	Owner   int // the host whose key it is
	PD      int // of the owner
	Loan    int // in its Station.Loans
	End     RaceEnd
	Again   bool // a new key for the same bytes comes right behind, which the second wave uses
	Access  verbs.Access
	Poster  int // index in Racers: the queue pair in which the owner posts what ends the key
	After   int // completions of the first wave before the key ends
	Pace    int // percent of turns in which a racer posts
	Entries int // of the CQ of each host
	Racers  []Racer
}

// RaceEnd is how a key ends.
type RaceEnd uint8

// Ends of a key.
const (
	EndCommand RaceEnd = iota // deregistration, re-registration or deallocation by the host
	EndLocal                  // LOCAL_INV
	EndBind                   // the bind of a window of type 1 to something else, or to nothing
	EndSendInv                // a racer's SEND with invalidate
)

func (e RaceEnd) String() string {
	return [...]string{"command", "LOCAL_INV", "bind", "SEND with invalidate"}[e&3]
}

// Racer is a connection whose user works under the key. Each message has bytes of its own.
type Racer struct {
	Connection
	Second bool // with the key that comes behind
}

// ends are the ends that a kind of key may have.
var ends = map[LoanKind][]RaceEnd{
	FastRegion: {EndCommand, EndLocal, EndLocal, EndSendInv}, Window1: {EndCommand, EndBind, EndBind},
	Window2: {EndCommand, EndLocal, EndSendInv}, Reregistered: {EndCommand},
}

// mayRepeat tells that a new key can come right behind the end of one.
func (k LoanKind) mayRepeat(e RaceEnd) bool {
	switch k {
	case FastRegion:
		return e == EndLocal
	case Window1:
		return e == EndBind
	}
	return k == Reregistered
}

const (
	mostRacers   = 4
	racerPackets = MostResponses - 1 // of a message, at most
)

// race draws a race of so many racers, one or more.
func (d *draft) race(racers int) Race {
	x := Race{Owner: d.r.IntN(2), Pace: d.often(), Access: d.limits.rights()}
	x.PD = d.r.IntN(d.hosts[x.Owner].PDs)
	kind := d.limits.loan(LoanKind(d.r.IntN(4)))
	x.End = ends[kind][d.r.IntN(len(ends[kind]))]
	x.Again = kind.mayRepeat(x.End) && d.r.IntN(2) == 0
	if kind == Window2 {
		racers = 1 // other queue pairs may not use it
	}
	g := Region{PD: x.PD, Fast: kind == FastRegion, Access: verbs.AccessLocalWrite}
	switch kind {
	case Window1, Window2:
		g.Access |= verbs.AccessMWBind
	case Reregistered:
		g.Access |= x.Access
	}
	region := d.layouts[x.Owner].kept(g)
	station := &d.hosts[x.Owner]
	x.Loan = len(station.Loans)
	station.Loans = append(station.Loans, Loan{kind, region})
	for i := range racers {
		second := x.Again && i > 0 && d.r.IntN(2) == 0
		x.Racers = append(x.Racers, d.racer(&x, region, second))
	}
	d.ending(&x)
	d.layouts[x.Owner].closeKept(region)
	return x
}

// ending draws when and by whom the key ends.
func (d *draft) ending(x *Race) {
	first := 0
	for i, r := range x.Racers {
		if r.Second {
			x.Poster = i // its queue pair does not fail
		} else {
			first += len(r.Ends[1-x.Owner].Messages)
		}
		x.Entries += racerDepth
	}
	if x.Poster == 0 {
		x.Poster = d.r.IntN(len(x.Racers))
	}
	x.After = d.r.IntN(first)
	x.Entries = 2*x.Entries + 1
	if x.End != EndSendInv {
		return
	}
	user := &x.Racers[0].Ends[1-x.Owner] // of the first wave
	m := nothing(verbs.WRSendInv)
	at := d.r.IntN(len(user.Messages))
	m.Signaled, m.Ring, m.Lent = true, d.r.IntN(2) == 0, x.Loan
	user.Messages = append(user.Messages[:at:at], append([]Message{m}, user.Messages[at:]...)...)
	d.receives(x, &x.Racers[0])
}

const racerDepth = 16 // work requests in each queue

// racer draws a racer's messages. All of it is drawn but what it has in common with other ends.
func (d *draft) racer(x *Race, region int, second bool) Racer {
	r := Racer{Connection: Connection{MTU: verbs.MTU256 + verbs.MTU(d.r.IntN(int(d.limits.PathMTU-verbs.MTU256)+1)), IPv6: d.r.IntN(2) == 0}, Second: second}
	for i := range r.Ends {
		e := d.end(i)
		e.SigAll, e.QPN, e.SendCQ, e.RecvCQ = false, 0, noCQ, noCQ
		e.Cap = verbs.QPCap{MaxSendWR: racerDepth, MaxRecvWR: racerDepth, MaxSendSGE: 2, MaxRecvSGE: 3}
		e.Access = loanAccess
		e.MaxRD = uint8(1 + d.r.IntN(max(d.limits.Reads, 1)))
		e.MaxDestRD = e.MaxRD
		r.Ends[i] = e
	}
	r.Ends[0].MaxDestRD, r.Ends[1].MaxDestRD = r.Ends[1].MaxRD, r.Ends[0].MaxRD
	r.Ends[x.Owner].PD = x.PD
	user := &r.Ends[1-x.Owner]
	for range 3 + d.r.IntN(racerDepth-4) {
		user.Messages = append(user.Messages, d.shot(x, &r, region))
	}
	d.receives(x, &r)
	return r
}

// noCQ is the CQ of an end that has none of Station.CQs.
const noCQ = -1

// shot is a message under the key, or a SEND beside it.
func (d *draft) shot(x *Race, r *Racer, region int) Message {
	user, l := 1-x.Owner, d.layouts[x.Owner]
	ops := d.limits.operations()
	m := nothing(ops[d.r.IntN(len(ops))])
	m.Signaled, m.Fence, m.Ring, m.Imm = true, d.r.IntN(12) == 0, d.r.IntN(2) == 0, d.r.Uint32()
	m.Length = 1 + d.r.IntN(min(racerPackets*r.MTU.Bytes(), 5000))
	if isAtomic(m.Op) {
		m.Length, m.Operand, m.Matches = wordBytes, d.r.Uint64(), d.r.IntN(3) > 0
	}
	pd := r.Ends[user].PD
	if hasResponse(m.Op) {
		m.Source = d.room(user, pd, m.Length, 1)
	} else {
		m.Source = d.source(user, pd, m.Length, 1+d.r.IntN(2), false)
	}
	if isSend(m.Op) {
		return m
	}
	m.Lent = x.Loan
	m.Sink = l.append(region, m.Length)
	return m
}

// receives are those that the messages use, in their order.
func (d *draft) receives(x *Race, r *Racer) {
	owner, user := &r.Ends[x.Owner], &r.Ends[1-x.Owner]
	owner.Receives = nil
	for i := range user.Messages {
		m := &user.Messages[i]
		if !consumes(m.Op) {
			continue
		}
		n := 0
		if isSend(m.Op) {
			n = m.Length + d.r.IntN(50)
		}
		m.Receive = len(owner.Receives)
		owner.Receives = append(owner.Receives, Receive{Pieces: d.room(x.Owner, owner.PD, n, 1+d.r.IntN(3)), Message: i})
	}
}

// racers is how many an act has, for which it gives up connections.
func (d *draft) racers() int {
	if d.lossy || d.limits.Connections < 2 || d.limits.CQs < 2 || d.r.IntN(2) == 0 {
		return 0
	}
	n := 1 + d.r.IntN(min(mostRacers, d.limits.Connections-1))
	d.limits.Connections -= n
	d.limits.CQs--
	return n
}

// append makes a kept region longer by n bytes at a place for words.
func (l *layout) append(region, n int) Piece {
	g := &l.regions[region]
	at := (g.Length + wordBytes*l.r.IntN(4) + wordBytes - 1) &^ (wordBytes - 1)
	g.Length = at + n
	return Piece{region, at, n}
}

// closeKept gives a kept region that was made longer its end and its pages.
func (l *layout) closeKept(region int) {
	g := &l.regions[region]
	g.Length = max((g.Length+wordBytes-1)&^(wordBytes-1), wordBytes)
	l.pages(g)
}

func (x Race) String() string {
	return fmt.Sprintf("race of %d for the key of loan %d of host %s, which ends by %v after %d completions, again %t, posted by %d",
		len(x.Racers), x.Loan, "ab"[x.Owner:x.Owner+1], x.End, x.After, x.Again, x.Poster)
}
