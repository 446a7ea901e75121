package packetbuild

import (
	"fmt"
	"slices"

	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/ir"
)

// A frame is cut into words of four bytes such that every header but the
// Ethernet header's first half is whole words: word q is bytes 4q-2 to 4q+1 of
// the frame, and the first two bytes of word 0 do not exist. A beat of n words
// begins with the last two bytes of one word and ends with the first two of another:
// it has n+1 slots, the first and the last of half a word.

// descriptor is the descriptor in hardware.
type descriptor = format.TxDescriptor[hdl.Bits]

// A word is 32 bits of a header in the order of the wire, most significant
// first. The name tells equal words of two variants.
type word struct {
	name string
	bits hdl.Bits
}

// headerWords is the longest header in words: tagged, IPv6, with an AtomicETH.
const headerWords = 27

// A variant is one of the four ways to put a BTH into a frame.
type variant struct{ tagged, ipv6 bool }

var variants = []variant{{false, false}, {false, true}, {true, false}, {true, true}}

// fixedWords is the number of words of a variant's header without the extension
// headers.
func (v variant) fixedWords() int {
	n := 4 + 5 + 2 + 3 // Ethernet, IPv4, UDP, BTH
	if v.tagged {
		n++
	}
	if v.ipv6 {
		n += 5
	}
	return n
}

// words returns the header of a variant with all the words of extension headers
// there can be.
func (v variant) words(d descriptor, l plan) []word {
	return slices.Concat(v.link(d), v.network(d, l), transport(d, l))
}

func (v variant) link(d descriptor) []word {
	ip := hdl.K(16, format.EtherTypeIPv4)
	if v.ipv6 {
		ip = hdl.K(16, format.EtherTypeIPv6)
	}
	outer := ip
	if v.tagged {
		outer = hdl.K(16, format.EtherTypeVLAN)
	}
	eth := hdl.Pack(format.Ethernet[hdl.Bits]{Dst: d.DstMAC, Src: d.SrcMAC, Type: outer})
	words := cut("ethernet", hdl.Cat(hdl.K(16, 0), eth))
	if v.tagged {
		words[3].name = "ethernet_vlan"
		return append(words, word{
			name: fmt.Sprintf("vlan_ipv6_%v", v.ipv6),
			bits: hdl.Pack(format.VLAN[hdl.Bits]{TCI: d.TCI, Type: ip}),
		})
	}
	words[3].name = fmt.Sprintf("ethernet_ipv6_%v", v.ipv6)
	return words
}

func (v variant) network(d descriptor, l plan) []word {
	if v.ipv6 {
		return cut("ipv6", hdl.Pack(format.IPv6[hdl.Bits]{
			Version:       hdl.K(4, 6),
			TrafficClass:  d.TrafficClass,
			FlowLabel:     d.FlowLabel,
			PayloadLength: l.UDPLength,
			NextHeader:    hdl.K(8, format.ProtocolUDP),
			HopLimit:      d.HopLimit,
			SrcHi:         d.SrcHi, SrcLo: d.SrcLo, DstHi: d.DstHi, DstLo: d.DstLo,
		}))
	}
	words := cut("ipv4", hdl.Pack(format.IPv4[hdl.Bits]{
		Version:     hdl.K(4, 4),
		IHL:         hdl.K(4, 5),
		TOS:         d.TrafficClass,
		TotalLength: l.IPv4Length,
		ID:          d.IPID,
		Reserved:    hdl.K(1, 0),
		DF:          d.DF,
		MF:          hdl.K(1, 0),
		FragOffset:  hdl.K(13, 0),
		TTL:         d.HopLimit,
		Protocol:    hdl.K(8, format.ProtocolUDP),
		Checksum:    l.Checksum,
		Src:         d.SrcLo.Trunc(32), Dst: d.DstLo.Trunc(32),
	}))
	words[3].name, words[4].name = "ipv6_5", "ipv6_9" // the same halves of SrcLo and DstLo
	return words
}

