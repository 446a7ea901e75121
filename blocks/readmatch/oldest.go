package readmatch

import (
	"gornic/blocks/link"
	"gornic/hdl"
)

// issue fills the rings.
func (b *block) issue() {
	m, in, n := b.m, b.io.Issue, b.p.Sizes.ReadBits
	d := in.Data
	clears := b.io.Control.Fire().And(b.io.Control.Data.Kind.Is(link.ControlClear))
	in.Ready.Set(b.io.Control.Valid.Not())
	tail := b.tails.At(d.QP)
	full := tail.Sub(hdl.Unpack(b.p.state(), b.states.At(d.QP)).Head).MSB()
	enters := in.Fire().And(full.Not())
	b.entries.Write(hdl.Cat(d.QP, tail.Trunc(n)), enters, hdl.Pack(entry{
		Atomic: d.Atomic, PSN: d.PSN, Length: d.Length, WQEIndex: d.WQEIndex, NumSGE: d.NumSGE, SGE: d.SGE,
	}))
	b.tails.Write(hdl.Mux(clears, b.io.Control.Data.QP, d.QP), clears.Or(enters), hdl.Mux(clears, tail.K(0), tail.AddK(1)))
	m.Event("read_issued", enters, hdl.Field("qp", d.QP), hdl.Field("psn", d.PSN), hdl.Field("wqe", d.WQEIndex), hdl.Field("bytes", d.Length))

	config := b.io.Ring
	config.Ready.SetK(1)
	b.rings.Write(config.Data.QP, config.Valid.And(config.Data.Keep.Not()), hdl.Pack(ring{
		Page: config.Data.Base.Slice(63, 12), LogSize: config.Data.LogSize, LogStride: config.Data.LogStride,
	}))
	m.Unused(config.Data.Base.Slice(11, 0))
}

// begin lets what is no data pass, and otherwise looks the queue pair's state up.
func (b *block) begin() {
	hdl.Set(b.state, b.before)
	b.tail.Set(b.tails.At(b.packet.Data.QP))
	b.m.If(b.packet.Valid.And(b.works()), func() { b.st.Goto(stRead) })
}

// read reads the state of the packet's queue pair in stIdle, and its oldest READ or
// atomic with the place of that in stRead.
func (b *block) read() {
	qp, reads := b.packet.Data.QP, b.st.Is(stRead)
	b.before = hdl.Unpack(b.p.state(), b.states.At(qp))
	head := b.state.Head.Trunc(b.p.Sizes.ReadBits)
	some := b.state.Head.Ne(b.tail).And(b.state.Closed.Not())
	b.m.If(reads, func() { b.some.Set(some) })
	b.oldest = hdl.Unpack(entry{}, b.entries.Read("oldest", hdl.Cat(qp, head), reads.And(some)))
	saved := hdl.Unpack(place{}, b.places.Read("saved", qp, reads.And(b.state.Begun)))
	first := place{Due: b.oldest.PSN, Left: b.oldest.Length, SGE: hdl.K(3, 0), Rest: b.oldest.SGE}
	b.saved = hdl.MuxOf(b.state.Begun, saved, first)
}

// save writes what the packet changed. Control has the memory in the other cycles.
func (b *block) save() {
	m, control, v := b.m, b.io.Control, b.found
	saves := b.st.Is(stSave)
	control.Ready.Set(saves.Not())
	clears := control.Valid.And(control.Data.Kind.Is(link.ControlClear))
	done, data := v.Match.Is(link.MatchDone), v.Match.Is(link.MatchData)
	qp, now := b.packet.Data.QP, b.state
	zero := hdl.K(1, 0)
	b.states.Write(hdl.Mux(saves, qp, control.Data.QP), saves.Or(clears), hdl.Pack(hdl.MuxOf(saves,
		state{
			Head:   now.Head.Add(done.ZExt(now.Head.Width())),
			Begun:  now.Begun.Or(data).And(done.Not()),
			Closed: hdl.OrAll(now.Closed, v.Closes, b.failed),
		},
		state{Head: now.Head.K(0), Begun: zero, Closed: zero},
	)))
	b.places.Write(qp, saves.And(data), hdl.Pack(place{
		Due: b.place.Due.AddK(1), Left: b.place.Left.Sub(b.packet.Data.PayloadLen.ZExt(32)), SGE: b.place.SGE, Rest: b.place.Rest,
	}))
	m.Unused(control.Data.PSN)
}
