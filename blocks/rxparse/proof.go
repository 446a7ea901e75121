package rxparse

import (
	"fmt"

	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/stream"
)

// dataProofs lists what the parser says of one frame.
func dataProofs(p Params) []hdl.Proof {
	return []hdl.Proof{
		dataProof(p, family{name: "send_ipv4", opcode: format.OpSendOnly}, 15,
			hdl.ReverseBytes("u_parse.psn").As("PSN in the wrong order of bytes"),
			hdl.Invert("u_parse.s3_less", 0).As("payload length off by one"),
			hdl.Invert("u_parse.shift_inverse").As("second half of the payload's beats a word off"),
			hdl.StuckAt0("u_parse.known_tver").As("any transport version accepted"),
		),
		dataProof(p, family{name: "send_imm_ipv4_tagged", opcode: format.OpSendOnlyImm, tagged: true}, 16,
			hdl.StuckAt0("u_parse.vlan").As("the tag is not seen"),
			hdl.Invert("u_parse.ext_0", 31).As("immediate data wrong"),
			hdl.StuckAt1("u_parse.s3_payload_count").As("pad and ICRC are left in the payload's last beat"),
		),
		dataProof(p, family{name: "acknowledge_ipv6", opcode: format.OpAcknowledge, ipv6: true}, 17,
			hdl.SwapBits("u_parse.src_0", 0, 31).As("bits of an address swapped"),
			hdl.StuckAt0("u_parse.known_behind", 4).As("end of the frame misjudged"),
		),
	}
}

func dataProof(p Params, of family, depth int, faults ...hdl.Fault) hdl.Proof {
	return hdl.BoundedProofOf(dataDef(p, of), depth, hdl.ABC).OfTopAlone().Breaks(faults...)
}

// dataDef is the parser with properties of all that it says of one frame, the
// first or the second of frames of any content and length: whether it is
// accepted, every field of its descriptor, the length of its payload, and one byte
// of it, at an arbitrary place. What keeps a taker from taking keeps all of them:
// the package's other properties are of takers that differ.
func dataDef(p Params, of family) hdl.Def[IO] {
	def := Def(p)
	def.Name = fmt.Sprintf("rxparse_data_%d_%s", p.DataWidth, of.name)
	def.Doc = ""
	def.Body = func(m *hdl.Module, io *IO) {
		parser := hdl.Instance(m, "u_parse", Def(p))
		hdl.Connect(parser.In, io.In)
		hdl.Connect(io.Status, parser.Status)
		hdl.Connect(io.Header, parser.Header)
		hdl.Connect(io.Payload, parser.Payload)
		hdl.Connect(io.Raw, parser.Raw)
		stream.AssumeFrame(m, "in", io.In)
		m.Assume("header_taken_with_status", io.Header.Ready.Eq(io.Status.Ready))
		m.Assume("payload_taken_with_status", io.Payload.Ready.Eq(io.Status.Ready))
		m.Assume("raw_taken_with_status", io.Raw.Ready.Eq(io.Status.Ready))
		f := newFollower(m, p, of, io)
		m.Assume("of_family", f.fits)
		f.judgement(io)
		f.descriptor(io)
		f.body(io)
	}
	return def
}

// A follower knows the frame.
type follower struct {
	m *hdl.Module
	n int // bytes in a beat
	*expected

	place  hdl.Bits // of the followed byte in the payload
	value  hdl.Bits // it, once it has come
	leaves hdl.Bits // one bit: the next status is that of the frame
	fits   hdl.Bits // one bit: as far as it has come it is one of the family
	begun  hdl.Bits // payload beats of the next status' frame that have left
}

// Widths of the number of a frame, more than are ever inside, and of a place, as
// many as come within the depth.
const (
	numberBits = 3
	placeBits  = 6
)

func newFollower(m *hdl.Module, p Params, of family, io *IO) *follower {
	f := &follower{m: m, n: p.DataWidth / 8}
	number := m.AnyConst("number", 1).ZExt(numberBits)
	f.place = m.AnyConst("place", placeBits)
	m.Ghost(func() {
		come, gone := m.Reg("frames_come", numberBits, 0), m.Reg("frames_gone", numberBits, 0)
		m.If(io.In.Fire().And(io.In.Data.Last), func() { come.Set(come.AddK(1)) })
		m.If(io.Status.Fire(), func() { gone.Set(gone.AddK(1)) })
		f.leaves = gone.Eq(number)
		f.begun = m.Reg("payload_begun", lengthBits, 0)
		m.If(io.Payload.Fire(), func() { f.begun.Set(f.begun.AddK(1)) })
		m.If(io.Status.Fire(), func() { f.begun.SetK(0) })
		f.watch(of, io.In, come.Eq(number))
	})
	return f
}

