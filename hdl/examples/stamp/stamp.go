// Package stamp is an example of a block written with package hdl: it gives
// every payload of a stream the next sequence number. docs/hdl.md walks
// through it; copy it to begin a block of your own.
package stamp

import (
	"fmt"

	"gornic/hdl"
	"gornic/hdl/stream"
)

// Stamped is a payload with its number.
type Stamped struct {
	Number hdl.Bits
	Item   hdl.Bits
}

// IO is the ports of the block.
type IO struct {
	First hdl.Bits             `hdl:"in"`       // the number that Load sets
	Load  hdl.Bits             `hdl:"in" w:"1"` // the next payload gets the number First
	In    hdl.Stream[hdl.Bits] `hdl:"in"`
	Out   hdl.Stream[Stamped]  `hdl:"out"`
}

// Def returns the block for items of itemW bits and numbers of numberW bits, two
// or more, which wrap around. One item a cycle; latency 1.
func Def(itemW, numberW int) hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: fmt.Sprintf("stamp_%dx%d", itemW, numberW),
		Doc:  "Gives every payload the next sequence number.",
		IO: IO{
			First: hdl.W(numberW),
			In:    hdl.StreamOf(hdl.W(itemW)),
			Out:   hdl.StreamOf(Stamped{Number: hdl.W(numberW), Item: hdl.W(itemW)}),
		},
		Body: body,
	}
}

func body(m *hdl.Module, io *IO) {
	if w := io.First.Width(); w < 2 {
		m.Reject("numbers have 2 bits or more, not %d", w)
	}
	stream.AssumeSource(m, "in", io.In)

	full := m.Reg("full", 1, 0) // a payload waits for its taker
	held := hdl.NewReg(m, "held", io.Out.Data)
	// There is room if nothing waits, or what waits leaves now.
	room := full.Not().Or(io.Out.Ready)
	io.In.Ready.Set(room)
	m.If(room, func() { full.Set(io.In.Valid) })

	next := m.Reg("next", io.First.Width(), 0) // the number to give
	m.If(io.In.Fire(), func() {
		hdl.Set(held, Stamped{Number: next, Item: io.In.Data})
		next.Set(next.AddK(1))
	})
	m.If(io.Load, func() { next.Set(io.First) }) // the last assignment wins

	io.Out.Valid.Set(full)
	hdl.Set(io.Out.Data, held)
	properties(m, io, next)
	m.Event("stamped", io.In.Fire(), hdl.Field("number", next))
	m.Event("renumbered", io.Load, hdl.Field("from", next), hdl.Field("to", io.First))
}

// properties: numbers that leave one after the other are consecutive, as long
// as nobody loads another one.
func properties(m *hdl.Module, io *IO, next hdl.Bits) {
	stream.AssertSource(m, "out", io.Out)
	m.Ghost(func() { // state of the properties alone: not in the hardware
		loaded := m.Reg("loaded", 1, 0)
		m.If(io.Load, func() { loaded.SetK(1) })
		want := m.Reg("want", next.Width(), 0)
		m.If(io.Out.Fire(), func() { want.Set(want.AddK(1)) })

		m.Assert("consecutive", loaded.Or(io.Out.Valid.Not()).Or(io.Out.Data.Number.Eq(want)))
		// What the induction needs to know: the payload that waits is all that is
		// between the number given last and the number seen last.
		m.Assert("none_missing", loaded.Or(next.Eq(want.Add(io.Out.Valid.ZExt(next.Width())))))
	})
	m.Cover("third", io.Out.Fire().And(io.Out.Data.Number.Is(2)))
}
