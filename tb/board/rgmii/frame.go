package rgmii

import (
	"encoding/binary"
	"hash/crc32"
)

// What is around the bytes of a frame (IEEE 802.3 section 3.1).
const (
	preambleByte  = 0x55
	startOfFrame  = 0xD5
	PreambleBytes = 7
	MinBytes      = 60 // without FCS: shorter ones are padded
	fcsBytes      = 4
	Gap           = 12 // bytes between frames, at least
)

// Frame is a frame on its way to a MAC, and what is wrong with it. One with Data alone is right.
type Frame struct {
	Data []byte // without pad and FCS

	Preamble  int  // bytes missing of the seven
	NoStart   bool // no start-of-frame delimiter comes behind the preamble
	Runt      bool // it is not padded
	BadFCS    bool
	Cut       int   // bytes missing at its end, of the FCS first
	ErrorAt   []int // bytes, from the first one of Data on, during which the PHY reports an error
	GapBehind int   // idle cycles; 0: Gap
}

// Bytes are those between start-of-frame delimiter and gap.
func (f Frame) Bytes() []byte {
	b := append([]byte(nil), f.Data...)
	for !f.Runt && len(b) < MinBytes {
		b = append(b, 0)
	}
	fcs := crc32.ChecksumIEEE(b)
	if f.BadFCS {
		fcs ^= 1 << 9
	}
	b = binary.LittleEndian.AppendUint32(b, fcs)
	return b[:max(len(b)-f.Cut, 0)]
}

// Symbols are the frame and the gap behind it.
func (f Frame) Symbols(status Status) []Symbol {
	var out []Symbol
	for range PreambleBytes - f.Preamble {
		out = append(out, Byte(preambleByte))
	}
	if !f.NoStart {
		out = append(out, Byte(startOfFrame))
	}
	start := len(out)
	for _, b := range f.Bytes() {
		out = append(out, Byte(b))
	}
	for _, at := range f.ErrorAt {
		if start+at < len(out) {
			out[start+at] = Error(byte(out[start+at]))
		}
	}
	gap := f.GapBehind
	if gap == 0 {
		gap = Gap
	}
	for range gap {
		out = append(out, Idle(status))
	}
	return out
}
