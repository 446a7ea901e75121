package events

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/stream"
)

// write sends each event to memory: a burst of as many beats as it has, or of one
// that it is a part of.
func (b *block) write() {
	m, lanes := b.m, b.p.lanes()
	both := stream.Fork(m, "u_write", b.jobs.Out, 2)
	hdl.Connect(b.io.Write.Burst, stream.Map(both[0], func(j job) link.WriteBurst {
		m.Unused(j.EQE)
		at := hdl.Cat(j.At, hdl.K(logEQE, 0))
		if n := ir.AddrWidth(lanes); lanes > 1 {
			m.Unused(j.At.Trunc(n))
			at = hdl.Cat(j.At.Slice(59, n), hdl.K(logEQE+n, 0))
		}
		return link.WriteBurst{Addr: at, Len: hdl.K(8, uint64(b.p.beats()-1))}
	}))
	if b.p.beats() > 1 {
		b.cut(both[1])
		return
	}
	hdl.Connect(b.io.Write.Beat, stream.Map(both[1], b.lane))
}

// beats is how many beats an event has.
func (p Params) beats() int { return max(1, 8*eqeBytes/p.Sizes.DataWidth) }

// lanes is how many events a beat has room for.
func (p Params) lanes() int { return max(1, p.Sizes.DataWidth/(8*eqeBytes)) }

// lane is a beat with an event at its place.
func (b *block) lane(j job) link.WriteBeat {
	lanes := b.p.lanes()
	if lanes == 1 {
		b.m.Unused(j.At)
		return link.WriteBeat{Data: j.EQE, Strb: hdl.Ones(eqeBytes), Last: hdl.K(1, 1)}
	}
	n := ir.AddrWidth(lanes)
	b.m.Unused(j.At.Slice(59, n))
	var strobes []hdl.Bits
	for i := range lanes {
		strobes = append([]hdl.Bits{j.At.Trunc(n).Is(uint64(i)).Rep(eqeBytes)}, strobes...)
	}
	return link.WriteBeat{Data: j.EQE.Rep(lanes), Strb: hdl.Cat(strobes...), Last: hdl.K(1, 1)}
}

// cut writes an event as two beats.
func (b *block) cut(in hdl.Stream[job]) {
	m, beat, w := b.m, b.io.Write.Beat, b.p.Sizes.DataWidth
	second := m.Reg("second_beat", 1, 0)
	m.If(beat.Fire(), func() { second.Set(second.Not()) })
	m.Unused(in.Data.At)
	beat.Valid.Set(in.Valid)
	hdl.Set(beat.Data, link.WriteBeat{
		Data: hdl.Mux(second, in.Data.EQE.Slice(2*w-1, w), in.Data.EQE.Trunc(w)), Strb: hdl.Ones(w / 8), Last: second,
	})
	in.Ready.Set(beat.Ready.And(second))
}

// retire takes memory's answers to events. It returns a bit for each vector: an event of it is
// in memory.
func (b *block) retire() hdl.Bits {
	m, f := b.m, b.flights.Out
	answers := hdl.Instance(m, "u_answers", stream.FIFODef(link.WriteDone{}, outstanding))
	hdl.Connect(answers.In, b.io.Write.Done)
	m.Unused(answers.Level, answers.HighWater)
	m.Assert("answers_have_room", b.io.Write.Done.Ready.Or(b.io.Write.Done.Valid.Not()))

	takes := f.Valid.And(answers.Out.Valid)
	f.Ready.Set(takes)
	answers.Out.Ready.Set(takes)
	bad := answers.Out.Data.Err
	b.setEQ(b.failed, f.Data.EQ, takes.And(bad), hdl.K(1, 1))
	good := hdl.AndAll(takes, bad.Not(), b.failed.At(f.Data.EQ).Not())
	n := b.io.Raise.Width()
	return good.ZExt(n).Shl(f.Data.Vector)
}
