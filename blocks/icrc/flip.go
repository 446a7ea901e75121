package icrc

import (
	"encoding/binary"
	"math/bits"

	"gornic/hdl"
	"gornic/hdl/stream"
)

// choices are looked at in the first cycle after reset, and hold from then on.
// (An [hdl.Module.AnyConst] is for properties alone; this goes into the hardware.)
type choices struct {
	Beat hdl.Bits `w:"4"` // the beat in which a bit is inverted, from 0; none where the sample has fewer
	At   hdl.Bits `w:"6"` // which bit of it
	Gap  hdl.Bits `w:"1"` // In is idle for a cycle before that beat, in designs that look at it
}

// A bench sends a sample, one bit inverted, in beats of 64 bits.
type bench struct {
	m *hdl.Module
	choices
	made hdl.Bits // one bit: the choices are made
	bit  hdl.Bits // what is inverted in the beat, one-hot
}

func newBench(m *hdl.Module, c choices) *bench {
	b := &bench{m: m, choices: hdl.NewReg(m, "chosen", hdl.Proto(c)), made: m.Reg("made", 1, 0)}
	b.made.SetK(1)
	m.If(b.made.Not(), func() { hdl.Set(b.choices, c) })
	return b
}

// anyBit inverts the bit that is chosen, topBit the highest one of its byte.
func (b *bench) anyBit() { b.bit = hdl.K(64, 1).Shl(b.At) }

func (b *bench) topBit() {
	b.m.Unused(b.At)
	b.bit = hdl.K(64, 0x80).Shl(hdl.Cat(b.At.Slice(5, 3), hdl.K(3, 0)))
}

// flips returns what is inverted in the beat of that number.
func (b *bench) flips(number hdl.Bits) hdl.Bits {
	return b.bit.And(b.Beat.Eq(number).Rep(64))
}

// flipsOneOf returns one bit: what is inverted is among those bits of the frame
// that are ones in set.
func (b *bench) flipsOneOf(set []byte) hdl.Bits {
	var some []hdl.Bits
	for i, word := range words(set) {
		some = append(some, b.flips(b.Beat.K(uint64(i))).And(word).Any())
	}
	return hdl.OrAll(some...)
}

// words are the beats of a frame, the last one filled up with zeros.
func words(frame []byte) []hdl.Bits {
	var list []hdl.Bits
	for len(frame) > 0 {
		var word [8]byte
		frame = frame[copy(word[:], frame):]
		list = append(list, hdl.K(64, binary.LittleEndian.Uint64(word[:])))
	}
	return list
}

// once returns one bit that is zero in the first cycle in which at is one.
func (b *bench) once(name string, at hdl.Bits) hdl.Bits {
	done := b.m.Reg(name+"_done", 1, 0)
	b.m.If(at, func() { done.SetK(1) })
	return at.Not().Or(done)
}

// number is the number of the beat of s that comes next in its frame of that
// many beats.
func (b *bench) number(name string, s stream.Frame, beats int) hdl.Bits {
	n := b.m.Reg(name, 4, 0)
	b.m.If(s.Fire(), func() { n.Set(hdl.Mux(n.Is(uint64(beats-1)), n.K(0), n.AddK(1))) })
	return n
}

// send sends the frame again and again. It is idle for a cycle before the first
// beat for whose number idle is one.
func (b *bench) send(to stream.Frame, frame []byte, idle func(number hdl.Bits) hdl.Bits) {
	beats := words(frame)
	n := b.number("send_number", to, len(beats))
	to.Valid.Set(b.made.And(b.once("gap", b.made.And(idle(n)))))
	hdl.Set(to.Data, stream.Beat{
		Data: hdl.Select(n.Trunc(bits.Len(uint(len(beats)-1))), beats...).Xor(b.flips(n)),
		Keep: keepOf(frame, n),
		Last: n.Is(uint64(len(beats) - 1)),
		Err:  hdl.K(1, 0),
	})
}

// keepOf is the keep of the beat of that number.
func keepOf(frame []byte, number hdl.Bits) hdl.Bits {
	last := (len(frame) - 1) / 8
	return hdl.Mux(number.Is(uint64(last)), hdl.K(8, 1<<(len(frame)-8*last)-1), hdl.Ones(8))
}
