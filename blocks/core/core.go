package core

import (
	"fmt"

	"gornic/blocks/command"
	"gornic/blocks/link"
	"gornic/blocks/registers"
	"gornic/blocks/retry"
	"gornic/blocks/rxpath"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the core.
type Params struct {
	Sizes link.Sizes
	MTU   int // largest path MTU in bytes
	Keys  int // keys that are held
	Retry retry.Params
	Rx    rxpath.Params

	Credits bool // acknowledgements tell how many receive WQEs are posted

	NoCongestion bool // no queue pair can have congestion control
}

// Registers returns the parameters of the registers.
func (p Params) Registers() registers.Params {
	return registers.Params{Sizes: p.Sizes, MTU: p.MTU, LineRate: p.lineRate(), Tick: p.Retry.Tick, NoCongestion: p.NoCongestion}
}

// Command returns the parameters of the block that runs commands.
func (p Params) Command() command.Params {
	return command.Params{Sizes: p.Sizes, MTU: p.MTU, NoCongestion: p.NoCongestion}
}

// The blocks that tell of credits.
const (
	creditAckQueue = iota
	creditTransmit
	creditors
)

// creditors is how many blocks tell of credits.
func (p Params) creditors() int {
	if p.Credits {
		return creditors
	}
	return 0
}

// AXIS is an AXI4-Stream of Ethernet frames, with the names of the standard.
type AXIS struct {
	TData  hdl.Bits `name:"tdata"`
	TKeep  hdl.Bits `name:"tkeep"`
	TLast  hdl.Bits `w:"1" name:"tlast"`
	TUser  hdl.Bits `w:"1" name:"tuser"` // with tlast: the frame is bad
	TValid hdl.Bits `w:"1" name:"tvalid"`
	TReady hdl.Bits `hdl:"flip" w:"1" name:"tready"`
}

func axis(width int) AXIS { return AXIS{TData: hdl.W(width), TKeep: hdl.W(width / 8)} }

// frames is the port as a stream of frames.
func (a AXIS) frames() stream.Frame {
	return stream.Frame{Valid: a.TValid, Ready: a.TReady, Data: stream.Beat{Data: a.TData, Keep: a.TKeep, Last: a.TLast, Err: a.TUser}}
}

// IO is the ports of the core.
type IO struct {
	Registers link.AXILite `hdl:"in" name:"s_axil"`
	Memory    link.AXI     `hdl:"out" name:"m_axi"`
	Rx        AXIS         `hdl:"in" name:"s_axis_rx"`   // from the MAC; never waits
	Tx        AXIS         `hdl:"out" name:"m_axis_tx"`  // to the MAC
	RawRx     AXIS         `hdl:"out" name:"m_axis_raw"` // received frames for the host's network stack
	RawTx     AXIS         `hdl:"in" name:"s_axis_raw"`  // frames of the host's network stack to be sent

	IRQ       hdl.Bits                   `hdl:"out" w:"1" name:"irq"`  // some vector has an interrupt
	Interrupt hdl.Stream[link.Interrupt] `hdl:"out" name:"m_axis_irq"` // each interrupt, for MSI-X
}

// ports returns the prototype of the ports.
func ports(p Params) IO {
	s := p.Sizes
	frames := axis(s.DataWidth)
	return IO{
		Registers: s.AXILite(), Memory: s.AXI(), Rx: frames, Tx: frames, RawRx: frames, RawTx: frames,
		Interrupt: hdl.StreamOf(link.Interrupt{}),
	}
}

func (p Params) name() string {
	s := p.Sizes
	return fmt.Sprintf("gornic_%d_qp%d_cq%d_eq%d", s.DataWidth, 1<<s.QPBits, 1<<s.CQBits, 1<<s.EQBits)
}

// Validate returns an error for parameters that the core cannot have.
func (p Params) Validate() error {
	if p.Rx.DataWidth != p.Sizes.DataWidth {
		return fmt.Errorf("core: a receive side of %d bits in a core of %d", p.Rx.DataWidth, p.Sizes.DataWidth)
	}
	return p.Rx.Validate()
}

// Def is the core. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	return hdl.Def[IO]{
		Name: p.name(),
		Doc:  "RoCEv2 RDMA NIC core: AXI4 to host memory, AXI4-Lite for registers and doorbells, AXI4-Stream to the network.",
		IO:   ports(p),
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			c := newCore(m, p, io)
			c.send()
			c.receive()
			c.around()
		},
	}
}
