package icrc

import (
	"math/bits"

	"gornic/hdl"
	"gornic/hdl/stream"
)

// CheckIO is the ports of [Check].
type CheckIO struct {
	In      stream.Frame        `hdl:"in"`
	Verdict hdl.Stream[Verdict] `hdl:"out"`
}

// Verdict is what [Check] says of a frame.
type Verdict struct {
	Good hdl.Bits `w:"1"` // the frame holds a whole IP packet that ends with its ICRC
}

// Check judges the ICRC of whole Ethernet frames, one verdict a frame in their
// order. The packet ends where its IP length says; what follows in the frame is
// not looked at. Good is zero for a frame that is no IP packet, is too short for
// a BTH, or ends before the packet does. Err is not looked at.
//
// A beat is taken every cycle while fewer than 16 verdicts wait; a verdict
// comes 6 cycles after the frame's last beat.
func Check(p Params) (hdl.Def[CheckIO], error) {
	if err := p.Validate(); err != nil {
		return hdl.Def[CheckIO]{}, err
	}
	return checkDef(p), nil
}

func checkDef(p Params) hdl.Def[CheckIO] {
	return hdl.Def[CheckIO]{
		Name: p.name("icrc_check"),
		Doc:  "Judges the ICRC of each Ethernet frame; a beat every cycle.",
		IO:   CheckIO{In: stream.FrameOf(p.DataWidth), Verdict: hdl.StreamOf(Verdict{Good: hdl.W(1)})},
		Body: func(m *hdl.Module, io *CheckIO) { check(m, p, io) },
	}
}

func check(m *hdl.Module, p Params, io *CheckIO) {
	width := bits.Len(uint(p.wait()))
	waiting := m.Reg("waiting", width, 0) // frames taken whose verdict has not left
	entered, left := io.In.Fire().And(io.In.Data.Last), io.Verdict.Fire()
	waiting.Set(waiting.Add(entered.ZExt(width)).Sub(left.ZExt(width)))
	io.In.Ready.Set(waiting.IsNot(uint64(p.wait())))

	// A beat is taken with what its headers tell; then its packet's end is known.
	type taken struct{ Data, Keep, Last, Index hdl.Bits }
	r := newReader(m, p, io.In)
	m.Unused(io.In.Data.Err)
	h := r.headers()
	beat := delay(m, "beat", taken{
		Data: io.In.Data.Data, Keep: io.In.Data.Keep, Last: io.In.Data.Last, Index: r.index,
	}, 1)
	valids := delayValid(m, "valid", r.take, 3+stateDelay)
	valid := valids[0]
	taker := &reader{m: m, p: p, take: valid, data: beat.Data, index: beat.Index}
	end := taker.end(h)
	beat, valid = delay(m, "late_beat", beat, 1), valids[1]
	tagged, ipv6 := delay(m, "late_tagged", h.tagged.then, 1), delay(m, "late_ipv6", h.ipv6.then, 1)

	// The data up to the packet's end.
	first := beat.Index.None()
	number := count(m, "number", endMax/p.bytes(), valid, beat.Last)
	holdsEnd := end.known.And(number.Eq(end.beat.ZExt(number.Width())))
	ended := m.RegN("ended", 1) // the packet ended in an earlier beat
	endedNow := ended.And(first.Not())
	m.If(valid, func() { ended.Set(endedNow.Or(holdsEnd)) })
	live := stream.KeepTo(end.lane, p.bytes()).Or(holdsEnd.Not().Rep(p.bytes())).And(endedNow.Not().Rep(p.bytes()))
	whole := hdl.Select(end.lane, split(beat.Keep)...)
	w := word{
		valid: valids[2],
		first: delay(m, "word_first", first, 1),
		data:  delay(m, "word", coverData(m, p, beat.Data, live, beat.Index, tagged, ipv6), 1),
	}

	// The state, and what is asked of it.
	crc := state(m, p, w, 0)
	type question struct{ First, Last, End, Lane hdl.Bits }
	q := delay(m, "question", question{
		First: first, Last: beat.Last, End: holdsEnd.And(whole), Lane: end.lane,
	}, 1+stateDelay)
	answered := valids[2+stateDelay]
	right := m.RegN("right", 1)
	rightNow := hdl.Mux(q.End, crc.Eq(m.Table("residue", q.Lane, 32, residues(p)...)), right.And(q.First.Not()))
	m.If(answered, func() { right.Set(rightNow) })

	verdict := hdl.NewStream(m, "verdict_made", Verdict{Good: hdl.W(1)})
	verdict.Valid.Set(answered.And(q.Last))
	verdict.Data.Good.Set(rightNow)
	m.Unused(verdict.Ready) // there is room: see waiting
	hdl.Connect(io.Verdict, stream.FIFO(m, "u_verdicts", verdict, p.wait()))

	checkProperties(m, p, io, verdict, waiting)
}

// endMax is more than the highest offset at which a packet's last byte can be.
const endMax = 1<<16 + taggedIPAt + 40

// packetEnd is where the last byte of a packet is. It comes from registers, a
// cycle after the beat with the IP length.
type packetEnd struct {
	known hdl.Bits // of an IP packet long enough for a BTH
	beat  hdl.Bits
	lane  hdl.Bits
}

// end finds the packet's end from the IP length, which every variant has in one
// beat. The reader is a cycle behind the one that found the headers.
func (r *reader) end(h headers) packetEnd {
	const totalLength, payloadLength = 2, 4 // from the IP header
	tagged, ipv6 := h.tagged.then, h.ipv6.then
	length := hdl.Mux(tagged,
		hdl.Mux(ipv6, r.wordAt(taggedIPAt+payloadLength), r.wordAt(taggedIPAt+totalLength)),
		hdl.Mux(ipv6, r.wordAt(ipAt+payloadLength), r.wordAt(ipAt+totalLength)))
	last := hdl.Mux(tagged,
		hdl.Mux(ipv6, hdl.K(17, taggedIPAt+40-1), hdl.K(17, taggedIPAt-1)),
		hdl.Mux(ipv6, hdl.K(17, ipAt+40-1), hdl.K(17, ipAt-1)))
	const udpToICRC = 8 + 12 + 4
	enough := hdl.Mux(ipv6, length.GeK(udpToICRC), length.GeK(20+udpToICRC))

	here := r.here(taggedTypeAt)
	at := r.m.RegN("end_at", 17)
	r.m.If(r.take.And(here), func() { at.Set(length.ZExt(17).Add(last)) })
	lane := r.p.laneBits()
	return packetEnd{
		known: r.learn("end_known", here.And(h.ipv4.then.Or(ipv6)).And(enough)).then,
		beat:  at.Slice(16, lane),
		lane:  at.Trunc(lane),
	}
}

// residues are the states after a packet, by the number of its last byte in the
// last beat: zeros follow it there.
func residues(p Params) []uint64 {
	states := make([]uint64, p.bytes())
	for i := range states {
		states[i] = uint64(advance(residue, p.bytes()-1-i))
	}
	return states
}

// split returns the bits of x, bit 0 first.
func split(x hdl.Bits) []hdl.Bits {
	parts := make([]hdl.Bits, x.Width())
	for i := range parts {
		parts[i] = x.Bit(i)
	}
	return parts
}
