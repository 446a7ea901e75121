package blocks

import (
	"slices"

	"gornic/blocks/icrc"
	"gornic/blocks/packetbuild"
	"gornic/blocks/rxbuffer"
	"gornic/blocks/rxparse"
	"gornic/blocks/rxpath"
	"gornic/hdl"
)

// Proofs lists the blocks at 64 bits, with buffers as small as they can be, to be proved for as many cycles as a short frame
// takes to go through. What the properties lack for an induction a solver finds.
func Proofs() []hdl.Proof {
	const width, cycles = 64, 14
	return slices.Concat(
		[]hdl.Proof{hdl.ProofOf(rxparse.Def(rxparse.Params{DataWidth: width}), cycles, 0)},
		icrc.Proofs(),
		[]hdl.Proof{
			hdl.ProofOf(rxbuffer.Def(rxbuffer.Params{DataWidth: width, Beats: 4, Frames: 2}), cycles, 0),
			hdl.ProofOf(rxpath.Def(rxpath.Params{DataWidth: width, Beats: 4, Frames: 2, RawBeats: 4}), cycles, 0),
		},
		packetbuild.Proofs(),
	)
}
