package keyops

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// ownToken is this block's: bit 1 is one.
const ownToken = 2

// settle tells outcomes, in order. One that ended a key waits for a fence, which clears all that are here
// when it begins.
func (b *block) settle() {
	m, done := b.m, b.io.Done
	w := b.p.countBits()
	b.waiting = b.fifo(b.changed)
	b.waits, b.clear = m.Reg("waits", w, 0), m.Reg("clear", w, 0)
	first := b.waiting.Data
	held := first.Fence.And(b.clear.None())
	done.Valid.Set(b.waiting.Valid.And(held.Not()))
	b.waiting.Ready.Set(done.Ready.And(held.Not()))

	code := func(s format.Status) hdl.Bits { return hdl.K(8, uint64(s)) }
	failed := hdl.Mux(first.Binds, code(format.StatusMWBind), code(format.StatusLocQPOp))
	hdl.Set(done.Data, link.KeyOpDone{
		QP: first.QP, Status: hdl.Mux(first.Vendor.Any(), failed, code(format.StatusSuccess)), Vendor: first.Vendor,
	})
	b.fence(b.waiting.Valid.And(held))
	m.If(done.Fire().And(b.clear.Any()), func() { b.clear.Set(b.clear.SubK(1)) })
	m.Event("key_op_done", done.Fire(), hdl.Field("qp", first.QP), hdl.Field("vendor", first.Vendor))
}

// fence sends a token through both pipelines while one is wanted, and clears what waited when
// it began. While it is under way nothing is told: so what it clears stays the first in order.
func (b *block) fence(wanted hdl.Bits) {
	m, io := b.m, b.io
	b.round = m.Reg("round", 1, 0)
	covers := m.RegN("covers", b.p.countBits())
	owesTx, owesRx := m.Reg("owes_tx", 1, 0), m.Reg("owes_rx", 1, 0)
	awayTx, awayRx := m.Reg("away_tx", 1, 0), m.Reg("away_rx", 1, 0) // it has not come back
	token := link.Fence{Token: hdl.K(2, ownToken)}
	owes := stream.Offer(m, io.TxFence, owesTx, token).Or(stream.Offer(m, io.RxFence, owesRx, token))
	io.TxPassed.Ready.SetK(1)
	io.RxPassed.Ready.SetK(1)
	m.Unused(hdl.Pack(io.TxPassed.Data), hdl.Pack(io.RxPassed.Data))

	m.If(io.TxPassed.Valid, func() { awayTx.SetK(0) })
	m.If(io.RxPassed.Valid, func() { awayRx.SetK(0) })
	m.If(b.round.And(hdl.OrAll(owes, awayTx, awayRx).Not()), func() {
		b.round.SetK(0)
		b.clear.Set(covers)
	})
	m.If(wanted.And(b.round.Not()), func() {
		b.round.SetK(1)
		covers.Set(b.waits)
		for _, x := range []hdl.Bits{owesTx, owesRx, awayTx, awayRx} {
			x.SetK(1)
		}
	})
	m.Cover("fence_for_several", b.round.And(covers.GtK(1)))
}

// count counts the operations that are here, and keeps command's token until those
// before it are done.
func (b *block) count() {
	m, io := b.m, b.io
	w := b.p.countBits()
	b.under, b.before = m.Reg("under_way", w, 0), m.Reg("before_token", w, 0)
	step := func(n, up, down hdl.Bits) {
		m.If(up.Xor(down), func() { n.Set(hdl.Mux(down, n.SubK(1), n.AddK(1))) })
	}
	done := io.Done.Fire()
	step(b.under, io.Op.Fire(), done)
	step(b.waits, b.changed.Fire(), done)

	kept := m.Reg("token_kept", 1, 0)
	token := hdl.NewReg(m, "token", link.Fence{})
	m.If(done.And(b.before.Any()), func() { b.before.Set(b.before.SubK(1)) })
	io.Through.Ready.Set(kept.Not())
	io.Passed.Valid.Set(kept.And(b.before.None()))
	hdl.Set(io.Passed.Data, token)
	m.If(io.Passed.Fire(), func() { kept.SetK(0) })
	m.If(io.Through.Fire(), func() {
		kept.SetK(1)
		hdl.Set(token, io.Through.Data)
		b.before.Set(b.under.Sub(done.ZExt(w)))
	})
	m.Cover("token_waits", kept.And(b.before.Any()))
}
