package roce

import "gornic/format"

// Parsed is what Parse makes of one frame. Positions are byte offsets
// into the frame.
type Parsed struct {
	// Reason is the verdict of the headers and the frame's length; the ICRC and
	// the packet buffer are judged later.
	Reason format.Reason

	// Packet tells that the frame holds a whole RoCEv2 packet, from byte Start,
	// the first of the IP header, up to byte End, the first after the ICRC, long
	// enough for a BTH and an ICRC. It says nothing about the BTH. Only then is
	// there an ICRC to judge.
	Packet     bool
	Start, End int

	// BTH is the base transport header of a packet to or from UDP port 4791, nil
	// if the packet or the frame ends before it does.
	BTH *format.BTH[uint64]

	// PayloadLen is the payload's length in bytes without pad, -1 where the
	// frame has no payload or none of valid length.
	PayloadLen int

	// Descriptor and Payload are what the receive side hands on of an acceptable frame
	// (Reason is ReasonOK). Payload is a part of the frame's own memory.
	Descriptor format.RxDescriptor[uint64]
	Payload    []byte
}

// Parse takes a whole frame apart, from the destination MAC address on, without
// FCS; bad tells that the MAC marked it bad. The rules are those of
// [format.Reasons], in that order.
func Parse(frame []byte, bad bool) Parsed {
	p := parser{frame: frame, out: Parsed{PayloadLen: -1}}
	p.ethernet()
	if bad {
		p.out.Reason = format.ReasonBadFrame
	}
	if p.out.Reason != format.ReasonOK {
		p.out.Descriptor, p.out.Payload = format.RxDescriptor[uint64]{}, nil
	}
	return p.out
}

// A parser works through one frame. Each of its methods judges one header and
// goes on to the next.
type parser struct {
	frame []byte
	at    int // offset of the header in hand
	out   Parsed
}

// header decodes header T at offset p.at and steps over it. It is false, and the
// reason set, if the frame ends inside the header.
func header[T any](p *parser) (T, bool) {
	h, err := format.Decode[T](p.frame[min(p.at, len(p.frame)):])
	if err != nil {
		p.stop(format.ReasonTruncated)
		return h, false
	}
	p.at += format.Size[T]()
	return h, true
}

// stop sets the reason, unless an earlier header did.
func (p *parser) stop(r format.Reason) {
	if p.out.Reason == format.ReasonOK {
		p.out.Reason = r
	}
}

func (p *parser) ethernet() {
	h, ok := header[format.Ethernet[uint64]](p)
	if !ok {
		return
	}
	etherType := h.Type
	if etherType == format.EtherTypeVLAN {
		tag, ok := header[format.VLAN[uint64]](p)
		if !ok {
			return
		}
		etherType = tag.Type
		p.out.Descriptor.VLAN, p.out.Descriptor.TCI = 1, tag.TCI
	}
	p.out.Start = p.at
	switch etherType {
	case format.EtherTypeIPv4:
		p.ipv4()
	case format.EtherTypeIPv6:
		p.ipv6()
	case format.EtherTypeRoCEv1:
		p.stop(format.ReasonRoCEv1)
	default:
		p.stop(format.ReasonEtherType)
	}
}

func (p *parser) ipv4() {
	h, ok := header[format.IPv4[uint64]](p)
	if !ok {
		return
	}
	switch {
	case h.Version != 4 || h.IHL < 5:
		p.stop(format.ReasonIPVersion)
	case h.Protocol != format.ProtocolUDP:
		p.stop(format.ReasonNotUDP)
	case h.MF != 0 || h.FragOffset != 0:
		p.stop(format.ReasonFragment)
	case h.IHL > 5:
		p.at += int(h.IHL-5) * 4
		p.afterOptions()
	default:
		d := &p.out.Descriptor
		d.TrafficClass, d.SrcLo, d.DstLo = h.TOS, h.Src, h.Dst
		p.udp(int(h.TotalLength) - format.Size[format.IPv4[uint64]]())
	}
}

// afterOptions judges the UDP header of a packet with IPv4 options, which
// RoCEv2 does not use.
func (p *parser) afterOptions() {
	h, ok := header[format.UDP[uint64]](p)
	switch {
	case !ok:
	case h.DstPort == format.PortRoCEv2:
		p.stop(format.ReasonIPOptions)
	default:
		p.stop(format.ReasonUDPPort)
	}
}

