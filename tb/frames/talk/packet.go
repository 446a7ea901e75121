package talk

import (
	"encoding/binary"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"gornic/format"
	"gornic/tb/frames"
)

// Packet is a frame of a capture that is a RoCEv2 packet.
type Packet struct {
	Number int    // of the frame in its file, from 1
	Data   []byte // the frame
	Good   bool   // its ICRC is right, and its lengths make sense

	Path Path
	BTH  format.BTH[uint64]
	Op   format.Opcode

	RETH      format.RETH[uint64]
	AtomicETH format.AtomicETH[uint64]
	AETH      format.AETH[uint64]
	AtomicAck format.AtomicAckETH[uint64]
	Imm       [4]byte // as on the wire
	IETH      format.IETH[uint64]

	Payload []byte // without pad
}

// Path is how a packet travels: all that an address vector decides.
type Path struct {
	SrcMAC, DstMAC uint64
	VLAN           bool
	TCI            uint16
	Src, Dst       netip.Addr
	HopLimit       uint8
	TrafficClass   uint8
	FlowLabel      uint32 // IPv6
	SrcPort        uint16 // UDP
}

// back is the way of an answer.
func (p Path) back() Path {
	p.SrcMAC, p.DstMAC, p.Src, p.Dst = p.DstMAC, p.SrcMAC, p.Dst, p.Src
	return p
}

// PSN of the packet.
func (p *Packet) PSN() PSN { return PSN(p.BTH.PSN) }

// Info is what the table of opcodes says.
func (p *Packet) Info() format.OpInfo {
	info, _ := format.Lookup(p.Op)
	return info
}

// Answers tells that the packet answers a request.
func (p *Packet) Answers() bool {
	return p.Op >= format.OpReadResponseFirst && p.Op <= format.OpAtomicAck
}

// Responds tells whether the packet is a READ response or an ATOMIC_ACK.
func (p *Packet) Responds() bool { return p.Answers() && p.Op != format.OpAcknowledge }

// Has tells whether the packet has an extension header.
func (p *Packet) Has(h format.ExtHeader) bool {
	_, ok := p.Info().ExtOffset(h)
	return ok
}

// PSN is a packet sequence number of 24 bits.
type PSN uint32

// Plus is the number n behind p.
func (p PSN) Plus(n int) PSN { return (p + PSN(n)) & 0xFFFFFF }

// Behind is how far p is behind q in a circle of 2^24: negative before it
// (protocol section 3.2).
func (p PSN) Behind(q PSN) int { return int(int32(p-q)<<8) >> 8 }

// Parse reads a frame, false if it is no RoCEv2 packet with a BTH.
func Parse(number int, frame []byte) (Packet, bool) {
	p := Packet{Number: number, Data: frame}
	body, ok := p.path(frame)
	if !ok {
		return p, false
	}
	bth, err := format.Decode[format.BTH[uint64]](body)
	if err != nil {
		return p, false
	}
	p.BTH, p.Op = bth, format.Opcode(bth.Opcode)
	got, want, placed := frames.CheckICRC(frame)
	p.Good = placed && got == want && p.headers(body)
	return p, true
}

// path reads the headers below the BTH and returns what is behind them.
func (p *Packet) path(frame []byte) (body []byte, ok bool) {
	parsed := gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.DecodeOptions{NoCopy: true})
	eth, _ := parsed.LinkLayer().(*layers.Ethernet)
	udp, _ := parsed.TransportLayer().(*layers.UDP)
	if eth == nil || udp == nil || udp.DstPort != format.PortRoCEv2 {
		return nil, false
	}
	p.Path.SrcMAC, p.Path.DstMAC, p.Path.SrcPort = number(eth.SrcMAC), number(eth.DstMAC), uint16(udp.SrcPort)
	if tag, _ := parsed.Layer(layers.LayerTypeDot1Q).(*layers.Dot1Q); tag != nil {
		p.Path.VLAN = true
		p.Path.TCI = uint16(tag.Priority)<<13 | tag.VLANIdentifier
		if tag.DropEligible {
			p.Path.TCI |= 1 << 12
		}
	}
	var src, dst []byte
	switch ip := parsed.NetworkLayer().(type) {
	case *layers.IPv4:
		src, dst = ip.SrcIP, ip.DstIP
		p.Path.HopLimit, p.Path.TrafficClass = ip.TTL, ip.TOS
	case *layers.IPv6:
		src, dst = ip.SrcIP, ip.DstIP
		p.Path.HopLimit, p.Path.TrafficClass, p.Path.FlowLabel = ip.HopLimit, ip.TrafficClass, ip.FlowLabel
	default:
		return nil, false
	}
	p.Path.Src, _ = netip.AddrFromSlice(src)
	p.Path.Dst, _ = netip.AddrFromSlice(dst)
	return udp.Payload, true
}

// headers reads what is behind the BTH, false if the lengths do not fit.
func (p *Packet) headers(body []byte) bool {
	info := p.Info()
	from, to := info.HeaderBytes(), len(body)-int(p.BTH.PadCnt)-format.ICRCSize
	if from > to {
		return false
	}
	p.Payload = body[from:to]
	words, err := format.DecodeExt(body[from-info.ExtBytes():], info.ExtBytes())
	if err != nil {
		return false
	}
	p.RETH, _ = format.ExtHeaderOf[format.RETH[uint64]](words, p.Op, format.ExtRETH)
	p.AtomicETH, _ = format.ExtHeaderOf[format.AtomicETH[uint64]](words, p.Op, format.ExtAtomicETH)
	p.AETH, _ = format.ExtHeaderOf[format.AETH[uint64]](words, p.Op, format.ExtAETH)
	p.AtomicAck, _ = format.ExtHeaderOf[format.AtomicAckETH[uint64]](words, p.Op, format.ExtAtomicAckETH)
	p.IETH, _ = format.ExtHeaderOf[format.IETH[uint64]](words, p.Op, format.ExtIETH)
	imm, _ := format.ExtHeaderOf[format.ImmDt[uint64]](words, p.Op, format.ExtImmDt)
	binary.BigEndian.PutUint32(p.Imm[:], uint32(imm.Imm))
	return true
}

// number is a MAC address as a number.
func number(mac []byte) uint64 {
	x := uint64(0)
	for _, b := range mac {
		x = x<<8 | uint64(b)
	}
	return x
}
