package requester

import (
	"gornic/blocks/wqe"
	"gornic/format"
	"gornic/hdl"
)

// verdict says of a turn whether anything is to be done. Whoever changes that wakes the
// queue pair.
type verdict struct {
	Stops   hdl.Bits `w:"1"` // there is nothing to do
	Drained hdl.Bits `w:"1"` // what had begun before SQD is done, and somebody wants to know
	Flush   hdl.Bits `w:"1"` // the WQE is not done, but flushed
	AckReq  hdl.Bits `w:"1"` // a packet asks for an acknowledgement, whatever its WQE
}

// standing is what others have said of a queue pair. It is kept while its turn is offered,
// and then may be behind: the queue pair is woken again.
type standing struct {
	used    hdl.Bits // replay entries in use
	reads   hdl.Bits // READs and atomics among them
	outcome outcome  // of its last local operation
	held    hdl.Bits // what was sent is being sent again
	paced   hdl.Bits // its packets have to wait for its rate
}

// standing looks up what others have said. The state is here a cycle before.
func (b *block) standing(qp hdl.Bits, state message, offered hdl.Bits) standing {
	m := b.m
	s := standing{used: m.RegN("used", 16), reads: m.RegN("reads_out", 8), outcome: hdl.NewReg(m, "outcome", outcome{}), held: m.RegN("held", 1), paced: m.RegN("paced", 1)}
	b.io.Held.QP.Set(qp)
	b.io.Paced.QP.Set(qp)
	gone := hdl.Unpack(retired{}, b.retired.At(qp))
	m.If(offered.Not(), func() {
		s.used.Set(state.Issued.Sub(gone.Count))
		s.reads.Set(state.Reads.Sub(gone.Reads))
		s.held.Set(b.io.Held.Held)
		s.paced.Set(b.io.Paced.Waits)
		hdl.Set(s.outcome, hdl.Unpack(outcome{}, b.outcomes.At(qp)))
	})
	return s
}

// decide judges a turn by what is known before it begins.
func (b *block) decide(t turn, known standing) verdict {
	state := func(q format.QPState) hdl.Bits { return t.Context.State.Is(uint64(q)) }
	msg, sqd := t.Message, state(format.QPSQD)
	flush := state(format.QPError).Or(msg.Broken)
	mayGoOn := state(format.QPRTS).Or(sqd.And(msg.Active.Or(msg.Parked)))
	full := known.used.GeK(1 << b.p.Sizes.ReplayBits)
	paced := hdl.AndAll(known.paced, msg.Parked.Not(), t.Task.Local.Not()) // no packet is to be sent
	waits := msg.Parked.And(known.outcome.Known.Not())
	return verdict{
		Flush:  flush,
		AckReq: b.endsHalf(known.used).Or(msg.Ahead.Is(windowPSNs - 1)), // behind it no PSN may be given until it has been acknowledged
		Stops: hdl.OrAll(t.Context.Exists.Not(), t.Head.Here.Not(), full, waits,
			flush.Not().And(hdl.OrAll(mayGoOn.Not(), known.held, paced, msg.Ahead.All(), holds(t, known)))),
		Drained: hdl.AndAll(sqd, hdl.OrAll(msg.Active, msg.Parked, msg.Broken).Not(), known.used.None(), b.notify.At(t.QP)),
	}
}

// holds returns one bit: a WQE may not begin yet, because of those before it (protocol section 4.7). One that has begun is
// not held: what it waited for is gone, and nothing new begins before it ends.
func holds(t turn, known standing) hdl.Bits {
	c, max := t.Control, t.Context.MaxRD
	fence := wqe.Flag(c, format.WRFlagFence).And(known.reads.Any())
	limit := hdl.AndAll(t.Task.Asks(), max.Any(), known.reads.Ge(max))
	all := wqe.Is(c, format.WRLocalInv).And(known.used.Any())
	return t.Head.Fault.Not().And(hdl.OrAll(fence, limit, all))
}

// endsHalf returns one bit: the packet takes the last entry of either half of the replay entries, of which
// some are free. The answer comes while the other half is sent.
func (b *block) endsHalf(used hdl.Bits) hdl.Bits {
	if b.p.Sizes.ReplayBits == 1 {
		return hdl.K(1, 1)
	}
	return used.Trunc(b.p.Sizes.ReplayBits - 1).All()
}

// windowPSNs is the most PSNs that may be outstanding, a number of windowBits ones: of those a PSN may be of, the
// half that is behind the next one (protocol sections 3.2 and 4.1).
const (
	windowBits = 23
	windowPSNs = 1<<windowBits - 1
)
