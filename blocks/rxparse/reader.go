package rxparse

import (
	"fmt"
	"math/bits"

	"gornic/hdl"
	"gornic/hdl/stream"
)

// A reader looks at the beats of frames as they leave a stage, and keeps header
// fields in registers.
type reader struct {
	m      *hdl.Module
	prefix string   // of the registers' names
	move   hdl.Bits // one bit: the beat leaves
	number hdl.Bits // of the beat in its frame, at most lastBeat+1
	words  []hdl.Bits
	before hdl.Bits // the last word of the beat before
	vlan   hdl.Bits // which variant the frame is
	v6     hdl.Bits
	layers layers              // once see was called
	at     map[int]hdl.Bits    // inBeat by beat
	fields map[string]hdl.Bits // registers by name
}

// newReader looks at beats. behind is the beat before in the same frame, of which
// the upper half counts.
func newReader(m *hdl.Module, prefix string, move, number, data, behind hdl.Bits) *reader {
	r := &reader{m: m, prefix: prefix, move: move, number: number, at: map[int]hdl.Bits{}, fields: map[string]hdl.Bits{}}
	width := data.Width()
	both := hdl.Cat(data, behind)
	from := behind.Width() - 16
	for i := range width / 32 {
		word := m.Wire(fmt.Sprintf("%sword_%d", prefix, i), 32)
		word.Set(hdl.SwapBytes(both.Slice(from+32*i+31, from+32*i)))
		r.words = append(r.words, word)
	}
	m.Unused(r.words...) // where beats are wide, no field stands in some of their bytes
	if width == 64 {
		r.before = m.Wire(prefix+"word_before", 32)
		r.before.Set(hdl.SwapBytes(both.Slice(from-1, from-32)))
	}
	return r
}

// newEntry is the reader of the beats that come in.
func newEntry(m *hdl.Module, p *pipeline, in stream.Frame) *reader {
	data := in.Data.Data
	keep := 16
	if data.Width() == 64 {
		keep = 48
	}
	tail := m.RegN("tail", keep)
	stop := lastBeat(data.Width()/32) + 1
	number := m.Reg("beat", bits.Len(uint(stop)), 0)
	m.If(p.take, func() {
		tail.Set(data.Slice(data.Width()-1, data.Width()-keep))
		m.If(in.Data.Last, func() {
			number.SetK(0)
		}).ElseIf(number.IsNot(uint64(stop)), func() {
			number.Set(number.AddK(1))
		})
	})
	return newReader(m, "", p.take, number, data, tail)
}

// inBeat returns one bit: the beat is number b of its frame.
func (r *reader) inBeat(b int) hdl.Bits {
	x, known := r.at[b]
	if !known {
		x = r.m.Wire(fmt.Sprintf("%sin_beat_%d", r.prefix, b), 1)
		x.Set(r.number.Is(uint64(b)))
		r.at[b] = x
	}
	return x
}

// A source is where a field stands in one variant.
type source struct {
	view view
	word int // of the view's layer
	top  int // its most significant bit in the word
}

// where is a source as a beat and a lane.
type where struct{ beat, lane, top int }

func (s source) where(v variant) where {
	beat, lane := s.view.place(v, s.word)
	return where{beat, lane, s.top}
}

// field returns the register of the field that stands where from says in each
// variant. It is that of the frame whose beat left last, once the field's beat did.
func (r *reader) field(name string, width int, lanes []hdl.Bits, from func(v variant) source) hdl.Bits {
	var at [4]where
	for i, v := range variants {
		at[i] = from(v).where(v)
	}
	return r.register(name, width, at, lanes, func(reg, value hdl.Bits) { reg.Set(value) })
}

// cleared returns a word of an IPv6 address that is zero in IPv4: it is cleared
// in the beat that would bring it, which every acceptable packet has.
func (r *reader) cleared(name string, lanes []hdl.Bits, s source) hdl.Bits {
	plain, tag := s.where(variants[2]), s.where(variants[3])
	return r.register(name, 32, [4]where{plain, tag, plain, tag}, lanes, func(reg, value hdl.Bits) {
		reg.Set(value)
		r.m.If(r.v6.Not(), func() { reg.SetK(0) })
	})
}

// register returns the register of that name. It takes a value when its beat
// leaves.
func (r *reader) register(name string, width int, at [4]where, lanes []hdl.Bits, take func(reg, value hdl.Bits)) hdl.Bits {
	if known, ok := r.fields[name]; ok {
		return known
	}
	reg := r.m.RegN(r.prefix+name, width)
	load := r.choose(at, func(w where) where { return where{beat: w.beat} }, func(w where) hdl.Bits { return r.inBeat(w.beat) })
	value := r.choose(at, func(w where) where { return where{lane: w.lane, top: w.top} }, func(w where) hdl.Bits {
		return lanes[w.lane].Slice(w.top, w.top-width+1)
	})
	r.m.If(r.move.And(load), func() { take(reg, value) })
	r.fields[name] = reg
	return reg
}

// choose returns the value for the variant of the frame: a multiplexer of those
// whose keys differ.
func (r *reader) choose(at [4]where, key func(where) where, value func(where) hdl.Bits) hdl.Bits {
	pick := func(sel hdl.Bits, one, zero where) hdl.Bits {
		if one == zero {
			return value(zero)
		}
		return hdl.Mux(sel, value(one), value(zero))
	}
	plain, tag, plain6, tag6 := key(at[0]), key(at[1]), key(at[2]), key(at[3])
	switch {
	case plain == plain6 && tag == tag6:
		return pick(r.vlan, tag, plain)
	case plain == tag && plain6 == tag6:
		return pick(r.v6, plain6, plain)
	}
	return hdl.Mux(r.v6, pick(r.vlan, tag6, plain6), pick(r.vlan, tag, plain))
}
