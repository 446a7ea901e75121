package packetbuild

import (
	"fmt"
	"math/bits"
	"slices"

	"gornic/hdl"
)

// header gives the header of one packet after the other in beats.
type header struct {
	valid hdl.Bits
	taken hdl.Bits // to be Set: the beat is taken
	last  hdl.Bits // the beat is the header's last one
	data  hdl.Bits // bytes after the header's last are undefined
	plan  plan
}

func newHeader(m *hdl.Module, p Params, in packets) header {
	d := in.Data.Desc
	m.Unused(d.PayloadLen) // the plan says it all
	h := header{valid: in.Valid, taken: m.Wire("head_taken", 1), plan: in.Data.Plan}
	beat := m.Reg("head_beat", h.plan.HeadBeat.Width(), 0)
	h.last = beat.Eq(h.plan.HeadBeat)
	if in.late > 0 {
		// No header ends before the plan has come, whatever the last packet's says.
		shortest := (headWords(false, false) - 1) / p.words()
		h.last = h.last.And(beat.GeK(uint64(shortest)))
	}
	following := beat.AddK(1)
	m.If(h.taken, func() { beat.Set(hdl.Mux(h.last, beat.K(0), following)) })
	in.Ready.Set(h.taken.And(h.last))

	a := assembler{m: m, n: p.words(), in: in, taken: h.taken, last: h.last, following: following}
	h.data = a.beat(untagged(d, h.plan, false), untagged(d, h.plan, true), tag(d))
	return h
}

// An assembler chooses the words of a header beat.
type assembler struct {
	m         *hdl.Module
	n         int // words in a beat
	in        packets
	taken     hdl.Bits // the beat in hand is taken
	last      hdl.Bits // and is the header's last
	following hdl.Bits // number of the next beat
}

// beat returns the header beat in hand, first byte lowest. A slot has the word
// of an untagged frame; with a tag, from the tag on, that of the slot before it.
func (a *assembler) beat(ipv4, ipv6 []word, tag hdl.Bits) hdl.Bits {
	old := a.m.RegN("old_half", 16) // the end of the last whole word of the beat before
	before := old.ZExt(32)
	words := make([]hdl.Bits, a.n+1)
	for j := range words {
		plain := a.slot(j, ipv4, ipv6)
		shifted := before
		isTag := a.number("tag", j, func(q int, tagged, _ bool) int { return one(tagged && q == tagWord) })
		if isTag.Width() > 0 {
			shifted = hdl.Mux(isTag, tag, before)
		}
		isLate := a.number("late", j, func(q int, tagged, _ bool) int { return one(tagged && q >= tagWord) })
		words[j] = hdl.Mux(isLate, shifted, plain)
		if j == a.n-1 {
			a.m.If(a.taken, func() { old.Set(plain.Trunc(16)) })
		}
		before = plain
	}
	parts := []hdl.Bits{hdl.SwapBytes(words[a.n].Slice(31, 16))}
	for j := a.n - 1; j > 0; j-- {
		parts = append(parts, hdl.SwapBytes(words[j]))
	}
	return hdl.Cat(append(parts, hdl.SwapBytes(words[0].Trunc(16)))...)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// slot returns the word in slot j of an untagged frame.
func (a *assembler) slot(j int, ipv4, ipv6 []word) hdl.Bits {
	var list []word // that ever stand there
	index := func(q int, _, v6 bool) int {
		header := ipv4
		if v6 {
			header = ipv6
		}
		if q >= len(header) {
			return 0 // no header goes so far: any will do
		}
		i := slices.IndexFunc(list, func(w word) bool { return w.name == header[q].name })
		if i < 0 {
			i = len(list)
			list = append(list, header[q])
		}
		return i
	}
	pick := a.number("slot", j, index)
	values := make([]hdl.Bits, len(list))
	for i, w := range list {
		values[i] = w.bits
	}
	if len(values) == 1 {
		return values[0]
	}
	return hdl.Select(pick, values...)
}

// number returns of(q, tagged, ipv6) for the header in hand and the word q that
// the beat in hand has in slot j, from a register: it is worked out a cycle before.
// Where it is always zero there is none, and the answer has no width.
func (a *assembler) number(name string, j int, of func(q int, tagged, ipv6 bool) int) hdl.Bits {
	beats := (headerWords + a.n - 1) / a.n
	var table []uint64 // by beat, tagged, ipv6
	for i := range 4 * beats {
		table = append(table, uint64(of(i/4*a.n+j, i&2 != 0, i&1 != 0)))
	}
	width := bits.Len64(slices.Max(table))
	if width == 0 {
		return hdl.Bits{}
	}
	m, d := a.m, a.in.Data.Desc
	name = fmt.Sprintf("%s_%d", name, j)
	r := m.Reg(name, width, 0)
	following := m.Table(name+"_following", hdl.Cat(a.following, d.VLAN, d.IPv6), width, table...)
	m.If(a.taken, func() {
		r.Set(following)
		if a.in.enter == nil {
			m.If(a.last, func() { r.SetK(0) }) // all frames begin with the same words
		}
	})
	if e := a.in.enter; e != nil {
		entering := m.Table(name+"_entering", hdl.Cat(e.tagged, e.ipv6), width, table[:4]...)
		m.If(e.fire, func() { r.Set(entering) })
	}
	return r
}
