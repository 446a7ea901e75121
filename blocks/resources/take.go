package resources

import (
	"gornic/blocks/link"
	"gornic/hdl"
)

// take puts a new request into its ring, hands an atomic on, and wakes its queue pair. A duplicate
// stays at the port until its turn has settled it.
func (b *block) take() {
	m, io, in := b.m, b.io, b.io.Request
	r := in.Data
	res := r.Resource
	atomic := b.isAtomic(res.Kind)
	b.isDuplicate = res.Duplicate.And(r.Cancel.Not())

	wake, command := b.wakes[wakeRequest], hdl.NewStream(m, "command", b.p.Sizes.AtomicCommand())
	b.handOn(command)

	// No entry goes between the look at how many there are and the look at one, nor while a ring is cleared.
	control := io.Control
	looks := io.Context.Reply.Fire().Or(b.st.Is(stFetch))
	open := hdl.AndAll(b.swept, wake.Ready, command.Ready, looks.Not(), control.Valid.Not())
	in.Ready.Set(hdl.Mux(b.isDuplicate, b.settles, open))
	takes := in.Fire().And(b.isDuplicate.Not())
	enters := hdl.AndAll(takes, r.Cancel.Not())
	hands := hdl.AndAll(takes, atomic, res.Duplicate.Not())

	fill := hdl.Unpack(filling{}, b.fillings.At(r.QP))
	next := fill.Tail.AddK(1)
	b.ring.Write(b.place(r.QP, fill.Tail), enters, hdl.Pack(entry{
		Kind: res.Kind, Number: b.number(r.QP), PSN: r.PSN, MSN: r.MSN, VA: res.VA, RKey: res.RKey, Length: res.Length,
	}))
	filled := hdl.Pack(filling{Tail: next, Wrapped: fill.Wrapped.Or(next.Bit(b.p.Sizes.ReadBits))})
	clears := control.Fire().And(control.Data.Kind.Is(link.ControlClear))
	b.fillings.Write(hdl.Mux(clears, control.Data.QP, r.QP), clears.Or(enters), hdl.Mux(clears, filled.K(0), filled))

	wake.Valid.Set(enters)
	wake.Data.QP.Set(r.QP)
	command.Valid.Set(hands)
	hdl.Set(command.Data, link.AtomicCommand{
		QP: r.QP, Slot: fill.Tail.Trunc(b.p.Sizes.ReadBits), Kind: res.Kind, Cancel: r.Cancel, Addr: res.VA,
	})
	b.flies(r.QP, enters.And(atomic))
	b.traceTaken(enters, next)
}

// traceTaken tells of a request, and how many of its queue pair have not been answered.
func (b *block) traceTaken(enters, next hdl.Bits) {
	r := b.io.Request.Data
	var used hdl.Bits
	b.m.Ghost(func() { used = next.Sub(b.mosts.At(r.QP)) })
	b.m.Event("resource_taken", enters,
		hdl.Field("qp", r.QP), hdl.Field("psn", r.PSN), hdl.Field("kind", r.Resource.Kind), hdl.Field("bytes", r.Resource.Length),
		hdl.Field("used", used))
}
