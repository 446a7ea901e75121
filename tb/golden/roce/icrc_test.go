package roce_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden/roce"
)

// An acknowledgement as it leaves the IP layer, without its ICRC.
func ExampleAppendICRC() {
	packet, _ := hex.DecodeString("450000300000400040110000c0a80202c0a80201" + // IPv4
		"c00012b7001c0000" + // UDP
		"1100ffff0000000200000000" + "00000001") // BTH, AETH
	packet, err := roce.AppendICRC(packet)
	good, _ := roce.CheckICRC(packet)
	fmt.Printf("%x %v %v\n", packet[len(packet)-4:], good, err)
	// Output: 33b0e323 true <nil>
}

// Frames of other implementations: every ICRC but those of NEG_* is right.
func TestICRCOnVectors(t *testing.T) {
	paths, err := filepath.Glob("../../../../shared/vectors/*.hex")
	if err != nil || len(paths) == 0 {
		t.Skip("no captured frames in ../shared/vectors")
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.Contains(name, "rocev1") {
			continue // no IP header
		}
		all, err := frames.Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		at := 14
		if strings.Contains(name, "vlan") {
			at = 18
		}
		good, err := roce.CheckICRC(all[0].Data[at:])
		if want := !strings.HasPrefix(name, "NEG_"); good != want || err != nil {
			t.Errorf("%s: good %v, want %v, %v", name, good, want, err)
		}
	}
}

// ICRC and the test bench's own computation agree on any packet.
func TestICRCAgainstFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frame := frames.NewGenerator(rapid.Uint64().Draw(t, "seed")).Good().Data
		at := 14
		if frame[12] == 0x81 {
			at = 18
		}
		end := len(frame) - format.ICRCSize
		got, err := roce.AppendICRC(bytes.Clone(frame[at:end]))
		if err != nil || !bytes.Equal(got, frame[at:]) {
			t.Fatalf("%x, %v; frame %x", got[len(got)-4:], err, frame)
		}
	})
}

// Each bit of a packet is covered, or it is one that protocol section 1.7 masks.
func TestICRCMask(t *testing.T) {
	for _, c := range []struct {
		name   string
		d      format.TxDescriptor[uint64]
		masked map[int]byte // byte of the packet: bits that may change
	}{
		{"IPv4", format.TxDescriptor[uint64]{}, map[int]byte{
			1: 0xFF, 8: 0xFF, 10: 0xFF, 11: 0xFF, // TOS, TTL, checksum
			26: 0xFF, 27: 0xFF, // UDP checksum
			32: 0xFF, // FECN, BECN, reserved
		}},
		{"IPv6", format.TxDescriptor[uint64]{IPv6: 1}, map[int]byte{
			0: 0x0F, 1: 0xFF, 2: 0xFF, 3: 0xFF, 7: 0xFF, // traffic class, flow label, hop limit
			46: 0xFF, 47: 0xFF,
			52: 0xFF,
		}},
	} {
		d := c.d
		d.Opcode, d.PadCnt = uint64(format.OpSendOnly), 3
		frame, err := frames.Build(d, []byte{1, 2, 3, 4, 5})
		if err != nil {
			t.Fatal(err)
		}
		packet := frame[14:]
		for bit := range 8 * len(packet) {
			i, mask := bit/8, byte(1)<<(bit%8)
			changed := bytes.Clone(packet)
			changed[i] ^= mask
			if i == 0 && mask&0xF0 != 0 {
				continue // another version is another format
			}
			good, err := roce.CheckICRC(changed)
			if want := c.masked[i]&mask != 0; good != want || err != nil {
				t.Errorf("%s: bit %#x of byte %d: good %v, want %v, %v", c.name, mask, i, good, want, err)
			}
		}
	}
}

func TestICRCErrors(t *testing.T) {
	short := append([]byte{0x45}, make([]byte, 38)...)
	if _, err := roce.ICRC(short); !errors.Is(err, format.ErrShort) {
		t.Errorf("39 bytes: %v", err)
	}
	if _, err := roce.ICRC(append(short, 0)); err != nil {
		t.Errorf("40 bytes: %v", err)
	}
	for _, packet := range [][]byte{nil, {0x50}, append([]byte{0x60}, make([]byte, 58)...)} {
		if _, err := roce.ICRC(packet); err == nil {
			t.Errorf("%x: no error", packet)
		}
		if good, err := roce.CheckICRC(packet); good || err == nil {
			t.Errorf("%x: good %v, no error", packet, good)
		}
	}
}

func BenchmarkICRC(b *testing.B) {
	packet := append([]byte{0x45}, make([]byte, 4173)...)
	b.SetBytes(int64(len(packet)))
	for b.Loop() {
		if _, err := roce.ICRC(packet); err != nil {
			b.Fatal(err)
		}
	}
}
