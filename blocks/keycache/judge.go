package keycache

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// remoteRights are the rights that are asked for by packets of the peer alone.
const remoteRights = format.AccessRemoteWrite | format.AccessRemoteRead | format.AccessRemoteAtomic

// find reads the entry, and compares all but the end of the range.
func (b *block) find() {
	some := b.found.Places.Any()
	b.lacks.Set(hdl.AndAll(b.finds, some.Not(), b.found.Beyond.Not()))
	known := hdl.OrAll(b.filled, b.finds.And(some), b.finds.And(b.found.Beyond))
	b.judges.Set(known)

	e, q := hdl.Unpack(held{}, b.store.At(encode(b.found.Places))), b.found.Request
	b.m.Event("key_compared", known,
		hdl.Field("client", b.found.Client), hdl.Field("key", q.Key), hdl.Field("rights", q.Rights), hdl.Field("va", q.VA),
		hdl.Field("bytes", q.Range))
	local := q.Rights.And(hdl.K(8, remoteRights)).None()
	ends := isRevoke(q)
	b.finding.now.Set(known.And(ends))
	b.finding.entry = e
	offset, before := minus(q.VA, e.VA)
	room, longer := minus(e.Length, q.Range.ZExt(64))

	hdl.Set(b.judged, judged{
		Client: b.found.Client, BusErr: b.found.BusErr,
		Unknown: hdl.OrAll(b.found.Beyond, b.found.Unknown, e.Free.And(ends.Not())), Tag: e.Tag.Ne(q.Key.Trunc(format.KeyTagBits)),
		PD: bytesNe(e.PD, q.PD), QP: bytesNe(e.QPN, q.QPN).And(e.Own.Rep(3)),
		Rights: q.Rights.And(e.Rights.Not()).Any().Or(e.Window.And(local)).And(ends.Not()), // a window lends to the peer alone
		Revoke: ends, Refused: e.Refused.And(ends.Rep(link.FaultBits)),
		Outside: before.Or(longer).And(ends.Not()), Room: room,
		PageShift: e.PageShift, Translation: e.Translation, Offset: offset, First: e.VA.Trunc(format.PageShiftMax),
	})
}

// refusedRevoke says why an entry that is there, and of the right domain, cannot be ended from
// afar, else 0.
func refusedRevoke(e format.KeyEntry[hdl.Bits]) hdl.Bits {
	code := func(c format.VendorCode) hdl.Bits { return hdl.K(link.FaultBits, uint64(c)) }
	able := e.Type.Is(format.KeyFastRegion).Or(e.Type.Is(format.KeyWindow2))
	why := hdl.Mux(e.Windows.Any(), code(format.VendorKeyBound), code(format.VendorNone))
	why = hdl.Mux(e.State.Is(format.KeyFree), code(format.VendorKeyState), why)
	return hdl.Mux(able, why, code(format.VendorKeyType))
}

// bytesNe returns a bit for each byte: it differs. The rest of the comparison is for the
// next stage.
func bytesNe(a, b hdl.Bits) hdl.Bits {
	var differ []hdl.Bits
	for i := range a.Width() / 8 {
		differ = append(differ, a.Byte(i).Ne(b.Byte(i)))
	}
	return bitsOf(differ)
}

// minus returns a - b, and one bit: that is below zero.
func minus(a, b hdl.Bits) (difference, below hdl.Bits) {
	w := a.Width()
	d := a.ZExt(w + 1).Sub(b.ZExt(w + 1))
	return d.Trunc(w), d.MSB()
}

// judge compares the end of the range, as offset <= length - bytes, which cannot
// wrap, and replies.
func (b *block) judge() {
	j := b.judged
	outside := j.Outside.Or(j.Offset.Gt(j.Room).And(j.Revoke.Not()))
	fault := j.Refused
	for _, x := range []struct {
		is   hdl.Bits
		code format.VendorCode
	}{ // the last one that is one counts
		{outside, format.VendorKeyRange}, {j.Rights, format.VendorKeyRights}, {j.PD.Or(j.QP).Any(), format.VendorKeyPD},
		{j.Unknown.Or(j.Tag), format.VendorKeyUnknown}, {j.BusErr, format.VendorBusRead},
	} {
		fault = hdl.Mux(x.is, hdl.K(link.FaultBits, uint64(x.code)), fault)
	}
	b.revoked.Set(hdl.AndAll(b.judges, j.Revoke, fault.None()))
	b.spared.Set(hdl.AndAll(b.judges, j.Revoke, fault.Any()))
	b.m.Event("key_judged", b.judges, hdl.Field("client", j.Client), hdl.Field("fault", fault))
	for i := range b.io.Clients {
		b.reply(i, link.KeyReply{
			Fault: fault, PageShift: j.PageShift, Translation: j.Translation, Offset: j.Offset, First: j.First,
		})
	}
}

// reply puts the answer into the FIFO of client i, if it is its own.
func (b *block) reply(i int, r link.KeyReply) {
	m, c := b.m, b.io.Clients[i]
	in := hdl.NewWire(m, fmt.Sprintf("reply_%d", i), hdl.StreamOf(link.KeyReply{}))
	in.Valid.Set(b.judges.And(b.judged.Client.Is(uint64(i))))
	hdl.Set(in.Data, r)
	hdl.Connect(c.Reply, stream.FIFO(m, fmt.Sprintf("u_replies_%d", i), in, b.p.ahead()))

	unanswered := m.Reg(fmt.Sprintf("unanswered_%d", i), bitsFor(b.p.ahead()), 0)
	m.If(c.Request.Fire().Xor(c.Reply.Fire()), func() {
		unanswered.Set(hdl.Mux(c.Reply.Fire(), unanswered.SubK(1), unanswered.AddK(1)))
	})
	b.room[i].Set(unanswered.LtK(uint64(b.p.ahead())))
	m.Unused(in.Ready)
	m.Assert(fmt.Sprintf("reply_%d_has_room", i), in.Ready.Or(in.Valid.Not()))
}
