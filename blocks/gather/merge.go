package gather

import (
	"gornic/blocks/pieces"
	"gornic/hdl"
)

// word is a word of payload.
type word struct {
	Data hdl.Bits
	Mark mark
}

// mark is what a word is.
type mark struct {
	Final hdl.Bits // index of the last byte, where Last
	First hdl.Bits `w:"1"` // of its packet
	Last  hdl.Bits `w:"1"`
	Err   hdl.Bits `w:"1"` // where Last: the packet failed
}

// merge makes words of the turned beats. Each completes one word at most. The last beat
// of a packet may leave bytes for one more, which leaves a cycle later, and makes those behind it late:
// by no more than one cycle, as a beat of that packet completed none.
func (b *block) merge() {
	m, x, n := b.m, b.lane, b.p.bytes()
	kept := m.RegN("kept", b.p.Sizes.DataWidth)                             // bytes of the word that is not whole,
	late := m.Reg("kept_leaves", 1, 0)                                      // or a word that has to leave,
	held := hdl.NewReg(m, "kept_word", mark{Final: hdl.W(b.p.indexBits())}) // and what that is
	bad := m.RegN("packet_bad", 1)                                          // a beat of the packet had an error response
	headless := m.RegN("packet_headless", 1)                                // none of its words has left

	fails := x.Err.Or(bad.And(x.First.Not()))
	first := x.First.Or(headless)
	spills := hdl.AndAll(x.Last, x.Whole, x.Over.Any())
	ready := b.arrives.And(x.Whole.Or(x.Last)) // a word leaves, or would if none were late
	mask := pieces.Below(x.Fill, n)
	final := x.Over.SubK(1)
	b.writes = late.Or(ready)
	b.word = hdl.MuxOf(late, word{kept, held}, word{
		pieces.Merge(mask, kept, x.Data), mark{Final: final, First: first, Last: x.Last.And(spills.Not()), Err: fails},
	})
	m.If(b.arrives, func() {
		kept.Set(pieces.Merge(mask.And(ready.Not().Rep(n)), kept, x.Data))
		hdl.Set(held, mark{Final: final, First: first.And(spills.Not()), Last: x.Last, Err: fails})
		bad.Set(fails)
		headless.Set(first.And(ready.Not()))
	})
	late.Set(b.arrives.And(hdl.Mux(late, ready, spills)))
	m.Assert("one_late_word", hdl.AndAll(b.arrives, late).Not().Or(x.Fill.None().And(spills.Not())))
}
