package rxparse

import (
	"gornic/format"
	"gornic/hdl"
)

// third is stage 3: what became of the beat that was in stage 2.
type third struct {
	m *hdl.Module
	p *pipeline

	data   hdl.Bits // the beat, for Raw
	last   hdl.Bits
	count  hdl.Bits
	reason hdl.Bits // of the frame, once the last beat is here
	packet hdl.Bits // as Status.Packet
	ends   hdl.Bits // valid: a frame's last beat is here, its status goes to stage 4
	begins hdl.Bits // of the beat in stage 2: the payload begins in it, if there is one
	vlan   hdl.Bits // the frame has a tag
	v6     hdl.Bits
	less   hdl.Bits // payload length less one, modulo 2^13: what an accepted packet can have

	rawValid, rawCut hdl.Bits // Raw has the beat, and ends with it because the frame is not for the host

	payloadValid, payloadLast hdl.Bits
	payloadCount              hdl.Bits   // bytes less one
	shifted                   []hdl.Bits // words, still to be shifted by fine
	fine                      hdl.Bits   // number of words; only of wide beats
}

func newThird(m *hdl.Module, p *pipeline) *third {
	b := p.second
	t := &third{
		m: m, p: p,
		data: m.RegN("s3_data", b.Data.Width()), last: m.RegN("s3_last", 1), count: m.RegN("s3_count", b.Count.Width()),
		reason: m.RegN("reason", format.ReasonBits), packet: m.RegN("packet", 1), ends: m.Reg("ends", 1, 0),
		vlan: m.RegN("s3_vlan", 1), v6: m.RegN("s3_ipv6", 1), less: m.RegN("s3_less", format.PayloadLenBits),
		rawValid: m.Reg("raw_beat", 1, 0), rawCut: m.RegN("raw_cut", 1),
		payloadValid: m.Reg("payload_beat", 1, 0), payloadLast: m.RegN("s3_payload_last", 1),
		payloadCount: m.RegN("s3_payload_count", b.Count.Width()),
	}
	m.If(p.toThird, func() {
		t.data.Set(b.Data)
		t.last.Set(b.Last)
		t.count.Set(b.Count)
	})
	return t
}

// status judges the frame whose beat leaves stage 2.
func (t *third) status(known facts, option hdl.Bits) {
	m, p := t.m, t.p
	reason, cut := reasonOf(m, known, p.second, option)
	t.begins = m.Wire("begins", 1)
	k := hdl.Log2(p.second.Data.Width() / 32)
	t.begins.Set(sameNumber(p.second.Number, known.Start.Slice(startBits-1, k)))
	m.If(p.flow, func() { t.ends.Set(p.toThird.And(p.second.Last)) })
	m.If(p.toThird, func() {
		t.reason.Set(reason)
		t.packet.Set(packetThere(known, cut))
		t.vlan.Set(known.VLAN)
		t.v6.Set(known.IPv6)
		t.less.Set(known.Less.Trunc(format.PayloadLenBits))
	})
}

// sameNumber compares two numbers of any widths.
func sameNumber(a, b hdl.Bits) hdl.Bits {
	w := max(a.Width(), b.Width())
	return a.ZExt(w).Eq(b.ZExt(w))
}

// payload sends the payload beats of a frame whose headers are sound. A payload
// without bytes has no beat. One of the wrong length has none either. next are the
// facts that will be known.
func (t *third) payload(known, next facts) {
	m, p := t.m, t.p
	k := p.second.Count.Width()
	going := m.Reg("going", 1, 0) // payload beats of the frame are still to come
	left := m.RegN("beats_left", known.Less.Width()-5-k)

	sound := known.Sound.And(known.Length.Not())
	fits := known.Less.Slice(lessBits-1, 12).None()
	starts := m.Wire("starts", 1)
	starts.Set(t.begins.And(sound).And(fits))
	leftNow := hdl.Mux(t.begins, known.Less.Slice(11, k), left)
	closing := m.Wire("closing", 1)
	closing.Set(leftNow.None())
	sends := starts.Or(going)

	m.If(p.flow, func() { t.payloadValid.Set(p.toThird.And(sends)) })
	m.If(p.toThird, func() {
		going.Set(sends.And(closing.Not()).And(p.second.Last.Not()))
		left.Set(leftNow.SubK(1))
		t.payloadLast.Set(closing.Or(p.second.Last))
		t.payloadCount.Set(known.Less.Trunc(k).Or(closing.Not().Rep(k)))
	})
	t.coarse(known.Start, next.Start)

	// Raw need not carry the rest of a frame that is a packet.
	skip := m.Reg("raw_skip", 1, 0)
	cut := t.begins.And(sound)
	m.If(p.flow, func() { t.rawValid.Set(p.toThird.And(skip.Not())) })
	m.If(p.toThird, func() {
		t.rawCut.Set(cut)
		skip.Set(skip.Or(cut).And(p.second.Last.Not()))
	})
}
