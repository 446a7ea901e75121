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
		b.found.SetK(0)
		b.st.Goto(stJudge)
	})
	m.If(index.MSB().Not(), func() {
		b.at.Set(b.at)
		b.found.SetK(1)
		b.st.Goto(stWeigh)
	})
}

// judged is what becomes of a duplicate.
type judged struct {
	after   progress
	rewinds hdl.Bits // answering goes back to it
}

// judgement decides whether the duplicate is one of the entry at hand, and where answering goes on.
func (b *block) judgement() judged {
	m, e, r := b.m, b.entry, b.io.Request.Data.Resource
	empty := e.Length.None()
	there := hdl.AndAll(b.remaining.Any(), b.addr.Eq(r.VA), e.RKey.Eq(r.RKey))
	sameRead := b.remaining.Eq(r.Length.ZExt(remainingBits)).And(empty.Or(there))
	same := hdl.AndAll(b.found, e.Kind.Eq(r.Kind), hdl.Mux(e.isAtomic(), b.index.None(), sameRead))

	place := b.at.Sub(b.was.Next)
	begun := place.None().And(b.was.Index.Any())
	rewinds := same.And(place.MSB().Or(begun))
	after := b.was
	after.Next = hdl.Mux(rewinds, b.at, b.was.Next)
	after.Index = hdl.Mux(rewinds, b.index, b.was.Index)
	after.Anew = rewinds.Or(b.was.Anew)
	after.Duplicates = b.was.Duplicates.AddK(1)
	m.Event("resource_again", b.settles,
		hdl.Field("qp", b.now.QP), hdl.Field("psn", b.io.Request.Data.PSN), hdl.Field("found", same), hdl.Field("rewinds", rewinds))
	return judged{after: after, rewinds: rewinds}
}
