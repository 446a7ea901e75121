package resources

import (
	"gornic/hdl"
)

// match looks whether the duplicate begins at or behind the entry at hand. If not, the
// one before it is next.
func (b *block) match() {
	m, index := b.m, b.io.Request.Data.PSN.Sub(b.entry.PSN)
	b.index.Set(index)
	b.at.Set(b.at.SubK(1))
	b.left.Set(b.left.SubK(1))
	b.st.Goto(stFetch)
	m.If(b.left.Is(1), func() {
		b.st.Goto(stJudge)
	})
	m.If(index.MSB().Not(), func() {
		b.at.Set(b.at)
		b.st.Goto(stWeigh)
	})
}

// isSame returns one bit: the duplicate asks for what is left of the entry at hand.
func (b *block) isSame() hdl.Bits {
	e, r := b.entry, b.io.Request.Data.Resource
	there := hdl.AndAll(b.remaining.Any(), b.addr.Eq(r.VA), e.RKey.Eq(r.RKey))
	read := b.remaining.Eq(r.Length.ZExt(remainingBits)).And(e.Length.None().Or(there))
	return e.Kind.Eq(r.Kind).And(hdl.Mux(e.isAtomic(), b.index.None(), read))
}

// judgement decides where answering goes on after a duplicate: there, if it had been answered or begun.
func (b *block) judgement() outcome {
	place := b.at.Sub(b.was.Next)
	begun := place.None().And(b.was.Index.Any())
	rewinds := b.same.And(place.MSB().Or(begun))
	after := b.was
	after.Next = hdl.Mux(rewinds, b.at, b.was.Next)
	after.Index = hdl.Mux(rewinds, b.index, b.was.Index)
	after.Anew = rewinds.Or(b.was.Anew)
	after.Duplicates = b.was.Duplicates.AddK(1)
	b.m.Event("resource_again", b.settles,
		hdl.Field("qp", b.now.QP), hdl.Field("psn", b.io.Request.Data.PSN), hdl.Field("found", b.same), hdl.Field("rewinds", rewinds))
	return outcome{After: after, Tells: hdl.K(1, 1), Again: rewinds}
}
