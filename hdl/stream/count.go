package stream

import (
	"math/bits"

	"gornic/hdl"
)

// count is a number of things with the two facts about it that control logic
// needs early: they come from flip-flops of their own.
type count struct {
	value hdl.Bits
	some  hdl.Bits // value is not zero
	full  hdl.Bits // value is max
	max   int
}

// newCount counts from 0 to max, up with in and down with out. A full count has
// no in, an empty one no out.
func newCount(m *hdl.Module, name string, limit int, in, out hdl.Bits) count {
	c := count{
		value: m.Reg(name+"_count", bits.Len(uint(limit)), 0),
		some:  m.Reg(name+"_some", 1, 0),
		full:  m.Reg(name+"_full", 1, 0),
		max:   limit,
	}
	m.If(in.And(out.Not()), func() {
		c.value.Set(c.value.AddK(1))
		c.some.SetK(1)
		c.full.Set(c.value.Is(uint64(limit - 1)))
	}).ElseIf(out.And(in.Not()), func() {
		c.value.Set(c.value.SubK(1))
		c.some.Set(c.value.IsNot(1))
		c.full.SetK(0)
	})
	m.Assert(name+"_some_is_any", c.some.Eq(c.value.Any()))
	m.Assert(name+"_full_is_max", c.full.Eq(c.value.Is(uint64(limit))))
	if limit != 1<<c.value.Width()-1 {
		m.Assert(name+"_within_max", c.value.LeK(uint64(limit)))
	}
	m.Assert(name+"_no_overflow", in.And(out.Not()).And(c.full).Not())
	m.Assert(name+"_no_underflow", out.And(c.some.Not()).Not())
	return c
}
