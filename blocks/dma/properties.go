package dma

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance, of a width that has no registers between it and its clients.
func Proofs() []hdl.Proof {
	p := Params{Sizes: link.Sizes{DataWidth: 128}, Reads: 2, Writes: 2}
	return []hdl.Proof{hdl.ProofOf(Def(p), 14, 0).Breaks(
		hdl.StuckAt1("m_axi_wready").As("a beat lost that waits"),
		hdl.Invert("m_axi_awaddr", 3).As("a burst past its page"),
		hdl.StuckAt0("m_axi_rready").As("the memory waits"),
	)}
}

// properties states what the engine takes for granted of its clients and of the
// memory, and what AXI wants of it.
func (e *engine) properties() {
	m, axi := e.m, &e.io.AXI
	for i, c := range e.io.Reads {
		name := fmt.Sprintf("read_%d", i)
		stream.AssumeSource(m, name, c.Burst)
		m.Assume(name+"_takes", c.Beat.Ready.Or(c.Beat.Valid.Not()))
		m.Assume(name+"_in_page", inPage(c.Burst.Valid, c.Burst.Data.Addr, c.Burst.Data.Len, e.p.Sizes.DataWidth))
	}
	for i, c := range e.io.Writes {
		name := fmt.Sprintf("write_%d", i)
		stream.AssumeSource(m, name, c.Burst)
		stream.AssumeSource(m, name+"_beat", c.Beat)
		m.Assume(name+"_takes", c.Done.Ready.Or(c.Done.Valid.Not()))
		m.Assume(name+"_in_page", inPage(c.Burst.Valid, c.Burst.Data.Addr, c.Burst.Data.Len, e.p.Sizes.DataWidth))
	}
	m.Assume("r_id_of_a_client", axi.RValid.Not().Or(axi.RID.LtK(uint64(len(e.io.Reads)))))
	m.Assume("b_id_of_a_client", axi.BValid.Not().Or(axi.BID.LtK(uint64(len(e.io.Writes)))))

	m.Assert("r_never_waits", axi.RValid.Not().Or(axi.RReady))
	m.Assert("b_never_waits", axi.BValid.Not().Or(axi.BReady))
	stays(m, "ar", axi.ARValid, axi.ARReady, hdl.Cat(axi.ARID, axi.ARAddr, axi.ARLen))
	stays(m, "aw", axi.AWValid, axi.AWReady, hdl.Cat(axi.AWID, axi.AWAddr, axi.AWLen))
	stays(m, "w", axi.WValid, axi.WReady, hdl.Cat(axi.WData, axi.WStrb, axi.WLast))
	m.Assert("ar_in_page", inPage(axi.ARValid, axi.ARAddr, axi.ARLen, e.p.Sizes.DataWidth))
	m.Assert("aw_in_page", inPage(axi.AWValid, axi.AWAddr, axi.AWLen, e.p.Sizes.DataWidth))
	m.Cover("write_ends", axi.WValid.And(axi.WReady).And(axi.WLast))
	m.Cover("read_fails", e.readErr)
}

// inPage returns one bit: a burst that is there begins at a whole beat and ends
// within its 4 KiB.
func inPage(valid, addr, length hdl.Bits, width int) hdl.Bits {
	beat := hdl.Cat(addr.Slice(11, hdl.Log2(width/8)))
	end := beat.ZExt(13).Add(length.ZExt(13))
	fits := end.LtK(uint64(4096 / (width / 8)))
	return valid.Not().Or(fits.And(addr.Trunc(hdl.Log2(width / 8)).None()))
}

// stays states the rule of AXI's channels: what is offered is offered until it
// is taken.
func stays(m *hdl.Module, name string, valid, ready, data hdl.Bits) {
	waits := m.PastReset(name+"_waited", valid.And(ready.Not()), 0)
	before := m.Past(name+"_before", data)
	m.Assert(name+"_stays", waits.Not().Or(valid.And(data.Eq(before))))
}
