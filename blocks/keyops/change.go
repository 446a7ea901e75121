package keyops

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// step is where the operation at hand is.
type step int

const (
	stIdle   step = iota
	stAsk         // the key table is to be changed
	stAnswer      // it is being changed
)

func (s step) String() string { return [...]string{"idle", "ask", "answer"}[s] }

// change has the key table changed, one operation after another.
func (b *block) change() {
	m, io, st, done := b.m, b.io, b.st, b.io.KeyDone
	st.Switch(
		hdl.On(stIdle, func() {
			hdl.Set(b.op, io.Op.Data)
			m.If(io.Op.Valid, func() { st.Goto(stAsk) })
		}),
		hdl.On(stAsk, func() { m.If(io.Key.Ready, func() { st.Goto(stAnswer) }) }),
		hdl.On(stAnswer, func() { m.If(done.Valid, func() { st.Goto(stIdle) }) }),
	)
	io.Op.Ready.Set(st.Is(stIdle))
	io.Key.Valid.Set(st.Is(stAsk))
	hdl.Set(io.Key.Data, link.KeyCommand{Kind: b.op.Kind, Entry: entry(b.op)})

	done.Ready.Set(st.Is(stAnswer))
	b.changed.Valid.Set(done.Fire())
	hdl.Set(b.changed.Data, outcome{QP: b.op.QP, Binds: b.op.Kind.Is(link.KeyBind), Vendor: done.Data.Vendor, Fence: done.Data.Ended})
	m.Unused(done.Data.Status, hdl.Pack(done.Data.Entry))
	m.Unused(b.op.Operands.Slice(255, usedBits)) // no operation uses them
	m.Unused(b.changed.Ready)                    // there is room for each queue pair
	m.Assert("outcome_has_room", b.changed.Valid.Not().Or(b.changed.Ready))

	flush := m.Reg("registered", 1, 0)
	flush.Set(hdl.AndAll(done.Fire(), b.op.Kind.Is(link.KeyRegister), done.Data.Vendor.None()))
	io.Flush.Set(flush)
}

// entry is what keycache is told: the operation's contents, which are the same bits for
// both that have some.
func entry(op link.KeyOp) format.KeyEntry[hdl.Bits] {
	region := as(format.RegMROperands[hdl.Bits]{}, op.Operands)
	window := as(format.BindMWOperands[hdl.Bits]{}, op.Operands)
	zero := format.KeyEntry[hdl.Bits]{}
	none := hdl.Unpack(zero, hdl.K(hdl.WidthOf(zero), 0))
	binds := op.Kind.Is(link.KeyBind)
	none.Key, none.PD, none.QPN, none.VA = op.Key, op.PD, op.QPN, op.VA
	none.Length = region.Length // of a window it is there, too
	none.Translation, none.PageShift = region.Translation, region.PageShift
	none.Rights = hdl.Mux(binds, window.Rights, region.Rights)
	none.Parent = window.Region
	return none
}

// as takes the low bits of x as a struct of host memory.
func as[T any](proto T, x hdl.Bits) T { return hdl.UnpackLow(proto, x.Trunc(hdl.WidthOf(proto))) }

// usedBits is how many bits of the contents mean something: those of a format.RegMROperands.
const usedBits = 64 + 64 + 8 + 8
