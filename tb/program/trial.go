package program

import (
	"fmt"

	"gornic/verbs"
)

// Trial is a place for queue pairs on a wire that may lose more than their retries make good: one connection after the other,
// each on the same indices at either host. The bytes of each message are its own; what may come of it is said in the
// comment of the package.
type Trial struct {
	Rounds []Round
	Pace   int // percent of turns in which an end posts
}

// Round is a connection of a trial. Both ends send.
type Round struct {
	Connection
	// Quit is after how many completions of sends, of both ends together, the host By destroys its queue pair
	// whatever it does; -1: it waits until all has come that will come.
	Quit, By int
	// Fresh rounds come last, on a wire that is as it should be: all succeeds. They take all that a queue pair may have
	// on its way at once.
	Fresh bool
	// Broken, where it is not nil, is memory that fails.
	Broken *Broken
}

// trialDepth is how many work requests a queue of a trial has: all messages of a round fit.
const trialDepth = 16

// trials draws those of an act, which takes as many queue pairs and a CQ at each host.
func (d *draft) trials(count int) []Trial {
	var all []Trial
	for range count {
		t := Trial{Pace: d.often()}
		for range 1 + d.r.IntN(3) {
			t.Rounds = append(t.Rounds, d.round())
		}
		t.Rounds = append(t.Rounds, d.freshRound())
		all = append(all, t)
	}
	return all
}

// round draws a connection that may fail: timers are short, retries few.
func (d *draft) round() Round {
	r := d.pairOfTrial()
	r.Quit, r.By = -1, d.r.IntN(2)
	for i := range r.Ends {
		e := &r.Ends[i]
		e.Timeout = d.limits.Timeout - uint8(d.r.IntN(5))
		e.RetryCnt, e.RNRRetry, e.MinRNRTimer = uint8(d.r.IntN(8)), uint8(d.r.IntN(8)), uint8(1+d.r.IntN(8))
		for range d.r.IntN(trialDepth) {
			e.Messages = append(e.Messages, d.trialMessage(&r.Connection, i))
		}
	}
	messages := len(r.Ends[0].Messages) + len(r.Ends[1].Messages)
	if d.r.IntN(4) == 0 {
		r.Quit = d.r.IntN(messages + 1)
	}
	late := d.r.IntN(2) * d.r.IntN(60)
	for i := range r.Ends {
		d.trialReceives(&r.Connection, i, late)
	}
	if d.r.IntN(4) == 0 {
		d.breaks(&r)
	}
	return r
}

// freshRound draws one in which each end has more on its way than fits: packets, and then READs and atomics.
func (d *draft) freshRound() Round {
	r := d.pairOfTrial()
	r.Fresh, r.Quit = true, -1
	r.MTU = verbs.MTU256
	for i := range r.Ends {
		e := &r.Ends[i]
		e.MaxRD, e.MaxDestRD = uint8(d.limits.Reads), uint8(d.limits.Reads)
		e.Timeout, e.RetryCnt, e.RNRRetry = d.limits.Timeout, 7, forever
		m := d.writeOfTrial(&r.Connection, i, min(d.limits.Replay+1, 64)*r.MTU.Bytes())
		e.Messages = append(e.Messages, m)
		for k := range min(d.limits.Reads+1, trialDepth-1) {
			if k%2 == 0 || d.limits.NoAtomics {
				e.Messages = append(e.Messages, d.readOfTrial(&r.Connection, i, 300))
			} else {
				e.Messages = append(e.Messages, d.atomicOfTrial(&r.Connection, i))
			}
		}
	}
	return r
}

// pairOfTrial draws two ends without messages.
func (d *draft) pairOfTrial() Round {
	r := Round{Connection: Connection{MTU: verbs.MTU256 + verbs.MTU(d.r.IntN(int(d.limits.PathMTU-verbs.MTU256)+1)), IPv6: d.r.IntN(2) == 0}}
	for i := range r.Ends {
		e := d.end(i)
		e.SigAll, e.QPN, e.SendCQ, e.RecvCQ = false, 0, noCQ, noCQ
		e.Cap = verbs.QPCap{MaxSendWR: trialDepth, MaxRecvWR: trialDepth, MaxSendSGE: 2, MaxRecvSGE: 3}
		e.Access = loanAccess
		e.MaxRD = uint8(1 + d.r.IntN(max(d.limits.Reads, 1)))
		r.Ends[i] = e
	}
	for i := range r.Ends {
		r.Ends[i].MaxDestRD = r.Ends[1-i].MaxRD
	}
	return r
}

