package stream

import "gornic/hdl"

// Proofs lists small instances of all parts of the package. What holds for them
// holds for larger ones of the same generator as far as its parameters only
// repeat the logic; simulation covers the large ones.
func Proofs() []hdl.Proof {
	frames := func(depth int, drop bool) hdl.Def[FrameFIFOIO] {
		return FrameFIFODef(FrameFIFOOptions{Width: 16, Depth: depth, DropWhenFull: drop})
	}
	return []hdl.Proof{
		hdl.ProofOf(SliceDef(hdl.W(3)), 9, 1),
		hdl.ProofOf(ForwardSliceDef(hdl.W(3)), 9, 1),
		hdl.ProofOf(FIFODef(hdl.W(2), 1), 9, 1),
		hdl.ProofOf(FIFODef(hdl.W(2), 3), 11, 1),
		hdl.ProofOf(FIFODef(hdl.W(2), 4), 11, 1),
		hdl.ProofOf(BlockFIFODef(hdl.W(2), 4), 13, 1),
		hdl.ProofOf(BlockFIFODef(hdl.W(2), 5), 13, 1),
		hdl.ProofOf(frames(4, false), 9, 1),
		hdl.ProofOf(frames(4, true), 9, 1),
		hdl.ProofOf(ForkDef(hdl.W(2), 3), 9, 1),
		hdl.ProofOf(JoinDef(hdl.W(2), hdl.W(3)), 7, 1),
		hdl.ProofOf(DemuxDef(hdl.W(2), 3), 7, 1),
		hdl.ProofOf(DemuxDef(BeatOf(8), 3), 7, 1),
		hdl.ProofOf(MuxDef(hdl.W(2), 3), 7, 1),
		hdl.ProofOf(MuxDef(BeatOf(8), 3), 7, 1),
		hdl.ProofOf(RoundRobinDef(hdl.W(2), 3), 11, 1),
		hdl.ProofOf(RoundRobinDef(BeatOf(8), 3), 11, 1),
		hdl.ProofOf(PriorityDef(hdl.W(2), 3), 11, 1),
		hdl.ProofOf(PriorityDef(BeatOf(8), 3), 11, 1),
		hdl.ProofOf(NarrowDef(32, 8), 9, 1),
		hdl.ProofOf(NarrowDef(32, 16), 9, 1),
		hdl.ProofOf(WidenDef(8, 32), 9, 1),
		hdl.ProofOf(WidenDef(16, 32), 9, 1),
		hdl.ProofOf(RealignDef(RealignOptions{Width: 16, LengthBits: 3}), 6, 1),
		hdl.ProofOf(RealignDef(RealignOptions{Width: 32, LengthBits: 4, Granule: 2, Phase: 1}), 6, 1),
		hdl.ProofOf(ExtractDef(RealignOptions{Width: 32, LengthBits: 4}), 6, 1),
		hdl.ProofOf(CreditDef(hdl.W(2), CreditOptions{Max: 5, NeedBits: 2, GiveBits: 2}), 9, 1),
		hdl.ProofOf(creditLoop(4, 2), 13, 1),
		hdl.ProofOf(oneClockFIFO(2, 4), 13, 1),
	}
}
