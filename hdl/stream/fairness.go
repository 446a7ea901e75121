package stream

import (
	"fmt"
	"math/bits"

	"gornic/hdl"
)

// fairness states that an input of a round-robin arbiter waits for n - 1 frames
// of others at most. The proof by induction: each frame of another brings the
// input at least one place nearer to its turn.
func fairness[T any](m *hdl.Module, io *ArbiterIO[T], a grants, after hdl.Bits) {
	n := len(io.In)
	w := bits.Len(uint(2 * n))
	turns := turnsOf(after, w)
	ownersTurn := hdl.OneHot(a.owner, turns...)
	m.Assert("after_is_top", after.ShlK(1).And(after.Not()).None())
	for i, in := range io.In {
		var waits hdl.Bits
		m.Ghost(func() {
			waits = m.Reg(fmt.Sprintf("waits_%d", i), w, 0)
			m.If(in.Valid.Not().Or(a.grant.Bit(i)), func() {
				waits.SetK(0)
			}).ElseIf(a.done, func() {
				waits.Set(waits.AddK(1))
			})
		})
		name := fmt.Sprintf("fair_%d", i)
		m.Assert(name, waits.LtK(uint64(n)))
		m.Assert(name+"_nearer", waits.Add(turns[i]).LtK(uint64(n)).Or(in.Valid.Not()))
		passed := a.locked.And(a.owner.Bit(i).Not()).And(waits.Any())
		m.Assert(name+"_owner_before", passed.Not().Or(ownersTurn.Lt(turns[i])))
	}
}

// turnsOf is, for each input, how many others come before it when all of them
// ask: after has the inputs above the one last served, which come first.
func turnsOf(after hdl.Bits, w int) []hdl.Bits {
	turns := make([]hdl.Bits, after.Width())
	above := hdl.K(w, 0) // how many bits of after have been counted
	for i := range turns {
		turns[i] = above
		above = above.Add(after.Bit(i).ZExt(w))
	}
	for i := range turns {
		turns[i] = hdl.Mux(after.Bit(i), turns[i], above.AddK(uint64(i)))
	}
	return turns
}
