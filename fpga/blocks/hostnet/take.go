package hostnet

import (
	"gornic/format"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// phase is what becomes of a frame that has come.
type phase int

const (
	phHead  phase = iota // its header is read
	phCheck              // and compared with the first request of the window
	phJudge              // whether it is what the window waits for
	phAct                // what becomes of it
	phData               // its words go to the master
	phFail               // the first request of the window fails
	phSkip               // its words go nowhere
)

func (p phase) String() string {
	return [...]string{"head", "check", "judge", "act", "data", "fail", "skip"}[p]
}

// Responses of AXI.
const (
	respOKAY   = 0
	respSLVERR = 2
)

// asked is an access of the PC.
type asked struct {
	From    address
	Session hdl.Bits `w:"32"`
	Offset  hdl.Bits `w:"32"`
	Value   hdl.Bits `w:"32"`
	Seq     hdl.Bits `w:"32"`
	Op      hdl.Bits `w:"4"`
}

// head is what is kept of the header of a frame.
type head struct {
	Asked  asked
	Answer hdl.Bits `w:"1"`
	Status hdl.Bits `w:"3"`
	Words  hdl.Bits `w:"8"`
}

// readBeat and writeEnd are what goes back to the master.
type (
	readBeat struct {
		Data hdl.Bits
		ID   hdl.Bits `w:"4"`
		Resp hdl.Bits `w:"2"`
		Last hdl.Bits `w:"1"`
	}
	writeEnd struct {
		ID   hdl.Bits `w:"4"`
		Resp hdl.Bits `w:"2"`
	}
)

// taker is the part that takes frames apart.
type taker struct {
	*block
	st    *hdl.FSM[phase]
	frame stream.Frame
	h     head
	r     hdl.Stream[readBeat]
	e     hdl.Stream[writeEnd]
}

// take answers the first request of the window from a frame, or with a failure, and hands accesses on.
func (b *block) take(frame stream.Frame) {
	m := b.m
	t := &taker{
		block: b, frame: frame,
		st: hdl.NewFSM(m, "taker", phHead, phCheck, phJudge, phAct, phData, phFail, phSkip),
		h:  hdl.NewReg(m, "head", head{}),
		r:  hdl.NewStream(m, "read_back", readBeat{Data: hdl.W(port.DataWidth)}),
		e:  hdl.NewStream(m, "write_back", writeEnd{}),
	}
	m.Unused(frame.Data.Keep, frame.Data.Err) // whole words; the FIFO gives no bad frame
	t.judge(t.header())
	t.master()
}

// header reads the header of a frame, beat by beat. It returns two bits: it has been read; and instead, the first request of the window fails now.
func (t *taker) header() (whole, fails hdl.Bits) {
	m, st, f, h := t.m, t.st, t.frame, t.h
	beat := m.Reg("head_beat", 3, 0)
	fails = hdl.AndAll(st.Is(phHead), beat.None(), t.open.Not(), t.isDue, t.sending.Not())
	wire := hdl.SwapBytes(f.Data.Data)
	byteAt := func(i, n int) hdl.Bits { return wire.Slice(63-8*i, 64-8*(i+n)) }
	last := hdl.Unpack(format.HostnetHeader[hdl.Bits]{}, hdl.Cat(hdl.K(112, 0), wire)) // in the last beat of the header
	from := h.Asked.From
	m.If(hdl.AndAll(st.Is(phHead), f.Valid, fails.Not()), func() {
		beat.Set(beat.AddK(1))
		m.Switch(beat,
			hdl.Case(0, func() { from.MAC.Set(hdl.Cat(byteAt(6, 2), from.MAC.Trunc(32))) }),
			hdl.Case(1, func() { from.MAC.Set(hdl.Cat(from.MAC.Slice(47, 32), byteAt(0, 4))) }),
			hdl.Case(3, func() { from.IP.Set(byteAt(2, 4)) }),
			hdl.Case(4, func() { from.Port.Set(byteAt(2, 2)) }),
			hdl.Case(5, func() { h.Asked.Session.Set(byteAt(4, 4)) }),
			hdl.Case(6, func() {
				h.Asked.Offset.Set(byteAt(0, 4))
				h.Asked.Value.Set(byteAt(4, 4))
			}),
			hdl.Case(7, func() {
				h.Asked.Seq.Set(last.Seq)
				h.Asked.Op.Set(last.Op)
				h.Answer.Set(last.Answer)
				h.Status.Set(last.Status)
				h.Words.Set(last.Words)
			}),
			hdl.Default(func() {}),
		)
	})
	return f.Valid.And(beat.All()), fails
}

// judge goes from phase to phase.
func (t *taker) judge(read, fails hdl.Bits) {
	m, st, f, h, due := t.m, t.st, t.frame, t.h, t.due
	mine, whole, good := m.RegN("is_mine", 1), m.RegN("is_whole", 1), m.RegN("is_good", 1)
	m.If(st.Is(phCheck), func() {
		session := h.Asked.Session.Eq(t.session)
		seq := h.Asked.Seq.Eq(t.win.Acked)
		mine.Set(hdl.AndAll(h.Answer, session, seq, h.Asked.Op.Eq(op(due.Kind))))
		whole.Set(h.Words.Eq(due.Words))
	})
	ok := h.Status.Is(uint64(format.HostnetOK))
	reads := due.Kind.Is(kindRead)
	data := reads.And(ok)
	again := t.sending.And(t.win.Ahead.Is(1)) // it is being sent, again
	m.If(st.Is(phJudge), func() {
		good.Set(hdl.AndAll(mine, t.isDue, t.open, hdl.Mux(data, whole, h.Words.None())))
	})
	t.answering.Set(hdl.OrAll(st.Is(phCheck), st.Is(phJudge), st.Is(phAct), st.Is(phData), st.Is(phFail)))
	ended := t.e.Ready.Or(due.End.Not())

	left := m.RegN("fail_left", 8)
	judged := st.Is(phAct).And(good)
	written := hdl.AndAll(judged, reads.Not(), ended)
	beatFails := st.Is(phFail).And(reads)
	failed := st.Is(phFail).And(hdl.Mux(reads, t.r.Ready.And(left.Is(1)), ended))
	beatMoves := hdl.AndAll(st.Is(phData), f.Valid, t.r.Ready)
	t.accept.Set(hdl.OrAll(written, failed, beatMoves.And(f.Data.Last)))

	asks := hdl.AndAll(st.Is(phAct), h.Answer.Not(), h.Words.None())
	t.asked.Valid.Set(asks)
	hdl.Set(t.asked.Data, h.Asked)

	ends := f.Valid.And(f.Data.Last)
	st.Switch(
		hdl.On(phHead, func() { m.If(fails, func() { st.Goto(phFail) }).ElseIf(read, func() { st.Goto(phCheck) }) }),
		hdl.On(phCheck, func() { st.Goto(phJudge) }),
		hdl.On(phJudge, func() { m.If(again.Not(), func() { st.Goto(phAct) }) }),
		hdl.On(phAct, func() {
			m.If(good.Not().And(h.Words.Any()), func() { st.Goto(phSkip) }).
				ElseIf(good.Not(), func() { st.Goto(phHead) }).
				ElseIf(data, func() { st.Goto(phData) }).
				ElseIf(reads, func() { st.Goto(phFail) }).
				ElseIf(ended, func() { st.Goto(phHead) })
		}),
		hdl.On(phData, func() { m.If(ends.And(t.r.Ready), func() { st.Goto(phHead) }) }),
		hdl.On(phFail, func() { m.If(failed, func() { st.Goto(phHead) }) }),
		hdl.On(phSkip, func() { m.If(ends, func() { st.Goto(phHead) }) }),
	)
	m.If(st.Is(phFail).Not(), func() { left.Set(due.Words) }).ElseIf(t.r.Ready, func() { left.Set(left.SubK(1)) })
	f.Ready.Set(hdl.OrAll(st.Is(phHead).And(fails.Not()), st.Is(phData).And(t.r.Ready), st.Is(phSkip)))

	t.r.Valid.Set(beatFails.Or(st.Is(phData).And(f.Valid)))
	hdl.Set(t.r.Data, readBeat{
		Data: f.Data.Data.And(beatFails.Not().Rep(port.DataWidth)), ID: due.ID, Resp: hdl.Mux(beatFails, hdl.K(2, respSLVERR), hdl.K(2, respOKAY)),
		Last: due.End.And(hdl.Mux(beatFails, left.Is(1), f.Data.Last)),
	})

	bad := m.Reg("write_failed", 1, 0) // a request before it of the same burst
	fault := st.Is(phFail).Or(ok.Not())
	wrote := t.accept.And(due.Kind.Is(kindWrite))
	m.If(wrote, func() { bad.Set(due.End.Not().And(bad.Or(fault))) })
	t.e.Valid.Set(hdl.AndAll(due.Kind.Is(kindWrite), due.End, hdl.Mux(st.Is(phFail), hdl.K(1, 1), judged)))
	hdl.Set(t.e.Data, writeEnd{ID: due.ID, Resp: hdl.Mux(bad.Or(fault), hdl.K(2, respSLVERR), hdl.K(2, respOKAY))})
	m.Event("answered", t.accept, hdl.Field("seq", t.win.Acked), hdl.Field("kind", due.Kind), hdl.Field("fails", fault))
}

// master gives the answers to the master, behind registers.
func (t *taker) master() {
	m, axi := t.m, &t.io.AXI
	r, e := stream.Slice(m, "u_read_back", t.r), stream.Slice(m, "u_write_back", t.e)
	axi.RData.Set(r.Data.Data)
	axi.RID.Set(r.Data.ID)
	axi.RResp.Set(r.Data.Resp)
	axi.RLast.Set(r.Data.Last)
	axi.RValid.Set(r.Valid)
	r.Ready.Set(axi.RReady)
	axi.BID.Set(e.Data.ID)
	axi.BResp.Set(e.Data.Resp)
	axi.BValid.Set(e.Valid)
	e.Ready.Set(axi.BReady)
}
