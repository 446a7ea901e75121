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

func generateProperties(m *hdl.Module, p Params, io *GenerateIO, waits hdl.Bits, made hdl.Stream[hdl.Bits], sumWaits, ready, frameLeaves hdl.Bits) {
	stream.AssumeFrame(m, "in", io.In)
	stream.AssertFrame(m, "out", io.Out)
	m.Assert("sum_has_room", made.Valid.Not().Or(made.Ready))
	m.Assert("ready_within", ready.LeK(uint64(p.wait())))
	m.Assert("ready_is_held", ready.None().Or(waits))
	m.Assert("frame_has_sum", frameLeaves.Not().Or(sumWaits))
	m.Cover("stalled", io.In.Valid.And(io.In.Ready.Not()))
	m.Cover("frame", io.Out.Fire().And(io.Out.Data.Last))
}
