package stream

import "gornic/hdl"

// aligner is a realigner while it is built. Byte k of a beat moves to byte (k +
// turn) mod n of the same or the next place, so a rotated beat has bytes for
// two beats of Out: those from byte turn on, and, wrapped, those below it.
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

	following hdl.Bits // the number of the beat of In after the present one in its frame
	atFirst   hdl.Bits // the present one is plan.First
	atFinal   hdl.Bits // the present one is plan.Final
	started   hdl.Bits // the first beat of the cut is past
	past      hdl.Bits // the last one is, too
	load      hdl.Bits // a beat of the cut is taken,
	begins    hdl.Bits // the first one of its frame

	beat      lifted   // the register behind the rotator
	beatValid hdl.Bits // it is in use
	ended     hdl.Bits // it is a tail whose frame has ended
	lifted    hdl.Stream[lifted]

	older     hdl.Bits // the rotated beat before
	flush     hdl.Bits // what is left in it goes out
	flushKeep hdl.Bits
	flushErr  hdl.Bits
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
// that all sums are done before the first beat, and counts beats. That a beat
// is the first or the last of the cut is known a cycle before.
func (a *aligner) makePlan(move hdl.Stream[Move]) {
	m := a.m
	next := a.planOf(move.Data)
	a.following = m.Reg("following", next.Final.Width(), 1)
	a.atFirst = m.Reg("at_first", 1, 0)
	a.atFinal = m.Reg("at_final", 1, 0)
	a.planValid = m.Reg("plan_valid", 1, 0)
	a.plan = hdl.NewReg(m, "plan", hdl.Proto(next))
	idle, last := a.planValid.Not(), a.in.Data.Last
	ready := idle.Or(a.in.Fire().And(last))
	move.Ready.Set(ready)
	m.If(ready, func() {
		a.planValid.Set(move.Valid)
		hdl.Set(a.plan, next)
	})
	m.If(idle.Or(a.in.Fire()), func() {
		restart := idle.Or(last)
		a.following.Set(hdl.Mux(restart, a.following.K(1), a.following.AddK(1)))
		a.atFirst.Set(hdl.Mux(restart, next.First.None(), a.following.Eq(a.plan.First)))
		a.atFinal.Set(hdl.Mux(restart, next.Final.None(), a.following.Eq(a.plan.Final)))
	})
}

func (a *aligner) planOf(d Move) plan {
	w, index := a.o.LengthBits, a.o.indexBits()
	end := d.Skip.AddC(d.Length).SubK(1)
	skip := d.Skip.Trunc(index)
	p := plan{
		Before: skip,
		First:  d.Skip.Slice(w-1, index).ZExt(w + 1 - index),
		Final:  end.Slice(w, index),
		End:    end.Trunc(index),
		None:   d.Length.None(),
		Turn:   a.known(d),
		Early:  d.To.Lt(skip),
		Keep:   d.To.Add(d.Length.Trunc(index)).SubK(1),
	}
	p.Late = p.Keep.Lt(p.Turn)
	return p
}

// distance is how far a move moves bytes, modulo the bytes of a beat.
func (d Move) distance() hdl.Bits { return d.To.Sub(d.Skip.Trunc(d.To.Width())) }

// known is the distance of a move, with the bits put in that are the same for
// all moves.
func (a *aligner) known(d Move) hdl.Bits {
	turn := d.distance()
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
	a.started = m.Reg("started", 1, 0)
	a.past = m.Reg("past", 1, 0)
	a.beatValid = m.Reg("lifted_valid", 1, 0)
	a.ended = m.Reg("lifted_ended", 1, 0)

	last := in.Data.Last
	wanted := a.past.Or(p.None).Not().And(a.started.Or(a.atFirst).Or(last))
	next := a.liftedBeat()
	a.beat = hdl.NewReg(m, "lifted", hdl.Proto(next))
	a.lifted = hdl.NewStream(m, "rotated", hdl.Proto(next))
	a.lifted.Valid.Set(a.beatValid.And(a.beat.Tail.Not().Or(a.ended)))
	hdl.Set(a.lifted.Data, a.beat)

	free := a.beatValid.Not().Or(a.lifted.Fire())
	in.Ready.Set(a.planValid.And(wanted.Not().Or(free)))
	a.load = in.Fire().And(wanted)
	a.begins = a.load.And(a.started.Not())
	m.If(in.Fire(), func() {
		a.started.Set(last.Not().And(a.started.Or(wanted)))
		a.past.Set(last.Not().And(a.past.Or(wanted.And(a.atFinal))))
	})
	m.If(a.lifted.Fire(), func() { a.beatValid.SetK(0) })
	m.If(a.load, func() {
		a.beatValid.SetK(1)
		a.ended.Set(last)
		hdl.Set(a.beat, next)
	}).ElseIf(in.Fire().And(a.past).And(last), func() {
		a.ended.SetK(1)
		a.beat.Err.Set(in.Data.Err)
	})
}

// liftedBeat is the present beat of In, rotated. A frame that ends before its
// cut does ends with it, in the beat of Out that is then due.
func (a *aligner) liftedBeat() lifted {
	in, p := a.in.Data, a.plan
	head := a.started.Not()
	cutShort := in.Last.And(a.atFinal.Not())
	missing := a.atFinal.And(byteBit(in.Keep, p.End).Not())
	return lifted{
		Data:  a.rotate(a.zeroed(head), p.Turn, 0),
		Turn:  p.Turn,
		Head:  head,
		Tail:  in.Last.Or(a.atFinal),
		Early: head.And(p.Early).And(cutShort.Not()),
		Late:  p.Late.And(cutShort.Not()),
		Keep:  p.Keep,
		Err:   in.Last.And(cutShort.Or(missing).Or(in.Err)),
	}
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
