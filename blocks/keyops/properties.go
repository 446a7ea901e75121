package keyops

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance.
func Proofs() []hdl.Proof {
	p := Params{Sizes: link.Sizes{QPBits: 1}}
	proof := hdl.BoundedProofOf(Def(p), 16, hdl.ABC).OfTopAlone().Breaks(
		hdl.StuckAt1("clear", 0).As("an outcome does not wait for its fence"),
		hdl.StuckAt0("away_rx").As("the receiving pipeline is not waited for"),
		hdl.StuckAt0("before_token").As("command's token does not wait for operations"),
	)
	proof.NoCovers = true
	return []hdl.Proof{proof}
}

// properties states the contracts of the streams, that each queue pair has one operation at
// most, and what is true of one of them, which the solver chooses.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeSource(m, "op_in", io.Op)
	stream.AssumeSource(m, "key_done", io.KeyDone)
	stream.AssumeSource(m, "through", io.Through)
	stream.AssertSource(m, "done", io.Done)
	stream.AssertSource(m, "key", io.Key)
	stream.AssertSource(m, "tx_fence", io.TxFence)
	stream.AssertSource(m, "rx_fence", io.RxFence)
	stream.AssertSource(m, "passed", io.Passed)
	m.Assume("answer_is_asked_for", io.KeyDone.Valid.Not().Or(b.st.Is(stAnswer)))
	m.Assume("one_of_each", io.Op.Fire().Not().Or(b.under.LtK(uint64(b.p.pairs()))))
	m.Assert("counts_agree", b.under.Eq(b.waits.Add(b.st.Is(stIdle).Not().ZExt(b.waits.Width()))))
	m.Assert("clear_are_there", b.clear.Le(b.waits))

	one := m.AnyConst("one", b.p.Sizes.QPBits)
	mine := func(qp hdl.Bits) hdl.Bits { return qp.Eq(one) }
	taken, told := io.Op.Fire().And(mine(io.Op.Data.QP)), io.Done.Fire().And(mine(io.Done.Data.QP))
	ended := b.changed.Fire().And(mine(b.op.QP)).And(b.changed.Data.Fence)
	var here, tx, rx, first hdl.Bits
	m.Ghost(func() {
		here = m.Reg("one_here", 1, 0)
		m.If(taken.Or(told), func() { here.Set(taken) })
		tx, rx = b.needs("one_tx", ended, io.TxFence, io.TxPassed), b.needs("one_rx", ended, io.RxFence, io.RxPassed)
		first = m.Reg("one_before_token", 1, 0) // it was here when the token came
		m.If(io.Through.Fire(), func() { first.Set(here.And(told.Not())) }).ElseIf(told, func() { first.SetK(0) })
	})
	m.Assume("one_operation_each", io.Op.Valid.And(mine(io.Op.Data.QP)).And(here).Not())
	m.Assert("told_once", told.Not().Or(here))
	m.Assert("told_behind_fences", told.And(tx.Or(rx)).Not())
	m.Assert("token_behind_operation", io.Passed.Valid.And(first).Not())
}

// needs returns one bit: a token that was sent behind what ended has not come back.
func (b *block) needs(name string, ended hdl.Bits, sent, back hdl.Stream[link.Fence]) hdl.Bits {
	m := b.m
	needs, away, behind := m.Reg(name+"_needs", 1, 0), m.Reg(name+"_away", 1, 0), m.Reg(name+"_behind", 1, 0)
	m.If(back.Fire(), func() {
		away.SetK(0)
		m.If(behind, func() { needs.SetK(0) })
	})
	m.If(sent.Fire(), func() {
		away.SetK(1)
		behind.SetK(1)
	})
	m.If(ended, func() {
		needs.SetK(1)
		behind.SetK(0)
	})
	m.Assume(name+"_token_was_sent", back.Valid.Not().Or(away))
	return needs
}
