package frames

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// MaxLength is the longest frame that is loaded, in bytes: the largest snap
// length of the usual capture programs.
const MaxLength = 262144

// Frame is one frame of a file.
type Frame struct {
	File   string // path as given
	Number int    // from 1
	Data   []byte // as captured; may be empty
	Length int    // bytes that were on the wire: more than len(Data) if the capture cut it
}

// Load returns every frame of a file: see [All]. After an error it returns the
// frames before it, too.
func Load(path string) ([]Frame, error) {
	var all []Frame
	for f, err := range All(path) {
		if err != nil {
			return all, err
		}
		all = append(all, f)
	}
	return all, nil
}

// All yields the frames of a file in order: a pcap or pcapng file of Ethernet
// frames, told by its first bytes and perhaps compressed with gzip, or a text
// file named *.hex with one frame in hexadecimal (see [ParseHex]). An error names
// the file and the frame or line, and is the last thing yielded.
func All(path string) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(Frame{}, err)
			return
		}
		defer file.Close()
		fail := func(err error) { yield(Frame{}, fmt.Errorf("%s: %w", path, err)) }
		if strings.EqualFold(filepath.Ext(path), ".hex") {
			data, err := ParseHex(file)
			if err != nil {
				yield(Frame{}, fmt.Errorf("%s:%w", path, err))
				return
			}
			yield(Frame{File: path, Number: 1, Data: data, Length: len(data)}, nil)
			return
		}
		source, err := openCapture(file)
		if err != nil {
			fail(err)
			return
		}
		for n := 1; ; n++ {
			data, info, err := source.ReadPacketData()
			switch {
			case err == io.EOF && info.CaptureLength == 0:
				return
			case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
				fail(fmt.Errorf("frame %d: the file ends inside it", n))
				return
			case err != nil:
				fail(fmt.Errorf("frame %d: %w", n, err))
				return
			case len(data) > MaxLength:
				fail(fmt.Errorf("frame %d: %d bytes, more than %d", n, len(data), MaxLength))
				return
			}
			if !yield(Frame{File: path, Number: n, Data: data, Length: info.Length}, nil) {
				return
			}
		}
	}
}

// openCapture returns the frames of a pcap or pcapng file.
func openCapture(file io.Reader) (gopacket.PacketDataSource, error) {
	r := bufio.NewReader(file)
	magic, err := r.Peek(4)
	switch {
	case err == io.EOF:
		return nil, fmt.Errorf("%d bytes: too short for a capture", len(magic))
	case err != nil:
		return nil, err
	}
	switch {
	case string(magic) == "\x0A\x0D\x0D\x0A":
		return openPcapng(r)
	case isPcap(magic):
		return openPcap(r)
	}
	return nil, fmt.Errorf("first bytes %x: neither pcap nor pcapng, nor is the file named *.hex", magic)
}

// isPcap knows the first bytes of a pcap file: microseconds or nanoseconds, of
// either byte order, or compressed.
func isPcap(magic []byte) bool {
	for _, known := range []string{"\xD4\xC3\xB2\xA1", "\xA1\xB2\xC3\xD4", "\x4D\x3C\xB2\xA1", "\xA1\xB2\x3C\x4D", "\x1F\x8B"} {
		if bytes.HasPrefix(magic, []byte(known)) {
			return true
		}
	}
	return false
}

func openPcap(r io.Reader) (gopacket.PacketDataSource, error) {
	p, err := pcapgo.NewReader(r)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the file ends inside the pcap header")
	case err != nil:
		return nil, fmt.Errorf("pcap header: %w", err)
	}
	return p, ethernetOnly(p.LinkType())
}

func openPcapng(r io.Reader) (gopacket.PacketDataSource, error) {
	p, err := pcapgo.NewNgReader(r, pcapgo.NgReaderOptions{ErrorOnMismatchingLinkType: true})
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the file ends before the first pcapng interface does")
	case err != nil:
		return nil, fmt.Errorf("pcapng header: %w", err)
	}
	return p, ethernetOnly(p.LinkType())
}

func ethernetOnly(l layers.LinkType) error {
	if l != layers.LinkTypeEthernet {
		return fmt.Errorf("link type %v (%d), want Ethernet (1)", l, l)
	}
	return nil
}
