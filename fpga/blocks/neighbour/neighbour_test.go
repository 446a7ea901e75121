package neighbour_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/stretchr/testify/require"

	"gornic/fpga/blocks/neighbour"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

var (
	boardMAC  = net.HardwareAddr{0x02, 0x11, 0x22, 0x33, 0x44, 0x55}
	boardIP   = net.IP{192, 168, 1, 50}
	peerMAC   = net.HardwareAddr{0x0A, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5}
	peerIP    = net.IP{192, 168, 1, 7}
	broadcast = net.HardwareAddr{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}
	reference = neighbour.Reference{MAC: [6]byte(boardMAC), IP: [4]byte(boardIP), Tagged: true}
)

// serialize is the frame of some layers, with right lengths and checksums.
func serialize(t *testing.T, list ...gopacket.SerializableLayer) []byte {
	buf := gopacket.NewSerializeBuffer()
	o := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	require.NoError(t, gopacket.SerializeLayers(buf, o, list...))
	return padded(buf.Bytes())
}

func padded(frame []byte) []byte {
	frame = slices.Clone(frame)
	for len(frame) < 60 {
		frame = append(frame, 0)
	}
	return frame
}

// head is the Ethernet header and, where vlan is not zero, a tag.
func head(to net.HardwareAddr, next layers.EthernetType, vlan uint16) []gopacket.SerializableLayer {
	if vlan == 0 {
		return []gopacket.SerializableLayer{&layers.Ethernet{SrcMAC: peerMAC, DstMAC: to, EthernetType: next}}
	}
	return []gopacket.SerializableLayer{
		&layers.Ethernet{SrcMAC: peerMAC, DstMAC: to, EthernetType: layers.EthernetTypeDot1Q},
		&layers.Dot1Q{VLANIdentifier: vlan, Priority: 5, Type: next},
	}
}

func arpRequest(t *testing.T, target net.IP, vlan uint16) []byte {
	return serialize(t, append(head(broadcast, layers.EthernetTypeARP, vlan), &layers.ARP{
		AddrType: layers.LinkTypeEthernet, Protocol: layers.EthernetTypeIPv4, HwAddressSize: 6, ProtAddressSize: 4,
		Operation: layers.ARPRequest, SourceHwAddress: peerMAC, SourceProtAddress: peerIP,
		DstHwAddress: make([]byte, 6), DstProtAddress: target,
	})...)
}

func pingRequest(t *testing.T, payload []byte, vlan uint16) []byte {
	return serialize(t, append(head(boardMAC, layers.EthernetTypeIPv4, vlan),
		&layers.IPv4{Version: 4, IHL: 5, TTL: 17, TOS: 0x12, Id: 0x1234, Flags: layers.IPv4DontFragment, Protocol: layers.IPProtocolICMPv4, SrcIP: peerIP, DstIP: boardIP},
		&layers.ICMPv4{TypeCode: layers.CreateICMPv4TypeCode(8, 0), Id: 0xBEEF, Seq: 3}, gopacket.Payload(payload))...)
}

func udp(t *testing.T, payload []byte, vlan uint16) []byte {
	ip := &layers.IPv4{Version: 4, IHL: 5, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: peerIP, DstIP: boardIP}
	u := &layers.UDP{SrcPort: 1000, DstPort: 4791}
	require.NoError(t, u.SetNetworkLayerForChecksum(ip))
	return serialize(t, append(head(boardMAC, layers.EthernetTypeIPv4, vlan), ip, u, gopacket.Payload(payload))...)
}

