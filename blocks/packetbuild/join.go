package packetbuild

import (
	"gornic/hdl"
	"gornic/hdl/stream"
)

// state is what the joiner holds.
type state int

const (
	stEmpty state = iota // nothing
	stHead               // a whole beat of a header that goes on
	stJoin               // the first bytes of a beat that payload completes
	stFlush              // the last bytes before the ICRC
	stDrain              // nothing, while payload beyond the descriptor's length goes by
)

func (s state) String() string {
	return [...]string{"empty", "head", "join", "flush", "drain"}[s]
}

// A joiner puts a header and a payload together. It holds what has come and
// not left: the next beat out is made of that and of the next beat of payload.
type joiner struct {
	m       *hdl.Module
	p       Params
	st      *hdl.FSM[state]
	payload stream.Frame
	out     stream.Frame

	head   hdl.Bits // the header's beat
	rest   hdl.Bits // what the last beat of payload left over
	isRest hdl.Bits // one bit: rest is what is held, not head
	layout layout   // of the frame in hand
	final  hdl.Bits // the next beat of payload is the last one by the descriptor
	bad    hdl.Bits // the payload was faulty
}

// join makes the joiner, whose out is the frames without their ICRC.
func join(m *hdl.Module, p Params, h header, payload stream.Frame) *joiner {
	j := &joiner{
		m: m, p: p, payload: payload,
		st:     hdl.NewFSM(m, "state", stEmpty, stHead, stJoin, stFlush, stDrain),
		out:    hdl.NewStream(m, "joined", stream.BeatOf(p.DataWidth)),
		head:   m.RegN("head", p.DataWidth),
		rest:   m.RegN("rest", p.DataWidth),
		isRest: m.RegN("is_rest", 1),
		layout: hdl.NewReg(m, "frame", layoutProto(p)),
		final:  m.RegN("final_beat", 1),
		bad:    m.RegN("bad", 1),
	}
	m.Unused(payload.Data.Keep.Bit(0)) // always one
	e := j.event()
	turned := j.turned()
	j.drive(e, turned)
	j.step(h, e, turned)
	return j
}

// event is what happens with the payload in this cycle.
type event struct {
	joins   hdl.Bits // a beat of payload is there and is wanted
	ends    hdl.Bits // the frame ends with it
	faulty  hdl.Bits // it is not what the descriptor says, or has Err
	tooLong hdl.Bits // the payload goes on behind the descriptor's length
}

func (j *joiner) event() event {
	beat, final := j.payload.Data, j.final
	mismatch := beat.Last.Ne(final)
	wrongByte := stream.LastByte(beat.Keep).Ne(j.layout.LastByte)
	return event{
		joins:   j.st.Is(stJoin).And(j.payload.Valid),
		ends:    mismatch.Or(final.And(j.layout.Spill.Not())),
		faulty:  mismatch.Or(wrongByte).Or(beat.Err),
		tooLong: final.And(beat.Last.Not()),
	}
}

// turned is the payload's beat moved behind the header's last word, what goes
// beyond the beat's end at its beginning; pad bytes are zero.
func (j *joiner) turned() hdl.Bits {
	x := j.payload.Data.Data
	x = rotate(x, 16) // a slot begins two bytes before its word's number says
	for i := range j.p.wordBits() {
		x = hdl.Mux(j.layout.HeadSlot.Bit(i), rotate(x, 32<<i), x)
	}
	n := j.p.bytes()
	parts := make([]hdl.Bits, n)
	for i := range n {
		w, k := (i+2)/4%j.p.words(), (i+2)%4 // byte k of the word that falls into slot w
		parts[n-1-i] = x.Byte(i)
		if k > 0 {
			pad := hdl.AndAll(j.final, j.layout.LastSlot.Is(uint64(w)), j.layout.LastByte.Trunc(2).LtK(uint64(k)))
			parts[n-1-i] = x.Byte(i).And(pad.Not().Rep(8))
		}
	}
	return hdl.Cat(parts...)
}

// rotate moves x up by n bits, and its top n bits to the bottom.
func rotate(x hdl.Bits, n int) hdl.Bits {
	w := x.Width()
	return hdl.Cat(x.Slice(w-1-n, 0), x.Slice(w-1, w-n))
}

// drive drives the beat that leaves: payload behind what is held, or that alone.
func (j *joiner) drive(e event, turned hdl.Bits) {
	joining, flushing := j.st.Is(stJoin), j.st.Is(stFlush)
	last := flushing.Or(joining.And(e.ends))
	held := j.upTo(j.layout.HeadSlot).Or(joining.Not().Rep(j.p.bytes()))
	n := j.p.bytes()
	parts := make([]hdl.Bits, n)
	for i := range parts {
		parts[n-1-i] = hdl.Mux(held.Bit(i), hdl.Mux(j.isRest, j.rest.Byte(i), j.head.Byte(i)), turned.Byte(i))
	}
	j.out.Valid.Set(j.st.Is(stHead).Or(flushing).Or(e.joins))
	hdl.Set(j.out.Data, stream.Beat{
		Data: hdl.Cat(parts...),
		Keep: j.upTo(j.layout.LastSlot).Or(last.Not().Rep(n)),
		Last: last,
		Err:  hdl.Mux(flushing, j.bad, last.And(e.faulty)),
	})
	j.payload.Ready.Set(joining.And(j.out.Ready).Or(j.st.Is(stDrain)))
}

// upTo has a bit a byte: ones up to the end of a slot. The half slot at the end
// of the beat, which begins the next beat's first word, is never one of them.
func (j *joiner) upTo(slot hdl.Bits) hdl.Bits {
	slots := stream.KeepTo(slot, j.p.words())
	parts := []hdl.Bits{hdl.K(2, 0)}
	for i := slots.Width() - 1; i > 0; i-- {
		parts = append(parts, slots.Bit(i).Rep(4))
	}
	return hdl.Cat(append(parts, slots.Bit(0).Rep(2))...)
}

// step is the next state. A header's beat is taken in the cycle in which what is
// held leaves and nothing of its frame is left.
func (j *joiner) step(h header, e event, turned hdl.Bits) {
	m, st := j.m, j.st
	empty, joins := st.Is(stEmpty), e.joins.And(j.out.Ready)
	clears := empty.Or(j.out.Ready.And(hdl.OrAll(st.Is(stHead), st.Is(stFlush), e.joins.And(e.ends).And(e.tooLong.Not()))))
	h.taken.Set(h.valid.And(clears))

	m.If(joins, func() {
		j.rest.Set(turned)
		j.isRest.SetK(1)
		j.bad.Set(e.faulty)
		j.layout.More.Set(j.layout.More.SubK(1))
		j.final.Set(j.layout.More.Is(1))
	})
	m.If(h.taken, func() {
		j.head.Set(h.data)
		j.isRest.SetK(0)
		j.bad.SetK(0)
		j.final.Set(h.plan.Layout.More.None())
		hdl.Set(j.layout, h.plan.Layout)
	})
	m.If(clears, func() {
		st.Goto(stHead)
		m.If(h.valid.Not(), func() {
			st.Goto(stEmpty)
		}).ElseIf(h.last, func() {
			m.If(h.plan.Payload, func() { st.Goto(stJoin) }).Else(func() { st.Goto(stFlush) })
		})
	}).ElseIf(joins.And(j.final), func() {
		m.If(e.tooLong, func() { st.Goto(stDrain) }).Else(func() { st.Goto(stFlush) })
	}).ElseIf(st.Is(stDrain).And(j.payload.Valid).And(j.payload.Data.Last), func() {
		st.Goto(stEmpty)
	})
}
