package icrc

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

func checkProperties(m *hdl.Module, p Params, io *CheckIO, made hdl.Stream[Verdict], waiting hdl.Bits) {
	stream.AssumeFrame(m, "in", io.In)
	stream.AssertSource(m, "verdict", io.Verdict)
	m.Assert("verdict_has_room", made.Valid.Not().Or(made.Ready))
	m.Assert("waiting_within", waiting.LeK(uint64(p.wait())))
	m.Assert("verdict_has_frame", io.Verdict.Valid.Not().Or(waiting.Any()))
	m.Cover("bad", io.Verdict.Fire().And(io.Verdict.Data.Good.Not()))
	m.Cover("stalled", io.In.Valid.And(io.In.Ready.Not()))
}

// generateProperties states that a beat is in u_wait from its way in to its way
// out, and that each one there is in a stage or has its sum.
func generateProperties(m *hdl.Module, io *GenerateIO, wait *stream.FIFOIO[held], sum *stream.FIFOIO[hdl.Bits], stages []hdl.Bits) {
	stream.AssumeFrame(m, "in", io.In)
	stream.AssertFrame(m, "out", io.Out)
	w := wait.Level.Width() + 4 // wide enough for any number of stages
	inside := sum.Level.ZExt(w)
	for _, valid := range stages {
		inside = inside.Add(valid.ZExt(w))
	}
	m.Assert("a_sum_for_each_beat", inside.Eq(wait.Level.ZExt(w)))
	m.Assert("sum_has_room", sum.In.Valid.Not().Or(sum.In.Ready))
	m.Assert("sum_has_beat", sum.Out.Valid.Not().Or(wait.Out.Valid))
	m.Cover("stalled", io.In.Valid.And(io.In.Ready.Not()))
	m.Cover("frame", io.Out.Fire().And(io.Out.Data.Last))
}
