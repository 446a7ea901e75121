package rxparse

import (
	"fmt"

	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Status is what the parser finds about a frame.
type Status struct {
	Reason hdl.Bits `w:"5"` // a format.Reason, without those of the ICRC and the buffer
	Packet hdl.Bits `w:"1"` // the frame holds a whole RoCEv2 packet: there is an ICRC to judge
}

// IO is the ports of the parser. The package comment tells what each stream carries.
type IO struct {
	In      stream.Frame                              `hdl:"in"`
	Status  hdl.Stream[Status]                        `hdl:"out"`
	Header  hdl.Stream[format.RxDescriptor[hdl.Bits]] `hdl:"out"`
	Payload stream.Frame                              `hdl:"out"`
	Raw     stream.Frame                              `hdl:"out"`
}

// Def is the parser. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: fmt.Sprintf("rxparse_%d", p.DataWidth),
		Doc:  "Takes Ethernet frames apart: RoCEv2 descriptors and payloads, and the frames that are for the host.",
		IO: IO{
			In:      stream.FrameOf(p.DataWidth),
			Status:  hdl.StreamOf(Status{}),
			Header:  hdl.StreamOf(format.RxDescriptor[hdl.Bits]{}),
			Payload: stream.FrameOf(p.DataWidth),
			Raw:     stream.FrameOf(p.DataWidth),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			body(m, io)
		},
	}
}

func body(m *hdl.Module, io *IO) {
	p := newPipeline(m)
	entry := newEntry(m, p, io.In)
	layout := entry.layout()
	fields := entry.judged(layout)
	p.stages(io.In, entry.number)

	now := judge(m, fields, p.total())
	known := hdl.NewReg(m, "known", now)
	m.If(p.toSecond, func() { hdl.Set(known, now) })
	option := optionPort(m, entry, p, fields)

	t := newThird(m, p)
	t.status(known, option)
	t.payload(known, now)
	t.raw(io)

	keeper := t.keeper(entry, known)
	t.outputs(io, keeper.descriptor(t.vlan, t.v6, t.less))
	t.properties(io)
}

// keeper is the reader that keeps the fields of the descriptor until the frame's
// last beat is in stage 3. By then stage 1 can be at beat 1 of the next frame. At
// 64 bits no field comes before beat 2, so the registers that the frame is judged
// by will do. Wider beats have the fields taken once more, on the way to stage 3.
func (t *third) keeper(entry *reader, known facts) *reader {
	b := t.p.second
	if b.Data.Width() == 64 {
		return entry
	}
	r := newReader(t.m, "kept_", t.p.toThird, b.Number, b.Data, t.data)
	r.vlan, r.v6 = known.VLAN, known.IPv6
	r.see()
	return r
}
