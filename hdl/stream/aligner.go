package stream

import "gornic/hdl"

// aligner is a realigner while it is built. Byte k of a beat moves to byte
// (k + turn) mod n of the same or the next place, so a rotated beat has bytes
// for two beats of Out: those from byte turn on, and, wrapped, those below it.
//
//	plan   what a move means for the frame, in beats
//	lift   drops the beats outside the cut, rotates the others
//	turn   the second half of a large rotation
//	merge  makes a beat of Out of two rotated ones
type aligner struct {
	m       *hdl.Module
	o       RealignOptions
	in, out Frame

	zeroBefore bool // bytes before the cut come out as zeros

	plan      plan
	planValid hdl.Bits
	load      hdl.Bits // a beat of the cut is taken,
	begins    hdl.Bits // the first one of its frame
	lifted    hdl.Stream[lifted]
}

// plan is what a move means for its frame.
type plan struct {
	Before hdl.Bits // bytes of the first beat before the cut
	First  hdl.Bits // the first beat with bytes of the cut
	Final  hdl.Bits // the last one
	End    hdl.Bits // the byte of it that is the last of the cut
	None   hdl.Bits // the cut is empty
	Turn   hdl.Bits // how far bytes rotate
	Early  hdl.Bits // the first beat of the cut completes no beat of Out
	Late   hdl.Bits // the last beat of the cut has bytes for one more beat of Out
	Keep   hdl.Bits // the last byte of the last beat of Out
}

// lifted is a rotated beat on its way.
type lifted struct {
	Data  hdl.Bits
	Turn  hdl.Bits
	Head  hdl.Bits `w:"1"` // the first of its frame
	Tail  hdl.Bits `w:"1"` // the last of its frame
	Early hdl.Bits `w:"1"` // completes no beat of Out
	Late  hdl.Bits `w:"1"` // with Tail: has bytes for one more beat of Out
	Keep  hdl.Bits // with Tail: the last byte of the last beat of Out
	Err   hdl.Bits `w:"1"` // with Tail
}

func newAligner(m *hdl.Module, o RealignOptions, in, out Frame) *aligner {
	o.check()
	return &aligner{m: m, o: o, in: in, out: out}
}

func (a *aligner) build(move hdl.Stream[Move]) {
	a.makePlan(move)
	a.lift()
	a.turn()
	a.merge()
	a.properties(move)
}

// makePlan takes the move of the next frame while the frame before ends, so
// that all sums are done before the first beat.
func (a *aligner) makePlan(move hdl.Stream[Move]) {
	m, w, index := a.m, a.o.LengthBits, a.o.indexBits()
	d := move.Data
	end := d.Skip.AddC(d.Length).SubK(1)
	to, skip := d.To, d.Skip.Trunc(index)
	next := plan{
		Before: skip,
		First:  d.Skip.Slice(w-1, index).ZExt(w + 1 - index),
		Final:  end.Slice(w, index),
		End:    end.Trunc(index),
		None:   d.Length.None(),
		Turn:   a.known(to.Sub(skip)),
		Early:  to.Lt(skip),
		Keep:   to.Add(d.Length.Trunc(index)).SubK(1),
	}
	next.Late = next.Keep.Lt(next.Turn)

	a.planValid = m.Reg("plan_valid", 1, 0)
	a.plan = hdl.NewReg(m, "plan", hdl.Proto(next))
	ready := a.planValid.Not().Or(a.in.Fire().And(a.in.Data.Last))
	move.Ready.Set(ready)
	m.If(ready, func() {
		a.planValid.Set(move.Valid)
		hdl.Set(a.plan, next)
	})
}

// known puts in the bits of a distance that are the same for all moves.
func (a *aligner) known(turn hdl.Bits) hdl.Bits {
	_, low := a.o.granule()
	if low == 0 {
		return turn
	}
	phase := hdl.K(low, uint64(a.o.Phase))
	if low == turn.Width() {
		return phase
	}
	return hdl.Cat(turn.Slice(turn.Width()-1, low), phase)
}

