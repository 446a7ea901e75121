package gather

import (
	"fmt"

	"gornic/blocks/pieces"
	"gornic/hdl"
)

// lane is a beat on its way through the rotator.
type lane struct {
	Data  hdl.Bits
	Turn  hdl.Bits
	Fill  hdl.Bits // bytes of the word that were there before it
	Over  hdl.Bits // bytes behind the last one that it completes; of a packet's end, behind that
	Whole hdl.Bits `w:"1"` // it completes a word
	First hdl.Bits `w:"1"` // of its packet
	Last  hdl.Bits `w:"1"`
	Err   hdl.Bits `w:"1"` // it had an error response
}

// arrive takes each beat at once and turns it to where its bytes belong.
func (b *block) arrive() {
	m, in, n := b.m, b.io.Read.Beat, b.notes.Data
	begins := m.Reg("burst_begins", 1, 1) // the next beat is the first of its burst
	fill := m.RegN("beat_fill", b.p.indexBits())
	in.Ready.SetK(1)
	b.notes.Ready.Set(in.Valid.And(in.Data.Last))
	over := hdl.Mux(in.Data.Last, n.Next, n.Turn)
	first := begins.And(n.First)
	m.If(in.Valid, func() {
		begins.Set(in.Data.Last)
		fill.Set(over)
	})

	x, valid := lane{
		Data: in.Data.Data, Turn: n.Turn, Over: over,
		Fill:  hdl.Mux(first, fill.K(0), fill),
		Whole: hdl.Mux(begins, n.Head, hdl.Mux(in.Data.Last, n.Tail, hdl.K(1, 1))),
		First: first, Last: in.Data.Last.And(n.Last), Err: in.Data.Err,
	}, in.Valid
	for stage := range pieces.RotateStages(b.p.Sizes.DataWidth) {
		x.Data = pieces.Rotate(x.Data, x.Turn, stage)
		reg, there := hdl.NewReg(m, fmt.Sprintf("turned_%d", stage), hdl.Proto(x)), m.Reg(fmt.Sprintf("turned_%d_valid", stage), 1, 0)
		hdl.Set(reg, x)
		there.Set(valid)
		x, valid = reg, there
	}
	m.Unused(x.Turn)
	b.lane, b.arrives = x, valid
	m.Unused(b.notes.Valid) // a beat comes after its note
	m.Assert("burst_was_noted", in.Valid.Not().Or(b.notes.Valid))
}
