package packetbuild

import (
	"fmt"

	"gornic/hdl/ir"
)

// Params are the parameters of the module.
type Params struct {
	// DataWidth is the width of a beat in bits: 64, 128, 256 or 512.
	DataWidth int
}

// Validate reports a parameter that the module cannot be built with.
func (p Params) Validate() error {
	switch p.DataWidth {
	case 64, 128, 256, 512:
		return nil
	}
	return fmt.Errorf("packetbuild: data width of %d bits: not 64, 128, 256 or 512", p.DataWidth)
}

// bytes is the number of bytes in a beat, words that of 32-bit words; both are
// powers of two.
func (p Params) bytes() int { return p.DataWidth / 8 }
func (p Params) words() int { return p.DataWidth / 32 }

// laneBits and wordBits are the widths of the number of a byte and of a word in
// a beat.
func (p Params) laneBits() int { return ir.AddrWidth(p.bytes()) }
func (p Params) wordBits() int { return ir.AddrWidth(p.words()) }
