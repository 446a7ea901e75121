package readmatch

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

const (
	sourcesHeld = 16 // packets with payload between here and scatter, before those behind wait
	valuesHeld  = 4  // and ATOMIC_ACKs
)

// give makes the outputs: Matched from a register, Source and Value from queues.
func (b *block) give() {
	m, st, d := b.m, b.st, b.packet.Data
	idle, places := st.Is(stIdle), st.Is(stPlace)
	arrives := hdl.AndAll(idle, b.packet.Valid, b.works().Not())
	came, piece := b.asItCame(), b.piece()
	b.queue(arrives)
	empty := b.lacks().And(b.none)
	b.gives.Set(b.passes.Or(hdl.AndAll(places, b.free, b.room, empty.Not())))
	b.register(hdl.MuxOf(idle, came, piece))

	h := hdl.Unpack(format.AETH[hdl.Bits]{}, aeth(d))
	m.Event("response", st.Is(stJudge).Or(b.passes.And(isResponse(d))),
		hdl.Field("qp", d.QP), hdl.Field("opcode", d.Opcode), hdl.Field("psn", d.PSN),
		hdl.Field("match", hdl.Mux(idle, came.Match, b.verdict.match)), hdl.Field("syndrome", h.Syndrome), hdl.Field("msn", h.MSN))
	m.Event("read_data", hdl.AndAll(places, b.gives, b.isData(), piece.Skip.Not(), piece.Packet.PayloadLen.Any()),
		hdl.Field("qp", d.QP), hdl.Field("psn", d.PSN), hdl.Field("wqe", b.oldest.WQEIndex), hdl.Field("sge", b.place.SGE),
		hdl.Field("va", b.place.Rest.Addr), hdl.Field("bytes", piece.Packet.PayloadLen))
}

// queue fills the queues of Source and Value, no later than the first Matched of their packet goes out. A packet
// that arrives passes, or waits for room.
func (b *block) queue(arrives hdl.Bits) {
	m, d, f := b.m, b.packet.Data, b.found
	payload := d.PayloadLen.Any()
	tells := b.st.Is(stPlace).And(b.told.Not())
	b.passes.Set(hdl.AndAll(arrives, b.free, b.sources.Ready.Or(payload.Not())))
	b.room.Set(b.told.Or(b.sources.Ready.And(b.originals.Ready)))
	b.sources.Valid.Set(hdl.Mux(arrives, b.free.And(payload), hdl.AndAll(tells, b.originals.Ready, payload.Or(f.Original))))
	b.sources.Data.Set(arrives.Not().And(f.Original))
	hdl.Connect(b.io.Source, stream.FIFO(m, "u_sources", b.sources, sourcesHeld))

	b.originals.Valid.Set(hdl.AndAll(tells, b.sources.Ready, f.Original))
	b.originals.Data.Set(hdl.Cat(d.Ext[1], d.Ext[2])) // the AtomicAckETH
	bytes := b.p.Sizes.DataWidth / 8
	hdl.Connect(b.io.Value, stream.Map(stream.FIFO(m, "u_originals", b.originals, valuesHeld), func(original hdl.Bits) stream.Beat {
		return stream.Beat{Data: original.ZExt(8 * bytes), Keep: hdl.Ones(8).ZExt(bytes), Last: hdl.K(1, 1), Err: hdl.K(1, 0)}
	}))
}

// asItCame is the Matched of a packet that passes: an acknowledgement, or no response.
func (b *block) asItCame() link.RxMatched {
	d := b.packet.Data
	response := isResponse(d)
	skip := response.And(d.PayloadLen.Any())
	d.Ext[4] = hdl.Mux(response, aeth(d), d.Ext[4])
	return link.RxMatched{Packet: d, Match: acknowledges(b.before), Fault: hdl.K(link.FaultBits, 0), Skip: skip, More: hdl.K(1, 0)}
}

// register keeps a Matched until it is taken.
func (b *block) register(out link.RxMatched) {
	m, to := b.m, b.io.Matched
	valid := m.Reg("given", 1, 0)
	held := hdl.NewReg(m, "given_data", hdl.Proto(to.Data))
	b.free.Set(valid.Not().Or(to.Ready))
	m.If(b.free, func() {
		valid.Set(b.gives)
		hdl.Set(held, out)
	})
	to.Valid.Set(valid)
	hdl.Set(to.Data, held)
}
