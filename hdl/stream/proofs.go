package stream

import "gornic/hdl"

// Proof is a design whose properties can be proved: a small instance of a
// part.
type Proof struct {
	Name  string
	Build func() (*hdl.Design, error)

	// Depth is the number of cycles of the bounded proof, enough to fill and
	// drain the part. Induction is the number of cycles that the induction step needs.
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
		proof(SliceDef(hdl.W(3)), 10, 2),
		proof(ForwardSliceDef(hdl.W(3)), 10, 2),
		proof(FIFODef(hdl.W(2), 1), 10, 2),
		proof(FIFODef(hdl.W(2), 3), 12, 2),
		proof(FIFODef(hdl.W(2), 4), 12, 2),
		proof(BlockFIFODef(hdl.W(2), 4), 14, 2),
		proof(BlockFIFODef(hdl.W(2), 5), 14, 2),
		proof(frames(4, false), 10, 2),
		proof(frames(4, true), 10, 2),
		proof(ForkDef(hdl.W(2), 3), 10, 2),
		proof(JoinDef(hdl.W(2), hdl.W(3)), 8, 2),
		proof(DemuxDef(hdl.W(2), 3), 8, 2),
		proof(DemuxDef(BeatOf(8), 3), 8, 2),
		proof(MuxDef(hdl.W(2), 3), 8, 2),
		proof(MuxDef(BeatOf(8), 3), 8, 2),
		proof(RoundRobinDef(hdl.W(2), 3), 12, 2),
		proof(RoundRobinDef(BeatOf(8), 3), 12, 2),
		proof(PriorityDef(hdl.W(2), 3), 12, 2),
		proof(PriorityDef(BeatOf(8), 3), 12, 2),
		proof(NarrowDef(32, 8), 10, 2),
		proof(NarrowDef(32, 16), 10, 2),
		proof(WidenDef(8, 32), 10, 2),
		proof(WidenDef(16, 32), 10, 2),
		proof(RealignDef(RealignOptions{Width: 16, LengthBits: 3}), 7, 2),
		proof(RealignDef(RealignOptions{Width: 32, LengthBits: 4, Granule: 2, Phase: 1}), 7, 2),
		proof(ExtractDef(RealignOptions{Width: 32, LengthBits: 4}), 7, 2),
		proof(CreditDef(hdl.W(2), CreditOptions{Max: 5, NeedBits: 2, GiveBits: 2}), 10, 2),
		proof(creditLoop(4, 2), 14, 2),
		proof(oneClockFIFO(2, 4), 14, 2),
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
