package neighbour

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// properties: the streams keep their rules, a frame has one verdict, and the store holds one request.
func properties(m *hdl.Module, io *IO, t *taker, verdicts hdl.Stream[verdict]) {
	stream.AssumeFrame(m, "in", io.In)
	stream.AssertFrame(m, "rest", io.Rest)
	stream.AssertFrame(m, "answer", io.Answer)
	stream.AssertSource(m, "verdict", verdicts)
	m.Assert("free_is_empty", t.phase.Is(free).Not().Or(t.store.Level.Is(0)))
	m.Assert("one_answer", io.AnsweredARP.And(io.AnsweredPing).Not())

	// Frames in are frames out and requests, as far as their ends are concerned.
	var owed hdl.Bits
	m.Ghost(func() {
		owed = m.Reg("owed", 5, 0)
		comes := io.In.Fire().And(io.In.Data.Last)
		goes := verdicts.Fire()
		m.If(comes.And(goes.Not()), func() { owed.Set(owed.AddK(1)) })
		m.If(goes.And(comes.Not()), func() { owed.Set(owed.SubK(1)) })
	})
	m.Assert("no_more_than_wait", owed.LeK(waitingWords))
	m.Assert("verdict_has_frame", verdicts.Fire().Not().Or(owed.Any()))
	m.Cover("answers", io.Answer.Fire())
	m.Cover("flushes", t.phase.Is(flushing))
	m.Cover("refuses", io.Dropped)
}
