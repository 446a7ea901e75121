package psncheck

import (
	"fmt"

	"gornic/hdl"
)

// lockCount is how many requests may be with the responder.
const lockCount = 8

// locks are the queue pairs of which a request is with the responder: each at
// most once.
type locks struct {
	m     *hdl.Module
	valid []hdl.Bits
	qp    []hdl.Bits
}

func newLocks(m *hdl.Module, qpBits int) *locks {
	l := &locks{m: m}
	for i := range lockCount {
		l.valid = append(l.valid, m.Reg(fmt.Sprintf("lock_%d", i), 1, 0))
		l.qp = append(l.qp, m.RegN(fmt.Sprintf("lock_qp_%d", i), qpBits))
	}
	return l
}

// held returns one bit: the queue pair is locked.
func (l *locks) held(qp hdl.Bits) hdl.Bits {
	is := hdl.K(1, 0)
	for i := range l.valid {
		is = is.Or(l.holds(i, qp))
	}
	return is
}

func (l *locks) holds(i int, qp hdl.Bits) hdl.Bits { return l.valid[i].And(l.qp[i].Eq(qp)) }

// full returns one bit: no further lock is to be had.
func (l *locks) full() hdl.Bits { return hdl.AndAll(l.valid...) }

// lock locks a queue pair, which is not locked, where en is one. There is a lock
// for it.
func (l *locks) lock(en, qp hdl.Bits) {
	m := l.m
	taken := hdl.K(1, 1) // all locks before this one
	for i, v := range l.valid {
		m.If(hdl.AndAll(en, taken, v.Not()), func() {
			v.SetK(1)
			l.qp[i].Set(qp)
		})
		taken = taken.And(v)
	}
}

// unlock unlocks a queue pair where en is one.
func (l *locks) unlock(en, qp hdl.Bits) {
	for i, v := range l.valid {
		l.m.If(en.And(l.holds(i, qp)), func() { v.SetK(0) })
	}
}