func random(r *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// bench sends frames and takes both streams.
type bench struct {
	s            *sim.Sim
	in           *sim.Source
	rest, answer *hdltest.Frames
	restSink     *sim.Sink
	answerSink   *sim.Sink
	arps, pings  *sim.Sink
	drops        *sim.Sink
}

func newBench(t *testing.T, s *sim.Sim, io *neighbour.IO, in, rest, answer sim.Pattern) *bench {
	b := &bench{s: s, in: sim.NewSource(s, io.In, in)}
	b.restSink, b.answerSink = sim.NewSink(s, io.Rest, rest), sim.NewSink(s, io.Answer, answer)
	b.rest, b.answer = hdltest.NewFrames(b.restSink), hdltest.NewFrames(b.answerSink)
	pulse := func(x hdl.Bits) *sim.Sink {
		ports := sim.StreamPorts{Clock: s.Design().Top.Clocks[0], Valid: x.Signal()}
		return sim.NewSinkOf(s, ports, sim.Pattern{}, sim.SinkOptions{})
	}
	b.arps, b.pings, b.drops = pulse(io.AnsweredARP), pulse(io.AnsweredPing), pulse(io.Dropped)
	s.Set(io.Enable, 1)
	s.Set(io.MAC, uint64(binary.BigEndian.Uint32(boardMAC))<<16|uint64(boardMAC[4])<<8|uint64(boardMAC[5]))
	s.Set(io.IP, uint64(binary.BigEndian.Uint32(boardIP)))
	s.Reset(2)
	return b
}

// settle runs until what was sent has been dealt with.
func (b *bench) settle() {
	b.s.Await(20000, b.in.Drained())
	b.s.Run(1200)
}

// mixed is a frame that may be a request, right or nearly so.
func mixed(t *testing.T, r *rand.Rand) []byte {
	vlan := uint16(r.IntN(2) * 77)
	var frame []byte
	switch r.IntN(4) {
	case 0:
		frame = arpRequest(t, boardIP, vlan)
	case 1:
		frame = pingRequest(t, random(r, r.IntN(120)), vlan)
	case 2:
		frame = udp(t, random(r, r.IntN(200)), vlan)
	default:
		frame = random(r, 1+r.IntN(90)) // also shorter than any on a wire
	}
	switch r.IntN(3) {
	case 0: // a bit of the headers
		frame[r.IntN(min(len(frame), 46))] ^= 1 << r.IntN(8)
	case 1:
		if r.IntN(2) == 0 {
			frame = frame[:1+r.IntN(len(frame))]
		}
	}
	return frame
}

// Frames of all kinds, one after the other has been answered: the answers and the rest are those of the reference.
func TestAgainstReference(t *testing.T) {
	for _, tagged := range []bool{false, true} {
		t.Run(fmt.Sprint(tagged), func(t *testing.T) { againstReference(t, tagged) })
	}
}

func againstReference(t *testing.T, tagged bool) {
	reference := reference
	reference.Tagged = tagged
	design, io := hdltest.Build(t, neighbour.Def(neighbour.Params{Tagged: tagged}))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
		b := newBench(t, s, io, hdltest.Gaps(t, 20), hdltest.Gaps(t, 30), hdltest.Gaps(t, 30))
		answered, dropped, passed := 0, 0, 0
		for i := range 1500 {
			frame := mixed(t, r)
			hdltest.SendFrame(b.in, frame)
			s.Await(20000, b.in.Drained())
			s.Run(100)
			want, request := reference.Answer(frame)
			rest, answers := b.rest.Take(), b.answer.Take()
			switch {
			case !request:
				passed++
				require.Len(t, rest, 1, "frame %d: % x", i, frame)
				require.Equal(t, frame, rest[0].Data)
				require.Empty(t, answers)
			case want == nil:
				dropped++
				require.Empty(t, rest, "frame %d: % x", i, frame)
				require.Empty(t, answers, "frame %d: % x", i, frame)
			default:
				answered++
				require.Empty(t, rest, "frame %d: % x", i, frame)
				require.Len(t, answers, 1, "frame %d: % x", i, frame)
				require.Equal(t, want, answers[0].Data, "frame %d", i)
				require.False(t, answers[0].Err)
			}
		}
		require.Greater(t, answered, 30)
		require.Greater(t, dropped, 5)
		require.Greater(t, passed, 40)
		require.Equal(t, uint64(answered), b.arps.Count()+b.pings.Count())
		require.Equal(t, uint64(dropped), b.drops.Count())
	}, verilator.Simulator)
}

// What an independent decoder makes of the answers.
func TestARPAnswer(t *testing.T) {
	for _, vlan := range []uint16{0, 77} {
		answer, request := reference.Answer(arpRequest(t, boardIP, vlan))
		require.True(t, request)
		p := gopacket.NewPacket(answer, layers.LayerTypeEthernet, gopacket.Default)
		require.Nil(t, p.ErrorLayer())
		eth, arp := p.Layer(layers.LayerTypeEthernet).(*layers.Ethernet), p.Layer(layers.LayerTypeARP).(*layers.ARP)
		require.Equal(t, []any{peerMAC, boardMAC}, []any{eth.DstMAC, eth.SrcMAC})
		require.Equal(t, uint16(layers.ARPReply), arp.Operation)
		require.Equal(t, []byte(boardMAC), arp.SourceHwAddress)
		require.Equal(t, []byte(boardIP), arp.SourceProtAddress)
		require.Equal(t, []byte(peerMAC), arp.DstHwAddress)
		require.Equal(t, []byte(peerIP), arp.DstProtAddress)
		requireTag(t, p, vlan)
	}
}

func requireTag(t *testing.T, p gopacket.Packet, vlan uint16) {
	tag, ok := p.Layer(layers.LayerTypeDot1Q).(*layers.Dot1Q)
	require.Equal(t, vlan != 0, ok)
	if ok {
		require.Equal(t, []any{vlan, uint8(5)}, []any{tag.VLANIdentifier, tag.Priority})
	}
}

