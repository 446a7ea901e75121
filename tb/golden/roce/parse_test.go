package roce_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"pgregory.net/rapid"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden/roce"
)

func ExampleParse() {
	frame, err := frames.Build(format.TxDescriptor[uint64]{
		SrcLo: 0xC0A80202, DstLo: 0xC0A80201, SrcPort: 0xC001,
		Opcode: uint64(format.OpSendOnly), PKey: format.PKeyDefault, DestQP: 0x12, PSN: 7, PadCnt: 3,
	}, []byte("hello"))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := roce.Parse(frame, false)
	fmt.Printf("%v: QP %#x, PSN %d, %q\n", p.Reason, p.Descriptor.DestQP, p.Descriptor.PSN, p.Payload)
	p = roce.Parse(frame[:60], false)
	fmt.Printf("%v: %v\n", p.Reason, p.Reason.Verdict())
	// Output:
	// ok: QP 0x12, PSN 7, "hello"
	// truncated: dropped
}

// good builds a SEND_ONLY of eight bytes to queue pair 2.
func good(t *testing.T, change func(*format.TxDescriptor[uint64])) []byte {
	t.Helper()
	d := format.TxDescriptor[uint64]{SrcPort: 0xC000, Opcode: uint64(format.OpSendOnly), PKey: format.PKeyDefault, DestQP: 2}
	change(&d)
	frame, err := frames.Build(d, make([]byte, 8))
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

// A fault is one thing that can be wrong with a frame without a tag.
type fault struct {
	reason format.Reason
	name   string
	known  int          // bytes of the frame after which it is known
	edit   map[int]byte // what makes it, by offset into the frame
}

// faults returns the faults of an IPv4 or IPv6 frame in order of precedence.
func faults(v6 bool) []fault {
	udp, ip := 34, []fault{
		{format.ReasonIPVersion, "version 5", 34, map[int]byte{14: 0x55}},
		{format.ReasonIPVersion, "header of 16 bytes", 34, map[int]byte{14: 0x44}},
		{format.ReasonNotUDP, "TCP", 34, map[int]byte{23: 6}},
		{format.ReasonFragment, "more fragments", 34, map[int]byte{20: 0x20}},
		{format.ReasonFragment, "fragment offset", 34, map[int]byte{21: 1}},
	}
	if v6 {
		udp, ip = 54, []fault{
			{format.ReasonIPVersion, "version 4", 54, map[int]byte{14: 0x45}},
			{format.ReasonNotUDP, "TCP", 54, map[int]byte{20: 6}},
			{format.ReasonNotUDP, "fragment header", 54, map[int]byte{20: 44}},
		}
	}
	bth := udp + 8
	return slices.Concat([]fault{
		{format.ReasonRoCEv1, "RoCEv1", 14, map[int]byte{12: 0x89, 13: 0x15}},
		{format.ReasonEtherType, "ARP", 14, map[int]byte{12: 0x08, 13: 0x06}},
	}, ip, []fault{
		{format.ReasonSwappedPort, "from port 4791", bth, map[int]byte{udp: 0x12, udp + 1: 0xB7, udp + 2: 0xC0}},
		{format.ReasonUDPPort, "to port 53", bth, map[int]byte{udp + 2: 0, udp + 3: 53}},
		{format.ReasonLength, "UDP length", bth, map[int]byte{udp + 5: 33}},
		{format.ReasonQP1, "QP 1", bth + 12, map[int]byte{bth + 7: 1}},
		{format.ReasonTVer, "TVer", bth + 12, map[int]byte{bth + 1: 1}},
		{format.ReasonPKey, "P_Key", bth + 12, map[int]byte{bth + 3: 0xFE}},
		{format.ReasonQP0, "QP 0", bth + 12, map[int]byte{bth + 7: 0}},
		{format.ReasonTransport, "UC", bth + 12, map[int]byte{bth: 0x24}},
		{format.ReasonLength, "no room for a RETH", bth + 12, map[int]byte{bth: 0x0A}},
	})
}

func (f fault) put(frame []byte) []byte {
	frame = bytes.Clone(frame)
	for at, b := range f.edit {
		frame[at] = b
	}
	return frame
}

func (f fault) overlaps(g fault) bool {
	for at := range f.edit {
		if _, both := g.edit[at]; both {
			return true
		}
	}
	return false
}

func eachVersion(t *testing.T, f func(t *testing.T, frame []byte, faults []fault)) {
	for i, name := range []string{"IPv4", "IPv6"} {
		t.Run(name, func(t *testing.T) {
			frame := good(t, func(d *format.TxDescriptor[uint64]) { d.IPv6 = uint64(i) })
			if got := roce.Parse(frame, false); got.Reason != format.ReasonOK {
				t.Fatalf("the good frame: %v", got.Reason)
			}
			f(t, frame, faults(i == 1))
		})
	}
}

// Of two faults of one frame, the earlier in the table gives the reason.
func TestParsePrecedence(t *testing.T) {
	eachVersion(t, func(t *testing.T, frame []byte, faults []fault) {
		pairs := 0
		for i, first := range faults {
			for _, second := range faults[i:] {
				if first.name != second.name && first.overlaps(second) {
					continue
				}
				pairs++
				got := roce.Parse(first.put(second.put(frame)), false)
				if got.Reason != first.reason || got.Payload != nil {
					t.Errorf("%s and %s: %v, want %v", first.name, second.name, got.Reason, first.reason)
				}
			}
		}
		if pairs < 60 {
			t.Errorf("only %d pairs", pairs)
		}
	})
}

// A frame cut short has the reason that its whole headers give, or is truncated.
// Marked bad, it has no other reason than that.
func TestParseCutShort(t *testing.T) {
	eachVersion(t, func(t *testing.T, frame []byte, faults []fault) {
		whole := fault{format.ReasonOK, "none", len(frame), nil}
		for _, f := range append(faults, whole) {
			for n := range len(frame) + 1 {
				want := format.ReasonTruncated
				if n >= f.known {
					want = f.reason
				}
				cut := f.put(frame)[:n]
				if got := roce.Parse(cut, false).Reason; got != want {
					t.Errorf("%s, %d bytes: %v, want %v", f.name, n, got, want)
				}
				if got := roce.Parse(cut, true); got.Reason != format.ReasonBadFrame || got.Payload != nil {
					t.Errorf("%s, %d bytes, marked bad: %v", f.name, n, got.Reason)
				}
			}
		}
	})
}

// edited returns the frame with bytes put in at an offset.
func edited(frame []byte, at int, b ...byte) []byte {
	frame = bytes.Clone(frame)
	copy(frame[at:], b)
	return frame
}

func TestParseCases(t *testing.T) {
	frame := good(t, func(*format.TxDescriptor[uint64]) {})
	tagged := good(t, func(d *format.TxDescriptor[uint64]) { d.VLAN, d.TCI = 1, 0x2005 })
	options := func(words int, port uint16) []byte {
		f := slices.Insert(bytes.Clone(frame), 34, make([]byte, 4*words)...)
		f[14] += byte(words)
		binary.BigEndian.PutUint16(f[34+4*words+2:], port)
		return f
	}
	packet := func(op format.Opcode, payload int, change func(*format.TxDescriptor[uint64])) []byte {
		d := format.TxDescriptor[uint64]{Opcode: uint64(op), PKey: format.PKeyDefault, DestQP: 2}
		change(&d)
		b, err := frames.Build(d, make([]byte, payload))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	as := func(*format.TxDescriptor[uint64]) {}
	for _, c := range []struct {
		name  string
		frame []byte
		want  format.Reason
	}{
		{"no byte", nil, format.ReasonTruncated},
		{"tag", tagged, format.ReasonOK},
		{"cut in the tag", tagged[:17], format.ReasonTruncated},
		{"two tags", edited(tagged, 16, 0x81, 0x00), format.ReasonEtherType},
		{"service tag", edited(tagged, 12, 0x88, 0xA8), format.ReasonEtherType},
		{"RoCEv1 behind a tag", edited(tagged, 16, 0x89, 0x15), format.ReasonRoCEv1},
		{"IPv6 ethertype, version 4", edited(frame, 12, 0x86, 0xDD), format.ReasonIPVersion},
		{"one word of options", options(1, 4791), format.ReasonIPOptions},
		{"ten words of options", options(10, 4791), format.ReasonIPOptions},
		{"options, port 53", options(3, 53), format.ReasonUDPPort},
		{"cut in the options", options(10, 4791)[:60], format.ReasonTruncated},
		{"cut in the UDP header after options", options(2, 4791)[:49], format.ReasonTruncated},
		{"options, fragment", edited(options(2, 4791), 21, 9), format.ReasonFragment},
		{"options, TCP", edited(options(2, 4791), 23, 6), format.ReasonNotUDP},
		{"do not fragment", edited(frame, 20, 0x40), format.ReasonOK},
		{"limited member", edited(frame, 44, 0x7F, 0xFF), format.ReasonOK},
		{"P_Key 0", edited(frame, 44, 0, 0), format.ReasonPKey},
		{"reserved bits", edited(frame, 46, 0x3F), format.ReasonOK},
		{"FECN and BECN", edited(frame, 46, 0xC0), format.ReasonOK},
		{"trailing bytes", append(bytes.Clone(frame), 1, 2, 3), format.ReasonOK},
		{"UD to QP 1", edited(edited(frame, 42, 0x64), 47, 0, 0, 1), format.ReasonQP1},
		{"QP 0x100", edited(frame, 47, 0, 1, 0), format.ReasonOK},
		{"IP length 0", edited(frame, 16, 0, 0), format.ReasonLength},
		{"IP length 43", edited(frame, 16, 0, 43), format.ReasonLength},
		{"both lengths one too large", edited(edited(frame, 16, 0, 53), 38, 0, 33), format.ReasonTruncated},
		{"both lengths one too small", edited(edited(frame, 16, 0, 51), 38, 0, 31), format.ReasonOK},
		{"payload of 4096", packet(format.OpSendOnly, 4096, as), format.ReasonOK},
		{"payload of 4097", packet(format.OpSendOnly, 4097, as), format.ReasonLength},
		{"payload of 65000", packet(format.OpSendOnly, 65000, as), format.ReasonLength},
		{"pad without payload", packet(format.OpSendOnly, 0, func(d *format.TxDescriptor[uint64]) { d.PadCnt = 3 }), format.ReasonOK},
		{"pad larger than what is left", edited(packet(format.OpSendOnly, 0, as), 43, 0x30), format.ReasonLength},
		{"undefined opcode", packet(0x1F, 7, as), format.ReasonOK},
		{"ATOMIC_WRITE is undefined", packet(0x1D, 0, as), format.ReasonOK},
		{"opcode 0x20", packet(0x20, 8, as), format.ReasonTransport},
		{"opcode 0x80", packet(0x80, 8, as), format.ReasonTransport},
		{"CNP", packet(format.OpCNP, 16, as), format.ReasonOK},
		{"CNP without reserved bytes", packet(format.OpCNP, 0, as), format.ReasonOK},
		{"READ_REQUEST with payload", packet(format.OpReadRequest, 8, as), format.ReasonOK},
	} {
		if got := roce.Parse(c.frame, false).Reason; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The parser gives back what a random packet was built from.
func TestParseDescriptor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, payload := frames.NewGenerator(rapid.Uint64().Draw(t, "seed")).Packet()
		frame, err := frames.Build(d, payload)
		if err != nil {
			t.Fatal(err)
		}
		frame = append(frame, make([]byte, rapid.IntRange(0, 20).Draw(t, "trailer"))...)
		got := roce.Parse(frame, false)
		_, defined := format.Lookup(format.Opcode(d.Opcode))
		want := format.RxDescriptor[uint64]{
			VLAN: d.VLAN, TCI: d.TCI, IPv6: d.IPv6, TrafficClass: d.TrafficClass,
			SrcHi: d.SrcHi, SrcLo: d.SrcLo, DstHi: d.DstHi, DstLo: d.DstLo, SrcPort: d.SrcPort,
			Opcode: d.Opcode, SE: d.SE, MigReq: d.MigReq, PadCnt: d.PadCnt, FECN: d.FECN, BECN: d.BECN,
			DestQP: d.DestQP, AckReq: d.AckReq, PSN: d.PSN, Ext: d.Ext, PayloadLen: d.PayloadLen,
		}
		if !defined {
			want.Undefined = 1
		}
		if d.Opcode == 0x81 {
			want.CNP = 1
		}
		if got.Reason != format.ReasonOK || got.Descriptor != want || !bytes.Equal(got.Payload, payload) {
			t.Fatalf("%v\ngot  %+v\nwant %+v", got.Reason, got.Descriptor, want)
		}
	})
}

// Captured frames: addresses, ports and TOS are what gopacket finds.
func TestParseAgainstGopacket(t *testing.T) {
	paths, err := filepath.Glob("../../../../shared/rxe/*.pcap")
	if err != nil || len(paths) == 0 {
		t.Skip("no captured frames in ../shared/rxe")
	}
	for _, path := range paths {
		for f, err := range frames.All(path) {
			if err != nil {
				t.Fatal(err)
			}
			p := roce.Parse(f.Data, false)
			if p.Reason == format.ReasonOK {
				compare(t, f, p.Descriptor)
			}
		}
	}
}

func compare(t *testing.T, f frames.Frame, d format.RxDescriptor[uint64]) {
	t.Helper()
	packet := gopacket.NewPacket(f.Data, layers.LayerTypeEthernet, gopacket.Default)
	ip, isIP := packet.Layer(layers.LayerTypeIPv4).(*layers.IPv4)
	udp, isUDP := packet.Layer(layers.LayerTypeUDP).(*layers.UDP)
	if !isIP || !isUDP {
		t.Fatalf("%s frame %d: not IPv4 and UDP to gopacket", f.File, f.Number)
	}
	address := func(x uint64) net.IP { return binary.BigEndian.AppendUint32(nil, uint32(x)) }
	if !ip.SrcIP.Equal(address(d.SrcLo)) || !ip.DstIP.Equal(address(d.DstLo)) || d.SrcHi|d.DstHi != 0 ||
		uint64(ip.TOS) != d.TrafficClass || uint64(udp.SrcPort) != d.SrcPort || d.IPv6 != 0 || d.VLAN != 0 {
		t.Errorf("%s frame %d: %+v, gopacket has %v %v", f.File, f.Number, d, ip, udp)
	}
	opcode := format.Opcode(udp.Payload[0])
	info, _ := format.Lookup(opcode)
	if want := len(udp.Payload) - info.HeaderBytes() - int(d.PadCnt) - 4; uint64(want) != d.PayloadLen {
		t.Errorf("%s frame %d: payload of %d bytes, want %d", f.File, f.Number, d.PayloadLen, want)
	}
}

func BenchmarkParse(b *testing.B) {
	frame := frames.NewGenerator(1).Good().Data
	for b.Loop() {
		roce.Parse(frame, false)
	}
}
