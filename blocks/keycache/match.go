package keycache

import (
	"fmt"
	"slices"

	"gornic/format"
	"gornic/hdl"
)

// match compares what is asked with all places.
func (b *block) match() {
	m, n := b.m, b.p.Entries
	valid := m.Reg("valid", n, 0)
	index := indexOf(b.asked.Request.Key)
	hand := m.Reg("hand", b.p.placeBits(), 0)
	entry := b.entry()
	good := b.bad.Not().And(entry.State.Is(format.KeyValid))
	takes := m.Wire("takes", 1) // the place under the hand takes the entry in line

	same := make([]hdl.Bits, n)
	at := make([]hdl.Bits, n)
	for i := range n {
		key := m.RegN(fmt.Sprintf("index_%d", i), format.KeyIndexBits)
		at[i] = hand.Is(uint64(i))
		same[i] = valid.Bit(i).And(key.Eq(index))
		m.If(takes.And(at[i]), func() { key.Set(index) })
	}
	match, under := bitsOf(same), bitsOf(at)
	any := match.Any()
	// Two clients may have missed the same key: the second one finds it.
	takes.Set(hdl.AndAll(b.fills, good, any.Not()))
	b.store.Write(hand, takes, hdl.Pack(held{
		Key: entry.Key, PD: entry.PD, Type: entry.Type, VA: entry.VA, Length: entry.Length,
		Translation: entry.Translation, Rights: entry.Rights, PageShift: entry.PageShift.Trunc(5), QPN: entry.QPN,
	}))
	valid.Set(valid.And(match.And(b.kills.Rep(n)).Not()).Or(under.And(takes.Rep(n))))
	b.clock(clock{valid: valid, hand: hand, under: under, used: match.And(b.looks.Rep(n)), takes: takes})

	beyond := b.beyond(b.asked.Request.Key)
	b.finds.Set(b.fills.Or(b.looks.And(any.Or(beyond))))
	b.lacks.Set(hdl.AndAll(b.looks, any.Not(), beyond.Not()))
	hdl.Set(b.found, found{
		Client: b.asked.Client, Place: hdl.Mux(any, encode(match), hand),
		Unknown: beyond.Or(b.fills.And(good.Not())), BusErr: b.fills.And(b.bad),
		Request: b.asked.Request,
	})
	m.Assert("one_place", match.And(match.SubK(1)).None())
	m.Cover("found_by_two", hdl.AndAll(b.fills, good, any))
	m.Cover("killed_held", b.kills.And(any))
}

// clock is what the clock of the places looks at.
type clock struct {
	valid hdl.Bits // places that hold an entry
	hand  hdl.Bits // the place that the next entry takes
	under hdl.Bits // the same, a bit for each place
	used  hdl.Bits // places that are used in this cycle
	takes hdl.Bits // the place under the hand takes an entry
}

// clock moves the hand on while somebody waits for an entry and the place under it
// holds one that was used since the hand last passed.
func (b *block) clock(c clock) {
	m, n := b.m, b.p.Entries
	used := m.Reg("used", n, 0)
	missing := hdl.K(1, 0)
	for _, x := range b.misses {
		missing = missing.Or(x.busy())
	}
	passes := missing.And(hdl.AndAll(c.under, used, c.valid).Any())
	used.Set(used.Or(c.used).And(c.under.And(passes.Rep(n)).Not()).Or(c.under.And(c.takes.Rep(n))))
	m.If(passes.Or(c.takes), func() { c.hand.Set(c.hand.AddK(1)) })
}

// bitsOf puts bits side by side, bit i in place i.
func bitsOf(list []hdl.Bits) hdl.Bits {
	list = slices.Clone(list)
	slices.Reverse(list)
	return hdl.Cat(list...)
}

// encode is the number of the bit that is one.
func encode(x hdl.Bits) hdl.Bits {
	var out []hdl.Bits
	for k := 0; 1<<k < x.Width(); k++ {
		some := hdl.K(1, 0)
		for i := range x.Width() {
			if i>>k&1 == 1 {
				some = some.Or(x.Bit(i))
			}
		}
		out = append(out, some)
	}
	return bitsOf(out)
}
