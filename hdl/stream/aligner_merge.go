package stream

import "gornic/hdl"

// turnLevels is how many levels of a rotator stand in one stage.
const turnLevels = 3

// stages is how many stages the rotator has.
func (o RealignOptions) stages() int {
	_, low := o.granule()
	return max(1, (o.indexBits()-low+turnLevels-1)/turnLevels)
}

// rotate moves each byte of data up by turn places, around: the part of it that
// a stage does.
func (a *aligner) rotate(data, turn hdl.Bits, stage int) hdl.Bits {
	_, low := a.o.granule()
	if stage == 0 {
		data = rotateK(data, 8*a.o.Phase)
	}
	first := low + stage*turnLevels
	for b := first; b < min(first+turnLevels, turn.Width()); b++ {
		data = hdl.Mux(turn.Bit(b), rotateK(data, 8<<b), data)
	}
	return data
}

// turn adds the stages that a large rotation needs.
func (a *aligner) turn() {
	m := a.m
	for stage := 1; stage < a.o.stages(); stage++ {
		in := a.lifted
		valid := m.Reg(name("turned", stage, "valid"), 1, 0)
		beat := hdl.NewReg(m, name("turned", stage), hdl.Proto(in.Data))
		a.lifted = hdl.NewStream(m, name("rotated", stage), hdl.Proto(in.Data))
		a.lifted.Valid.Set(valid)
		hdl.Set(a.lifted.Data, beat)
		in.Ready.Set(valid.Not().Or(a.lifted.Ready))
		m.If(in.Ready, func() {
			valid.Set(in.Valid)
			next := in.Data
			next.Data = a.rotate(next.Data, next.Turn, stage)
			hdl.Set(beat, next)
		})
	}
}

// merge makes beats of Out: bytes below the turn come from the rotated beat
// before, the others from the present one. What is left in the last one goes
// out in a beat of its own, the flush.
func (a *aligner) merge() {
	m, out, n, beat := a.m, a.out, a.o.bytes(), a.lifted.Data
	a.older = m.RegN("older", a.o.Width)
	a.flush = m.Reg("flush", 1, 0)
	a.flushKeep = m.RegN("flush_keep", a.o.indexBits())
	a.flushErr = m.RegN("flush_err", 1)
	flush := a.flush

	out.Valid.Set(flush.Or(a.lifted.Valid.And(beat.Early.Not())))
	old := eachByte(keepBelow(beat.Turn, n).Or(flush.Rep(n)))
	zero := beat.Head.And(flush.Not()).Rep(a.o.Width) // nothing comes before a frame
	last := flush.Or(beat.Tail.And(beat.Late.Not()))
	keep := KeepTo(hdl.Mux(flush, a.flushKeep, beat.Keep), n)
	hdl.Set(out.Data, Beat{
		Data: old.And(zero.Not()).And(a.older).Or(old.Not().And(beat.Data)),
		Keep: keep.Or(last.Not().Rep(n)),
		Last: last,
		Err:  last.And(hdl.Mux(flush, a.flushErr, beat.Err)),
	})

	// A beat that completes none goes past a flush.
	a.lifted.Ready.Set(hdl.Mux(beat.Early, flush.Not().Or(out.Ready), flush.Not().And(out.Ready)))
	m.If(out.Ready, func() { flush.SetK(0) })
	m.If(a.lifted.Fire(), func() {
		a.older.Set(beat.Data)
		flush.Set(beat.Tail.And(beat.Late))
		a.flushKeep.Set(beat.Keep)
		a.flushErr.Set(beat.Err)
	})
}
