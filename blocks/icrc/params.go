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
