package frames_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"gornic/tb/frames"
)

func ExampleParseHex() {
	data, err := frames.ParseHex(strings.NewReader("# a comment\n02 00 00 0a\nFf # another\n"))
	fmt.Printf("%x %v\n", data, err)
	_, err = frames.ParseHex(strings.NewReader("02 00\n0x"))
	fmt.Println(err)
	// Output:
	// 0200000aff <nil>
	// 2: want hexadecimal digits, have 'x'
}

func TestParseHexErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "1: no bytes in the file, want one frame",
		"# only\n# comment": "2: no bytes in the file, want one frame",
		"01 02\n3":          "2: half a byte at the end",
		"01\n\n g":          "3: want hexadecimal digits, have 'g'",
		strings.Repeat("00", frames.MaxLength) + "\n00": "2: more than 262144 bytes",
	} {
		if _, err := frames.ParseHex(strings.NewReader(in)); err == nil || err.Error() != want {
			t.Errorf("%.20q: %v, want %s", in, err, want)
		}
	}
}

// samples are frames of every kind, an empty one among them.
func samples() [][]byte {
	g := frames.NewGenerator(1)
	data := [][]byte{{}, make([]byte, 65536)}
	for range 20 {
		data = append(data, g.Next().Data)
	}
	return data
}

func TestPcap(t *testing.T) {
	var file bytes.Buffer
	if err := frames.WritePcap(&file, samples()); err != nil {
		t.Fatal(err)
	}
	check(t, write(t, "a.pcap", file.Bytes()), samples())

	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(file.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, write(t, "a.pcap.gz", packed.Bytes()), samples())
}

func TestPcapng(t *testing.T) {
	check(t, write(t, "a.anything", pcapng(t, samples())), samples())
}

func check(t *testing.T, path string, want [][]byte) {
	t.Helper()
	got, err := frames.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d frames, want %d", len(got), len(want))
	}
	for i, f := range got {
		if !bytes.Equal(f.Data, want[i]) || f.Number != i+1 || f.File != path || f.Length != len(want[i]) {
			t.Errorf("frame %d: number %d of %s, %d bytes of %d", i+1, f.Number, f.File, len(f.Data), f.Length)
		}
	}
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func pcapng(t *testing.T, data [][]byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := pcapgo.NewNgWriter(&file, layers.LinkTypeEthernet)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range data {
		info := gopacket.CaptureInfo{CaptureLength: len(b), Length: len(b)}
		if err := w.WritePacket(info, b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// A file that ends anywhere but between two frames is an error that names the
// frame, after every whole frame before it.
func TestFileCutShort(t *testing.T) {
	data := [][]byte{make([]byte, 20), make([]byte, 33)}
	var pcap bytes.Buffer
	if err := frames.WritePcap(&pcap, data); err != nil {
		t.Fatal(err)
	}
	ends := map[int]int{24: 0, 24 + 16 + 20: 1, pcap.Len(): 2} // length of the file: frames
	for n := range pcap.Len() + 1 {
		got, err := frames.Load(write(t, "cut.pcap", pcap.Bytes()[:n]))
		whole, clean := ends[n]
		switch {
		case clean && (err != nil || len(got) != whole):
			t.Errorf("%d bytes: %d frames, %v", n, len(got), err)
		case !clean && err == nil:
			t.Errorf("%d bytes: no error", n)
		case !clean && n > 24 && !strings.Contains(err.Error(), fmt.Sprintf("cut.pcap: frame %d:", len(got)+1)):
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	ng := pcapng(t, data)
	for n := range len(ng) {
		got, err := frames.Load(write(t, "cut.pcapng", ng[:n]))
		if len(got) > len(data) || n < len(ng)-1 && len(got) == len(data) && err != nil && !strings.Contains(err.Error(), "frame 3") {
			t.Errorf("%d bytes: %d frames, %v", n, len(got), err)
		}
	}
}

func TestForeignFiles(t *testing.T) {
	wifi := func() []byte {
		var b bytes.Buffer
		if err := pcapgo.NewWriter(&b).WriteFileHeader(100, layers.LinkTypeIEEE802_11); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}()
	for want, path := range map[string]string{
		"neither pcap nor pcapng":        write(t, "a.txt", []byte("hello, world, this is text")),
		"0 bytes: too short":             write(t, "empty.pcap", nil),
		"ends inside the pcap header":    write(t, "header.pcap", wifi[:10]),
		"want Ethernet (1)":              write(t, "wifi.pcap", wifi),
		"bad.hex:1: want hexadecimal":    write(t, "bad.hex", []byte("zz")),
		"no such file":                   filepath.Join(t.TempDir(), "absent.pcap"),
		"first pcapng interface":         write(t, "a.pcapng", pcapng(t, nil)[:20]),
		"more than 262144":               write(t, "big.pcap", bigPcap(t)),
		"is a directory":                 t.TempDir(),
		"Unknown major version":          write(t, "v9.pcap", append([]byte{0xd4, 0xc3, 0xb2, 0xa1, 9}, wifi[5:]...)),
		"exceeds original packet length": write(t, "odd.pcap", append(wifiAsEthernet(wifi), 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 1, 2, 3, 4)),
	} {
		if _, err := frames.Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", filepath.Base(path), err, want)
		}
	}
}

func wifiAsEthernet(header []byte) []byte {
	b := bytes.Clone(header)
	b[20] = byte(layers.LinkTypeEthernet)
	return b
}

// bigPcap has one frame of more than the longest that is loaded.
func bigPcap(t *testing.T) []byte {
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	if err := w.WriteFileHeader(1<<20, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	n := frames.MaxLength + 1
	if err := w.WritePacket(gopacket.CaptureInfo{CaptureLength: n, Length: n}, make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// No file makes the loader panic or run on.
func FuzzLoad(f *testing.F) {
	var pcap bytes.Buffer
	if err := frames.WritePcap(&pcap, [][]byte{{1, 2, 3}}); err != nil {
		f.Fatal(err)
	}
	f.Add(pcap.Bytes())
	var ng bytes.Buffer
	w, err := pcapgo.NewNgWriter(&ng, layers.LinkTypeEthernet)
	if err != nil {
		f.Fatal(err)
	}
	if err := w.WritePacket(gopacket.CaptureInfo{CaptureLength: 3, Length: 3}, []byte{1, 2, 3}); err != nil {
		f.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		f.Fatal(err)
	}
	f.Add(ng.Bytes())
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "fuzz")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for frame, err := range frames.All(path) {
			if err != nil && !strings.HasPrefix(err.Error(), path) {
				t.Errorf("error without the file's name: %v", err)
			}
			if len(frame.Data) > frames.MaxLength {
				t.Errorf("frame of %d bytes", len(frame.Data))
			}
		}
	})
}
