package rxparse

import (
	"fmt"
	"math/bits"

	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// A field is a header field in a register of stage 1.
type field struct {
	c    *capture
	name string
	now  hdl.Bits // of the frame in stage 1, once the field's beat is there
	beat int      // the first one that can change the register
}

// end returns the field of the frame in stage 3, on its last beat. By then
// stage 1 can be at beat 1 of the next frame: a register that no beat before 2
// changes needs no copy, one of beat 1 needs one, and one of beat 0 two.
func (f field) end() hdl.Bits {
	x := f.now
	moves := []hdl.Bits{f.c.p.toSecond, f.c.p.toThird}
	for i := range max(0, 2-f.beat) {
		behind, from := f.c.m.RegN(fmt.Sprintf("%s_s%d", f.name, i+2), x.Width()), x
		f.c.m.If(moves[i], func() { behind.Set(from) })
		x = behind
	}
	return x
}

// headers are the header fields of a frame.
type headers struct {
	vlan, ip4, ip6, rocev1 field

	tci                         field
	version, ihl, class         field
	length                      field // total length of IPv4, payload length of IPv6
	fragment                    field // of IPv4: more-fragments and the offset
	protocol                    field
	src, dst                    [4]field // most significant word first
	srcPort, dstPort, udpLength field
	bth                         [wordBTH]field
	ext                         [wordExt]field
}

// capture is stage 1's way in: the beat at In as header words, and the
// registers that take them.
type capture struct {
	m      *hdl.Module
	p      *pipeline
	words  []hdl.Bits // of the beat at In
	before hdl.Bits   // the last word of the beat before
	beat   hdl.Bits   // number of the beat at In in its frame, at most lastBeat+1
	at     map[int]hdl.Bits
	vlan   hdl.Bits // what the frame is, where the present beat can tell
	v6     hdl.Bits
}

// newCapture looks at the beats of in.
func newCapture(m *hdl.Module, p *pipeline, in stream.Frame) *capture {
	n := in.Data.Data.Width() / 32
	c := &capture{m: m, p: p, at: map[int]hdl.Bits{}}
	tail := m.RegN("tail", 16)
	data := in.Data.Data
	for i := range n {
		w := hdl.Cat(data.Slice(15, 0), tail)
		if i > 0 {
			w = data.Slice(32*i+15, 32*i-16)
		}
		word := m.Wire(fmt.Sprintf("word_%d", i), 32)
		word.Set(hdl.SwapBytes(w))
		c.words = append(c.words, word)
	}
	stop := lastBeat(n) + 1
	c.beat = m.Reg("beat", bits.Len(uint(stop)), 0)
	m.If(p.take, func() {
		tail.Set(data.Slice(data.Width()-1, data.Width()-16))
		m.If(in.Data.Last, func() {
			c.beat.SetK(0)
		}).ElseIf(c.beat.IsNot(uint64(stop)), func() {
			c.beat.Set(c.beat.AddK(1))
		})
	})
	if n == 2 {
		c.before = m.RegN("word_before", 32)
		m.If(p.take, func() { c.before.Set(c.words[1]) })
	}
	return c
}

// inBeat returns one bit: the beat at In is number b of its frame.
func (c *capture) inBeat(b int) hdl.Bits {
	x, known := c.at[b]
	if !known {
		x = c.m.Wire(fmt.Sprintf("in_beat_%d", b), 1)
		x.Set(c.beat.Is(uint64(b)))
		c.at[b] = x
	}
	return x
}

// etherTypes are the ethertypes that a word's lower half can be.
type etherTypes struct{ vlan, ip4, ip6, rocev1 hdl.Bits }

func etherTypesOf(word hdl.Bits) etherTypes {
	is := func(v uint64) hdl.Bits { return word.Trunc(16).Is(v) }
	return etherTypes{is(format.EtherTypeVLAN), is(format.EtherTypeIPv4), is(format.EtherTypeIPv6), is(format.EtherTypeRoCEv1)}
}

// layout finds out which variant the frame is. The tag and the ethertype stand
// in one beat with the first of the fields that depend on them where beats are
// wide.
func (c *capture) layout(h *headers) {
	n := len(c.words)
	outerBeat, innerBeat := wordType/n, wordTag/n
	outer, inner := etherTypesOf(c.words[wordType%n]), etherTypesOf(c.words[wordTag%n])
	vlan, ip4, ip6, rocev1 := c.m.RegN("vlan", 1), c.m.RegN("ip4", 1), c.m.RegN("ip6", 1), c.m.RegN("rocev1", 1)

	inOuter := c.p.take.And(c.inBeat(outerBeat))
	inInner := c.p.take.And(c.inBeat(innerBeat))
	vlanNow := vlan
	if outerBeat == innerBeat {
		vlanNow = c.m.Wire("vlan_now", 1)
		vlanNow.Set(hdl.Mux(c.inBeat(outerBeat), outer.vlan, vlan))
	}
	c.m.If(inOuter, func() {
		vlan.Set(outer.vlan)
		ip4.Set(outer.ip4)
		ip6.Set(outer.ip6)
		rocev1.Set(outer.rocev1)
	})
	c.m.If(inInner.And(vlanNow), func() {
		ip4.Set(inner.ip4)
		ip6.Set(inner.ip6)
		rocev1.Set(inner.rocev1)
	})
	c.vlan, c.v6 = vlanNow, ip6
	if addresses := variants[1].ip() + 2; addresses/n == innerBeat {
		c.v6 = c.m.Wire("ip6_now", 1)
		behind := ip6
		if outerBeat == innerBeat {
			behind = outer.ip6
		}
		c.v6.Set(hdl.Mux(c.inBeat(innerBeat), hdl.Mux(vlanNow, inner.ip6, behind), ip6))
	}
	h.vlan = field{c, "vlan", vlan, outerBeat}
	h.ip4 = field{c, "ip4", ip4, outerBeat}
	h.ip6 = field{c, "ip6", ip6, outerBeat}
	h.rocev1 = field{c, "rocev1", rocev1, outerBeat}
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

// field returns the field that stands where from says in each variant.
func (c *capture) field(name string, width int, lanes []hdl.Bits, from func(v variant) source) field {
	var at [4]where
	first := 1 << 30
	for i, v := range variants {
		at[i] = from(v).where(v)
		first = min(first, at[i].beat)
	}
	reg := c.m.RegN(name, width)
	load := c.choose(func(i int) where { return where{beat: at[i].beat} }, func(w where) hdl.Bits { return c.inBeat(w.beat) })
	value := c.choose(func(i int) where { return where{lane: at[i].lane, top: at[i].top} }, func(w where) hdl.Bits {
		return lanes[w.lane].Slice(w.top, w.top-width+1)
	})
	c.m.If(c.p.take.And(load), func() { reg.Set(value) })
	return field{c, name, reg, first}
}

// cleared returns a word of an IPv6 address that is zero in IPv4: it is cleared
// in the beat that would bring it, which every acceptable packet has.
func (c *capture) cleared(name string, lanes []hdl.Bits, s source) field {
	plain, tag := s.where(variants[2]), s.where(variants[3])
	reg := c.m.RegN(name, 32)
	load := c.choose(func(i int) where { return where{beat: [2]where{plain, tag}[i%2].beat} }, func(w where) hdl.Bits { return c.inBeat(w.beat) })
	value := c.choose(func(i int) where { return where{lane: [2]where{plain, tag}[i%2].lane} }, func(w where) hdl.Bits { return lanes[w.lane] })
	c.m.If(c.p.take.And(load), func() {
		reg.Set(value)
		c.m.If(c.v6.Not(), func() { reg.SetK(0) })
	})
	return field{c, name, reg, min(plain.beat, tag.beat)}
}

// choose returns the value for the variant of the frame: a multiplexer of those
// that differ.
func (c *capture) choose(at func(i int) where, value func(w where) hdl.Bits) hdl.Bits {
	pick := func(sel hdl.Bits, one, zero where, v func(w where) hdl.Bits) hdl.Bits {
		if one == zero {
			return v(zero)
		}
		return hdl.Mux(sel, v(one), v(zero))
	}
	plain, tag, plain6, tag6 := at(0), at(1), at(2), at(3)
	if plain == plain6 && tag == tag6 {
		return pick(c.vlan, tag, plain, value)
	}
	if plain == tag && plain6 == tag6 {
		return pick(c.v6, plain6, plain, value)
	}
	return hdl.Mux(c.v6, pick(c.vlan, tag6, plain6, value), pick(c.vlan, tag, plain, value))
}
