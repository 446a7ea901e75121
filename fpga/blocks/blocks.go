package blocks

import (
	"gornic/fpga/blocks/access"
	"gornic/fpga/blocks/boardregs"
	"gornic/fpga/blocks/ethport"
	"gornic/fpga/blocks/hostmem"
	"gornic/fpga/blocks/hostnet"
	"gornic/fpga/blocks/mac"
	"gornic/fpga/blocks/neighbour"
	"gornic/fpga/blocks/serial"
	"gornic/fpga/blocks/top"
	"gornic/fpga/blocks/uart"
	"gornic/hdl"
)

// Block is one block of a board.
type Block struct {
	Name string // of its folder, or of a part of that
	Doc  string // what it does, in a line
	// Build elaborates the block as a board has it, with itself as the top.
	Build func(top.Params) (*hdl.Design, error)
}

// All returns the blocks from the pins to the core, then those by which a host reaches it.
func All() []Block {
	return []Block{
		{
			"mac receive", "takes bytes of the PHY: preamble, FCS, short and long frames, errors",
			func(top.Params) (*hdl.Design, error) {
				return build(mac.ReceiveDef(mac.Params{MaxFrame: mac.JumboFrame}))
			},
		},
		{
			"mac transmit", "sends frames: preamble, pad, FCS, gaps",
			func(top.Params) (*hdl.Design, error) { return build(mac.TransmitDef()) },
		},
		{
			"ethport", "an Ethernet port: pins of an RGMII to frames of the core, through the clocks between",
			func(top.Params) (*hdl.Design, error) { return build(ethport.Def(ethport.DefaultParams())) },
		},
		{
			"neighbour", "answers ARP and ping",
			func(top.Params) (*hdl.Design, error) { return build(neighbour.Def(neighbour.Params{})) },
		},
		{
			"uart", "bytes on a serial line",
			func(top.Params) (*hdl.Design, error) { return build(uart.Def()) },
		},
		{
			"serial", "the bridge over the serial line: checked requests, answered once or again",
			func(top.Params) (*hdl.Design, error) { return build(serial.Def()) },
		},
		{
			"hostnet", "the bridge over UDP: the core's memory in a PC, and registers for it",
			func(top.Params) (*hdl.Design, error) { return build(hostnet.Def(hostnet.DefaultParams())) },
		},
		{
			"access", "lets hosts reach registers and memory, one access at a time",
			func(p top.Params) (*hdl.Design, error) { return build(access.Def(p.Access())) },
		},
		{
			"hostmem", "host memory on the board, and the way to memory behind it",
			func(p top.Params) (*hdl.Design, error) { return build(hostmem.Def(p.Memory())) },
		},
		{
			"boardregs", "registers of the board",
			func(p top.Params) (*hdl.Design, error) { return build(boardregs.Def(p.Registers())) },
		},
		{
			"board", "the digital part of a board: every block, joined",
			func(p top.Params) (*hdl.Design, error) { return build(top.BoardDef(p)) },
		},
		{
			"top", "the top of a bitstream: pads, PLL and resets around it",
			func(p top.Params) (*hdl.Design, error) { return build(top.Def(p)) },
		},
	}
}

func build[IO any](def hdl.Def[IO]) (*hdl.Design, error) {
	design, _, err := hdl.Build(def)
	return design, err
}
