package registers

import "gornic/hdl/stream"

// properties states the contracts of the streams, and that nothing disturbs a
// command.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "done", io.Done)
	stream.AssertSource(m, "go", io.Go)
	stream.AssertSource(m, "bell", io.Bell)
	m.Assume("done_of_a_command", io.Done.Valid.Not().Or(b.runs.And(b.starts.Not())))
	m.Assert("starts_while_it_runs", b.starts.Not().Or(b.runs))
	axi := io.Bus
	held := m.PastReset("aw_waited", axi.AWValid.And(axi.AWReady.Not()), 0)
	m.Assume("aw_stays", held.Not().Or(axi.AWValid.And(axi.AWAddr.Eq(m.Past("aw_before", axi.AWAddr)))))
	waited := m.PastReset("w_waited", axi.WValid.And(axi.WReady.Not()), 0)
	m.Assume("w_stays", waited.Not().Or(axi.WValid.And(axi.WData.Eq(m.Past("w_before", axi.WData))).And(axi.WStrb.Eq(m.Past("w_strb_before", axi.WStrb)))))
	m.Cover("command_ends", io.Done.Valid)
	m.Cover("rings", io.Bell.Fire())
}
