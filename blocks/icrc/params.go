package icrc

import (
	"fmt"
	"math/bits"
)

// Params are the parameters of both modules.
type Params struct {
	// DataWidth is the width of a beat in bits: 64, 128, 256 or 512.
	DataWidth int

	// WordEnd promises [Generate] frames whose length is two more than a multiple of
	// four bytes, as that of every RoCEv2 frame with an Ethernet header is. It
	// saves two stages. A frame of another length gets a wrong ICRC.
	WordEnd bool

	// depth is how many beats or verdicts may wait inside, 0 for the usual 16,
	// which is more than the stages: a frame of one beat is then taken every cycle.
	// Proofs are of less.
	depth int
}

// wait is depth with its default.
func (p Params) wait() int {
	if p.depth == 0 {
		return 16
	}
	return p.depth
}

// name adds the parameters to the name of a module.
func (p Params) name(module string) string {
	name := fmt.Sprintf("%s_%d", module, p.DataWidth)
	if p.WordEnd {
		name += "_word_end"
	}
	if p.depth != 0 {
		name += fmt.Sprintf("_x%d", p.depth)
	}
	return name
}

// Validate reports a parameter that the modules cannot be built with.
func (p Params) Validate() error {
	switch p.DataWidth {
	case 64, 128, 256, 512:
		return nil
	}
	return fmt.Errorf("icrc: data width of %d bits: not 64, 128, 256 or 512", p.DataWidth)
}

// bytes is the number of bytes in a beat, a power of two.
func (p Params) bytes() int { return p.DataWidth / 8 }

// laneBits is the width of the number of a byte in a beat.
func (p Params) laneBits() int { return bits.Len(uint(p.bytes() - 1)) }
