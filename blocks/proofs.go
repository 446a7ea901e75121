package blocks

import (
	"gornic/blocks/icrc"
	"gornic/blocks/packetbuild"
	"gornic/blocks/rxbuffer"
	"gornic/blocks/rxparse"
	"gornic/blocks/rxpath"
	"gornic/hdl"
)

// Proofs lists the blocks at 64 bits, with buffers as small as they can be, to be proved for as many cycles as a short frame
// takes to go through. What their properties lack for an induction a solver finds.
func Proofs() []hdl.Proof {
	const width = 64
	check := proof(icrc.Check(icrc.Params{DataWidth: width}))
	// A frame with a good ICRC is the solution of equations that solvers do not get through, and a frame without one is too
	// easy to be of interest: simulation reaches both covers.
	check.NoCovers = true
	return []hdl.Proof{
		proof(rxparse.Def(rxparse.Params{DataWidth: width}), nil),
		check,
		proof(rxbuffer.Def(rxbuffer.Params{DataWidth: width, Beats: 4, Frames: 2}), nil),
		proof(rxpath.Def(rxpath.Params{DataWidth: width, Beats: 4, Frames: 2, RawBeats: 4}), nil),
		proof(packetbuild.Def(packetbuild.Params{DataWidth: width})),
		proof(icrc.Generate(icrc.Params{DataWidth: width})),
		proof(icrc.Generate(icrc.Params{DataWidth: width, WordEnd: true})),
	}
}

// proofDepth is the number of cycles from reset.
const proofDepth = 14

// proof takes what a block's constructor returns.
func proof[IO any](def hdl.Def[IO], err error) hdl.Proof {
	p := hdl.ProofOf(def, proofDepth, 0)
	if err != nil {
		p.Build = func() (*hdl.Design, error) { return nil, err }
	}
	return p
}
