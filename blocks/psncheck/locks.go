package psncheck

import (
	"fmt"

	"gornic/hdl"
)

// lockCount is how many queue pairs may have requests with the responder, or
// atomics that have not been executed: those of a pipeline full of the shortest packets.
func (p Params) lockCount() int {
	if p.Sizes.DataWidth == 64 {
		return 4
	}
	return 8
}

// atomicBits is the width of a count of atomics that have not been executed: a
// queue pair has no more of them than responder resources (package configs).
const atomicBits = 8

// lock is what a queue pair waits for: its request that is with the responder, and
// its atomics that have not been executed.
type lock struct {
	qp      hdl.Bits
	busy    hdl.Bits // a request is with the responder,
	atomic  hdl.Bits // which is an atomic: it counts already
	waits   hdl.Bits // atomics is not 0
	atomics hdl.Bits
	chosen  hdl.Bits // it is for the packet that is judged
}

// held returns one bit: its queue pair waits for something.
func (x lock) held() hdl.Bits { return x.busy.Or(x.waits) }

// of returns one bit: it is held by a queue pair.
func (x lock) of(qp hdl.Bits) hdl.Bits { return x.held().And(x.qp.Eq(qp)) }

// locks are the queue pairs that wait for something, each at most once.
type locks struct {
	m     *hdl.Module
	locks []lock
	now   change
}

// change is what happens to the locks in a cycle.
type change struct{ locks, qp, atomic, unlocks, unlocked, refused, executes, executed hdl.Bits }

func newLocks(m *hdl.Module, p Params) *locks {
	l := &locks{m: m}
	for i := range p.lockCount() {
		name := func(s string) string { return fmt.Sprintf("lock_%d_%s", i, s) }
		l.locks = append(l.locks, lock{
			qp: m.RegN(name("qp"), p.Sizes.QPBits), busy: m.Reg(name("busy"), 1, 0),
			atomic: m.RegN(name("atomic"), 1), waits: m.Reg(name("waits"), 1, 0), atomics: m.Reg(name("atomics"), atomicBits, 0),
			chosen: m.RegN(name("chosen"), 1),
		})
	}
	return l
}

// holds returns one bit: a request of the queue pair waits, as another one is with
// the responder, or as it is neither READ nor atomic and an atomic has not been executed;
// or there is no lock for it.
func (l *locks) holds(qp, resource hdl.Bits) hdl.Bits {
	waits, mine, full := hdl.K(1, 0), hdl.K(1, 0), hdl.K(1, 1)
	for _, x := range l.locks {
		is := x.of(qp)
		mine = mine.Or(is)
		waits = waits.Or(is.And(x.busy.Or(resource.Not())))
		full = full.And(x.held())
	}
	return waits.Or(full.And(mine.Not()))
}

// choose chooses the lock that the queue pair has for its atomics, or else a free one, for
// lock in the next cycle: no other queue pair takes it.
func (l *locks) choose(qp hdl.Bits) {
	mine := hdl.K(1, 0)
	for _, x := range l.locks {
		mine = mine.Or(x.of(qp))
	}
	taken := hdl.K(1, 1) // all before
	for _, x := range l.locks {
		x.chosen.Set(hdl.Mux(x.held(), x.qp.Eq(qp), taken.And(mine.Not())))
		taken = taken.And(x.held())
	}
}

// lock locks a queue pair that was not held in the cycle before, in which its lock was
// chosen, where en is one.
func (l *locks) lock(en, qp, atomic hdl.Bits) { l.now.locks, l.now.qp, l.now.atomic = en, qp, atomic }

// unlock hears of a queue pair's request where en is one; an atomic that was refused
// is not executed.
func (l *locks) unlock(en, qp, refused hdl.Bits) {
	l.now.unlocks, l.now.unlocked, l.now.refused = en, qp, refused
}

// executed hears of an atomic of a queue pair where en is one, in a cycle without unlock.
func (l *locks) executed(en, qp hdl.Bits) { l.now.executes, l.now.executed = en, qp }

// settle follows what has happened.
func (l *locks) settle() {
	m, c := l.m, l.now
	for _, x := range l.locks {
		begins := c.locks.And(x.chosen)
		ends := hdl.AndAll(c.unlocks, x.busy, x.qp.Eq(c.unlocked))
		more := begins.And(c.atomic)
		less := hdl.OrAll(hdl.AndAll(ends, x.atomic, c.refused), c.executes.And(x.of(c.executed)))

		x.busy.Set(begins.Or(x.busy.And(ends.Not())))
		m.If(more.Ne(less), func() {
			x.waits.Set(more.Or(x.atomics.IsNot(1)))
			x.atomics.Set(hdl.Mux(more, x.atomics.AddK(1), x.atomics.SubK(1)))
		})
		m.If(begins, func() {
			x.qp.Set(c.qp)
			x.atomic.Set(c.atomic)
		})
	}
}