// trialMessage draws a message of an end.
func (d *draft) trialMessage(c *Connection, end int) Message {
	n := 1 + min(d.length(c.MTU, min(racerPackets*c.MTU.Bytes(), 3000)), 3000)
	ops := d.limits.operations()
	switch op := ops[d.r.IntN(len(ops))]; {
	case op == verbs.WRRead:
		return d.readOfTrial(c, end, n)
	case isAtomic(op):
		return d.atomicOfTrial(c, end)
	case op == verbs.WRWrite:
		return d.writeOfTrial(c, end, n)
	default:
		m := d.messageOf(op, n)
		m.Source = d.source(end, c.Ends[end].PD, n, 1+d.r.IntN(2), false)
		if isWrite(op) {
			m.Sink = d.layouts[1-end].fresh(c.Ends[1-end].PD, n, verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
		}
		return m
	}
}

func (d *draft) messageOf(op verbs.Opcode, n int) Message {
	m := nothing(op)
	m.Length, m.Imm = n, d.r.Uint32()
	m.Signaled, m.Fence, m.Ring = true, d.r.IntN(12) == 0, d.r.IntN(2) == 0
	return m
}

func (d *draft) writeOfTrial(c *Connection, end, n int) Message {
	m := d.messageOf(verbs.WRWrite, n)
	m.Source = d.source(end, c.Ends[end].PD, n, 1+d.r.IntN(2), false)
	m.Sink = d.layouts[1-end].fresh(c.Ends[1-end].PD, n, verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
	return m
}

func (d *draft) readOfTrial(c *Connection, end, n int) Message {
	m := d.messageOf(verbs.WRRead, n)
	m.Source = d.room(end, c.Ends[end].PD, n, 1+d.r.IntN(2))
	m.Sink = d.layouts[1-end].shared(c.Ends[1-end].PD, n, verbs.AccessRemoteRead)
	return m
}

func (d *draft) atomicOfTrial(c *Connection, end int) Message {
	op := verbs.WRFetchAdd
	if d.r.IntN(2) == 0 {
		op = verbs.WRCompSwap
	}
	m := d.messageOf(op, wordBytes)
	m.Operand, m.Matches = d.r.Uint64(), d.r.IntN(3) > 0
	m.Source = d.room(end, c.Ends[end].PD, wordBytes, 1)
	m.Sink = d.layouts[1-end].word(c.Ends[1-end].PD, verbs.AccessLocalWrite)
	return m
}

// trialReceives are those that the messages from an end use, in their order; late percent of them are posted late.
func (d *draft) trialReceives(c *Connection, from, late int) {
	owner := &c.Ends[1-from]
	for i := range c.Ends[from].Messages {
		m := &c.Ends[from].Messages[i]
		if !consumes(m.Op) {
			continue
		}
		n := 0
		if isSend(m.Op) {
			n = m.Length + d.r.IntN(50)
		}
		m.Receive = len(owner.Receives)
		owner.Receives = append(owner.Receives, Receive{Pieces: d.room(1-from, owner.PD, n, 1+d.r.IntN(3)), Message: i, Late: d.hits(late)})
	}
}

// packets is how many PSNs a message takes.
func (c Connection) packets(m Message) int {
	mtu := c.MTU.Bytes()
	switch {
	case isLocal(m.Op):
		return 0
	case isAtomic(m.Op):
		return 1
	}
	return max(1, (m.Length+mtu-1)/mtu)
}

func (r Round) String() string {
	kind := ""
	switch {
	case r.Fresh:
		kind = ", fresh"
	case r.Quit >= 0:
		kind = fmt.Sprintf(", until host %s quits after %d completions", "ab"[r.By:r.By+1], r.Quit)
	}
	if r.Broken != nil {
		kind += r.Broken.String()
	}
	for i, e := range r.Ends {
		kind += fmt.Sprintf("; host %s: ACK timeout %d, retries %d, RNR timer %d, retries %d", "ab"[i:i+1], e.Timeout, e.RetryCnt, e.MinRNRTimer, e.RNRRetry)
	}
	return fmt.Sprintf("path MTU %d%s", r.MTU.Bytes(), kind)
}
