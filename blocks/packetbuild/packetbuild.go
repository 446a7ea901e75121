package packetbuild

import (
	"fmt"

	"gornic/blocks/icrc"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/stream"
)

// Params are the parameters of the module.
type Params struct {
	// DataWidth is the width of a beat in bits: 64, 128, 256 or 512.
	DataWidth int
}

// accept rejects parameters that the module cannot be built with.
func (p Params) accept(m *hdl.Module) {
	switch p.DataWidth {
	case 64, 128, 256, 512:
	default:
		m.Reject("data width of %d bits: not 64, 128, 256 or 512", p.DataWidth)
	}
}

// bytes is the number of bytes in a beat, words that of 32-bit words; both are
// powers of two.
func (p Params) bytes() int { return p.DataWidth / 8 }
func (p Params) words() int { return p.DataWidth / 32 }

// laneBits and wordBits are the widths of the number of a byte and of a word in
// a beat.
func (p Params) laneBits() int { return ir.AddrWidth(p.bytes()) }
func (p Params) wordBits() int { return ir.AddrWidth(p.words()) }

// IO is the ports of the packet builder.
type IO struct {
	Desc    hdl.Stream[format.TxDescriptor[hdl.Bits]] `hdl:"in"`
	Payload stream.Frame                              `hdl:"in"`
	Out     stream.Frame                              `hdl:"out"`
}

// Def is the packet builder: of each descriptor and its payload it makes a whole
// Ethernet frame, as roce.Build does. The package comment has its streams,
// faults and cycles.
func Def(p Params) hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: fmt.Sprintf("packetbuild_%d", p.DataWidth),
		Doc:  "Builds a RoCEv2 frame of each descriptor and its payload; a beat every cycle.",
		IO:   ports(p),
		Body: func(m *hdl.Module, io *IO) {
			p.accept(m)
			f := hdl.Instance(m, "u_frame", frame(p))
			hdl.Connect(f.Desc, io.Desc)
			hdl.Connect(f.Payload, io.Payload)
			sum := hdl.Instance(m, "u_icrc", icrc.GenerateDef(icrc.Params{DataWidth: p.DataWidth, WordEnd: true}))
			hdl.Connect(sum.In, f.Out)
			hdl.Connect(io.Out, sum.Out)

			stream.AssumeSource(m, "desc", io.Desc)
			stream.AssumeFrame(m, "payload", io.Payload)
			stream.AssertFrame(m, "out", io.Out)
		},
	}
}

func ports(p Params) IO {
	frame := stream.FrameOf(p.DataWidth)
	return IO{Desc: hdl.StreamOf(descriptor{}), Payload: frame, Out: frame}
}

// frame is the builder without the ICRC.
func frame(p Params) hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: fmt.Sprintf("packetbuild_frame_%d", p.DataWidth),
		Doc:  "Builds the frame of each descriptor and its payload, but for the ICRC.",
		IO:   ports(p),
		Body: func(m *hdl.Module, io *IO) {
			h := newHeader(m, p, planned(m, p, io.Desc))
			j := join(m, p, h, io.Payload)
			hdl.Connect(io.Out, stream.ForwardSlice(m, "u_out", j.out))
			properties(m, io, h, j)
		},
	}
}
