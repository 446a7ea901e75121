package talk

import (
	"slices"

	"gornic/format"
)

// mtus are the path MTUs that there are, in bytes.
var mtus = []int{256, 512, 1024, 2048, 4096}

// sizes counts the payloads of packets that have a whole path MTU, and returns the
// longest of the others.
func sizes(packets []*Packet) (whole map[int]int, other int) {
	whole = map[int]int{}
	for _, p := range packets {
		switch n := len(p.Payload); {
		case !p.Good:
		case p.Info().Payload == format.PayloadFull && slices.Contains(mtus, n):
			whole[n]++
		default:
			other = max(other, n)
		}
	}
	return whole, other
}

// most is the size of most packets, of at least a number of bytes; 0 for none.
func most(count map[int]int, least int) int {
	best := 0
	for _, mtu := range mtus {
		if mtu >= least && count[mtu] > count[best] {
			best = mtu
		}
	}
	return best
}

// usualMTU is the path MTU of most packets of a capture, 0 if none tells.
func usualMTU(packets []*Packet) int {
	count, _ := sizes(packets)
	return most(count, 0)
}

// mtu is the path MTU of a conversation: that of its own packets, where those that
// end a message fit it; else the usual one; else the smallest that all fit.
func (c *Conversation) mtu(usual int) int {
	var packets []*Packet
	for _, s := range c.Steps {
		packets = append(packets, s.Packet)
	}
	count, longest := sizes(packets)
	if own := most(count, longest); own > 0 {
		return own
	}
	if usual > 0 {
		return usual
	}
	for _, mtu := range mtus {
		if longest <= mtu {
			return mtu
		}
	}
	return mtus[len(mtus)-1]
}
