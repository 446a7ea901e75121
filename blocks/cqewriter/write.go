package cqewriter

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/stream"
)

// write sends each CQE to memory: a burst of as many beats as it has, or of one
// that it has a part of.
func (b *block) write() {
	m, w := b.m, b.p.Sizes.DataWidth
	both := stream.Fork(m, "u_write", b.jobs.Out, 2)
	burst := stream.Map(both[0], func(j job) link.WriteBurst {
		m.Unused(j.CQE)
		at := hdl.Cat(j.At, hdl.K(logCQE, 0))
		if w > 8*cqeBytes {
			m.Unused(j.At.Bit(0))
			at = hdl.Cat(j.At.Slice(58, 1), hdl.K(logCQE+1, 0))
		}
		return link.WriteBurst{Addr: at, Len: hdl.K(8, uint64(b.p.beats()-1))}
	})
	hdl.Connect(b.io.Write.Burst, burst)
	if w > 8*cqeBytes {
		b.half(both[1])
	} else {
		b.cut(both[1])
	}
}

// beats is how many beats a CQE has.
func (p Params) beats() int { return max(1, 8*cqeBytes/p.Sizes.DataWidth) }

// half writes a CQE as half of a beat.
func (b *block) half(in hdl.Stream[job]) {
	high := in.Data.At.Bit(0)
	low := hdl.Ones(cqeBytes)
	b.m.Unused(in.Data.At.Slice(58, 1))
	hdl.Connect(b.io.Write.Beat, stream.Map(in, func(j job) link.WriteBeat {
		return link.WriteBeat{
			Data: hdl.Cat(j.CQE, j.CQE), Last: hdl.K(1, 1),
			Strb: hdl.Mux(high, hdl.Cat(low, low.K(0)), hdl.Cat(low.K(0), low)),
		}
	}))
}

// cut writes a CQE as one beat or more.
func (b *block) cut(in hdl.Stream[job]) {
	m, beat, w, n := b.m, b.io.Write.Beat, b.p.Sizes.DataWidth, b.p.beats()
	m.Unused(in.Data.At)
	data, last := in.Data.CQE.Trunc(w), hdl.K(1, 1)
	if n > 1 {
		at := m.Reg("beat", ir.AddrWidth(n), 0)
		var words []hdl.Bits
		for i := range n {
			words = append(words, in.Data.CQE.Slice(w*(i+1)-1, w*i))
		}
		data, last = hdl.Select(at, words...), at.All()
		m.If(beat.Fire(), func() { at.Set(at.AddK(1)) })
	}
	beat.Valid.Set(in.Valid)
	hdl.Set(beat.Data, link.WriteBeat{Data: data, Strb: hdl.Ones(w / 8), Last: last})
	in.Ready.Set(beat.Ready.And(last))
}
