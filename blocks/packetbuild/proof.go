package packetbuild

import (
	"fmt"

	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// dataProofs lists what can be told of all bytes of a frame, or of two short ones.
func dataProofs(p Params) []hdl.Proof {
	return []hdl.Proof{
		dataProof(p, family{name: "send_ipv4", opcode: format.OpSendOnly}, 14,
			hdl.ReverseBytes("u_frame.plan_checksum").As("checksum in the wrong order of bytes"),
			hdl.ReverseBytes("u_frame.desc_dest_qp").As("queue pair in the wrong order of bytes"),
			hdl.Invert("u_frame.frame_head_slot").As("payload turned by a word"),
			hdl.StuckAt1("u_frame.frame_last_byte", 0, 1).As("pad as the payload has it"),
		),
		dataProof(p, family{name: "write_ipv6_tagged", opcode: format.OpWriteOnly, tagged: 1, ipv6: 1}, 16,
			hdl.Invert("u_frame.plan_udp_length", 2).As("length off by a word"),
			hdl.StuckAt0("u_frame.tag_0").As("no tag"),
			hdl.SwapBits("u_frame.rest", 0, 7).As("bits of a byte swapped"),
		),
	}
}

func dataProof(p Params, of family, depth int, faults ...hdl.Fault) hdl.Proof {
	return hdl.BoundedProofOf(dataDef(p, of), depth, hdl.ABC).OfTopAlone().Breaks(faults...)
}

// dataDef is the builder's own part with properties of every byte that leaves
// it, seen from outside. All descriptors are one, an arbitrary one of a family;
// with that, what leaves can be told from its place in its frame alone. Payloads
// are as long as it says, up to 15 bytes, and have no Err; one byte of each, at an
// arbitrary place and of an arbitrary value, is followed. Nobody waits
// but the builder; what becomes of other payloads, and of those that wait, is in
// [properties]. The ICRC has its own proofs.
func dataDef(p Params, of family) hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: fmt.Sprintf("packetbuild_data_%d_%s", p.DataWidth, of.name),
		IO:   ports(p),
		Body: func(m *hdl.Module, io *IO) {
			b := hdl.Instance(m, "u_frame", frame(p))
			hdl.Connect(b.Desc, io.Desc)
			hdl.Connect(b.Payload, io.Payload)
			hdl.Connect(io.Out, b.Out)
			stream.AssumeSource(m, "desc", io.Desc)
			stream.AssumeFrame(m, "payload", io.Payload)

			m.Assume("desc_there", io.Desc.Valid)
			m.Assume("out_taken", io.Out.Ready)
			f := newFollower(m, p, of)
			f.assume(io)
			f.assert(io.Out)
		},
	}
}

// A family is descriptors that differ in the values of their fields, but not in
// what of them a frame has.
type family struct {
	name         string
	opcode       format.Opcode
	tagged, ipv6 uint64
}

// shortBits is the width of payload lengths in a proof: up to 15 bytes.
const shortBits = 4

// descriptor is an arbitrary one of the family.
func (of family) descriptor(m *hdl.Module) descriptor {
	proto := hdl.Proto(ports(Params{DataWidth: 64}).Desc.Data)
	any := m.AnyConst("descriptor", hdl.WidthOf(proto))
	m.Unused(any) // some of it
	d := hdl.Unpack(proto, any)
	d.Opcode, d.VLAN, d.IPv6 = hdl.K(8, uint64(of.opcode)), hdl.K(1, of.tagged), hdl.K(1, of.ipv6)
	d.PayloadLen = d.PayloadLen.Trunc(shortBits).ZExt(format.PayloadLenBits)
	if of.ipv6 == 0 {
		of.fewSums(&d)
	}
	return d
}

// fewSums holds most of what goes into an IPv4 checksum to the values of one
// connection: that two ways to add ten arbitrary words give the same sum is more
// than a solver finds out. The packet's number, its length, DF and a byte of the
// source address are left.
func (of family) fewSums(d *descriptor) {
	d.TrafficClass, d.HopLimit = hdl.K(8, 0x6B), hdl.K(8, 0x40)
	d.SrcLo = hdl.Cat(hdl.K(56, 0xC0A8_02), d.SrcLo.Trunc(8))
	d.DstLo = hdl.K(64, 0xAC10_FE83)
}

