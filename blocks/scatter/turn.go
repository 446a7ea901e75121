package scatter

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/blocks/pieces"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// lane is a beat of memory on its way through the rotator.
type lane struct {
	Data  hdl.Bits
	Turn  hdl.Bits
	Start hdl.Bits // the first byte that is written
	End   hdl.Bits // and the last one
	Last  hdl.Bits `w:"1"` // of its burst
}

// turn takes the bytes of a beat of memory from two beats of payload, and turns them to where they belong.
func (b *block) turn() {
	m, x, now, n := b.m, b.plan.Data, b.now, b.p.bytes()
	k := b.p.indexBits()
	out := lane{
		Data:  pieces.Merge(now.past, b.io.Payload.Data.Data, b.beat),
		Turn:  x.Turn,
		Start: hdl.Mux(now.first, x.Start, x.Start.K(0)),
		End:   hdl.Mux(now.last, x.End, hdl.Ones(k)),
		Last:  now.last,
	}
	valid, free := b.moves, b.free
	for stage := range pieces.RotateStages(b.p.Sizes.DataWidth) {
		out.Data = pieces.Rotate(out.Data, out.Turn, stage)
		reg, there := hdl.NewReg(m, fmt.Sprintf("turned_%d", stage), hdl.Proto(out)), m.Reg(fmt.Sprintf("turned_%d_valid", stage), 1, 0)
		leaves := m.Wire(fmt.Sprintf("turned_%d_leaves", stage), 1)
		room := there.Not().Or(leaves)
		free.Set(room)
		in, comes := out, valid
		m.If(room, func() {
			there.Set(comes)
			hdl.Set(reg, in)
		})
		out, valid, free = reg, there, leaves
	}
	m.Unused(out.Turn)
	w := b.io.Write.Beat
	free.Set(w.Ready)
	w.Valid.Set(valid)
	strobe := stream.KeepTo(out.End, n).And(pieces.Below(out.Start, n).Not())
	hdl.Set(w.Data, link.WriteBeat{Data: out.Data, Strb: strobe, Last: out.Last})
}
