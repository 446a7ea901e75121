package boardregs

import (
	"gornic/format"
	"gornic/hdl"
)

// Proofs lists an instance.
func Proofs() []hdl.Proof {
	p := Params{Name: "proof", Divisor: 16, ResetAfter: 1, Ports: make([]Defaults, 1)}
	return []hdl.Proof{hdl.ProofOf(Def(p), 8, 0).Breaks(
		hdl.StuckAt1("write_whole").As("bytes are written that were not named"),
		hdl.StuckAt1("reset_asked").As("a reset that nobody asked for"),
		hdl.StuckAt1("s_axil_bvalid").As("answers to writes that did not come"),
		hdl.StuckAt1("s_axil_rvalid").As("answers to reads that did not come"),
	)}
}

// properties states the contract of the bus, and that nothing changes that was not written.
func (b *block) properties() {
	m, bus, io := b.m, &b.io.Bus, b.io
	var aw, ar, asked, partial hdl.Bits
	m.Ghost(func() {
		aw, ar = m.Reg("aw_taken", 1, 0), m.Reg("ar_taken", 1, 0) // and not answered
		asked = m.Reg("asked", 1, 0)                              // for a reset
		partial = m.Reg("partial", 1, 0)                          // the write is of some bytes only
		m.If(bus.BValid.And(bus.BReady), func() { aw.SetK(0) })
		m.If(bus.RValid.And(bus.RReady), func() { ar.SetK(0) })
		m.If(bus.ARValid.And(bus.ARReady), func() { ar.SetK(1) })
		m.If(bus.AWValid.And(bus.AWReady), func() {
			aw.SetK(1)
			partial.Set(bus.WStrb.All().Not())
			whole := bus.WStrb.All().And(bus.WData.Is(format.BoardResetKey))
			m.If(bus.AWAddr.Slice(addressBits-1, 2).Is(format.BoardRegReset/4).And(whole), func() { asked.SetK(1) })
		})
	})
	m.Assert("b_after_aw", bus.BValid.Not().Or(aw))
	m.Assert("r_after_ar", bus.RValid.Not().Or(ar))
	m.Assert("aw_with_w", bus.AWReady.Eq(bus.WReady))
	m.Assert("reset_was_asked_for", io.Reset.Not().Or(asked))
	m.Assert("divisor_is_possible", io.Divisor.GeK(format.BoardDivisorLeast))
	m.Assert("whole_words_only", hdl.OrAll(partial.Not(), bus.BValid.Not(), bus.BResp.Any()))

	waits := m.PastReset("r_waited", bus.RValid.And(bus.RReady.Not()), 0)
	before := m.Past("r_before", hdl.Cat(bus.RData, bus.RResp))
	m.Assert("r_stays", waits.Not().Or(bus.RValid.And(hdl.Cat(bus.RData, bus.RResp).Eq(before))))
	waits = m.PastReset("b_waited", bus.BValid.And(bus.BReady.Not()), 0)
	resp := m.Past("b_before", bus.BResp)
	m.Assert("b_stays", waits.Not().Or(bus.BValid.And(bus.BResp.Eq(resp))))
	m.Cover("resets", io.Reset)
}
