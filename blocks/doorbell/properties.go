package doorbell

import (
	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Proofs lists a small instance.
func Proofs() []hdl.Proof {
	p := Params{Sizes: link.Sizes{QPBits: 1, CQBits: 1, EQBits: 1}}
	return []hdl.Proof{hdl.ProofOf(Def(p), 10, 0).Breaks(
		hdl.StuckAt1("qp_owner", 32).As("a queue pair that does not exist gets doorbells"),
		hdl.StuckAt0("held_page").As("the page is not compared"),
		hdl.StuckAt1("sweep", 1).As("tables are not cleared"),
	)}
}

// properties follows one queue pair, which the solver chooses: a doorbell that
// gets through comes from its page and names its number.
func properties(m *hdl.Module, p Params, io *IO) {
	stream.AssumeSource(m, "bell", io.Bell)
	stream.AssumeSource(m, "owner", io.Owner)
	stream.AssertSource(m, "sq", io.SQ)
	stream.AssertSource(m, "rq", io.RQ)
	stream.AssertSource(m, "cq", io.CQ)
	stream.AssertSource(m, "eq", io.EQ)

	one := m.AnyConst("one", p.Sizes.QPBits)
	var exists, page, number, from, names hdl.Bits
	m.Ghost(func() {
		exists = m.Reg("one_exists", 1, 0)
		page, number = m.RegN("one_page", 16), m.RegN("one_number", 16)
		from, names = m.RegN("rung_from", 16), m.RegN("rung_number", 16) // of the last doorbell that came in
		o := io.Owner.Data
		m.If(hdl.AndAll(io.Owner.Fire(), o.Kind.Is(link.OwnerQP), o.Index.Trunc(p.Sizes.QPBits).Eq(one)), func() {
			exists.Set(o.Exists)
			page.Set(o.Page)
			number.Set(o.Number)
		})
		m.If(io.Bell.Fire(), func() {
			from.Set(io.Bell.Data.Page)
			names.Set(io.Bell.Data.Number)
		})
	})
	rightful := hdl.AndAll(exists, from.Eq(page), names.Eq(number))
	// A change of the owner while the doorbell waits for its taker is too late for it.
	changed := m.PastReset("owner_changed", io.Owner.Fire(), 0)
	stale := hdl.K(1, 0)
	m.Ghost(func() {
		late := m.Reg("owner_changed_since", 1, 0)
		late.Set(late.Or(io.Owner.Fire()).And(io.Bell.Fire().Not()))
		stale = late.Or(changed)
	})
	forOne := func(s hdl.Stream[link.RingUpdate]) hdl.Bits { return s.Valid.And(s.Data.QP.Eq(one)) }
	m.Assert("sq_rightful", forOne(io.SQ).Not().Or(rightful).Or(stale))
	m.Assert("rq_rightful", forOne(io.RQ).Not().Or(rightful).Or(stale))
	m.Assert("one_taker", hdl.AndAll(io.SQ.Valid, io.RQ.Valid).Or(io.CQ.Valid.And(io.EQ.Valid)).Not())
	m.Cover("rung", io.SQ.Fire())
	m.Cover("refused", io.Refused)
}
