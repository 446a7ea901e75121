package roce_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden"
	"gornic/tb/golden/roce"
)

func ExampleBuild() {
	frame, err := roce.Build(format.TxDescriptor[uint64]{
		DstMAC: 0x020000000001, SrcMAC: 0x020000000002,
		HopLimit: 64, DF: 1, SrcLo: 0xC0A80202, DstLo: 0xC0A80201,
		SrcPort: uint64(format.SourcePort(0x11, 0x12)),
		Opcode:  uint64(format.OpSendOnly), PKey: format.PKeyDefault, DestQP: 0x12, PSN: 7, AckReq: 1,
		PadCnt: 3, PayloadLen: 5,
	}, []byte("hello"))
	fmt.Printf("%x %v\n", frame[42:], err)
	// Output: 0430ffff000000128000000768656c6c6f000000ff8343e6 <nil>
}

// What Parse hands on of a frame is enough to build it again, byte for
// byte, together with what the descriptor does not carry.
func TestRebuildCaptures(t *testing.T) {
	paths, err := filepath.Glob("../../../../shared/rxe/*.pcap")
	if err != nil || len(paths) == 0 {
		t.Skip("no captured frames in ../shared/rxe")
	}
	vectors, err := filepath.Glob("../../../../shared/vectors/*.hex")
	if err != nil {
		t.Fatal(err)
	}
	rebuilt := 0
	for _, path := range append(paths, vectors...) {
		all, err := frames.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			if golden.Receive(f.Data, false).Reason == format.ReasonOK {
				rebuild(t, fmt.Sprintf("%s frame %d", f.File, f.Number), f.Data)
				rebuilt++
			}
		}
	}
	if rebuilt < 800 {
		t.Errorf("only %d frames were accepted", rebuilt)
	}
}

type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

func rebuild(t failer, name string, frame []byte) {
	t.Helper()
	rx := golden.Receive(frame, false)
	d, err := roce.Rebuild(rx.Descriptor, frame)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	got, err := roce.Build(d, rx.Payload)
	if err != nil || !bytes.Equal(got, frame) {
		t.Errorf("%s: %v\ngot  %x\nwant %x", name, err, got, frame)
	}
}

// The same for random packets; and Build makes what the test bench's
// own builder does.
func TestRebuildRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, payload := frames.NewGenerator(rapid.Uint64().Draw(t, "seed")).Packet()
		want, err := frames.Build(d, payload)
		if err != nil {
			t.Fatal(err)
		}
		got, err := roce.Build(d, payload)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v\ngot  %x\nwant %x", err, got, want)
		}
		rebuild(t, "random packet", want)
	})
}

func TestBuildErrors(t *testing.T) {
	for want, change := range map[string]func(*format.TxDescriptor[uint64]){
		"descriptor says 5": func(d *format.TxDescriptor[uint64]) { d.PayloadLen = 5 },
		"pad of 4":          func(d *format.TxDescriptor[uint64]) { d.PadCnt = 4 },
		"pad of 1":          func(d *format.TxDescriptor[uint64]) { d.PadCnt = 1 },
		"DestQP":            func(d *format.TxDescriptor[uint64]) { d.DestQP = 1 << 24 },
		"Dst is":            func(d *format.TxDescriptor[uint64]) { d.DstMAC = 1 << 48 },
		"TCI":               func(d *format.TxDescriptor[uint64]) { d.VLAN, d.TCI = 1, 1<<16 },
		"TTL":               func(d *format.TxDescriptor[uint64]) { d.HopLimit = 256 },
		"FlowLabel":         func(d *format.TxDescriptor[uint64]) { d.IPv6, d.FlowLabel = 1, 1<<20 },
	} {
		d := format.TxDescriptor[uint64]{Opcode: uint64(format.OpSendOnly), PayloadLen: 4}
		change(&d)
		if b, err := roce.Build(d, make([]byte, 4)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%x, %v; want %q", b, err, want)
		}
	}
	if _, err := roce.Rebuild(format.RxDescriptor[uint64]{}, make([]byte, 13)); err == nil {
		t.Error("a frame of 13 bytes was taken apart")
	}
}
