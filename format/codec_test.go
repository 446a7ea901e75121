package format_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gornic/format"
)

func Example() {
	bytes, _ := hex.DecodeString("0a40ffff400000d28000fedf")
	bth, err := format.Decode[format.BTH[uint64]](bytes)
	if err != nil {
		fmt.Println(err)
		return
	}
	info, _ := format.Lookup(format.Opcode(bth.Opcode))
	fmt.Printf("%s to QP %d, PSN %#x, %d header bytes\n", info.Name, bth.DestQP, bth.PSN, info.HeaderBytes())
	// Output: WRITE_ONLY to QP 210, PSN 0xfedf, 28 header bytes
}

func ExampleLayout() {
	fields, _ := format.Layout[format.RETH[uint64]]()
	for _, f := range fields {
		fmt.Println(f.Name, f.Bits, f.Offset)
	}
	// Output:
	// VA 64 0
	// RKey 32 64
	// DMALen 32 96
}

func TestSizes(t *testing.T) {
	sizes := []struct {
		name      string
		got, want int
	}{
		{"Ethernet", format.Size[format.Ethernet[uint64]](), 14},
		{"VLAN", format.Size[format.VLAN[uint64]](), 4},
		{"IPv4", format.Size[format.IPv4[uint64]](), 20},
		{"IPv6", format.Size[format.IPv6[uint64]](), 40},
		{"UDP", format.Size[format.UDP[uint64]](), 8},
		{"BTH", format.Size[format.BTH[uint64]](), 12},
		{"RETH", format.Size[format.RETH[uint64]](), format.ExtRETH.Size()},
		{"AtomicETH", format.Size[format.AtomicETH[uint64]](), format.ExtAtomicETH.Size()},
		{"AETH", format.Size[format.AETH[uint64]](), format.ExtAETH.Size()},
		{"AtomicAckETH", format.Size[format.AtomicAckETH[uint64]](), format.ExtAtomicAckETH.Size()},
		{"ImmDt", format.Size[format.ImmDt[uint64]](), format.ExtImmDt.Size()},
		{"IETH", format.Size[format.IETH[uint64]](), format.ExtIETH.Size()},
		{"DETH", format.Size[format.DETH[uint64]](), format.ExtDETH.Size()},
	}
	for _, s := range sizes {
		if s.got != s.want {
			t.Errorf("%s is %d bytes, want %d", s.name, s.got, s.want)
		}
	}
}

// The field values of a BTH with every field different, taken apart by hand.
func TestDecodeBTH(t *testing.T) {
	got, err := format.Decode[format.BTH[uint64]]([]byte{
		0x17, 0b1_0_11_0101, 0x80, 0x01, 0b1_0_101010, 0x12, 0x34, 0x56, 0b1_0110011, 0xAB, 0xCD, 0xEF, 0xFF,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := format.BTH[uint64]{
		Opcode: 0x17, SE: 1, MigReq: 0, PadCnt: 3, TVer: 5, PKey: 0x8001, FECN: 1, BECN: 0, Resv6: 0x2A,
		DestQP: 0x123456, AckReq: 1, Resv7: 0x33, PSN: 0xABCDEF,
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestRoundTrip(t *testing.T) {
	roundTrip[format.Ethernet[uint64]](t)
	roundTrip[format.VLAN[uint64]](t)
	roundTrip[format.IPv4[uint64]](t)
	roundTrip[format.IPv6[uint64]](t)
	roundTrip[format.UDP[uint64]](t)
	roundTrip[format.BTH[uint64]](t)
	roundTrip[format.RETH[uint64]](t)
	roundTrip[format.AtomicETH[uint64]](t)
	roundTrip[format.AETH[uint64]](t)
	roundTrip[format.AtomicAckETH[uint64]](t)
	roundTrip[format.ImmDt[uint64]](t)
	roundTrip[format.IETH[uint64]](t)
	roundTrip[format.DETH[uint64]](t)
}

// roundTrip checks that any bytes are decoded and encoded to themselves: no bit
// is lost or moved.
func roundTrip[T any](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		in := make([]byte, format.Size[T]())
		for i := range in {
			in[i] = byte(r.Uint32())
		}
		h, err := format.Decode[T](in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := format.Append([]byte{0xFF}, h)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out[1:], in) || out[0] != 0xFF {
			t.Fatalf("%T: %x became %x", h, in, out[1:])
		}
	}
}

func TestErrors(t *testing.T) {
	if _, err := format.Decode[format.BTH[uint64]](make([]byte, 11)); !errors.Is(err, format.ErrShort) {
		t.Errorf("11 bytes of a BTH: %v", err)
	}
	b, err := format.Append([]byte{1}, format.AETH[uint64]{MSN: 1 << 24})
	if err == nil || !strings.Contains(err.Error(), "MSN") || !bytes.Equal(b, []byte{1}) {
		t.Errorf("25-bit MSN: %x, %v", b, err)
	}
	if _, err := format.Decode[format.BTH[int]](make([]byte, 12)); err == nil {
		t.Error("BTH over int was decoded")
	}
	if _, err := format.Decode[struct {
		X uint64 `w:"7"`
	}](make([]byte, 8)); err == nil {
		t.Error("a format of 7 bits was decoded")
	}
	for name, err := range map[string]error{
		"no struct": layoutError[uint64](),
		"no tag":    layoutError[struct{ X uint64 }](),
		"bad width": layoutError[struct {
			X uint64 `w:"65"`
		}](),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func layoutError[T any]() error {
	_, err := format.Layout[T]()
	return err
}

// A layout is that of the struct, whatever its values are.
func TestLayoutOfAnyValue(t *testing.T) {
	type signal struct{ name string }
	a, err := format.Layout[format.RxDescriptor[signal]]()
	if err != nil {
		t.Fatal(err)
	}
	b, err := format.Layout[format.RxDescriptor[uint64]]()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("layouts differ: %v, %v", a, b)
	}
	if last := a[len(a)-1]; last.Name != "PayloadLen" || last.Bits != format.PayloadLenBits {
		t.Errorf("last field: %+v", last)
	}
	if last := a[len(a)-2]; last.Name != "Ext[6]" {
		t.Errorf("last nested field: %+v", last)
	}
}

func BenchmarkDecodeBTH(b *testing.B) {
	in := make([]byte, 12)
	for b.Loop() {
		if _, err := format.Decode[format.BTH[uint64]](in); err != nil {
			b.Fatal(err)
		}
	}
}
