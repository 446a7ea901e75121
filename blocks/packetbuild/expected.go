package packetbuild

import (
	"gornic/format"
	"gornic/hdl"
)

// expected is the frame that one descriptor stands for, without its ICRC, as ghost
// values: the headers written down one after the other as the format tables have
// them (protocol sections 1.1 to 1.5). It shares nothing with the builder.
type expected struct {
	m      *hdl.Module
	d      descriptor
	header hdl.Bits // its bytes, the first one lowest; those past headEnd mean nothing
	// Lengths in bytes, of positionBits.
	headEnd  hdl.Bits // of the header
	frameEnd hdl.Bits // of header, payload and pad
	padBegin hdl.Bits // of header and payload

	udpLength   hdl.Bits
	totalLength hdl.Bits // of IPv4
	checksum    hdl.Bits
}

// positionBits is the width of a place in a frame with a short payload,
// sumBits that of a sum of ten 16-bit words.
const (
	positionBits = 8
	sumBits      = 20
)

func newExpected(m *hdl.Module, d descriptor) *expected {
	e := &expected{m: m, d: d}
	m.Ghost(func() {
		e.lengths()
		e.sum()
		e.headers()
	})
	return e
}

// named gives a ghost value a name in the waves.
func (e *expected) named(name string, x hdl.Bits) hdl.Bits {
	w := e.m.Wire("expected_"+name, x.Width())
	w.Set(x)
	return w
}

func (e *expected) lengths() {
	d := e.d
	at := func(n int) hdl.Bits { return hdl.K(positionBits, uint64(n)) }
	optional := func(when hdl.Bits, n int) hdl.Bits { return hdl.Mux(when, at(n), at(0)) }

	ext := at(0)
	for op := range 256 {
		if info, _ := format.Lookup(format.Opcode(op)); info.ExtBytes() > 0 {
			ext = ext.Or(optional(d.Opcode.Is(uint64(op)), info.ExtBytes()))
		}
	}
	network := hdl.Mux(d.IPv6, at(format.Size[format.IPv6[uint64]]()), at(format.Size[format.IPv4[uint64]]()))
	transport := at(format.Size[format.UDP[uint64]]() + format.Size[format.BTH[uint64]]()).Add(ext)
	payload := d.PayloadLen.Trunc(positionBits)
	pad := hdl.K(2, 0).Sub(d.PayloadLen.Trunc(2)).ZExt(positionBits)

	link := at(format.Size[format.Ethernet[uint64]]()).Add(optional(d.VLAN, format.Size[format.VLAN[uint64]]()))
	e.headEnd = e.named("head_end", link.Add(network).Add(transport))
	e.padBegin = e.named("pad_begin", e.headEnd.Add(payload))
	e.frameEnd = e.named("frame_end", e.padBegin.Add(pad))
	udp := transport.Add(payload).Add(pad).AddK(format.ICRCSize).ZExt(16)
	e.udpLength = e.named("udp_length", udp)
	e.totalLength = e.named("total_length", udp.AddK(uint64(format.Size[format.IPv4[uint64]]())))
}

// sum is the IPv4 checksum: the words of the header whose checksum is zero, the
// carries added to the sum, and its carry again (RFC 1071).
func (e *expected) sum() {
	header := hdl.Pack(e.ipv4(e.totalLength, hdl.K(16, 0)))
	total := hdl.K(sumBits, 0)
	for i := range header.Width() / 16 {
		total = total.Add(header.Slice(16*i+15, 16*i).ZExt(sumBits))
	}
	fold := func(x hdl.Bits) hdl.Bits {
		return x.Trunc(16).ZExt(sumBits).Add(x.Slice(sumBits-1, 16).ZExt(sumBits))
	}
	e.checksum = e.named("checksum", fold(fold(total)).Trunc(16).Not())
}

