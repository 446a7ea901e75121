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

// compare compares the duplicate with what is left of the entry at hand.
func (b *block) compare() {
	e, r := b.entry, b.io.Request.Data.Resource
	left := hdl.Mux(b.isAtomic(e.Kind), b.index.None(), b.remaining.Eq(r.Length.ZExt(remainingBits)))
	b.fits.Set(e.Kind.Eq(r.Kind).And(left))
	same := hdl.AndAll(b.remaining.Any(), b.addr.Eq(r.VA), e.RKey.Eq(r.RKey))
	b.there.Set(hdl.OrAll(b.isAtomic(e.Kind), e.Length.None(), same))
}

// judgement decides where answering goes on after a duplicate: there, if it had been answered or begun.
func (b *block) judgement() outcome {
	place := b.at.Sub(b.was.Next)
	begun := place.None().And(b.was.Index.Any())
	same := b.fits.And(b.there)
	rewinds := same.And(place.MSB().Or(begun))
	after := b.was
	after.Next = hdl.Mux(rewinds, b.at, b.was.Next)
	after.Index = hdl.Mux(rewinds, b.index, b.was.Index)
	after.Anew = rewinds.Or(b.was.Anew)
	after.Duplicates = b.was.Duplicates.AddK(1)
	b.m.Event("resource_again", b.settles,
		hdl.Field("qp", b.now.QP), hdl.Field("psn", b.io.Request.Data.PSN), hdl.Field("found", same), hdl.Field("rewinds", rewinds))
	return outcome{After: after, Most: b.most, Tells: hdl.K(1, 1), Again: rewinds}
}
