package blocks

import (
	"slices"

	"gornic/fpga/blocks/access"
	"gornic/fpga/blocks/boardregs"
	"gornic/fpga/blocks/ethport"
	"gornic/fpga/blocks/hostmem"
	"gornic/fpga/blocks/hostnet"
	"gornic/fpga/blocks/mac"
	"gornic/fpga/blocks/pads"
	"gornic/fpga/blocks/uart"
	"gornic/hdl"
)

// Proofs lists the blocks of a board, as small as they can be. The FIFOs between their clocks are among those of hdl/stream.
func Proofs() []hdl.Proof {
	return slices.Concat(
		mac.Proofs(), ethport.Proofs(), pads.Proofs(),
		uart.Proofs(), hostnet.Proofs(), access.Proofs(), hostmem.Proofs(), boardregs.Proofs(),
	)
}
