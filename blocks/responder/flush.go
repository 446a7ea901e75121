package responder

import (
	"gornic/format"
	"gornic/hdl"
)

// flushing is the step of flushing the receive queue of a queue pair.
type flushing int

const (
	flIdle   flushing = iota // none has to be looked at
	flHold                   // one has
	flAsk                    // its context is asked for,
	flReply                  // and waited for
	flWant                   // it is in ERR: a turn is wanted
	flInside                 // a turn takes its next WQE
)

func (f flushing) String() string {
	return [...]string{"idle", "hold", "ask", "reply", "want", "inside"}[f]
}

// flush is the queue pair at hand.
type flush struct {
	st      *hdl.FSM[flushing]
	qp      hdl.Bits
	context context
	fence   hdl.Bits // a fence is the next request
	begins  hdl.Bits // the turn begins,
	ends    hdl.Bits // and ends,
	more    hdl.Bits // having taken a WQE
}

// rests returns one bit: nothing is known of the queue pair at hand that a fence
// may not overtake.
func (f *flush) rests() hdl.Bits { return f.st.Is(flIdle).Or(f.st.Is(flHold)) }

// flushes takes queue pairs, and wants a turn for each that is in ERR, again and
// again until its receive queue is empty. Each turn asks for the state anew: a
// fence passes in between, and behind it the queue pair may be another one.
func (b *block) flushes() {
	m, io := b.m, b.io
	hdl.Connect(b.flushing.Wakes[0], io.Flush)
	grant := b.flushing.Grant
	f := &b.flush
	*f = flush{
		st: hdl.NewFSM(m, "flush", flIdle, flHold, flAsk, flReply, flWant, flInside),
		qp: m.RegN("flushed_qp", b.p.Sizes.QPBits), context: hdl.NewReg(m, "flushed_context", b.p.context()),
		fence: m.Wire("fence_next", 1), begins: m.Wire("flush_begins", 1), ends: m.Wire("flush_ends", 1), more: m.Wire("flush_more", 1),
	}
	ask, reply := io.Context.Request, io.Context.Reply
	c := reply.Data.Context
	m.Unused(hdl.Pack(reply.Data.Address))
	m.Unused(unusedOf(c)...)
	grant.Ready.Set(f.st.Is(flIdle))
	ask.Valid.Set(f.st.Is(flAsk))
	ask.Data.QP.Set(f.qp)
	reply.Ready.Set(f.st.Is(flReply))
	f.st.Switch(
		hdl.On(flIdle, func() {
			f.qp.Set(grant.Data.QP)
			m.If(grant.Valid, func() { f.st.Goto(flHold) })
		}),
		hdl.On(flHold, func() { m.If(f.fence.Not(), func() { f.st.Goto(flAsk) }) }),
		hdl.On(flAsk, func() { m.If(ask.Ready, func() { f.st.Goto(flReply) }) }),
		hdl.On(flReply, func() {
			hdl.Set(f.context, contextOf(c, hdl.K(1, 0)))
			dead := c.Exists.And(c.State.Is(uint64(format.QPError)))
			m.If(reply.Valid, func() {
				f.st.Goto(flIdle)
				m.If(dead, func() { f.st.Goto(flWant) })
			})
		}),
		hdl.On(flWant, func() { m.If(f.begins, func() { f.st.Goto(flInside) }) }),
		hdl.On(flInside, func() {
			m.If(f.ends, func() {
				f.st.Goto(flIdle)
				m.If(f.more, func() { f.st.Goto(flHold) })
			})
		}),
	)
}
