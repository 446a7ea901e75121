package readmatch

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// found is what is known of a response.
type found struct {
	Distance hdl.Bits `w:"24"` // its PSN less the one that is due
	Offset   hdl.Bits `w:"24"` // its PSN less the first one of the oldest,
	Span     hdl.Bits `w:"24"` // and the last one less the first
	More     hdl.Bits `w:"1"`  // the READ has more than the path MTU left
	Full     hdl.Bits `w:"1"`  // its payload is the path MTU
	Whole    hdl.Bits `w:"1"`  // its payload is what is left
	Match    hdl.Bits `w:"3"`  // link.MatchACK and others
	Closes   hdl.Bits `w:"1"`  // the queue pair takes no more answers
	Original hdl.Bits `w:"1"`  // it brings the value that an atomic found
}

// isOp is one where an opcode is one of those.
func isOp(opcode hdl.Bits, ops ...format.Opcode) hdl.Bits {
	var is []hdl.Bits
	for _, op := range ops {
		is = append(is, opcode.Is(uint64(op)))
	}
	return hdl.OrAll(is...)
}

// aeth is the AETH of a response: zeros of a MIDDLE, which has none.
func aeth(r link.RxRequest) hdl.Bits {
	return hdl.Mux(isOp(r.Opcode, format.OpReadResponseMiddle), hdl.K(32, 0), r.Ext[0])
}

// arrival is a packet, and whether it is judged if it is a response: if it is data, or a NAK that
// may end the queue pair.
type arrival struct {
	Packet link.RxRequest
	Judged hdl.Bits `w:"1"`
}

// arrive keeps a packet while it is worked on.
func arrive(m *hdl.Module, s link.Sizes, in hdl.Stream[link.RxRequest]) hdl.Stream[arrival] {
	return link.Stage(m, s, "u_packet", stream.Map(in, func(d link.RxRequest) arrival {
		syndrome := aeth(d).Slice(31, 24)
		fatal := hdl.OrAll(syndrome.Is(format.SyndromeNAKInv), syndrome.Is(format.SyndromeNAKAccess), syndrome.Is(format.SyndromeNAKOp))
		return arrival{Packet: d, Judged: isOp(d.Opcode, format.OpAcknowledge).Not().Or(fatal)}
	}))
}

// works is one where the packet at hand does not pass.
func (b *block) works() hdl.Bits { return isResponse(b.packet.Data).And(b.judged) }

func isResponse(r link.RxRequest) hdl.Bits { return r.Kind.Is(link.PSNResponse) }

// compare compares PSN and lengths with the oldest READ or atomic, and takes its place.
func (b *block) compare() {
	d, f, e, at := b.packet.Data, b.found, b.oldest, b.saved
	code, mtu := d.Context.PathMTU, pathMTU(d.Context.PathMTU)
	hdl.Set(b.place, at)
	f.Distance.Set(d.PSN.Sub(at.Due))
	f.Offset.Set(d.PSN.Sub(e.PSN))
	f.Span.Set(hdl.Mux(e.Length.Any(), packets(e.Length.SubK(1), code), hdl.K(24, 0)))
	f.More.Set(at.Left.Gt(mtu.ZExt(32)))
	f.Full.Set(d.PayloadLen.Eq(mtu))
	f.Whole.Set(at.Left.Eq(d.PayloadLen.ZExt(32)))
	b.owed.Set(hdl.Mux(isOp(d.Opcode, format.OpAtomicAck), hdl.K(link.LengthBits, 8), d.PayloadLen))
	b.st.Goto(stJudge)
}

// pathMTU is the path MTU in bytes of a code.
func pathMTU(code hdl.Bits) hdl.Bits {
	var bits []hdl.Bits
	for c := format.MTU4096; c >= format.MTU256; c-- {
		bits = append(bits, code.Is(uint64(c)))
	}
	return hdl.Cat(hdl.Cat(bits...), hdl.K(format.MTU256+7, 0))
}

// packets is how many whole path MTUs bytes are.
func packets(bytes, code hdl.Bits) hdl.Bits {
	counts := []hdl.Bits{bytes.ShrK(format.MTU256 + 7)} // code 0 does not exist
	for c := format.MTU256; c <= format.MTU4096; c++ {
		counts = append(counts, bytes.ShrK(c+7))
	}
	return hdl.Select(code, counts...).Trunc(24)
}

// judge says what a response is.
func (b *block) judge() {
	f := b.found
	f.Match.Set(b.verdict.match)
	f.Closes.Set(b.verdict.closes)
	f.Original.Set(b.verdict.original)
	b.measure()
	b.told.SetK(0)
	b.fetched.SetK(0)
	b.failed.SetK(0)
	b.st.Goto(stPlace)
}

// verdict is what is made of a response.
type verdict struct {
	match    hdl.Bits
	closes   hdl.Bits // it is the last one that the queue pair takes
	original hdl.Bits // it is the ATOMIC_ACK that is due
}

// rule is protocol section 4.4.
func (b *block) rule() {
	d, f, e := b.packet.Data, b.found, b.oldest
	is := func(k uint64) hdl.Bits { return hdl.K(3, k) }
	atomic := isOp(d.Opcode, format.OpAtomicAck)
	ends := isOp(d.Opcode, format.OpReadResponseLast, format.OpReadResponseOnly)
	good := aeth(d).Slice(31, 29).Is(format.SyndromeACK >> 5)
	right := hdl.AndAll(good, atomic.Eq(e.Atomic), atomic.Or(ends.Ne(f.More)))
	length := hdl.Mux(atomic, d.PayloadLen.None(), hdl.Mux(f.More, f.Full, f.Whole))
	due := b.some.And(f.Distance.None())
	placed := hdl.Mux(atomic.Or(ends), is(link.MatchDone), is(link.MatchData))
	atPSN := hdl.Mux(right.Not(), is(link.MatchBad), hdl.Mux(length.Not(), is(link.MatchLength), placed))
	unplaced := hdl.Mux(b.state.Closed, is(link.MatchIgnored), hdl.Mux(b.some.Not().Or(f.Distance.MSB()), is(link.MatchStray), is(link.MatchGap)))
	data := hdl.Mux(due, atPSN, unplaced)

	nak := isOp(d.Opcode, format.OpAcknowledge)
	covered := b.some.And(f.Offset.Le(f.Span))
	b.verdict = verdict{
		match:    hdl.Mux(nak, acknowledges(b.state), data),
		closes:   hdl.Mux(nak, covered, due.And(right.And(length).Not())),
		original: hdl.AndAll(due, right, length, atomic),
	}
}

// acknowledges is what an acknowledgement is to a queue pair.
func acknowledges(s state) hdl.Bits {
	return hdl.Mux(s.Closed, hdl.K(3, link.MatchIgnored), hdl.K(3, link.MatchACK))
}