// transport is the UDP header, the BTH and seven words of extension headers.
func transport(d descriptor, l plan) []word {
	udp := hdl.Pack(format.UDP[hdl.Bits]{
		SrcPort: d.SrcPort, DstPort: hdl.K(16, format.PortRoCEv2), Length: l.UDPLength, Checksum: d.UDPChecksum,
	})
	bth := hdl.Pack(format.BTH[hdl.Bits]{
		Opcode: d.Opcode, SE: d.SE, MigReq: d.MigReq, PadCnt: d.PadCnt, TVer: hdl.K(4, 0), PKey: d.PKey,
		FECN: d.FECN, BECN: d.BECN, Resv6: hdl.K(6, 0), DestQP: d.DestQP,
		AckReq: d.AckReq, Resv7: hdl.K(7, 0), PSN: d.PSN,
	})
	return slices.Concat(cut("udp", udp), cut("bth", bth), cut("ext", hdl.Pack(d.Ext)))
}

// cut returns the words of a header, named NAME_0, NAME_1, ...
func cut(name string, header hdl.Bits) []word {
	words := make([]word, header.Width()/32)
	for i := range words {
		top := header.Width() - 32*i - 1
		words[i] = word{fmt.Sprintf("%s_%d", name, i), header.Slice(top, top-31)}
	}
	return words
}

// A slot is the multiplexer in front of one slot of a beat.
type slot struct {
	words  []word // that ever stand there
	choice []int  // which of them, by header beat and variant; any for a beat behind the header
}

// slots returns the n+1 slots of a beat of n words. choice[4*beat+v] belongs to
// variants[v].
func slots(n int, headers [][]word) []slot {
	all := make([]slot, n+1)
	for j := range all {
		s := &all[j]
		for beat := range (headerWords + n - 1) / n {
			for _, header := range headers {
				s.choice = append(s.choice, 0)
				if q := beat*n + j; q < len(header) {
					s.choice[len(s.choice)-1] = s.index(header[q])
				}
			}
		}
	}
	return all
}

// index returns the place of a word among those of the slot.
func (s *slot) index(w word) int {
	i := slices.IndexFunc(s.words, func(x word) bool { return x.name == w.name })
	if i < 0 {
		i = len(s.words)
		s.words = append(s.words, w)
	}
	return i
}

// drive returns the slot's word of the header beat in hand. Which one that is
// stands in a register; with no word to choose from there is none.
func (s *slot) drive(m *hdl.Module, number int, in packets, h header, following hdl.Bits) hdl.Bits {
	words := make([]hdl.Bits, len(s.words))
	for i, w := range s.words {
		words[i] = w.bits
	}
	if len(words) == 1 {
		return words[0]
	}
	choice := make([]hdl.Bits, len(s.choice))
	for i, c := range s.choice {
		choice[i] = hdl.K(ir.AddrWidth(len(words)), uint64(c))
	}
	pick := m.Reg(fmt.Sprintf("slot_%d", number), choice[0].Width(), 0)
	d := in.Data.Desc
	m.If(h.taken, func() {
		pick.Set(hdl.Select(hdl.Cat(following, d.VLAN, d.IPv6), choice...))
		if in.enter == nil {
			m.If(h.last, func() { pick.SetK(0) }) // all variants begin with the same word
		}
	})
	if e := in.enter; e != nil {
		m.If(e.fire, func() { pick.Set(hdl.Select(hdl.Cat(e.tagged, e.ipv6), choice[:len(variants)]...)) })
	}
	return hdl.Select(pick, words...)
}

// assemble returns the beat that slots make up, first byte lowest.
func assemble(p Params, words []hdl.Bits) hdl.Bits {
	n := p.words()
	parts := []hdl.Bits{hdl.SwapBytes(words[n].Slice(31, 16))}
	for j := n - 1; j > 0; j-- {
		parts = append(parts, hdl.SwapBytes(words[j]))
	}
	return hdl.Cat(append(parts, hdl.SwapBytes(words[0].Trunc(16)))...)
}
