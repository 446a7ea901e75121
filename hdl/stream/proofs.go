package stream

import "gornic/hdl"

// Proof is a design whose properties can be proved: a small instance of a
// part.
type Proof struct {
	Name  string
	Build func() (*hdl.Design, error)

	// Depth is the number of cycles of the bounded proof, the one in reset
	// included: enough to fill and drain the part. Induction is the number of cycles
	// that the induction step relies on.
	Depth     int
	Induction int
}

// Proofs lists small instances of all parts of the package. What holds for
// them holds for larger ones of the same generator as far as its parameters
// only repeat the logic; simulation covers the large ones.
func Proofs() []Proof {
	frames := func(depth int, drop bool) hdl.Def[FrameFIFOIO] {
		return FrameFIFODef(FrameFIFOOptions{Width: 16, Depth: depth, DropWhenFull: drop})
	}
	return []Proof{
		proof(SliceDef(hdl.W(3)), 9, 1),
		proof(ForwardSliceDef(hdl.W(3)), 9, 1),
		proof(FIFODef(hdl.W(2), 1), 9, 1),
		proof(FIFODef(hdl.W(2), 3), 11, 1),
		proof(FIFODef(hdl.W(2), 4), 11, 1),
		proof(BlockFIFODef(hdl.W(2), 4), 13, 1),
		proof(BlockFIFODef(hdl.W(2), 5), 13, 1),
		proof(frames(4, false), 9, 1),
		proof(frames(4, true), 9, 1),
		proof(ForkDef(hdl.W(2), 3), 9, 1),
		proof(JoinDef(hdl.W(2), hdl.W(3)), 7, 1),
		proof(DemuxDef(hdl.W(2), 3), 7, 1),
		proof(DemuxDef(BeatOf(8), 3), 7, 1),
		proof(MuxDef(hdl.W(2), 3), 7, 1),
		proof(MuxDef(BeatOf(8), 3), 7, 1),
		proof(RoundRobinDef(hdl.W(2), 3), 11, 1),
		proof(RoundRobinDef(BeatOf(8), 3), 11, 1),
		proof(PriorityDef(hdl.W(2), 3), 11, 1),
		proof(PriorityDef(BeatOf(8), 3), 11, 1),
		proof(NarrowDef(32, 8), 9, 1),
		proof(NarrowDef(32, 16), 9, 1),
		proof(WidenDef(8, 32), 9, 1),
		proof(WidenDef(16, 32), 9, 1),
		proof(RealignDef(RealignOptions{Width: 16, LengthBits: 3}), 6, 1),
		proof(RealignDef(RealignOptions{Width: 32, LengthBits: 4, Granule: 2, Phase: 1}), 6, 1),
		proof(ExtractDef(RealignOptions{Width: 32, LengthBits: 4}), 6, 1),
		proof(CreditDef(hdl.W(2), CreditOptions{Max: 5, NeedBits: 2, GiveBits: 2}), 9, 1),
		proof(creditLoop(4, 2), 13, 1),
		proof(oneClockFIFO(2, 4), 13, 1),
	}
}

func proof[IO any](def hdl.Def[IO], depth, induction int) Proof {
	return Proof{
		Name: def.Name, Depth: depth, Induction: induction,
		Build: func() (*hdl.Design, error) {
			d, _, err := hdl.Build(def)
			return d, err
		},
	}
}