func (e *expected) ipv4(length, checksum hdl.Bits) format.IPv4[hdl.Bits] {
	d := e.d
	return format.IPv4[hdl.Bits]{
		Version: hdl.K(4, 4), IHL: hdl.K(4, 5), TOS: d.TrafficClass, TotalLength: length,
		ID: d.IPID, Reserved: hdl.K(1, 0), DF: d.DF, MF: hdl.K(1, 0), FragOffset: hdl.K(13, 0),
		TTL: d.HopLimit, Protocol: hdl.K(8, format.ProtocolUDP), Checksum: checksum,
		Src: d.SrcLo.Trunc(32), Dst: d.DstLo.Trunc(32),
	}
}

func (e *expected) ipv6() format.IPv6[hdl.Bits] {
	d := e.d
	return format.IPv6[hdl.Bits]{
		Version: hdl.K(4, 6), TrafficClass: d.TrafficClass, FlowLabel: d.FlowLabel, PayloadLength: e.udpLength,
		NextHeader: hdl.K(8, format.ProtocolUDP), HopLimit: d.HopLimit,
		SrcHi: d.SrcHi, SrcLo: d.SrcLo, DstHi: d.DstHi, DstLo: d.DstLo,
	}
}

// headers writes the four headers that there can be and chooses.
func (e *expected) headers() {
	d := e.d
	transport := append(bytesOf(format.UDP[hdl.Bits]{
		SrcPort: d.SrcPort, DstPort: hdl.K(16, format.PortRoCEv2), Length: e.udpLength, Checksum: d.UDPChecksum,
	}), bytesOf(format.BTH[hdl.Bits]{
		Opcode: d.Opcode, SE: d.SE, MigReq: d.MigReq, PadCnt: d.PadCnt, TVer: hdl.K(4, 0), PKey: d.PKey,
		FECN: d.FECN, BECN: d.BECN, Resv6: hdl.K(6, 0), DestQP: d.DestQP,
		AckReq: d.AckReq, Resv7: hdl.K(7, 0), PSN: d.PSN,
	})...)
	transport = append(transport, bytesOf(d.Ext)...)

	variant := func(tagged, v6 bool) []hdl.Bits {
		etherType, network := hdl.K(16, format.EtherTypeIPv4), bytesOf(e.ipv4(e.totalLength, e.checksum))
		if v6 {
			etherType, network = hdl.K(16, format.EtherTypeIPv6), bytesOf(e.ipv6())
		}
		eth := format.Ethernet[hdl.Bits]{Dst: d.DstMAC, Src: d.SrcMAC, Type: etherType}
		var all []hdl.Bits
		if tagged {
			eth.Type = hdl.K(16, format.EtherTypeVLAN)
			all = append(bytesOf(eth), bytesOf(format.VLAN[hdl.Bits]{TCI: d.TCI, Type: etherType})...)
		} else {
			all = bytesOf(eth)
		}
		return append(append(all, network...), transport...)
	}
	plain, tagged, plain6, tagged6 := variant(false, false), variant(true, false), variant(false, true), variant(true, true)
	all := make([]hdl.Bits, len(tagged6))
	for i := range all {
		of := func(v []hdl.Bits) hdl.Bits { return v[min(i, len(v)-1)] }
		all[len(all)-1-i] = hdl.Select(hdl.Cat(d.IPv6, d.VLAN), of(plain), of(tagged), of(plain6), of(tagged6))
	}
	e.header = e.named("header", hdl.Cat(all...))
}

// bytesOf is a header as bytes in the order of the wire.
func bytesOf[T any](header T) []hdl.Bits {
	all := hdl.Pack(header)
	bytes := make([]hdl.Bits, all.Width()/8)
	for i := range bytes {
		bytes[i] = all.Byte(len(bytes) - 1 - i)
	}
	return bytes
}

// beat is beat number at of the header, of n bytes, first byte lowest; past the
// header's end it means nothing.
func (e *expected) beat(at hdl.Bits, n int) hdl.Bits {
	var b hdl.Bits
	e.m.Ghost(func() {
		count := (e.header.Width()/8 + n - 1) / n
		padded := e.header.ZExt(8 * n * count)
		beats := make([]hdl.Bits, count)
		for i := range beats {
			beats[i] = padded.Slice(8*n*(i+1)-1, 8*n*i)
		}
		b = e.named("beat", hdl.Select(at, beats...))
	})
	return b
}
