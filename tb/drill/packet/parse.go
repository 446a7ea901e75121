package packet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"gornic/format"
	"gornic/tb/frames"
)

// ErrNotRoCE is the error of [Parse] for a frame that is no RoCEv2 packet.
var ErrNotRoCE = errors.New("not a RoCEv2 packet")

// Parse takes a frame apart. What no sender may do (a wrong ICRC, length, or pad) does
// not stop it: it is among the packet's Problems.
func Parse(frame []byte) (*Packet, error) {
	p := &Packet{}
	body, err := p.headers(frame)
	if err != nil {
		return nil, err
	}
	if p.BTH, err = format.Decode[format.BTH[uint64]](body); err != nil {
		return nil, fmt.Errorf("%w: BTH: %w", ErrNotRoCE, err)
	}
	info := p.Info()
	payload := len(body) - info.HeaderBytes() - int(p.BTH.PadCnt) - format.ICRCSize
	if payload < 0 {
		return nil, fmt.Errorf("%w: %d bytes of %s with a pad of %d are too few", ErrNotRoCE, len(body), info.Name, p.BTH.PadCnt)
	}
	at := format.Size[format.BTH[uint64]]()
	for _, h := range info.Headers {
		if err := p.decodeExtension(h, body[at:]); err != nil {
			return nil, fmt.Errorf("%w: %v: %w", ErrNotRoCE, h, err)
		}
		at += h.Size()
	}
	p.Payload = append([]byte(nil), body[at:at+payload]...)
	p.examine(frame, body[at+payload:])
	return p, nil
}

// headers reads the headers below the BTH and returns what UDP carries.
func (p *Packet) headers(frame []byte) ([]byte, error) {
	g := gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.Default)
	eth, _ := g.LinkLayer().(*layers.Ethernet)
	udp, _ := g.TransportLayer().(*layers.UDP)
	if eth == nil || udp == nil || udp.DstPort != format.PortRoCEv2 {
		return nil, ErrNotRoCE
	}
	p.DstMAC, p.SrcMAC = number(eth.DstMAC), number(eth.SrcMAC)
	if tag, ok := g.Layer(layers.LayerTypeDot1Q).(*layers.Dot1Q); ok {
		p.Tagged, p.TCI = true, uint64(tag.Priority)<<13|uint64(tag.VLANIdentifier)
		if tag.DropEligible {
			p.TCI |= 1 << 12
		}
	}
	behind := 0 // bytes behind the IP header, as it says
	switch ip := g.NetworkLayer().(type) {
	case *layers.IPv4:
		p.Src, _ = netip.AddrFromSlice(ip.SrcIP)
		p.Dst, _ = netip.AddrFromSlice(ip.DstIP)
		p.TrafficClass, p.HopLimit, p.IPID, p.IPLength = uint64(ip.TOS), uint64(ip.TTL), uint64(ip.Id), uint64(ip.Length)
		behind = int(ip.Length) - ipv4Bytes
	case *layers.IPv6:
		p.Src, _ = netip.AddrFromSlice(ip.SrcIP)
		p.Dst, _ = netip.AddrFromSlice(ip.DstIP)
		p.TrafficClass, p.HopLimit, p.FlowLabel, p.IPLength = uint64(ip.TrafficClass), uint64(ip.HopLimit), uint64(ip.FlowLabel), uint64(ip.Length)
		behind = int(ip.Length)
	default:
		return nil, ErrNotRoCE
	}
	p.SrcPort, p.DstPort, p.UDPLength, p.UDPChecksum = uint64(udp.SrcPort), uint64(udp.DstPort), uint64(udp.Length), uint64(udp.Checksum)
	if behind != int(udp.Length) {
		p.problem("the UDP length is %d, behind the IP header are %d bytes", udp.Length, behind)
	}
	return udp.Payload, nil
}

func (p *Packet) problem(text string, args ...any) {
	p.Problems = append(p.Problems, fmt.Sprintf(text, args...))
}

func (p *Packet) decodeExtension(h format.ExtHeader, b []byte) (err error) {
	switch h {
	case format.ExtRETH:
		p.RETH, err = format.Decode[format.RETH[uint64]](b)
	case format.ExtAtomicETH:
		p.Atomic, err = format.Decode[format.AtomicETH[uint64]](b)
	case format.ExtAETH:
		p.AETH, err = format.Decode[format.AETH[uint64]](b)
	case format.ExtAtomicAckETH:
		p.AtomicAck, err = format.Decode[format.AtomicAckETH[uint64]](b)
	case format.ExtImmDt:
		p.Imm, err = format.Decode[format.ImmDt[uint64]](b)
	case format.ExtIETH:
		p.IETH, err = format.Decode[format.IETH[uint64]](b)
	}
	return err
}

// examine notes what is wrong with pad and ICRC: tail is both.
func (p *Packet) examine(frame, tail []byte) {
	pad := tail[:p.BTH.PadCnt]
	for _, b := range pad {
		if b != 0 {
			p.problem("the pad is % x, not zeros", pad)
			break
		}
	}
	if right := uint64(-len(p.Payload) & 3); p.BTH.PadCnt != right {
		p.problem("a pad of %d bytes behind %d of payload", p.BTH.PadCnt, len(p.Payload))
	}
	p.ICRC = uint64(binary.LittleEndian.Uint32(tail[len(pad):]))
	if got, want, ok := frames.CheckICRC(frame); !ok {
		p.problem("no place for an ICRC")
	} else if got != want {
		p.problem("the ICRC is %#08x, of these bytes it is %#08x", got, want)
	}
}

func number(mac []byte) (n uint64) {
	for _, b := range mac {
		n = n<<8 | uint64(b)
	}
	return n
}
