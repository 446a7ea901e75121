package rxparse

import (
	"fmt"

	"gornic/hdl"
)

// A layer is a view and the words it shows in the present beat.
type layer struct {
	view
	words []hdl.Bits
}

// layer returns the view of the layer whose word 0 is at position first. At two
// words a beat it is aligned to pairs, so that word i stands in lane i mod 2
// whatever the variant: odd tells in which variants word 0 is in lane 1.
func (c *capture) layer(name string, first func(v variant) int, odd hdl.Bits) layer {
	l := layer{view{lanes: len(c.words), first: first, pairs: len(c.words) == 2}, c.words}
	if !l.pairs {
		return l
	}
	l.words = nil
	for i := range 2 {
		w := c.m.Wire(fmt.Sprintf("%s_%d", name, i), 32)
		late := [2]hdl.Bits{c.before, c.words[0]}[i]
		w.Set(hdl.Mux(odd, late, c.words[i]))
		l.words = append(l.words, w)
	}
	return l
}

// at is word i of the layer from bit top down.
func (l layer) at(i, top int) source { return source{l.view, i, top} }

// capture declares the registers of all header fields.
func (c *capture) headers() *headers {
	h := &headers{}
	c.layout(h)
	tag := layer{view{lanes: len(c.words), first: func(variant) int { return wordTag }}, c.words}
	h.tci = c.word("tci", 16, tag, 0, 31)
	c.ip(h, c.layer("ip_word", variant.ip, c.vlan))
	c.transport(h, c.layer("udp_word", variant.udp, c.vlan.Xor(c.v6).Not()))
	return h
}

// word is a field that has the same place in its layer in all variants.
func (c *capture) word(name string, width int, l layer, i, top int) field {
	return c.field(name, width, l.words, func(variant) source { return l.at(i, top) })
}

func (c *capture) ip(h *headers, l layer) {
	either := func(name string, width int, v4, v6 source) field {
		return c.field(name, width, l.words, func(v variant) source {
			if v.v6 == 1 {
				return v6
			}
			return v4
		})
	}
	h.version = c.word("version", 4, l, 0, 31)
	h.ihl = c.word("ihl", 4, l, 0, 27)
	h.class = either("traffic_class", 8, l.at(0, 23), l.at(0, 27))
	h.length = either("ip_length", 16, l.at(0, 15), l.at(1, 31))
	h.fragment = c.word("fragment", 14, l, 1, 13)
	h.protocol = either("protocol", 8, l.at(2, 23), l.at(1, 15))
	for i := range 3 {
		h.src[i] = c.cleared(fmt.Sprintf("src_%d", i), l.words, l.at(2+i, 31))
		h.dst[i] = c.cleared(fmt.Sprintf("dst_%d", i), l.words, l.at(6+i, 31))
	}
	h.src[3] = either("src_3", 32, l.at(3, 31), l.at(5, 31))
	h.dst[3] = either("dst_3", 32, l.at(4, 31), l.at(9, 31))
}

func (c *capture) transport(h *headers, l layer) {
	h.srcPort = c.word("src_port", 16, l, 0, 31)
	h.dstPort = c.word("dst_port", 16, l, 0, 15)
	h.udpLength = c.word("udp_length", 16, l, 1, 31)
	for i := range wordBTH {
		h.bth[i] = c.word(fmt.Sprintf("bth_%d", i), 32, l, wordUDP+i, 31)
	}
	for i := range wordExt {
		h.ext[i] = c.word(fmt.Sprintf("ext_%d", i), 32, l, wordUDP+wordBTH+i, 31)
	}
}