// A follower knows what has to leave.
type follower struct {
	m *hdl.Module
	p Params
	*expected

	place hdl.Bits // of the followed byte in the payload
	value hdl.Bits // its value
	come  hdl.Bits // payload beats that have come of the payload that comes
}

func newFollower(m *hdl.Module, p Params, of family) *follower {
	f := &follower{m: m, p: p, expected: newExpected(m, of.descriptor(m))}
	f.place, f.value = m.AnyConst("place", positionBits), m.AnyConst("value", 8)
	return f
}

// counter counts the beats of the present frame of s that have gone by.
func (f *follower) counter(name string, s stream.Frame) hdl.Bits {
	var c hdl.Bits
	f.m.Ghost(func() {
		c = f.m.Reg(name, positionBits-f.p.laneBits(), 0)
		f.m.If(s.Fire(), func() { c.Set(hdl.Mux(s.Data.Last, c.K(0), c.AddK(1))) })
	})
	return c
}

// assume holds the inputs to the descriptor and to payloads of its length.
func (f *follower) assume(io *IO) {
	m, d := f.m, f.d
	f.come = f.counter("payload_come", io.Payload)
	m.Assume("one_descriptor", io.Desc.Valid.Not().Or(hdl.Pack(io.Desc.Data).Eq(hdl.Pack(d))))

	idle, in := io.Payload.Valid.Not(), io.Payload.Data
	last := d.PayloadLen.SubK(1)
	m.Assume("payload_there", io.Payload.Valid.Eq(d.PayloadLen.Any()))
	m.Assume("payload_length", idle.Or(f.ends(f.come, last.Trunc(positionBits), in)))
	m.Assume("payload_good", idle.Or(in.Err.Not()))
	for i := range f.p.bytes() {
		here := f.position(f.come, i).Eq(f.place)
		m.Assume(fmt.Sprintf("payload_byte_%d", i), idle.Or(here.Not()).Or(in.Data.Byte(i).Eq(f.value)))
	}
}

// position is that of byte i of a beat in its frame.
func (f *follower) position(beat hdl.Bits, i int) hdl.Bits {
	return hdl.Cat(beat, hdl.K(f.p.laneBits(), uint64(i)))
}

// ends returns one bit: a beat, number at, has Last and Keep as a frame whose
// last byte is number last.
func (f *follower) ends(at, last hdl.Bits, b stream.Beat) hdl.Bits {
	k, n := f.p.laneBits(), f.p.bytes()
	final := at.Eq(last.Slice(positionBits-1, k))
	return b.Last.Eq(final).And(b.Keep.Eq(stream.KeepTo(last.Trunc(k), n).Or(final.Not().Rep(n))))
}

// assert states that the frames that leave are as expected.
func (f *follower) assert(out stream.Frame) {
	m, n := f.m, f.p.bytes()
	at := f.counter("at", out)
	header := f.beat(at, n)
	idle := out.Valid.Not()
	m.Assert("frame_length", idle.Or(f.ends(at, f.frameEnd.SubK(1), out.Data)))
	m.Assert("frame_good", idle.Or(out.Data.Err.Not()))
	for i := range n {
		b, position := out.Data.Data.Byte(i), f.position(at, i)
		inHeader := position.Lt(f.headEnd)
		m.Assert(fmt.Sprintf("header_%d", i), idle.Or(inHeader.Not()).Or(b.Eq(header.Byte(i))))
		m.Assert(fmt.Sprintf("payload_%d", i), idle.Or(f.isFollowed(position).Not()).Or(b.Eq(f.value)))
		m.Assert(fmt.Sprintf("pad_%d", i), idle.Or(f.isPad(position).Not()).Or(b.None()))
	}
	m.Cover("padded", out.Fire().And(out.Data.Last).And(f.frameEnd.Ne(f.padBegin)))
}

// isFollowed and isPad say what is at a place of the frame.
func (f *follower) isFollowed(position hdl.Bits) hdl.Bits {
	return position.Eq(f.headEnd.Add(f.place)).And(f.place.Lt(f.d.PayloadLen.Trunc(positionBits)))
}

func (f *follower) isPad(position hdl.Bits) hdl.Bits {
	return position.Ge(f.padBegin).And(position.Lt(f.frameEnd))
}
