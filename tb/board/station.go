package board

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// Station is a host's Ethernet port and network stack, on a port of the board: a wire.End. It asks who has an address,
// pings, and has UDP.
type Station struct {
	MAC  net.HardwareAddr
	IPv4 netip.Addr

	out       [][]byte
	neighbour map[netip.Addr]net.HardwareAddr
	echoes    []layers.ICMPv4 // answers to pings
	datagrams []Datagram
	others    int // frames that are none of these
}

// Datagram is a UDP datagram that has come.
type Datagram struct {
	From, To netip.AddrPort
	Data     []byte
}

// NewStation returns a station that nobody has heard of.
func NewStation(mac net.HardwareAddr, ipv4 netip.Addr) *Station {
	return &Station{MAC: mac, IPv4: ipv4, neighbour: map[netip.Addr]net.HardwareAddr{}}
}

// Send returns the next frame of the station.
func (s *Station) Send() ([]byte, bool) {
	if len(s.out) == 0 {
		return nil, false
	}
	frame := s.out[0]
	s.out = s.out[1:]
	return frame, true
}

// Receive takes a frame.
func (s *Station) Receive(frame []byte) {
	p := gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.Default)
	eth, ok := p.LinkLayer().(*layers.Ethernet)
	if !ok || p.ErrorLayer() != nil || string(eth.DstMAC) != string(s.MAC) {
		s.others++
		return
	}
	switch {
	case p.Layer(layers.LayerTypeARP) != nil:
		s.arp(p.Layer(layers.LayerTypeARP).(*layers.ARP))
	case p.Layer(layers.LayerTypeICMPv4) != nil:
		s.echoes = append(s.echoes, *p.Layer(layers.LayerTypeICMPv4).(*layers.ICMPv4))
	case p.Layer(layers.LayerTypeUDP) != nil:
		s.udp(p.NetworkLayer().(*layers.IPv4), p.Layer(layers.LayerTypeUDP).(*layers.UDP))
	default:
		s.others++
	}
}

func (s *Station) arp(a *layers.ARP) {
	from, ok := netip.AddrFromSlice(a.SourceProtAddress)
	if a.Operation != layers.ARPReply || !ok || string(a.DstHwAddress) != string(s.MAC) {
		s.others++
		return
	}
	s.neighbour[from] = append(net.HardwareAddr(nil), a.SourceHwAddress...)
}

func (s *Station) udp(ip *layers.IPv4, u *layers.UDP) {
	from, _ := netip.AddrFromSlice(ip.SrcIP)
	to, _ := netip.AddrFromSlice(ip.DstIP)
	s.datagrams = append(s.datagrams, Datagram{
		From: netip.AddrPortFrom(from, uint16(u.SrcPort)), To: netip.AddrPortFrom(to, uint16(u.DstPort)),
		Data: append([]byte(nil), u.Payload...),
	})
}

// Know has the station know a neighbour without asking.
func (s *Station) Know(addr netip.Addr, mac net.HardwareAddr) { s.neighbour[addr] = mac }

// Neighbour is the Ethernet address of who has an IP address, nil if nobody has answered.
func (s *Station) Neighbour(addr netip.Addr) net.HardwareAddr { return s.neighbour[addr] }

// Echoes returns the answers to pings since the last call.
func (s *Station) Echoes() []layers.ICMPv4 {
	all := s.echoes
	s.echoes = nil
	return all
}

// Datagram returns the next one that has come.
func (s *Station) Datagram() (Datagram, bool) {
	if len(s.datagrams) == 0 {
		return Datagram{}, false
	}
	d := s.datagrams[0]
	s.datagrams = s.datagrams[1:]
	return d, true
}

// Others is how many frames came that were none of these.
func (s *Station) Others() int { return s.others }

// WhoHas asks for the Ethernet address of who has an IP address.
func (s *Station) WhoHas(addr netip.Addr) error {
	return s.send(
		&layers.Ethernet{SrcMAC: s.MAC, DstMAC: layers.EthernetBroadcast, EthernetType: layers.EthernetTypeARP},
		&layers.ARP{
			AddrType: layers.LinkTypeEthernet, Protocol: layers.EthernetTypeIPv4, HwAddressSize: 6, ProtAddressSize: 4,
			Operation: layers.ARPRequest, SourceHwAddress: s.MAC, SourceProtAddress: s.IPv4.AsSlice(),
			DstHwAddress: make([]byte, 6), DstProtAddress: addr.AsSlice(),
		})
}

// Ping asks a neighbour for an echo.
func (s *Station) Ping(addr netip.Addr, id, seq uint16, data []byte) error {
	eth, ip, err := s.headers(addr, layers.IPProtocolICMPv4)
	if err != nil {
		return err
	}
	echo := &layers.ICMPv4{TypeCode: layers.CreateICMPv4TypeCode(layers.ICMPv4TypeEchoRequest, 0), Id: id, Seq: seq}
	return s.send(eth, ip, echo, gopacket.Payload(data))
}

// SendTo sends a datagram to a neighbour.
func (s *Station) SendTo(addr netip.AddrPort, from uint16, data []byte) error {
	eth, ip, err := s.headers(addr.Addr(), layers.IPProtocolUDP)
	if err != nil {
		return err
	}
	udp := &layers.UDP{SrcPort: layers.UDPPort(from), DstPort: layers.UDPPort(addr.Port())}
	if err := udp.SetNetworkLayerForChecksum(ip); err != nil {
		return fmt.Errorf("station: %w", err)
	}
	return s.send(eth, ip, udp, gopacket.Payload(data))
}

func (s *Station) headers(to netip.Addr, protocol layers.IPProtocol) (*layers.Ethernet, *layers.IPv4, error) {
	mac := s.neighbour[to]
	if mac == nil {
		return nil, nil, fmt.Errorf("station: nobody has %v", to)
	}
	return &layers.Ethernet{SrcMAC: s.MAC, DstMAC: mac, EthernetType: layers.EthernetTypeIPv4},
		&layers.IPv4{Version: 4, IHL: 5, TTL: 64, Flags: layers.IPv4DontFragment, Protocol: protocol, SrcIP: s.IPv4.AsSlice(), DstIP: to.AsSlice()}, nil
}

func (s *Station) send(stack ...gopacket.SerializableLayer) error {
	b := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, stack...); err != nil {
		return fmt.Errorf("station: %w", err)
	}
	s.out = append(s.out, append([]byte(nil), b.Bytes()...))
	return nil
}