func (p *parser) ipv6() {
	h, ok := header[format.IPv6[uint64]](p)
	if !ok {
		return
	}
	switch {
	case h.Version != 6:
		p.stop(format.ReasonIPVersion)
	case h.NextHeader != format.ProtocolUDP:
		p.stop(format.ReasonNotUDP)
	default:
		d := &p.out.Descriptor
		d.IPv6, d.TrafficClass = 1, h.TrafficClass
		d.SrcHi, d.SrcLo, d.DstHi, d.DstLo = h.SrcHi, h.SrcLo, h.DstHi, h.DstLo
		p.udp(int(h.PayloadLength))
	}
}

// udp judges the UDP header of a packet whose IP payload has the given length.
func (p *parser) udp(length int) {
	start := p.at
	h, ok := header[format.UDP[uint64]](p)
	switch {
	case !ok:
		return
	case h.DstPort == format.PortRoCEv2:
	case h.SrcPort == format.PortRoCEv2:
		p.stop(format.ReasonSwappedPort)
	default:
		p.stop(format.ReasonUDPPort)
		return
	}
	shortest := format.Size[format.UDP[uint64]]() + format.Size[format.BTH[uint64]]() + format.ICRCSize
	if length < shortest {
		p.stop(format.ReasonLength)
		return
	}
	if int(h.Length) != length {
		p.stop(format.ReasonLength)
	}
	p.out.End = start + length
	p.out.Packet = p.out.End <= len(p.frame)
	p.out.Descriptor.SrcPort = h.SrcPort
	p.bth(int(h.Length) - format.Size[format.UDP[uint64]]())
}

// bth judges the BTH of a packet whose UDP payload has the given length, and
// what follows.
func (p *parser) bth(length int) {
	start := p.at
	h, ok := header[format.BTH[uint64]](p)
	if !ok {
		return
	}
	p.out.BTH = &h
	op := format.Opcode(h.Opcode)
	info, defined := format.Lookup(op)
	payload := length - info.HeaderBytes() - int(h.PadCnt) - format.ICRCSize
	if payload >= 0 && (defined || op.Ours()) {
		p.out.PayloadLen = payload
	}
	switch {
	case h.DestQP == format.QP1:
		p.stop(format.ReasonQP1)
	case h.TVer != 0:
		p.stop(format.ReasonTVer)
	case h.PKey&format.PKeyMask != format.PKeyDefault&format.PKeyMask:
		p.stop(format.ReasonPKey)
	case h.DestQP == format.QP0:
		p.stop(format.ReasonQP0)
	case !op.Ours():
		p.stop(format.ReasonTransport)
	case payload < 0 || payload > format.MTUMax:
		p.stop(format.ReasonLength)
	case p.out.End > len(p.frame):
		p.stop(format.ReasonTruncated)
	}
	if p.out.Reason == format.ReasonOK {
		p.accept(h, info, defined, start)
	}
}

// accept fills in the descriptor and the payload. start is the offset of the
// BTH; every length has been judged.
func (p *parser) accept(h format.BTH[uint64], info format.OpInfo, defined bool, start int) {
	d := &p.out.Descriptor
	d.Opcode, d.SE, d.MigReq, d.PadCnt = h.Opcode, h.SE, h.MigReq, h.PadCnt
	d.FECN, d.BECN, d.DestQP, d.AckReq, d.PSN = h.FECN, h.BECN, h.DestQP, h.AckReq, h.PSN
	d.Undefined, d.CNP = bit(!defined), bit(info.Code == format.OpCNP)
	d.PayloadLen = uint64(p.out.PayloadLen)

	ext := start + format.Size[format.BTH[uint64]]()
	words, err := format.DecodeExt(p.frame[ext:], info.ExtBytes())
	if err != nil { // cannot be: the frame is as long as its headers
		p.stop(format.ReasonTruncated)
		return
	}
	d.Ext = words
	payload := start + info.HeaderBytes()
	p.out.Payload = p.frame[payload : payload+p.out.PayloadLen]
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
