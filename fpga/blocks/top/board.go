package top

import (
	"fmt"

	"gornic/blocks"
	"gornic/blocks/core"
	"gornic/fpga/blocks/access"
	"gornic/fpga/blocks/boardregs"
	"gornic/fpga/blocks/ethport"
	"gornic/fpga/blocks/hostmem"
	"gornic/fpga/blocks/hostnet"
	"gornic/fpga/blocks/neighbour"
	"gornic/fpga/blocks/serial"
	"gornic/fpga/blocks/uart"
	"gornic/hdl"
)

// BoardIO is the ports of the digital part.
type BoardIO struct {
	Rx0 ethport.Pins   `hdl:"in" clock:"rx0"`
	Rx1 []ethport.Pins `hdl:"in" clock:"rx1"` // one where there is a port 1
	Tx  []ethport.Pins `hdl:"out" clock:"net"`

	UARTRx hdl.Bits `hdl:"in" w:"1" name:"uart_rx"` // of no clock
	UARTTx hdl.Bits `hdl:"out" w:"1" name:"uart_tx"`

	LEDs    hdl.Bits   `hdl:"out" name:"leds"` // ones shine
	RxDelay []hdl.Bits `hdl:"out" w:"7"`       // of received data, in taps
	Reset   hdl.Bits   `hdl:"out" w:"1"`       // software wants everything to be reset
}

// BoardDef is the digital part of a board. Building it with parameters that are not valid fails.
func BoardDef(p Params) hdl.Def[BoardIO] {
	return hdl.Def[BoardIO]{
		Name: "gornic_board_" + p.Board.Name,
		Doc:  fmt.Sprintf("RDMA NIC for the board %s: all but pads and clocks.", p.Board.Title),
		IO: BoardIO{
			Rx1: make([]ethport.Pins, p.ports()-1), Tx: make([]ethport.Pins, p.ports()),
			LEDs: hdl.W(p.Board.LEDs.Count), RxDelay: make([]hdl.Bits, p.ports()),
		},
		Body: func(m *hdl.Module, io *BoardIO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newDigital(m, p, io)
			b.network()
			b.host()
			b.count()
			b.lights()
		},
	}
}

// digital is the module while it is built: every block, under the name of its folder.
type digital struct {
	m  *hdl.Module
	p  Params
	io *BoardIO

	core      *core.IO
	ports     []*ethport.IO
	neighbour []*neighbour.IO
	access    *access.IO
	hostmem   *hostmem.IO
	boardregs *boardregs.IO

	uart    *uart.IO // nil without a serial line
	serial  *serial.IO
	hostnet *hostnet.IO // nil without UDP
}

func newDigital(m *hdl.Module, p Params, io *BoardIO) *digital {
	hosts := p.Board.Hosts
	b := &digital{
		m: m, p: p, io: io,
		core:      hdl.Instance(m, "u_core", core.Def(blocks.Core(p.Core))),
		hostmem:   hdl.Instance(m, "u_hostmem", hostmem.Def(p.Memory())),
		boardregs: hdl.Instance(m, "u_boardregs", boardregs.Def(p.Registers())),
	}
	if hosts.Serial {
		b.uart = hdl.Instance(m, "u_uart", uart.Def())
		b.serial = hdl.Instance(m, "u_serial", serial.Def())
	}
	if hosts.UDP {
		b.hostnet = hdl.Instance(m, "u_hostnet", hostnet.Def(hostnet.DefaultParams()))
	}
	b.access = hdl.Instance(m, "u_access", access.Def(p.Access()))
	for i := range p.ports() {
		rx := hdl.WithClock("rx", m.Domain(fmt.Sprintf("rx%d", i)))
		b.ports = append(b.ports, hdl.Instance(m, fmt.Sprintf("u_port_%d", i), ethport.Def(ethport.DefaultParams()), rx))
		b.neighbour = append(b.neighbour, hdl.Instance(m, fmt.Sprintf("u_neighbour_%d", i), neighbour.Def(neighbour.Params{})))
	}
	return b
}

// ports is how many Ethernet ports there are.
func (p Params) ports() int { return len(p.Board.Ports) }

// Access is who reaches the board and what there is to reach.
func (p Params) Access() access.Params {
	n := 0
	for _, there := range []bool{p.Board.Hosts.Serial, p.Board.Hosts.UDP} {
		if there {
			n++
		}
	}
	return access.Params{Clients: n, CoreBits: blocks.Sizes(p.Core).AddressBits()}
}

// Memory is the host memory, and whether there is more in a PC.
func (p Params) Memory() hostmem.Params {
	return hostmem.Params{Bytes: p.Board.HostMemory, Remote: p.Board.Hosts.UDP}
}
