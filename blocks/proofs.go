package blocks

import (
	"slices"

	"gornic/blocks/cnp"
	"gornic/blocks/dma"
	"gornic/blocks/doorbell"
	"gornic/blocks/icrc"
	"gornic/blocks/keyops"
	"gornic/blocks/packetbuild"
	"gornic/blocks/pieces"
	"gornic/blocks/replay"
	"gornic/blocks/retry"
	"gornic/blocks/rxbuffer"
	"gornic/blocks/rxparse"
	"gornic/blocks/scheduler"
	"gornic/blocks/translate"
	"gornic/hdl"
)

// Proofs lists the blocks at 64 bits, with buffers as small as they can be. rxpath is not among them: its parts are, and its
// own properties, that the wire never waits, count frames through all of them. Every simulation checks those.
func Proofs() []hdl.Proof {
	return slices.Concat(
		rxparse.Proofs(), icrc.Proofs(), rxbuffer.Proofs(), packetbuild.Proofs(),
		scheduler.Proofs(), doorbell.Proofs(), replay.Proofs(), dma.Proofs(), pieces.Proofs(), translate.Proofs(), keyops.Proofs(),
		cnp.Proofs(), retry.Proofs(),
	)
}
