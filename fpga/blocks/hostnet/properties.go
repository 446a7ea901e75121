package hostnet

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists the numbers of a small window, for all time.
func Proofs() []hdl.Proof {
	return []hdl.Proof{hdl.ProofOf(windowDef(4), 8, 1).Breaks(
		hdl.StuckAt0("unsent").As("what is answered before it is sent again is sent all the same"),
		hdl.Invert("push").As("a request forgotten"),
		hdl.StuckAt0("accept").As("an answer that is not counted"),
		hdl.StuckAt0("back").As("no way back"),
	)}
}

// properties states the contracts of the streams, and that no frame pauses.
func (b *block) properties() {
	m, io := b.m, b.io
	stream.AssumeFrame(m, "frame_in", io.In)
	stream.AssertFrame(m, "frame_out", io.Out)
	stream.AssumeSource(m, "reply", io.Host.Reply)
	var inside hdl.Bits
	m.Ghost(func() {
		inside = m.Reg("out_inside_frame", 1, 0)
		m.If(io.Out.Fire(), func() { inside.Set(io.Out.Data.Last.Not()) })
	})
	m.Assert("frame_never_pauses", inside.Not().Or(io.Out.Valid))
	m.Assert("store_at_most_all", b.used.LeK(uint64(b.p.Store)))
	m.Assert("freed_was_used", b.freed.Le(b.used))
	m.Assert("due_is_held", b.isDue.Not().Or(b.win.Held.Any()))
	m.Assert("answer_is_due", b.accept.Not().Or(b.isDue))
	m.Cover("answered_before_sent_again", b.accept.And(b.win.Ahead.None()).And(b.open))
	m.Cover("session_replaced", b.begin.And(b.known))
	b.master()
}

// master states what AXI wants of both sides.
func (b *block) master() {
	m, axi := b.m, &b.io.AXI
	stays := func(name string, valid, ready, data hdl.Bits) hdl.Bits {
		waits := m.PastReset(name+"_waited", valid.And(ready.Not()), 0)
		before := m.Past(name+"_before", data)
		return waits.Not().Or(valid.And(data.Eq(before)))
	}
	m.Assume("ar_stays", stays("ar", axi.ARValid, axi.ARReady, hdl.Cat(axi.ARID, axi.ARAddr, axi.ARLen)))
	m.Assume("aw_stays", stays("aw", axi.AWValid, axi.AWReady, hdl.Cat(axi.AWID, axi.AWAddr, axi.AWLen)))
	m.Assume("w_stays", stays("w", axi.WValid, axi.WReady, hdl.Cat(axi.WData, axi.WStrb, axi.WLast)))
	m.Assert("r_stays", stays("r", axi.RValid, axi.RReady, hdl.Cat(axi.RData, axi.RID, axi.RResp, axi.RLast)))
	m.Assert("b_stays", stays("b", axi.BValid, axi.BReady, hdl.Cat(axi.BID, axi.BResp)))
	for _, burst := range []struct {
		name              string
		valid, addr, size hdl.Bits
	}{{"ar_whole_words", axi.ARValid, axi.ARAddr, axi.ARSize}, {"aw_whole_words", axi.AWValid, axi.AWAddr, axi.AWSize}} {
		m.Assume(burst.name, burst.valid.Not().Or(hdl.AndAll(burst.addr.Trunc(3).None(), burst.size.Is(3))))
	}
}
