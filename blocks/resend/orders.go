package resend

import (
	"gornic/blocks/link"
	"gornic/blocks/scheduler"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Who enters queue pairs into the queue.
const (
	wakeResend = iota
	wakeAgain
	wakePaced
	wakes
)

// clear makes the two bits of each queue pair the same after reset. Either value would do, but a memory need not be the same to all who
// read it before it is written: synthesis may make a copy for each, and copies start as they like.
func (b *block) clear() {
	b.swept = b.sweep.MSB()
	b.m.If(b.swept.Not(), func() { b.sweep.Set(b.sweep.AddK(1)) })
}

// note writes a bit of a queue pair, or clears one while there are any to clear.
func (b *block) note(bits *hdl.Memory, qp, en, value hdl.Bits) {
	at := hdl.Mux(b.swept, qp, b.sweep.Trunc(b.p.Sizes.QPBits))
	bits.Write(at, en.Or(b.swept.Not()), value.And(b.swept))
}

// order takes Resends and Control at any time but after reset. Both write the order of a queue pair; who has the turn finds in
// newer that it has changed.
func (b *block) order() {
	m, in, control := b.m, b.io.Resend, b.io.Control
	wake := b.wakes[wakeResend]
	stop := in.Data.Stop
	wake.Valid.Set(hdl.AndAll(in.Valid, stop.Not(), b.swept))
	wake.Data.QP.Set(in.Data.QP)
	in.Ready.Set(stop.Or(wake.Ready).And(b.swept))
	control.Ready.Set(in.Valid.Not().And(b.swept))
	m.Unused(control.Data.PSN)

	writes := in.Fire().Or(control.Fire().And(control.Data.Kind.Is(link.ControlClear)))
	qp := hdl.Mux(in.Valid, in.Data.QP, control.Data.QP)
	b.orders.Write(qp, writes, hdl.Pack(order{Live: in.Valid.And(stop.Not()), Number: in.Data.Number, PSN: in.Data.PSN}))
	b.note(b.asked, qp, writes, b.begun.At(qp).Not())
	b.touches.Set(writes.And(qp.Eq(b.turn.qp)))
	m.If(b.touches, func() { b.turn.newer.SetK(1) })
	m.Event("resend", in.Fire(), hdl.Field("qp", in.Data.QP), hdl.Field("stop", stop), hdl.Field("number", in.Data.Number), hdl.Field("psn", in.Data.PSN))

	config := b.io.Ring
	config.Ready.SetK(1)
	b.rings.Write(config.Data.QP, config.Valid.And(config.Data.Keep.Not()),
		hdl.Pack(ring{Page: config.Data.Base.Slice(63, 12), LogSize: config.Data.LogSize, LogStride: config.Data.LogStride}))
	m.Unused(config.Data.Base)
}

// begin begins a turn while nobody writes what it reads.
func (b *block) begin() {
	m, io, grant := b.m, b.io, b.queue
	writes := hdl.OrAll(io.Resend.Valid, io.Control.Valid, io.Ring.Valid)
	grant.Ready.Set(hdl.AndAll(b.st.Is(stIdle), b.swept, writes.Not(), io.Fence.Valid.Not()))
	b.begins.Set(grant.Fire())
	qp := grant.Data.QP
	asked := b.asked.At(qp)
	m.If(b.begins, func() {
		b.turn.qp.Set(qp)
		b.turn.flip.Set(asked)
		b.turn.fresh.Set(asked.Xor(b.begun.At(qp)))
		b.turn.newer.SetK(0)
	})
	b.turn.order = hdl.Unpack(order{}, b.orders.Read("order", qp, b.begins))
	b.turn.place = hdl.Unpack(place{}, b.places.Read("place", qp, b.begins))
	b.turn.ring = hdl.Unpack(ring{}, b.rings.Read("ring", qp, b.begins))

	// A turn that ends notes the next entry, unless that is the oldest anyway.
	again := b.wakes[wakeAgain]
	again.Valid.Set(b.st.Is(stEnd))
	again.Data.QP.Set(b.turn.qp)
	notes := again.Fire().Or(io.Resent.Fire()).And(b.overtaken().Not())
	b.places.Write(b.turn.qp, notes, hdl.Pack(place{Done: b.st.Is(stResent), Index: b.next}))
	b.note(b.begun, b.turn.qp, notes, b.turn.flip)
}

// enter makes the queue, and registers before and behind it: a queue pair may be in one while it is in another or has its turn,
// and so have turns that it does not need.
func (b *block) enter() {
	for _, name := range [wakes]string{wakeResend: "wake_resend", wakeAgain: "wake_again", wakePaced: "wake_paced"} {
		b.wakes = append(b.wakes, hdl.NewStream(b.m, name, b.p.Sizes.QPRef()))
	}
	hdl.Connect(b.wakes[wakePaced], b.io.Wake)
	wake, from := stream.RoundRobin(b.m, "u_wakes", b.wakes...)
	b.m.Unused(from)
	queue := hdl.Instance(b.m, "u_queue", scheduler.Def(scheduler.Params{Sizes: b.p.Sizes, Wakes: 1}))
	hdl.Connect(queue.Wakes[0], stream.Slice(b.m, "u_wake", wake))
	b.queue = stream.Slice(b.m, "u_grant", queue.Grant)
}

// overtaken returns one bit: the order of the turn is in force no more.
func (b *block) overtaken() hdl.Bits { return b.turn.newer.Or(b.touches) }

// fence lets tokens pass between turns.
func (b *block) fence() {
	fence, passed := b.io.Fence, b.io.Passed
	idle := b.st.Is(stIdle)
	passed.Valid.Set(fence.Valid.And(idle))
	fence.Ready.Set(passed.Ready.And(idle))
	hdl.Set(passed.Data, fence.Data)
}
