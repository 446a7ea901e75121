package resend

import (
	"gornic/blocks/link"
	"gornic/blocks/wqe"
	"gornic/format"
	"gornic/hdl"
)

// announce gives the packet away, and goes to its payload.
func (b *block) announce() {
	b.m.If(b.io.Job.Ready, func() {
		b.done()
		b.m.If(b.need.Any(), func() { b.st.Goto(stWalk) })
	})
}

// walk gives a piece of an SGE away. If that is not all of the payload, the SGE has no more.
func (b *block) walk() {
	b.m.If(b.io.Segment.Ready, func() {
		b.need.Set(b.need.Sub(b.length))
		b.number.Set(b.number.AddK(1))
		b.st.Goto(stNext)
		b.m.If(b.enough, func() { b.st.Goto(stEnd) })
	})
}

// measure keeps in registers what the packet takes of the SGE. It is right from the second cycle on in which there is that SGE.
func (b *block) measure() {
	enough := b.left.Ge(b.need.ZExt(32))
	b.enough.Set(enough)
	b.length.Set(hdl.Mux(enough, b.need, b.left.Trunc(link.LengthBits)))
}

// nextSGE goes on to the next SGE that has bytes.
func (b *block) nextSGE() {
	sge := b.here()
	hdl.Set(b.sge, sge)
	b.at.SetK(0)
	b.left.Set(sge.Length)
	b.m.If(sge.Length.None(), func() {
		b.number.Set(b.number.AddK(1))
	}).Else(func() { b.st.Goto(stMeasure) })
}

// givePorts drives what leaves.
func (b *block) givePorts() {
	m, io, st, h := b.m, b.io, b.st, b.header
	no := hdl.K(1, 0)
	operands := wqe.Operands(hdl.PackLow(b.sge), b.p.Sizes)
	m.Unused(b.sge.Length) // but in an atomic's operands
	io.Job.Valid.Set(st.Is(stJob))
	hdl.Set(io.Job.Data, link.TxJob{
		Kind: hdl.K(3, link.JobResend), QP: b.turn.qp, Opcode: h.Opcode, SE: h.SE, AckReq: h.AckReq.Or(b.newest), PayloadLen: b.entry.Length,
		VA: h.VA, RKey: h.RKey, DMALen: h.DMALen, Imm: h.Imm, Inline: no, Probes: no,
		Swap: operands.SwapOrAdd, Compare: operands.Compare, MSN: hdl.K(24, 0), Failed: no, Entry: onlyPSN(h.PSN),
	})
	m.Event("packet_resent", io.Job.Fire(),
		hdl.Field("qp", b.turn.qp), hdl.Field("wqe", b.entry.WQEIndex), hdl.Field("opcode", h.Opcode), hdl.Field("psn", h.PSN),
		hdl.Field("offset", b.entry.Offset), hdl.Field("bytes", b.entry.Length))

	io.Segment.Valid.Set(st.Is(stWalk))
	hdl.Set(io.Segment.Data, link.Segment{
		Key: b.sge.LKey, PD: b.context.PD, QPN: b.context.QPN, Rights: hdl.K(8, 0), VA: b.sge.Addr.Add(b.at.ZExt(64)),
		Range: b.length.ZExt(32), Len: b.length, Skip: no, Probe: no, Bus: b.inline(), Find: no, Last: b.enough, Probed: no,
	})

	io.Resent.Valid.Set(st.Is(stResent))
	hdl.Set(io.Resent.Data, link.Resent{QP: b.turn.qp, Number: b.turn.order.Number})
	io.Fault.Valid.Set(st.Is(stFault))
	hdl.Set(io.Fault.Data, link.ResendFault{QP: b.turn.qp, PSN: h.PSN, Vendor: hdl.K(link.FaultBits, uint64(format.VendorWQERead))})
}

// onlyPSN is the entry of a packet that is not recorded.
func onlyPSN(psn hdl.Bits) link.ReplayEntry {
	e := hdl.Unpack(link.ReplayEntry{}, hdl.K(1, 0).Rep(hdl.WidthOf(link.ReplayEntry{})))
	e.PSN = psn
	return e
}