// Pings of every payload that fits a frame: the answer is what gopacket would send, checksums included.
func TestPingAnswers(t *testing.T) {
	design, io := hdltest.Build(t, neighbour.Def(neighbour.Params{Tagged: true}))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{}, sim.Pattern{})
	r := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{0, 1, 2, 17, 18, 19, 20, 56, 63, 64, 100, 1000, 1471, 1472} { // 1472 is 1514 bytes
		for _, vlan := range []uint16{0, 77} {
			payload := random(r, n)
			hdltest.SendFrame(b.in, pingRequest(t, payload, vlan))
			b.settle()
			got := b.answer.Take()
			require.Len(t, got, 1, "%d bytes", n)
			p := gopacket.NewPacket(got[0].Data, layers.LayerTypeEthernet, gopacket.Default)
			require.Nil(t, p.ErrorLayer())
			eth, ip := p.Layer(layers.LayerTypeEthernet).(*layers.Ethernet), p.Layer(layers.LayerTypeIPv4).(*layers.IPv4)
			icmp := p.Layer(layers.LayerTypeICMPv4).(*layers.ICMPv4)
			require.Equal(t, []any{peerMAC, boardMAC}, []any{eth.DstMAC, eth.SrcMAC})
			require.True(t, ip.SrcIP.Equal(boardIP) && ip.DstIP.Equal(peerIP))
			require.Equal(t, []any{uint8(64), uint8(0x12), uint16(0x1234)}, []any{ip.TTL, ip.TOS, ip.Id})
			require.Equal(t, layers.CreateICMPv4TypeCode(0, 0), icmp.TypeCode)
			require.Equal(t, []any{uint16(0xBEEF), uint16(3)}, []any{icmp.Id, icmp.Seq})
			require.Equal(t, payload, icmp.Payload[:n])
			requireTag(t, p, vlan)

			again := serialize(t, append(headOf(eth, p), ip, icmp, gopacket.Payload(payload))...)
			require.Equal(t, again[:len(again)], got[0].Data[:len(again)], "checksums")
		}
	}
}

func headOf(eth *layers.Ethernet, p gopacket.Packet) []gopacket.SerializableLayer {
	list := []gopacket.SerializableLayer{eth}
	if tag, ok := p.Layer(layers.LayerTypeDot1Q).(*layers.Dot1Q); ok {
		list = append(list, tag)
	}
	return list
}

// Requests that are nearly right pass or are dropped, and what comes next is answered.
func TestRefused(t *testing.T) {
	design, io := hdltest.Build(t, neighbour.Def(neighbour.Params{Tagged: true}))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{}, sim.Pattern{})
	ping := func(change func(f []byte)) []byte {
		f := pingRequest(t, make([]byte, 40), 0)
		change(f)
		return f
	}
	fixed := func(change func(f []byte)) []byte { // the header's checksum is right again
		f := ping(change)
		binary.BigEndian.PutUint16(f[24:], 0)
		sum := uint32(0)
		for i := 14; i < 34; i += 2 {
			sum += uint32(binary.BigEndian.Uint16(f[i:]))
		}
		sum = sum&0xFFFF + sum>>16
		binary.BigEndian.PutUint16(f[24:], ^uint16(sum+sum>>16))
		return f
	}
	for name, c := range map[string]struct {
		frame []byte
		drop  bool
	}{
		"other IP (ARP)":     {arpRequest(t, net.IP{192, 168, 1, 51}, 0), false},
		"other IP":           {fixed(func(f []byte) { f[33]++ }), false},
		"other MAC":          {ping(func(f []byte) { f[0] ^= 4 }), false},
		"echo reply":         {ping(func(f []byte) { f[34] = 0 }), false},
		"options":            {fixed(func(f []byte) { f[14] = 0x46 }), false},
		"first fragment":     {fixed(func(f []byte) { f[20] |= 0x20 }), false},
		"last fragment":      {fixed(func(f []byte) { f[21] = 9 }), false},
		"from a group":       {ping(func(f []byte) { f[6] |= 1 }), false},
		"header checksum":    {ping(func(f []byte) { f[25]++ }), true},
		"longer than it is":  {fixed(func(f []byte) { f[17]++ }), true},
		"no ICMP header":     {fixed(func(f []byte) { f[17] = 27 }), true},
		"longer than 64 KiB": {fixed(func(f []byte) { f[16] = 0xFF }), true},
		"too long a frame":   {pingRequest(t, make([]byte, 1600), 0), true},
		"a jumbo frame":      {pingRequest(t, make([]byte, 8900), 77), true},
	} {
		t.Run(name, func(t *testing.T) {
			drops := b.drops.Count()
			hdltest.SendFrame(b.in, c.frame)
			b.settle()
			require.Empty(t, b.answer.Take())
			require.Equal(t, c.drop, len(b.rest.Take()) == 0)
			require.Equal(t, c.drop, b.drops.Count() == drops+1)
			hdltest.SendFrame(b.in, arpRequest(t, boardIP, 0))
			b.settle()
			require.Len(t, b.answer.Take(), 1)
		})
	}
}

