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
		Name: fmt.Sprintf("rx_parse_%d", p.DataWidth),
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
				panic(err) // hdl makes it an error of the build
			}
			body(m, io)
		},
	}
}

func body(m *hdl.Module, io *IO) {
	p := newPipeline(m)
	c := newCapture(m, p, io.In)
	h := c.headers()
	p.stages(io.In, c.beat)

	now := judge(m, h, p.total())
	known := hdl.NewReg(m, "known", now)
	m.If(p.toSecond, func() { hdl.Set(known, now) })
	option := optionPort(m, c, h)

	t := newThird(m, p)
	t.status(known, option)
	t.payload(known)
	t.raw(io)
	t.outputs(io, h)
	properties(m, io, p)
}
