package rxparse

import (
	"fmt"

	"gornic/format"
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
func (r *reader) layer(name string, first func(v variant) int, odd hdl.Bits) layer {
	l := layer{view{lanes: len(r.words), first: first, pairs: len(r.words) == 2}, r.words}
	if !l.pairs {
		return l
	}
	l.words = nil
	for i := range 2 {
		w := r.m.Wire(fmt.Sprintf("%s%s_%d", r.prefix, name, i), 32)
		late := [2]hdl.Bits{r.before, r.words[0]}[i]
		w.Set(hdl.Mux(odd, late, r.words[i]))
		l.words = append(l.words, w)
	}
	return l
}

// layers are the three that fields stand in.
type layers struct{ tag, ip, udp layer }

// see makes the views, once the variant is known.
func (r *reader) see() {
	r.layers = layers{
		tag: layer{view{lanes: len(r.words), first: func(variant) int { return wordTag }}, r.words},
		ip:  r.layer("ip_word", variant.ip, r.vlan),
		udp: r.layer("udp_word", variant.udp, r.vlan.Xor(r.v6).Not()),
	}
}

// at is word i of the layer from bit top down.
func (l layer) at(i, top int) source { return source{l.view, i, top} }

// word is a field that has the same place in its layer in all variants.
func (r *reader) word(name string, width int, l layer, i, top int) hdl.Bits {
	return r.field(name, width, l.words, func(variant) source { return l.at(i, top) })
}

// either is a field of the IP header.
func (r *reader) either(name string, width int, l layer, v4, v6 source) hdl.Bits {
	return r.field(name, width, l.words, func(v variant) source {
		if v.v6 == 1 {
			return v6
		}
		return v4
	})
}

// judged are the fields that a frame is judged by.
type judged struct {
	layout
	version, ihl                       hdl.Bits
	length                             hdl.Bits // total length of IPv4, payload length of IPv6
	fragment                           hdl.Bits // of IPv4: more-fragments and the offset
	protocol                           hdl.Bits
	srcPort, dstPort, udpLength        hdl.Bits
	opcode, padCnt, tver, pkey, destQP hdl.Bits
}

func (r *reader) judged(known layout) judged {
	l := r.layers
	return judged{
		layout:    known,
		version:   r.word("version", 4, l.ip, 0, 31),
		ihl:       r.word("ihl", 4, l.ip, 0, 27),
		length:    r.either("ip_length", 16, l.ip, l.ip.at(0, 15), l.ip.at(1, 31)),
		fragment:  r.word("fragment", 14, l.ip, 1, 13),
		protocol:  r.either("protocol", 8, l.ip, l.ip.at(2, 23), l.ip.at(1, 15)),
		srcPort:   r.word("src_port", 16, l.udp, 0, 31),
		dstPort:   r.word("dst_port", 16, l.udp, 0, 15),
		udpLength: r.word("udp_length", 16, l.udp, 1, 31),
		opcode:    r.bth("opcode", "Opcode"),
		padCnt:    r.bth("pad_cnt", "PadCnt"),
		tver:      r.bth("tver", "TVer"),
		pkey:      r.bth("pkey", "PKey"),
		destQP:    r.bth("dest_qp", "DestQP"),
	}
}

// bth is a field of the BTH by its name in [format.BTH].
func (r *reader) bth(name, field string) hdl.Bits {
	fields, err := format.Layout[format.BTH[uint64]]()
	if err != nil {
		panic(err)
	}
	for _, f := range fields {
		if f.Name == field {
			return r.word(name, f.Bits, r.layers.udp, wordUDP+f.Offset/32, 31-f.Offset%32)
		}
	}
	panic("rxparse: no field " + field + " in a BTH")
}

// descriptor is that of the packet whose last beat left last. less is its payload
// length less one.
func (r *reader) descriptor(vlan, v6, less hdl.Bits) format.RxDescriptor[hdl.Bits] {
	l := r.layers
	var src, dst [3]hdl.Bits
	for i := range 3 {
		src[i] = r.cleared(fmt.Sprintf("src_%d", i), l.ip.words, l.ip.at(2+i, 31))
		dst[i] = r.cleared(fmt.Sprintf("dst_%d", i), l.ip.words, l.ip.at(6+i, 31))
	}
	srcLow := r.either("src_3", 32, l.ip, l.ip.at(3, 31), l.ip.at(5, 31))
	dstLow := r.either("dst_3", 32, l.ip, l.ip.at(4, 31), l.ip.at(9, 31))
	opcode := r.bth("opcode", "Opcode")
	d := format.RxDescriptor[hdl.Bits]{
		VLAN: vlan, TCI: r.word("tci", 16, l.tag, 0, 31), IPv6: v6,
		TrafficClass: r.either("traffic_class", 8, l.ip, l.ip.at(0, 23), l.ip.at(0, 27)),
		SrcHi:        hdl.Cat(src[0], src[1]), SrcLo: hdl.Cat(src[2], srcLow),
		DstHi: hdl.Cat(dst[0], dst[1]), DstLo: hdl.Cat(dst[2], dstLow),
		SrcPort: r.word("src_port", 16, l.udp, 0, 31),
		Opcode:  opcode, Undefined: undefined(opcode), CNP: opcode.Is(uint64(format.OpCNP)),
		SE: r.bth("se", "SE"), MigReq: r.bth("mig_req", "MigReq"), PadCnt: r.bth("pad_cnt", "PadCnt"),
		FECN: r.bth("fecn", "FECN"), BECN: r.bth("becn", "BECN"),
		DestQP: r.bth("dest_qp", "DestQP"), AckReq: r.bth("ack_req", "AckReq"), PSN: r.bth("psn", "PSN"),
		PayloadLen: less.AddK(1),
	}
	for i := range d.Ext {
		d.Ext[i] = r.word(fmt.Sprintf("ext_%d", i), 32, l.udp, wordUDP+wordBTH+i, 31)
	}
	return d
}

// undefined returns one bit: an opcode that the core takes is not in the table.
func undefined(opcode hdl.Bits) hdl.Bits {
	var none []hdl.Bits
	for op := range uint64(32) {
		if _, known := format.Lookup(format.Opcode(op)); !known {
			none = append(none, opcode.Trunc(5).Is(op))
		}
	}
	return hdl.OrAll(none...).And(opcode.MSB().Not())
}
