package netlist

import (
	"context"
	"fmt"

	"gornic/fpga/netlist"
	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tools/toolset"
)

// Simulators run a netlist in the place of its design.
type Simulators struct {
	design *hdl.Design
	with   *ir.Design // the design with the port that chooses a mutant
	port   *ir.Signal
	open   sim.Open
	names  []string
}

// Prepare compiles the netlist of a design in Verilator, with mutants of the LUTs of these names.
func Prepare(ctx context.Context, d *hdl.Design, n *netlist.Netlist, mutants []string) (*Simulators, error) {
	if len(mutants) >= 1<<mutantWidth {
		return nil, fmt.Errorf("netlist: %d mutants, at most %d", len(mutants), 1<<mutantWidth-1)
	}
	files, err := Write(n, mutants)
	if err != nil {
		return nil, err
	}
	s := &Simulators{design: d, names: mutants}
	s.with, s.port = withPort(d)
	if s.open, err = verilator.PrepareReplaced(ctx, s.with, files); err != nil {
		return nil, err
	}
	return s, nil
}

// withPort is a copy of a design whose top has the port that chooses a mutant.
func withPort(d *ir.Design) (*ir.Design, *ir.Signal) {
	copied, top := *d, *d.Top
	port := &ir.Signal{Name: mutantPort, Width: mutantWidth, Kind: ir.Input, Module: &top}
	top.Signals = append(append([]*ir.Signal(nil), top.Signals...), port)
	copied.Top = &top
	return &copied, port
}

// Original is the simulator of the netlist as it is.
func (s *Simulators) Original() sim.Simulator { return s.simulator(0) }

// Mutant is the simulator of mutant i, from 0, of those that were asked for.
func (s *Simulators) Mutant(i int) sim.Simulator { return s.simulator(i + 1) }

func (s *Simulators) simulator(number int) sim.Simulator {
	name := "netlist"
	if number > 0 {
		name = "netlist without " + s.names[number-1]
	}
	open := func(d *hdl.Design, o sim.Options) (sim.Backend, error) {
		if d != s.design {
			return nil, fmt.Errorf("netlist: it is that of another design than %s", d.Top.Name)
		}
		o.NoChecks = true
		b, err := s.open(s.with, o)
		if err != nil {
			return nil, err
		}
		b.Set(s.port, []uint64{uint64(number)})
		return b, nil
	}
	return sim.Simulator{Name: name, Open: open, Absent: toolset.ErrAbsent}
}
