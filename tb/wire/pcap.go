package wire

import (
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

const snapLength = 65535

// Pcap is a tap that writes what it sees as a capture file.
type Pcap struct {
	w   *pcapgo.Writer
	err error
}

// NewPcap writes the head of a capture file to w. [Pcap.Tap] then adds frames.
func NewPcap(w io.Writer) (*Pcap, error) {
	p := &Pcap{w: pcapgo.NewWriter(w)}
	if err := p.w.WriteFileHeader(snapLength, layers.LinkTypeEthernet); err != nil {
		return nil, fmt.Errorf("wire: capture file: %w", err)
	}
	return p, nil
}

// Tap adds a frame to the file, a delayed one when it is sent. After an error it
// adds no more.
func (p *Pcap) Tap(c Crossing) {
	if p.err != nil || c.Late {
		return
	}
	info := gopacket.CaptureInfo{
		Timestamp:     time.UnixMicro(c.Time.Microseconds()),
		CaptureLength: len(c.Frame),
		Length:        len(c.Frame),
	}
	if err := p.w.WritePacket(info, c.Frame); err != nil {
		p.err = fmt.Errorf("wire: frame %d of the capture: %w", c.Number, err)
	}
}

// Err is the first error of writing the file.
func (p *Pcap) Err() error { return p.err }
