package rxbuffer

import (
	"fmt"
	"math/bits"

	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// dataProof is a proof of what leaves a small buffer.
func dataProof() hdl.Proof {
	return hdl.BoundedProofOf(dataDef(Params{DataWidth: 64, Beats: 4, Frames: 2}), 26, hdl.ABC).Breaks(
		hdl.StuckAt0("u_buffer.header_bad").As("a bad frame leaves"),
		hdl.Invert("u_buffer.job_count", 0).As("last beat a byte off"),
		hdl.ReverseBytes("u_buffer.sent").As("payload in the wrong order of bytes"),
		hdl.SwapBits("u_buffer.descriptor_3", 0, 1).As("bits of the descriptor swapped"),
	)
}

// dataDef is the buffer with properties of what leaves it, seen from outside:
// the frames that are reported ok, in order, and of one of them, that of an
// arbitrary number among others of any content, the whole descriptor, the number
// of beats, and every byte of one beat, at an arbitrary place. Frames come as the
// parser gives them, with as many beats as the payload length says.
func dataDef(p Params) hdl.Def[IO] {
	def := Def(p)
	def.Name = fmt.Sprintf("rxbuffer_data_%d_x%d_x%d", p.DataWidth, p.Beats, p.Frames)
	def.Doc = ""
	def.Body = func(m *hdl.Module, io *IO) {
		b := hdl.Instance(m, "u_buffer", Def(p))
		hdl.Connect(b.Status, io.Status)
		hdl.Connect(b.Header, io.Header)
		hdl.Connect(b.Payload, io.Payload)
		hdl.Connect(b.Verdict, io.Verdict)
		hdl.Connect(io.OutHeader, b.OutHeader)
		hdl.Connect(io.OutPayload, b.OutPayload)
		hdl.Set(io.Report, b.Report)
		io.Used.Set(b.Used)
		io.HighWater.Set(b.HighWater)
		io.Stored.Set(b.Stored)
		io.Full.Set(b.Full)
		io.Refused.Set(b.Refused)

		stream.AssumeSource(m, "status", io.Status)
		stream.AssumeSource(m, "header", io.Header)
		stream.AssumeFrame(m, "payload", io.Payload)
		stream.AssumeSource(m, "verdict", io.Verdict)
		f := newFollower(m, p, io)
		f.assume(io)
		f.judgement(io)
		f.descriptor(io)
		f.payload(io)
	}
	return def
}

// A follower knows one frame. Numbers of frames wrap, past more frames than are
// ever inside.
type follower struct {
	m *hdl.Module
	k int // log2 of the bytes in a beat

	number hdl.Bits // of the frame
	beat   hdl.Bits // number of the followed beat in it
	value  hdl.Bits // it
	come   hdl.Bits // beats that have come of the frame whose status comes next
	beats  hdl.Bits // of the frame
	d      format.RxDescriptor[hdl.Bits]
	ok     hdl.Bits // its status was ok,
	good   hdl.Bits // and so was its verdict

	statuses, reports hdl.Bits   // numbers of the next ones
	accepted          hdl.Bits   // frames reported ok,
	withPayload       hdl.Bits   // those that have payload
	some              []hdl.Bits // by number: the frame has payload

	reported    hdl.Bits // the frame was reported ok,
	headersBut  hdl.Bits // as so many others before it,
	payloadsBut hdl.Bits // so many of them with payload
}

const numberBits = 4

// beatBits is the width of a number of beats.
const beatBits = 4

func newFollower(m *hdl.Module, p Params, io *IO) *follower {
	f := &follower{m: m, k: bits.TrailingZeros(uint(p.DataWidth / 8))}
	f.number, f.beat = m.AnyConst("number", numberBits), m.AnyConst("beat", beatBits)
	m.Ghost(func() {
		f.statuses = f.count("statuses", numberBits, io.Status.Fire())
		verdicts := f.count("verdicts", numberBits, io.Verdict.Fire())
		f.reports = f.count("reports", numberBits, io.Report.Valid)
		f.watch(p, io, verdicts.Eq(f.number))
		f.watchReports(io)
	})
	return f
}

// count counts events.
func (f *follower) count(name string, width int, when hdl.Bits) hdl.Bits {
	c := f.m.Reg(name, width, 0)
	f.m.If(when, func() { c.Set(c.AddK(1)) })
	return c
}

// watch remembers what comes of the frame.
func (f *follower) watch(p Params, io *IO, judged hdl.Bits) {
	m := f.m
	comes := f.statuses.Eq(f.number)
	f.come = m.Reg("beats_come", beatBits, 0)
	m.If(io.Payload.Fire(), func() { f.come.Set(f.come.AddK(1)) })
	m.If(io.Status.Fire(), func() { f.come.SetK(0) })

	f.value = m.RegN("value", p.DataWidth)
	m.If(hdl.AndAll(io.Payload.Fire(), comes, f.come.Eq(f.beat)), func() { f.value.Set(io.Payload.Data.Data) })
	f.d, f.beats, f.ok = hdl.NewReg(m, "descriptor", hdl.Proto(io.Header.Data)), m.RegN("beats", beatBits), m.Reg("status_ok", 1, 0)
	m.If(io.Status.Fire().And(comes), func() {
		hdl.Set(f.d, io.Header.Data)
		f.beats.Set(f.come.Add(io.Payload.Valid.ZExt(beatBits)))
		f.ok.Set(io.Status.Data.Reason.Is(uint64(format.ReasonOK)))
	})
	f.good = m.Reg("judged_good", 1, 0)
	m.If(io.Verdict.Fire().And(judged), func() { f.good.Set(io.Verdict.Data.Good) })

	for i := range uint64(1 << numberBits) {
		bit := m.RegN(fmt.Sprintf("payload_of_%d", i), 1)
		m.If(io.Status.Fire().And(f.statuses.Is(i)), func() { bit.Set(io.Header.Data.PayloadLen.Any()) })
		f.some = append(f.some, bit)
	}
}

// watchReports counts the frames that are to leave.
func (f *follower) watchReports(io *IO) {
	m := f.m
	isOK := io.Report.Valid.And(io.Report.Reason.Is(uint64(format.ReasonOK)))
	f.accepted = f.count("accepted", numberBits, isOK)
	f.withPayload = f.count("accepted_with_payload", numberBits, isOK.And(hdl.Select(f.reports, f.some...)))
	f.reported = m.Reg("reported", 1, 0)
	f.headersBut, f.payloadsBut = m.RegN("headers_before", numberBits), m.RegN("payloads_before", numberBits)
	m.If(io.Report.Valid.And(f.reports.Eq(f.number)), func() {
		f.reported.Set(isOK)
		f.headersBut.Set(f.accepted)
		f.payloadsBut.Set(f.withPayload)
	})
}

// implies asserts that a implies b.
func (f *follower) implies(name string, a, b hdl.Bits) { f.m.Assert(name, a.Not().Or(b)) }

// assume takes for granted what the parser promises.
func (f *follower) assume(io *IO) {
	m := f.m
	ok := io.Status.Valid.And(io.Status.Data.Reason.Is(uint64(format.ReasonOK)))
	m.Assume("header_with_status", ok.Not().Or(io.Header.Valid))
	m.Assume("next_payload_after_status", io.Status.Valid.And(io.Status.Ready.Not()).Not().Or(io.Payload.Valid.Not()))
	length := io.Header.Data.PayloadLen
	wide := length.ZExt(format.PayloadLenBits + 1)
	beats := wide.AddK(uint64(1<<f.k - 1)).ShrK(f.k)
	come := f.come.Add(io.Payload.Valid.ZExt(beatBits))
	m.Assume("as_long_as_said", ok.Not().Or(beats.Eq(come.ZExt(beats.Width()))))
}

// judgement: a frame is reported ok only if its status and its verdict were good.
func (f *follower) judgement(io *IO) {
	here := io.Report.Valid.And(f.reports.Eq(f.number))
	ok := io.Report.Reason.Is(uint64(format.ReasonOK))
	f.implies("ok_is_good", here.And(ok), f.ok.And(f.good))
	full := io.Report.Reason.Is(uint64(format.ReasonBufferFull))
	f.implies("good_is_kept_or_full", here.And(f.ok).And(f.good), ok.Or(full))
	f.m.Cover("reported_full", here.And(full).And(f.ok))
}

// descriptor: descriptors are those of the accepted frames, in order.
func (f *follower) descriptor(io *IO) {
	out := io.OutHeader
	var gone hdl.Bits
	f.m.Ghost(func() { gone = f.count("headers_gone", numberBits, out.Fire()) })
	f.implies("header_of_accepted", out.Valid, gone.Ne(f.accepted))
	here := hdl.AndAll(out.Valid, f.reported, gone.Eq(f.headersBut))
	f.implies("header_as_it_came", here, hdl.Pack(out.Data).Eq(hdl.Pack(f.d)))
	f.m.Cover("second_header", here.And(f.headersBut.Any()))
}

// payload: payloads are those of the accepted frames that have one, in order.
func (f *follower) payload(io *IO) {
	m, out := f.m, io.OutPayload
	var gone, at hdl.Bits
	m.Ghost(func() {
		gone = f.count("payloads_gone", numberBits, out.Fire().And(out.Data.Last))
		at = m.Reg("out_at", beatBits, 0)
		m.If(out.Fire(), func() { at.Set(hdl.Mux(out.Data.Last, at.K(0), at.AddK(1))) })
	})
	f.implies("payload_of_accepted", out.Valid, gone.Ne(f.withPayload))
	here := hdl.AndAll(out.Valid, f.reported, f.d.PayloadLen.Any(), gone.Eq(f.payloadsBut))
	final := at.Eq(f.beats.SubK(1))
	count := f.d.PayloadLen.SubK(1).Trunc(f.k)
	f.implies("payload_ends", here, out.Data.Last.Eq(final))
	f.implies("payload_keep", here, out.Data.Keep.Eq(stream.KeepTo(count, 1<<f.k).Or(final.Not().Rep(1<<f.k))))
	f.implies("payload_as_it_came", here.And(at.Eq(f.beat)), out.Data.Data.Eq(f.value))
	f.implies("payload_good", here, out.Data.Err.Not())
	m.Cover("second_payload", here.And(f.payloadsBut.Any()).And(final).And(at.Any()))
}
