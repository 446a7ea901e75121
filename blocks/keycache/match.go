package keycache

import (
	"fmt"
	"slices"

	"gornic/format"
	"gornic/hdl"
)

// place is what is compared of an entry that is held.
type place struct{ valid, index hdl.Bits }

// match compares what is asked with all places. A question that brings its entry puts
// it into the place under the hand: no place has it yet, or it would have come without (see miss.twin).
func (b *block) match() {
	m, n := b.m, b.p.Entries
	valid := m.Reg("valid", n, 0)
	hand := m.Reg("hand", b.p.placeBits(), 0)
	index, entry := indexOf(b.asked.Request.Key), b.entry()
	free := entry.State.Is(format.KeyFree)
	good := hdl.AndAll(b.bad.Not(), entry.State.Is(format.KeyValid).Or(free), indexOf(entry.Key).Eq(index))
	b.takes.Set(b.fills.And(good))

	same := make([]hdl.Bits, n)
	at := make([]hdl.Bits, n)
	for i := range n {
		key := m.RegN(fmt.Sprintf("index_%d", i), format.KeyIndexBits)
		at[i] = hand.Is(uint64(i))
		same[i] = valid.Bit(i).And(key.Eq(index))
		m.If(b.takes.And(at[i]), func() { key.Set(index) })
		b.places = append(b.places, place{valid: valid.Bit(i), index: key})
	}
	match, under := bitsOf(same), bitsOf(at)
	into := under.And(b.takes.Rep(n))
	b.store.Write(hand, b.takes, hdl.Pack(held{
		Tag: entry.Key.Trunc(format.KeyTagBits), PD: entry.PD, Type: entry.Type, VA: entry.VA, Length: entry.Length,
		Translation: entry.Translation, Rights: entry.Rights, PageShift: entry.PageShift.Trunc(5), QPN: entry.QPN,
		Parent: entry.Parent, Free: free, Window: entry.Type.GeK(format.KeyWindow1), Own: entry.Type.Is(format.KeyWindow2).And(free.Not()),
		Refused: refusedRevoke(entry),
	}))
	kept := valid.And(match.And(b.kills.Rep(n)).Not())
	valid.Set(hdl.Mux(b.forgets, valid.K(0), kept.Or(into)))
	b.clock(clock{valid: valid, hand: hand, under: under, into: into})

	b.finds.Set(b.looks)
	b.filled.Set(b.fills)
	hdl.Set(b.found, found{
		Client: b.asked.Client, Places: hdl.Mux(b.fills, into, match),
		Beyond: b.beyondTable(b.asked.Request.Key), Unknown: b.fills.And(good.Not()), BusErr: b.fills.And(b.bad),
		Request: b.asked.Request,
	})
	m.Assert("one_place", match.And(match.SubK(1)).None())
	m.Assert("takes_what_is_new", b.takes.Not().Or(match.None()))
	m.Cover("killed_held", b.kills.And(match.Any()))
}

// clock is what the clock of the places looks at.
type clock struct {
	valid hdl.Bits // places that hold an entry
	hand  hdl.Bits // the place that the next entry takes
	under hdl.Bits // the same, a bit for each place
	into  hdl.Bits // the place that takes an entry in this cycle
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
	passes := m.Reg("hand_passes", 1, 0)
	passes.Set(hdl.AndAll(missing, hdl.AndAll(c.under, used, c.valid).Any(), passes.Not(), b.takes.Not()))
	kept := used.And(c.under.And(passes.Rep(n)).Not())
	used.Set(hdl.OrAll(kept, c.into, b.found.Places.And(b.finds.Rep(n))))
	m.If(passes.Or(b.takes), func() { c.hand.Set(c.hand.AddK(1)) })
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
