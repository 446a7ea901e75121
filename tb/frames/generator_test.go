package frames_test

import (
	"bytes"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"pgregory.net/rapid"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden"
)

// The same seed gives the same frames, another seed others.
func TestSeeds(t *testing.T) {
	a, b, c := frames.NewGenerator(7), frames.NewGenerator(7), frames.NewGenerator(8)
	differ := false
	for range 100 {
		x, y, z := a.Next(), b.Next(), c.Next()
		if !bytes.Equal(x.Data, y.Data) || x.Kind != y.Kind {
			t.Fatal("one seed, two sequences")
		}
		differ = differ || !bytes.Equal(x.Data, z.Data)
	}
	if !differ {
		t.Error("two seeds, one sequence")
	}
}

// No seed makes a mutation reach outside its frame.
func TestManyMutations(t *testing.T) {
	g := frames.NewGenerator(6)
	g.MaxPayload, g.MaxFrame = 64, 5000
	for range 200000 {
		if s := g.Mutated(); len(s.Data) == 0 {
			t.Fatalf("%s: empty frame", s.Kind)
		}
	}
}

// Every good frame is accepted, and is what gopacket takes for IP and UDP.
func TestGood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := frames.NewGenerator(rapid.Uint64().Draw(t, "seed"))
		d, payload := g.Packet()
		frame, err := frames.Build(d, payload)
		if err != nil {
			t.Fatal(err)
		}
		if got := golden.Receive(frame, false); got.Reason != format.ReasonOK || got.ICRC != golden.ICRCGood {
			t.Fatalf("%v, ICRC %v: %x", got.Reason, got.ICRC, frame)
		}
		packet := gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.Default)
		udp, ok := packet.Layer(layers.LayerTypeUDP).(*layers.UDP)
		if !ok || udp.DstPort != format.PortRoCEv2 || uint64(udp.SrcPort) != d.SrcPort {
			t.Fatalf("no UDP to port 4791: %v", packet)
		}
		if tagged := packet.Layer(layers.LayerTypeDot1Q) != nil; tagged != (d.VLAN != 0) {
			t.Fatalf("tagged: %v, descriptor: %d", tagged, d.VLAN)
		}
	})
}

// The mix reaches every verdict that a frame alone can get, every kind of
// mutation, and is good in half of the cases.
func TestMix(t *testing.T) {
	g := frames.NewGenerator(3)
	g.MaxFrame = 9000
	const n = 20000
	kinds, reasons := map[string]int{}, map[format.Reason]int{}
	for range n {
		s := g.Next()
		if len(s.Data) == 0 {
			t.Fatalf("%s: empty frame", s.Kind)
		}
		kinds[s.Kind]++
		reasons[golden.Receive(s.Data, false).Reason]++
	}
	for _, kind := range frames.Mutations() {
		if kinds[kind] == 0 {
			t.Errorf("no %q in %d frames", kind, n)
		}
	}
	for _, r := range format.Reasons() {
		byItself := r.Reason != format.ReasonBadFrame && r.Reason != format.ReasonBufferFull
		if byItself && reasons[r.Reason] < 5 {
			t.Errorf("%s: %d of %d frames", r.Name, reasons[r.Reason], n)
		}
	}
	if ok := reasons[format.ReasonOK]; ok < n*45/100 || ok > n*70/100 {
		t.Errorf("%d of %d frames are good", ok, n)
	}
}

// What a mutation says of itself is what the reference finds.
func TestMutationsDoWhatTheySay(t *testing.T) {
	want := map[string]format.Reason{
		"wrong ICRC":                       format.ReasonICRC,
		"ICRC most significant byte first": format.ReasonICRC,
		"transport version not 0":          format.ReasonTVer,
		"queue pair 1":                     format.ReasonQP1,
		"reserved bits set":                format.ReasonOK,
		"fields that routers change":       format.ReasonOK,
		"trailing bytes":                   format.ReasonOK,
		"RoCEv1 ethertype":                 format.ReasonRoCEv1,
		"second tag":                       format.ReasonEtherType,
		"payload above 4096":               format.ReasonLength,
		"ports swapped":                    format.ReasonSwappedPort,
		"destination port changed":         format.ReasonUDPPort,
		"queue pair 0":                     format.ReasonQP0,
	}
	g := frames.NewGenerator(4)
	seen := map[string]int{}
	for range 20000 {
		s := g.Mutated()
		reason, named := want[s.Kind]
		if !named {
			continue
		}
		seen[s.Kind]++
		if got := golden.Receive(s.Data, false).Reason; got != reason {
			t.Fatalf("%s: %v, want %v: %x", s.Kind, got, reason, s.Data)
		}
	}
	for kind := range want {
		if seen[kind] == 0 {
			t.Errorf("no %q", kind)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	g := frames.NewGenerator(1)
	bytes := 0
	for b.Loop() {
		bytes += len(g.Next().Data)
	}
	b.ReportMetric(float64(bytes)/float64(b.N), "bytes/frame")
}
