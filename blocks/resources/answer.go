package resources

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// answer is what of a job differs from one to another.
type answer struct {
	QP     hdl.Bits
	Opcode hdl.Bits `w:"8"`
	Length hdl.Bits `w:"13"`
	PSN    hdl.Bits `w:"24"`
	MSN    hdl.Bits `w:"24"`
	Value  value
}

// source is where the payload of a packet is.
type source struct {
	Key    hdl.Bits `w:"32"`
	PD     hdl.Bits `w:"24"`
	QPN    hdl.Bits `w:"24"`
	VA     hdl.Bits `w:"64"`
	Length hdl.Bits `w:"13"`
}

// mtu is the path MTU in bytes.
func (b *block) mtu() hdl.Bits {
	var sizes []hdl.Bits
	for code := range 8 {
		sizes = append(sizes, hdl.K(link.LengthBits, 128<<min(max(code, format.MTU256), format.MTU4096)))
	}
	return hdl.Select(b.now.PathMTU, sizes...)
}

// packet makes the next packet of the entry at hand, if it is no atomic that has no result yet.
func (b *block) packet() outcome {
	m, e := b.m, b.entry
	atomic := b.isAtomic(e.Kind)
	b.makes.Set(hdl.AndAll(b.st.Is(stMake), b.open, b.waits().Not()))
	first := b.was.Anew.Or(b.was.Index.None())
	code := func(o format.Opcode) hdl.Bits { return hdl.K(8, uint64(o)) }
	read := hdl.Mux(first,
		hdl.Mux(b.last, code(format.OpReadResponseOnly), code(format.OpReadResponseFirst)),
		hdl.Mux(b.last, code(format.OpReadResponseLast), code(format.OpReadResponseMiddle)))
	opcode := hdl.Mux(atomic, code(format.OpAtomicAck), read)

	found := b.value
	found.Fault = hdl.Mux(atomic, b.value.Fault, b.value.Fault.K(0))
	msn := e.MSN.Sub(found.Fault.Any().ZExt(24)) // the NAK does not count its request
	b.io.Made.Set(b.makes)
	b.answers.In.Valid.Set(b.makes)
	hdl.Set(b.answers.In.Data, answer{QP: b.now.QP, Opcode: opcode, Length: b.length, PSN: b.psn, MSN: msn, Value: found})
	b.reads.In.Valid.Set(b.makes.And(b.length.Any()))
	hdl.Set(b.reads.In.Data, source{Key: e.RKey, PD: b.now.PD, QPN: b.now.QPN, VA: b.addr, Length: b.length})
	m.Unused(b.answers.HighWater, b.reads.HighWater, b.answers.In.Ready, b.reads.In.Ready) // turns begin only where there is room
	b.leave()

	ends := b.last
	next := b.was.Next.AddK(1)
	record := next.Sub(b.most)
	beyond := record.Any().And(record.MSB().Not())
	after := b.was
	after.Next = hdl.Mux(ends, next, b.was.Next)
	most := hdl.Mux(ends.And(beyond), next, b.most)
	after.Index = hdl.Mux(ends, b.index.K(0), b.index.AddK(1))
	after.Anew = hdl.K(1, 0)
	m.Event("response_made", b.makes,
		hdl.Field("qp", b.now.QP), hdl.Field("psn", b.psn), hdl.Field("opcode", opcode), hdl.Field("va", b.addr), hdl.Field("bytes", b.length))
	m.Event("resource_done", b.makes.And(ends), hdl.Field("qp", b.now.QP), hdl.Field("psn", e.PSN), hdl.Field("next", next))
	return outcome{After: after, Most: most, Tells: ends, Again: ends.Not().Or(next.Ne(b.tail))}
}

// leave gives the packets away.
func (b *block) leave() {
	m, s := b.m, b.p.Sizes
	hdl.Connect(b.io.Job, stream.Map(b.answers.Out, func(a answer) link.TxJob {
		return job(s, a)
	}))
	rights := hdl.K(8, format.AccessRemoteRead)
	zero, one := hdl.K(1, 0), hdl.K(1, 1)
	hdl.Connect(b.io.Segment, stream.Map(b.reads.Out, func(r source) link.Segment {
		return link.Segment{
			Key: r.Key, PD: r.PD, QPN: r.QPN, Rights: rights, VA: r.VA, Range: r.Length.ZExt(32), Len: r.Length,
			Skip: zero, Probe: zero, Bus: zero, Find: zero, Last: one, Probed: zero,
		}
	}))
	m.Assert("room_for_packet", b.answers.In.Valid.Not().Or(b.answers.In.Ready))
	m.Assert("room_for_segment", b.reads.In.Valid.Not().Or(b.reads.In.Ready))
}

// job is an answer as a job.
func job(s link.Sizes, a answer) link.TxJob {
	zero := hdl.Unpack(s.TxJob(), hdl.K(hdl.WidthOf(s.TxJob()), 0))
	zero.Kind, zero.QP, zero.Opcode, zero.PayloadLen = hdl.K(3, link.JobAnswer), a.QP, a.Opcode, a.Length
	zero.Swap, zero.MSN, zero.Entry.PSN = a.Value.Value, a.MSN, a.PSN
	zero.Failed, zero.Entry.Vendor = a.Value.Fault.Any(), a.Value.Fault
	return zero
}
