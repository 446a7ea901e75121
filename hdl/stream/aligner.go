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
	o.check(m)
	return &aligner{m: m, o: o, in: in, out: out}
}

func (a *aligner) build(move hdl.Stream[Move]) {
	a.makePlan(move)
	a.lift()
	a.turn()
	a.merge()
	a.properties(move)
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
