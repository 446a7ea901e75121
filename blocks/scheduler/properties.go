package scheduler

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance.
func Proofs() []hdl.Proof {
	p := Params{Sizes: link.Sizes{QPBits: 1}, Wakes: 2}
	return []hdl.Proof{hdl.ProofOf(Def(p), 10, 0).Breaks(
		hdl.StuckAt0("waiting_set").As("a queue pair that waits is not noted"),
		hdl.StuckAt0("waiting_clear").As("a grant leaves the queue pair noted"),
	)}
}

// properties follows one queue pair, which the solver chooses: it stands in the
// queue at most once, and a wake, the merged one that is taken, is granted later.
func properties(m *hdl.Module, p Params, io *IO, wake, enters hdl.Stream[link.QPRef], queue *stream.FIFOIO[link.QPRef]) {
	for i, w := range io.Wakes {
		stream.AssumeSource(m, fmt.Sprintf("wake_%d", i), w)
	}
	stream.AssertSource(m, "grant", io.Grant)
	m.Assert("room_for_all", enters.Ready.Or(enters.Valid.Not()))

	one := m.AnyConst("one", p.Sizes.QPBits)
	var owed, inside hdl.Bits
	m.Ghost(func() {
		owed = m.Reg("one_owed", 1, 0)     // it was woken and has had no grant since
		inside = m.Reg("one_inside", 1, 0) // it stands in the queue
		granted := io.Grant.Fire().And(io.Grant.Data.QP.Eq(one))
		woken := wake.Fire().And(wake.Data.QP.Eq(one))
		m.If(granted, func() {
			owed.SetK(0)
			inside.SetK(0)
		})
		// A wake in the cycle of the grant: the grant serves it.
		m.If(woken.And(granted.Not()), func() { owed.SetK(1) })
		m.If(enters.Fire().And(enters.Data.QP.Eq(one)), func() { inside.SetK(1) })
	})
	m.Assert("stands_once", inside.And(enters.Fire()).And(enters.Data.QP.Eq(one)).Not())
	m.Assert("woken_stands", owed.Not().Or(inside))
	m.Assert("grant_was_woken", io.Grant.Valid.And(io.Grant.Data.QP.Eq(one)).Not().Or(inside))
	m.Cover("all_wait", queue.Level.Is(uint64(1)<<p.Sizes.QPBits))
}
