package rxparse

import (
	"fmt"

	"gornic/format"
)

// Params are the parameters of the parser.
type Params struct {
	DataWidth int // of a beat in bits: 64, 128, 256 or 512
}

// Validate returns an error for parameters that the parser cannot have.
func (p Params) Validate() error {
	switch p.DataWidth {
	case 64, 128, 256, 512:
		return nil
	}
	return fmt.Errorf("rxparse: data width of %d bits: not 64, 128, 256 or 512", p.DataWidth)
}

// A variant is one of the layouts of an accepted frame.
type variant struct {
	tag int // 1 with an 802.1Q tag
	v6  int // 1 for IPv6
}

// variants are the four layouts: number tag + 2*v6 of each.
var variants = [4]variant{{0, 0}, {1, 0}, {0, 1}, {1, 1}}

// Positions in words. Word n of a frame is its bytes 4n-2 to 4n+1; its upper
// half is the earlier bytes.
const (
	wordType  = 3 // its lower half: the ethertype
	wordTag   = 4 // with a tag: TCI, then the ethertype behind it
	wordIPv4  = 5 // words of an IPv4 header without options
	wordUDP   = 2 // words of a UDP header
	wordBTH   = 3 // words of a BTH
	wordExt   = format.ExtBytesMax / 4
	lastIHL   = 15
	lengthMax = 17 // width of a frame's length in bytes: an IP packet can have 65,535
)

// ip is the position of the first word of the IP header.
func (v variant) ip() int { return wordTag + v.tag }

// udp is the position of the first word of the UDP header.
func (v variant) udp() int { return v.ip() + wordIPv4 + 5*v.v6 }

// end is the position of the word behind the BTH.
func (v variant) end() int { return v.udp() + wordUDP + wordBTH }

// lastBeat is the highest number of a beat in which anything is looked for, of
// beats of n words.
func lastBeat(n int) int {
	last := variants[3]
	return max(last.end()+wordExt, variants[1].ip()+lastIHL) / n
}

// A view is the words of a beat as one of the layers sees them.
type view struct {
	lanes int                 // words a beat
	first func(v variant) int // position of the layer's word 0
	pairs bool                // aligned to pairs, of which the second word completes the first
}

// place returns the number of the beat in which word i of the layer is in the
// view, and the lane it is in.
func (w view) place(v variant, i int) (beat, lane int) {
	at := w.first(v) + i
	if w.pairs {
		return (at - i%2 + 1) / 2, i % 2
	}
	return at / w.lanes, at % w.lanes
}
