package atomic

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// word is what memory has at an address.
type word struct {
	Value hdl.Bits `w:"64"`
	Err   hdl.Bits `w:"1"`
}

// executed is an atomic with what it writes.
type executed struct {
	Outcome outcome
	Addr    hdl.Bits `w:"61"`
	New     hdl.Bits `w:"64"`
}

// modify executes the atomics as their words come.
func (b *block) modify() {
	m, beat := b.m, b.io.Read.Beat
	words := stream.Map(beat, func(r link.ReadBeat) word {
		m.Unused(r.Last)
		return word{Value: b.lane(r.Data, beat.Fire()), Err: r.Err}
	})
	came := stream.FIFO(m, "u_words", words, b.p.places())
	found := stream.ForwardSlice(m, "u_found", stream.Join(m, "u_pairs", b.ops, came))
	b.write(stream.ForwardSlice(m, "u_executed", stream.Map(found, b.execute)))
}

// lane returns the word of a beat that the oldest read without an answer is about.
func (b *block) lane(beat, comes hdl.Bits) hdl.Bits {
	if b.p.lanes() == 1 {
		return beat
	}
	place := b.m.Reg("answered_place", hdl.Log2(b.p.places()), 0)
	b.m.If(comes, func() { place.Set(place.AddK(1)) })
	var words []hdl.Bits
	for i := range b.p.lanes() {
		words = append(words, beat.Slice(64*i+63, 64*i))
	}
	return hdl.Select(hdl.Select(place, b.addrs...).Trunc(b.p.laneBits()), words...)
}

// execute says what becomes of a word.
func (b *block) execute(p stream.Pair[op, word]) executed {
	o, was := p.A, p.B.Value
	equal := was.Eq(o.Operand.Compare)
	return executed{
		Outcome: outcome{QP: o.QP, Slot: o.Slot, Value: was, Failed: p.B.Err, Writes: p.B.Err.Not().And(o.Swap.Not().Or(equal))},
		Addr:    o.Addr,
		New:     hdl.Mux(o.Swap, o.Operand.Swap, was.Add(o.Operand.Swap)),
	}
}

// write sends what is changed to memory, and every outcome on.
func (b *block) write(in hdl.Stream[executed]) {
	m, bits := b.m, b.p.laneBits()
	to := stream.Fork(m, "u_writes", in, 3)
	writes := in.Data.Outcome.Writes
	burst := stream.Filter(m, "burst", to[0], writes)
	hdl.Connect(b.io.Write.Burst, stream.Map(burst, func(e executed) link.WriteBurst {
		m.Unused(hdl.Pack(e.Outcome), e.New)
		if bits > 0 {
			m.Unused(e.Addr.Trunc(bits))
		}
		return link.WriteBurst{Addr: hdl.Cat(e.Addr.Slice(60, bits), hdl.K(bits+3, 0)), Len: hdl.K(8, 0)}
	}))
	beat := stream.Filter(m, "beat", to[1], writes)
	hdl.Connect(b.io.Write.Beat, stream.Map(beat, func(e executed) link.WriteBeat {
		m.Unused(hdl.Pack(e.Outcome), e.Addr)
		return link.WriteBeat{Data: e.New.Rep(b.p.lanes()), Strb: b.strobes(e.Addr), Last: hdl.K(1, 1)}
	}))
	hdl.Connect(b.outcomes, stream.FIFO(m, "u_outcomes", stream.Map(to[2], func(e executed) outcome {
		m.Unused(e.Addr, e.New)
		return e.Outcome
	}), b.p.depth()))
}

// strobes are the bytes of a word in its beat.
func (b *block) strobes(addr hdl.Bits) hdl.Bits {
	ones := hdl.Ones(wordBytes)
	if b.p.lanes() == 1 {
		return ones
	}
	lane := addr.Trunc(b.p.laneBits())
	var lanes []hdl.Bits
	for i := b.p.lanes() - 1; i >= 0; i-- {
		lanes = append(lanes, lane.Is(uint64(i)).Rep(wordBytes))
	}
	return hdl.Cat(lanes...)
}
