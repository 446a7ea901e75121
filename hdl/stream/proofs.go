package stream

import "gornic/hdl"

// Proofs lists small instances of all parts of the package. What holds for them
// holds for larger ones of the same generator as far as its parameters only
// repeat the logic; simulation covers the large ones.
func Proofs() []hdl.Proof {
	frames := func(depth int, drop bool) hdl.Def[FrameFIFOIO] {
		return FrameFIFODef(FrameFIFOOptions{Width: 16, Depth: depth, DropWhenFull: drop})
	}
	stuck := func(signal string, bits ...int) hdl.Fault { return hdl.StuckAt0(signal, bits...) }
	return []hdl.Proof{
		hdl.ProofOf(SliceDef(hdl.W(3)), 9, 1).Breaks(stuck("spare"), hdl.SwapBits("spare_data", 0, 1)),
		hdl.ProofOf(ForwardSliceDef(hdl.W(3)), 9, 1).Breaks(hdl.StuckAt1("out_ready"), hdl.SwapBits("data", 0, 1)),
		hdl.ProofOf(FIFODef(hdl.W(2), 1), 9, 1).Breaks(stuck("level_full"), hdl.SwapBits("data", 0, 1)),
		hdl.ProofOf(FIFODef(hdl.W(2), 3), 11, 1).Breaks(stuck("level_full"), stuck("head", 0)),
		hdl.ProofOf(FIFODef(hdl.W(2), 4), 11, 1).Breaks(stuck("level_full"), stuck("tail", 1)),
		hdl.ProofOf(BlockFIFODef(hdl.W(2), 4), 13, 1).Breaks(stuck("level_full"), stuck("fetched")),
		hdl.ProofOf(BlockFIFODef(hdl.W(2), 5), 13, 1).Breaks(hdl.SwapBits("word", 0, 1), stuck("head", 2)),
		hdl.ProofOf(frames(4, false), 9, 1).Breaks(hdl.Invert("in_err"), stuck("commit", 0), stuck("words_last")),
		hdl.ProofOf(frames(4, true), 9, 1).Breaks(hdl.Invert("in_err"), stuck("skip"), stuck("commit", 0)),
		hdl.ProofOf(ForkDef(hdl.W(2), 3), 9, 1).Breaks(stuck("done_1"), hdl.SwapBits("out_2_data", 0, 1)),
		hdl.ProofOf(JoinDef(hdl.W(2), hdl.W(3)), 7, 1).Breaks(hdl.StuckAt1("b_valid"), hdl.SwapBits("out_b", 0, 2)),
		hdl.ProofOf(DemuxDef(hdl.W(2), 3), 7, 1).Breaks(stuck("to", 0), hdl.StuckAt1("out_1_ready")),
		hdl.ProofOf(DemuxDef(BeatOf(8), 3), 7, 1).Breaks(stuck("inside_frame"), hdl.ReverseBits("frame_to")),
		hdl.ProofOf(MuxDef(hdl.W(2), 3), 7, 1).Breaks(stuck("from_data", 0), hdl.StuckAt1("in_1_valid")),
		hdl.ProofOf(MuxDef(BeatOf(8), 3), 7, 1).Breaks(stuck("from_data", 0), stuck("in_2_last")),
		hdl.ProofOf(RoundRobinDef(hdl.W(2), 3), 11, 1).Breaks(stuck("after"), stuck("locked")),
		hdl.ProofOf(RoundRobinDef(BeatOf(8), 3), 11, 1).Breaks(stuck("after"), hdl.ReverseBits("owner")),
		hdl.ProofOf(PriorityDef(hdl.W(2), 3), 11, 1).Breaks(stuck("locked"), stuck("in_1_valid")),
		hdl.ProofOf(PriorityDef(BeatOf(8), 3), 11, 1).Breaks(stuck("in_0_last"), hdl.ReverseBits("owner")),
		hdl.ProofOf(NarrowDef(32, 8), 9, 1).Breaks(hdl.ReverseBytes("beat_data"), stuck("beat_keep", 1)),
		hdl.ProofOf(NarrowDef(32, 16), 9, 1).Breaks(hdl.ReverseBytes("beat_data"), hdl.StuckAt1("beat_last")),
		hdl.ProofOf(WidenDef(8, 32), 9, 1).Breaks(hdl.ReverseBits("data_1"), stuck("last")),
		hdl.ProofOf(WidenDef(16, 32), 9, 1).Breaks(hdl.ReverseBytes("data_0"), stuck("keep_1", 1)),
		hdl.ProofOf(RealignDef(RealignOptions{Width: 16, LengthBits: 3}), 6, 1).Breaks(hdl.Invert("plan_turn"), stuck("flush")),
		hdl.ProofOf(RealignDef(RealignOptions{Width: 32, LengthBits: 4, Granule: 2, Phase: 1}), 6, 1).
			Breaks(hdl.Invert("lifted_turn", 1), hdl.ReverseBytes("older")),
		hdl.ProofOf(ExtractDef(RealignOptions{Width: 32, LengthBits: 4}), 6, 1).Breaks(hdl.Invert("plan_turn", 0), hdl.Invert("flush_keep", 0)),
		hdl.ProofOf(CreditDef(hdl.W(2), CreditOptions{Max: 5, NeedBits: 2, GiveBits: 2}), 9, 1).Breaks(stuck("need", 1), stuck("give", 0)),
		hdl.ProofOf(creditLoop(4, 2), 13, 1).Breaks(stuck("u_credit.need"), stuck("back_0")),
		hdl.ProofOf(twoClockFIFO(2, 4, false), 13, 1).Breaks(hdl.Invert("head_seen", 1), stuck("tail_gray", 0)),
		hdl.ProofOf(twoClockFIFO(2, 4, true), 13, 1).Breaks(hdl.Invert("head_seen", 1), hdl.SwapBits("word", 0, 1)),
	}
}
