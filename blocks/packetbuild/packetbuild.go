package packetbuild

import (
	"fmt"

	"gornic/blocks/icrc"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// IO is the ports of the packet builder.
type IO struct {
	Desc    hdl.Stream[format.TxDescriptor[hdl.Bits]] `hdl:"in"`
	Payload stream.Frame                              `hdl:"in"`
	Out     stream.Frame                              `hdl:"out"`
}

// Def is the packet builder: of each descriptor and its payload it makes a whole
// Ethernet frame, as [Reference] does. The package comment has its streams,
// faults and cycles.
func Def(p Params) (hdl.Def[IO], error) {
	if err := p.Validate(); err != nil {
		return hdl.Def[IO]{}, err
	}
	appendICRC, err := icrc.Generate(icrc.Params{DataWidth: p.DataWidth, WordEnd: true})
	if err != nil {
		return hdl.Def[IO]{}, err
	}
	frame := stream.FrameOf(p.DataWidth)
	return hdl.Def[IO]{
		Name: fmt.Sprintf("packetbuild_%d", p.DataWidth),
		Doc:  "Builds a RoCEv2 frame of each descriptor and its payload; a beat every cycle.",
		IO:   IO{Desc: hdl.StreamOf(descriptor{}), Payload: frame, Out: frame},
		Body: func(m *hdl.Module, io *IO) {
			h := newHeader(m, p, planned(m, p, io.Desc))
			sum := hdl.Instance(m, "u_icrc", appendICRC)
			hdl.Connect(sum.In, stream.ForwardSlice(m, "u_joined", join(m, p, h, io.Payload)))
			hdl.Connect(io.Out, sum.Out)
			properties(m, io)
		},
	}, nil
}