// watch remembers the beginning and the length of the frame.
func (f *follower) watch(of family, in stream.Frame, comes hdl.Bits) {
	m, k := f.m, ir.AddrWidth(f.n)
	at := m.Reg("in_at", lengthBits-k, 0) // number of the beat
	m.If(in.Fire(), func() { at.Set(hdl.Mux(in.Data.Last, at.K(0), at.AddK(1))) })
	taken := in.Fire().And(comes)

	var bytes []hdl.Bits
	for i := range (of.payload() + f.n - 1) / f.n {
		beat := m.RegN(fmt.Sprintf("frame_%d", i), 8*f.n)
		m.If(taken.And(at.Is(uint64(i))), func() { beat.Set(in.Data.Data) })
		m.Unused(beat) // MAC addresses, for one
		for b := range f.n {
			bytes = append(bytes, beat.Byte(b))
		}
	}
	total, bad := m.RegN("frame_length", lengthBits), m.RegN("frame_bad", 1)
	m.If(taken.And(in.Data.Last), func() {
		total.Set(hdl.Cat(at, stream.LastByte(in.Data.Keep)).AddK(1))
		bad.Set(in.Data.Err)
	})
	f.fits = hdl.K(1, 1)
	for _, g := range of.given() {
		here := taken.And(at.Is(uint64(g.place / f.n)))
		f.fits = f.fits.And(here.Not().Or(in.Data.Data.Byte(g.place % f.n).Is(uint64(g.value))))
	}
	f.value = m.RegN("value", 8)
	for b := range f.n {
		here := hdl.Cat(at, hdl.K(k, uint64(b))).Eq(f.place.ZExt(lengthBits).AddK(uint64(of.payload())))
		m.If(taken.And(here), func() { f.value.Set(in.Data.Data.Byte(b)) })
	}
	f.expected = newExpected(of, bytes, total, bad)
}

// implies asserts that a implies b.
func (f *follower) implies(name string, a, b hdl.Bits) { f.m.Assert(name, a.Not().Or(b)) }

// judgement: the frame is accepted if and only if it is a packet for us.
func (f *follower) judgement(io *IO) {
	here := io.Status.Valid.And(f.leaves)
	ok := io.Status.Data.Reason.Is(uint64(format.ReasonOK))
	f.implies("accepted_is_packet", here.And(ok), f.accepted)
	f.implies("packet_is_accepted", here.And(f.accepted), ok)
	f.m.Cover("accepted", here.And(ok).And(f.payloadLen.Any()))
}

// descriptor: each field that means something is what the frame has.
func (f *follower) descriptor(io *IO) {
	here := hdl.AndAll(io.Status.Valid, f.leaves, f.accepted)
	f.implies("descriptor_is_there", here, io.Header.Valid)
	got, want := io.Header.Data, f.header
	if f.tagged {
		f.implies("tci", here, got.TCI.Eq(want.TCI))
	}
	for i := range f.info().ExtBytes() / 4 {
		f.implies(fmt.Sprintf("ext_%d", i), here, got.Ext[i].Eq(want.Ext[i]))
	}
	for _, field := range []struct {
		name      string
		got, want hdl.Bits
	}{
		{"vlan", got.VLAN, want.VLAN}, {"ipv6", got.IPv6, want.IPv6}, {"traffic_class", got.TrafficClass, want.TrafficClass},
		{"src_hi", got.SrcHi, want.SrcHi}, {"src_lo", got.SrcLo, want.SrcLo},
		{"dst_hi", got.DstHi, want.DstHi}, {"dst_lo", got.DstLo, want.DstLo}, {"src_port", got.SrcPort, want.SrcPort},
		{"opcode", got.Opcode, want.Opcode}, {"undefined", got.Undefined, want.Undefined}, {"cnp", got.CNP, want.CNP},
		{"se", got.SE, want.SE}, {"mig_req", got.MigReq, want.MigReq}, {"pad_cnt", got.PadCnt, want.PadCnt},
		{"fecn", got.FECN, want.FECN}, {"becn", got.BECN, want.BECN}, {"dest_qp", got.DestQP, want.DestQP},
		{"ack_req", got.AckReq, want.AckReq}, {"psn", got.PSN, want.PSN}, {"payload_len", got.PayloadLen, want.PayloadLen},
	} {
		f.implies(field.name, here, field.got.Eq(field.want))
	}
}

// body: the beats before the status are the payload, from its first byte on,
// without pad.
func (f *follower) body(io *IO) {
	k, beat := ir.AddrWidth(f.n), io.Payload.Data
	here := hdl.AndAll(io.Payload.Valid, f.leaves, beat.Err.Not())
	last := f.payloadLen.SubK(1)
	final := f.begun.Trunc(lengthBits - k).Eq(last.Slice(lengthBits-1, k))
	f.implies("payload_ends", here, beat.Last.Eq(final))
	f.implies("payload_keep", here.And(final), beat.Keep.Eq(stream.KeepTo(last.Trunc(k), f.n)))
	for b := range f.n {
		position := hdl.Cat(f.begun.Trunc(lengthBits-k), hdl.K(k, uint64(b)))
		followed := hdl.AndAll(here, beat.Keep.Bit(b), position.Eq(f.place.ZExt(lengthBits)))
		f.implies(fmt.Sprintf("payload_byte_%d", b), followed, beat.Data.Byte(b).Eq(f.value))
	}
	done := hdl.AndAll(io.Status.Valid, f.leaves, f.accepted)
	whole := f.begun.Add(io.Payload.Valid.ZExt(lengthBits)).Eq(f.payloadLen.AddK(uint64(f.n - 1)).ShrK(k))
	f.implies("payload_whole", done, whole)
	f.implies("payload_good", done.And(io.Payload.Valid), beat.Last.And(beat.Err.Not()))
}
