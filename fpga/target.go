package main

import (
	"fmt"
	"os"
	"path/filepath"

	"gornic/blocks"
	"gornic/blocks/core"
	"gornic/configs"
	"gornic/fpga/blocks/top"
	"gornic/fpga/board"
	"gornic/fpga/flow"
	"gornic/hdl"
	"gornic/tools/toolset"
)

// coreMargin is how much more the core's clock has to reach: another seed, or a small change, moves it by about so much. The
// clocks of Ethernet come from crystals and a PLL and are what they are.
const coreMargin = 1.15

// A part is what of a board is built.
type part int

const (
	wholeBoard  part = iota // a bitstream
	digitalPart             // all but pads, clocks and resets
	coreAlone               // the RDMA core
)

// design elaborates a part of a board.
func (p part) design(b board.Board, config configs.Config) (*hdl.Design, error) {
	var d *hdl.Design
	var err error
	params := top.Params{Board: b, Core: config}
	switch p {
	case coreAlone:
		d, _, err = hdl.Build(core.Def(blocks.Core(config)))
	case digitalPart:
		d, _, err = hdl.Build(top.BoardDef(params))
	default:
		d, _, err = hdl.Build(top.Def(params))
	}
	return d, err
}

// target is what a part is built for.
func (p part) target(b board.Board) (flow.Target, error) {
	t := flow.Target{
		Name: b.Name, Device: b.Device, Package: b.Package, Speed: b.Speed, OutOfContext: p != wholeBoard,
		Clocks: []flow.Clock{{Name: "clk", Hz: b.PLL.CoreHz(), Margin: coreMargin}},
	}
	switch p {
	case coreAlone:
		t.Name += "-core"
	case digitalPart:
		t.Name += "-digital"
		t.Clocks = append(t.Clocks, ethernet(b)...)
	default:
		t.Clocks = append(t.Clocks, ethernet(b)...)
		var err error
		if t.Constraints, err = constraints(b); err != nil {
			return t, err
		}
	}
	return t, nil
}

// ethernet are the clocks of the MACs and of each port's PHY.
func ethernet(b board.Board) []flow.Clock {
	clocks := []flow.Clock{{Name: "net_clk", Hz: b.PLL.NetHz(), Margin: 1}}
	for i := range b.Ports {
		clocks = append(clocks, flow.Clock{Name: fmt.Sprintf("rx%d_clk", i), Hz: board.EthernetHz, Margin: 1})
	}
	return clocks
}

// constraints is the text of a board's pins.
func constraints(b board.Board) ([]byte, error) {
	root, err := toolset.ModuleRoot()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(root, "constraints", b.Name+".lpf"))
}
