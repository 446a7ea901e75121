package frames

import (
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// WritePcap writes frames as a pcap file, one microsecond apart.
func WritePcap(w io.Writer, data [][]byte) error {
	p := pcapgo.NewWriter(w)
	if err := p.WriteFileHeader(MaxLength, layers.LinkTypeEthernet); err != nil {
		return fmt.Errorf("frames: pcap header: %w", err)
	}
	for i, b := range data {
		info := gopacket.CaptureInfo{
			Timestamp:     time.UnixMicro(int64(i)),
			CaptureLength: len(b),
			Length:        len(b),
		}
		if err := p.WritePacket(info, b); err != nil {
			return fmt.Errorf("frames: frame %d: %w", i+1, err)
		}
	}
	return nil
}