// lift passes on the beats of the cut, rotated. The last one waits until the
// frame has ended: only then is it known to be good.
func (a *aligner) lift() {
	m, in, p := a.m, a.in, a.plan
	index := m.Reg("index", p.Final.Width(), 0) // of the present beat in its frame
	started := m.Reg("started", 1, 0)           // the first beat of the cut is past
	past := m.Reg("past", 1, 0)                 // the last one is, too

	last := in.Data.Last
	isFinal := index.Eq(p.Final)
	cutShort := last.And(isFinal.Not()) // the frame ends before the cut does
	wanted := past.Or(p.None).Not().And(started.Or(index.Eq(p.First)).Or(last))
	missing := isFinal.And(byteBit(in.Data.Keep, p.End).Not())
	tail := last.Or(isFinal)
	next := lifted{
		Data: a.rotate(a.zeroed(started.Not()), p.Turn, 0), Turn: p.Turn,
		Head: started.Not(), Tail: tail, Keep: p.Keep,
		Early: started.Not().And(p.Early).And(cutShort.Not()),
		Late:  p.Late.And(cutShort.Not()),
		Err:   last.And(cutShort.Or(missing).Or(in.Data.Err)),
	}

	valid := m.Reg("lifted_valid", 1, 0)
	ended := m.Reg("lifted_ended", 1, 0) // the frame of a tail has ended
	beat := hdl.NewReg(m, "lifted", hdl.Proto(next))
	a.lifted = hdl.NewStream(m, "rotated", hdl.Proto(next))
	leaves := valid.And(beat.Tail.Not().Or(ended))
	a.lifted.Valid.Set(leaves)
	hdl.Set(a.lifted.Data, beat)

	free := valid.Not().Or(a.lifted.Fire())
	in.Ready.Set(a.planValid.And(wanted.Not().Or(free)))
	a.load = in.Fire().And(wanted)
	a.begins = a.load.And(started.Not())
	m.If(in.Fire(), func() {
		index.Set(hdl.Mux(last, index.K(0), index.AddK(1)))
		started.Set(last.Not().And(started.Or(wanted)))
		past.Set(last.Not().And(past.Or(wanted.And(tail))))
	})
	m.If(a.lifted.Fire(), func() { valid.SetK(0) })
	m.If(a.load, func() {
		valid.SetK(1)
		ended.Set(last)
		hdl.Set(beat, next)
	}).ElseIf(in.Fire().And(past).And(last), func() {
		ended.SetK(1)
		beat.Err.Set(in.Data.Err)
	})
}

// zeroed is the data of In, with zeros before the cut in the first beat.
func (a *aligner) zeroed(first hdl.Bits) hdl.Bits {
	data := a.in.Data.Data
	if !a.zeroBefore {
		a.m.Unused(a.plan.Before)
		return data
	}
	gone := keepBelow(a.plan.Before, a.o.bytes()).And(first.Rep(a.o.bytes()))
	return data.And(eachByte(gone.Not()))
}

// turnLevels is how many levels of a rotator stand in one stage.
const turnLevels = 3

// rotate moves each byte of data up by turn places, around: the part of it
// that a stage does.
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
	_, low := a.o.granule()
	for stage := 1; low+stage*turnLevels < a.o.indexBits(); stage++ {
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
	older := m.RegN("older", a.o.Width)
	flush := m.Reg("flush", 1, 0)
	flushKeep := m.RegN("flush_keep", a.o.indexBits())
	flushErr := m.RegN("flush_err", 1)

	out.Valid.Set(flush.Or(a.lifted.Valid.And(beat.Early.Not())))
	old := eachByte(keepBelow(beat.Turn, n).Or(flush.Rep(n)))
	zero := beat.Head.And(flush.Not()).Rep(a.o.Width) // nothing comes before a frame
	last := flush.Or(beat.Tail.And(beat.Late.Not()))
	keep := KeepTo(hdl.Mux(flush, flushKeep, beat.Keep), n)
	hdl.Set(out.Data, Beat{
		Data: old.And(zero.Not()).And(older).Or(old.Not().And(beat.Data)),
		Keep: keep.Or(last.Not().Rep(n)),
		Last: last,
		Err:  last.And(hdl.Mux(flush, flushErr, beat.Err)),
	})

	// A beat that completes none goes past a flush.
	a.lifted.Ready.Set(hdl.Mux(beat.Early, flush.Not().Or(out.Ready), flush.Not().And(out.Ready)))
	m.If(out.Ready, func() { flush.SetK(0) })
	m.If(a.lifted.Fire(), func() {
		older.Set(beat.Data)
		flush.Set(beat.Tail.And(beat.Late))
		flushKeep.Set(beat.Keep)
		flushErr.Set(beat.Err)
	})
}
