package icrc

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/stream"
)

// held is a beat that waits for its ICRC.
type held struct {
	Data hdl.Bits
	Lane hdl.Bits // of its last byte
	Last hdl.Bits
	Err  hdl.Bits
}

func generate(m *hdl.Module, p Params, io *GenerateIO) {
	in := hdl.NewStream(m, "hold", held{
		Data: hdl.W(p.DataWidth), Lane: hdl.W(p.laneBits()), Last: hdl.W(1), Err: hdl.W(1),
	})
	in.Valid.Set(io.In.Valid)
	io.In.Ready.Set(in.Ready)
	hdl.Set(in.Data, held{Data: io.In.Data.Data, Lane: stream.LastByte(io.In.Data.Keep), Last: io.In.Data.Last, Err: io.In.Data.Err})
	wait := queue(m, "u_wait", in, p.wait())

	// Each beat gets the ICRC of its frame up to there, and may leave then.
	made := icrc(m, p, io.In, in.Data.Lane)
	sums := hdl.NewStream(m, "sum", made.lanes)
	sums.Valid.Set(made.valid[len(made.valid)-1])
	sums.Data.Set(made.lanes)
	sum := queue(m, "u_sums", sums, p.wait())
	m.Unused(sums.Ready, wait.Out.Valid) // there is room, and there is one: see the properties

	out := hdl.NewStream(m, "out_made", stream.BeatOf(p.DataWidth))
	out.Valid.Set(sum.Out.Valid)
	leave := appendSum(m, p, out, wait.Out.Data, sum.Out.Data)
	wait.Out.Ready.Set(leave)
	sum.Out.Ready.Set(leave)
	hdl.Connect(io.Out, stream.ForwardSlice(m, "u_out", out))

	generateProperties(m, io, wait, sum, made.valid)
}

// queue puts a FIFO behind a stream.
func queue[T any](m *hdl.Module, name string, in hdl.Stream[T], depth int) *stream.FIFOIO[T] {
	q := hdl.Instance(m, name, stream.FIFODef(hdl.Proto(in.Data), depth))
	hdl.Connect(q.In, in)
	m.Unused(q.Level, q.HighWater)
	return q
}

// made is what comes out of the CRC's stages beside the beats.
type made struct {
	valid []hdl.Bits // of each stage; the last one is that of lanes
	lanes hdl.Bits   // the four bytes of the ICRC, byte i for the bytes i mod 4 of a beat
}

// icrc computes the ICRC up to the last byte of each beat, beside the beats.
func icrc(m *hdl.Module, p Params, in stream.Frame, lastLane hdl.Bits) made {
	r := newReader(m, p, in)
	h := r.headers()
	m.Unused(h.ipv4.then)
	type taken struct{ Data, Keep, Index hdl.Bits }
	beat := delay(m, "beat", taken{in.Data.Data, in.Data.Keep, r.index}, 1)
	low := 0
	if p.WordEnd {
		low = 2 // the first bits of the number of zeros are the same for every frame
	}
	steps := p.laneBits() - low
	valid := delayValid(m, "valid", r.take, 2+stateDelay+steps)
	w := word{
		valid: valid[1],
		first: delay(m, "word_first", beat.Index.None(), 1),
		data:  delay(m, "word", coverData(m, p, beat.Data, beat.Keep, beat.Index, h.tagged.then, h.ipv6.then), 1),
	}

	zeros := delay(m, "zeros", lastLane.Not().Slice(p.laneBits()-1, low), 2+stateDelay)
	sum := goBack(m, state(m, p, w, low), zeros, low).Not()
	lanes := turn(sum, 2)
	if !p.WordEnd {
		z := delay(m, "turn", zeros.Trunc(2), steps)
		lanes = hdl.Select(z, sum, turn(sum, 3), turn(sum, 2), turn(sum, 1))
	}
	return made{valid, lanes}
}

// goBack takes zero bytes back from a state, a power of two in each cycle: 2^i of
// them where bit i-low of zeros is one.
func goBack(m *hdl.Module, state, zeros hdl.Bits, low int) hdl.Bits {
	for i := zeros.Width() - 1; i >= 0; i-- {
		bytes := 1 << (low + i)
		name := fmt.Sprintf("back_%d", bytes)
		before := linear(state, func(bit int) uint32 { return advance(1<<bit, -bytes) })
		state = delay(m, name, hdl.Mux(zeros.Bit(i), before, state), 1)
		if i > 0 {
			zeros = delay(m, name+"_zeros", zeros.Trunc(i), 1)
		}
	}
	return state
}

// turn moves byte i of four to byte i+n, modulo 4.
func turn(x hdl.Bits, n int) hdl.Bits {
	return hdl.Cat(x.Byte((7-n)%4), x.Byte((6-n)%4), x.Byte((5-n)%4), x.Byte((4-n)%4))
}

// appendSum drives a beat of the frame with its ICRC, or after the last beat the
// rest of the ICRC in a beat of its own. It returns one bit: the held beat is
// done with.
func appendSum(m *hdl.Module, p Params, out stream.Frame, beat held, sum hdl.Bits) hdl.Bits {
	n := p.bytes()
	rest := m.Reg("rest", 1, 0)                                      // only the rest of the ICRC is left
	spill := beat.Last.And(beat.Lane.Slice(p.laneBits()-1, 2).All()) // the ICRC does not fit
	kept := stream.KeepTo(beat.Lane, n)
	data := kept.And(rest.Not().Rep(n))

	bytes := make([]hdl.Bits, n)
	for i := range bytes {
		bytes[n-1-i] = hdl.Mux(data.Bit(i), beat.Data.Byte(i), sum.Byte(i%4))
	}
	// Four bytes more, or those of them that are beyond the beat.
	longer := hdl.Cat(kept.Slice(n-5, 0), hdl.Ones(4))
	beyond := stream.KeepTo(beat.Lane.Trunc(2), 4).ZExt(n)
	last := beat.Last.And(spill.Eq(rest))
	hdl.Set(out.Data, stream.Beat{
		Data: hdl.Cat(bytes...),
		Keep: hdl.Mux(rest, beyond, longer),
		Last: last,
		Err:  beat.Err.And(last),
	})
	m.If(out.Fire(), func() { rest.Set(spill.And(rest.Not())) })
	return out.Fire().And(spill.Not().Or(rest))
}