// A frame with Err: a request is dropped, another frame passes with its Err.
func TestBadFrames(t *testing.T) {
	design, io := hdltest.Build(t, neighbour.Def(neighbour.Params{Tagged: true}))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{}, sim.Pattern{})
	hdltest.SendBadFrame(b.in, pingRequest(t, make([]byte, 100), 0))
	hdltest.SendBadFrame(b.in, udp(t, make([]byte, 100), 0))
	b.settle()
	require.Empty(t, b.answer.Take())
	rest := b.rest.Take()
	require.Len(t, rest, 1)
	require.True(t, rest[0].Err)
	require.Equal(t, uint64(1), b.drops.Count())
}

// A flood: requests are answered or dropped and counted, the rest passes in order, and In never waits while Rest is ready.
func TestFlood(t *testing.T) {
	design, io := hdltest.Build(t, neighbour.Def(neighbour.Params{Tagged: true}))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 4))
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{}, hdltest.Gaps(t, 50))
		var rest [][]byte
		requests, beats := uint64(0), 0
		for range 400 {
			frame := mixed(t, r)
			hdltest.SendFrame(b.in, frame)
			beats += (len(frame) + 7) / 8
			if _, request := reference.Answer(frame); request {
				requests++
			} else {
				rest = append(rest, frame)
			}
		}
		cycles := s.RunUntil(beats+1000, b.in.Drained())
		require.LessOrEqual(t, cycles, beats+2, "In waited")
		b.settle()
		got := b.rest.Take()
		require.Equal(t, len(rest), len(got))
		for i, f := range got {
			require.Equal(t, rest[i], f.Data)
		}
		answers := b.answer.Take()
		require.Equal(t, b.arps.Count()+b.pings.Count(), uint64(len(answers)))
		require.Greater(t, len(answers), 20)
		require.LessOrEqual(t, uint64(len(answers))+b.drops.Count(), requests)
		require.GreaterOrEqual(t, uint64(len(answers))+b.drops.Count()+3, requests) // two drops at once are one
	}, verilator.Simulator)
}

// An answer that nobody takes stops neither the requests nor the rest; nor does the rest stop an answer.
func TestStall(t *testing.T) {
	design, io := hdltest.Build(t, neighbour.Def(neighbour.Params{Tagged: true}))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{}, sim.Pattern{Kind: sim.Never})
	for range 20 {
		hdltest.SendFrame(b.in, pingRequest(t, make([]byte, 200), 0))
		hdltest.SendFrame(b.in, udp(t, make([]byte, 50), 0))
	}
	b.settle()
	require.Len(t, b.rest.Take(), 20)
	require.Equal(t, uint64(19), b.drops.Count())
	b.answerSink.SetPattern(sim.Pattern{})
	b.settle()
	require.Len(t, b.answer.Take(), 1)

	b.restSink.SetPattern(sim.Pattern{Kind: sim.Never})
	hdltest.SendFrame(b.in, arpRequest(t, boardIP, 0))
	hdltest.SendFrame(b.in, udp(t, make([]byte, 50), 0))
	s.Run(300)
	require.Len(t, b.answer.Take(), 1)
}

// An answer that has begun has a word in every cycle.
func TestAnswerDoesNotPause(t *testing.T) {
	design, io := hdltest.Build(t, neighbour.Def(neighbour.Params{Tagged: true}))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	b := newBench(t, s, io, hdltest.Gaps(t, 60), sim.Pattern{}, sim.Pattern{})
	hdltest.SendFrame(b.in, pingRequest(t, make([]byte, 1000), 0))
	b.settle()
	got := b.answer.Take()
	require.Len(t, got, 1)
	require.Equal(t, uint64((len(got[0].Data)+7)/8-1), got[0].Last-got[0].First)
}

func TestDisabled(t *testing.T) {
	design, io := hdltest.Build(t, neighbour.Def(neighbour.Params{Tagged: true}))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{}, sim.Pattern{})
	s.Set(io.Enable, 0)
	frame := arpRequest(t, boardIP, 0)
	hdltest.SendFrame(b.in, frame)
	b.settle()
	rest := b.rest.Take()
	require.Len(t, rest, 1)
	require.Equal(t, frame, rest[0].Data)
}
