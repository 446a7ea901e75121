package check_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// hand builds a design from the structs of package ir, for mistakes that
// package hdl lets nobody make.
type hand struct {
	*ir.Module
	clk *ir.Clock
}

func newHand(name string) *hand {
	m := &ir.Module{Name: name, Body: &ir.Block{}, Pos: ir.Here(0)}
	h := &hand{m, &ir.Clock{Clk: "clk", Rst: "rst", Module: m}}
	m.Clocks = []*ir.Clock{h.clk}
	return h
}

func (h *hand) design(all ...*hand) *ir.Design {
	d := &ir.Design{Top: h.Module, All: []*ir.Module{h.Module}}
	for _, child := range all {
		d.All = append(d.All, child.Module)
	}
	return d
}

func (h *hand) signal(kind ir.Kind, name string, width int) *ir.Signal {
	s := &ir.Signal{Name: name, Width: width, Kind: kind, Module: h.Module, Pos: ir.Here(0)}
	if kind == ir.Reg {
		s.Clock = h.clk
	}
	h.Signals = append(h.Signals, s)
	return s
}

// read returns the value of a signal.
func read(s *ir.Signal) *ir.Node {
	return &ir.Node{Op: ir.OpSignal, Width: s.Width, Signal: s, Module: s.Module, Pos: s.Pos}
}

func constant(width int, v uint64) *ir.Node {
	c, _ := ir.NewConst(width, v) // the tests' constants fit
	return &ir.Node{Op: ir.OpConst, Width: width, Const: c, Pos: ir.Here(0)}
}

func node(op ir.Op, width int, args ...*ir.Node) *ir.Node {
	return &ir.Node{Op: op, Width: width, Args: args, Pos: ir.Here(0)}
}

func (h *hand) set(s *ir.Signal, value *ir.Node) {
	h.Body.Stmts = append(h.Body.Stmts, &ir.Assign{Target: s, Value: value, Pos: ir.Here(0)})
}

// unused reads some signals.
func (h *hand) unused(list ...*ir.Signal) {
	for _, s := range list {
		h.Unused = append(h.Unused, read(s))
	}
}

func TestStructure(t *testing.T) {
	h, other := newHand("structure"), newHand("other")
	a, b := h.signal(ir.Input, "a", 4), h.signal(ir.Wire, "b", 4)
	foreign := other.signal(ir.Input, "foreign", 4)
	far := other.signal(ir.Wire, "far", 4)

	h.set(b, node(ir.OpAdd, 4, read(a)))
	h.set(b, node(ir.OpAnd, 4, read(a), constant(5, 0)))
	h.set(b, node(ir.OpMux, 4, read(a), read(a), read(b)))
	h.set(b, node(ir.OpMux, 4, constant(1, 0), read(a), constant(3, 0)))
	h.set(b, node(ir.OpSlice, 4, constant(3, 0)))
	h.set(b, node(ir.OpCat, 4, read(a), read(b)))
	h.set(b, read(foreign))
	h.set(b, node(ir.OpMemRead, 4, read(a)))
	h.set(b, constant(3, 0))
	h.set(b, nil)
	h.set(a, read(b))
	h.set(far, read(b))
	h.set(nil, read(b))
	h.Body.Stmts = append(h.Body.Stmts,
		&ir.If{Pos: ir.Here(-1), Arms: []*ir.Arm{
			{Cond: read(a), Body: &ir.Block{}, Pos: ir.Here(-1)},
			{Body: &ir.Block{}, Pos: ir.Here(-1)},
			{Cond: constant(1, 1), Body: &ir.Block{}, Pos: ir.Here(-1)},
		}},
		&ir.Switch{Subject: read(a), Pos: ir.Here(-1), Arms: []*ir.CaseArm{
			{Body: &ir.Block{}, Pos: ir.Here(-1)},
			{Values: []ir.Const{constant(3, 1).Const}, Body: &ir.Block{}, Pos: ir.Here(-1)},
		}},
		nil,
	)

	h.signal(ir.Wire, "thin", 0)
	h.signal(ir.ChildInput, "lost_port", 1)
	h.signal(ir.ReadData, "lost_data", 1)
	h.signal(ir.Reg, "start", 4).Reset = &constant(5, 0).Const
	h.Signals = append(h.Signals, far)
	mem := &ir.Memory{Name: "ram", Module: h.Module, Width: 4, Depth: 16, Lane: 4, Pos: ir.Here(-1)}
	mem.Reads = []*ir.ReadPort{{Addr: read(a), En: read(a), Pos: ir.Here(-1)}}
	mem.Writes = []*ir.WritePort{{Addr: nil, En: constant(1, 1), Data: read(b), Pos: ir.Here(-1)}}
	h.Memories = []*ir.Memory{mem}
	h.Checks = []*ir.Check{{Name: "p", Cond: read(a), Pos: ir.Here(-1)}}
	h.Events = []*ir.Event{{Name: "e", When: read(a), Pos: ir.Here(-1), Fields: []ir.EventField{
		{Name: "none"}, {Name: "wide", Value: constant(65, 0)}, {Name: "foreign", Value: read(foreign)},
	}}}
	h.Unused = []*ir.Node{nil}
	golden(t, "structure", text(check.Run(h.design())))

	assert.Equal(t, "?: the first module of the design is not its top [structure]", check.Run(&ir.Design{}).Error())
}

// TestShapes has what package hdl reports earlier, or in other words.
func TestShapes(t *testing.T) {
	h, child := newHand("shapes"), newHand("child")
	a, b := h.signal(ir.Input, "a", 4), h.signal(ir.Input, "b", 1)
	child.Parent = h.Module
	child.Path = "u"
	spare := &ir.Clock{Name: "spare", Clk: "spare_clk", Rst: "spare_rst", Module: child.Module}
	child.Clocks = append(child.Clocks, spare)
	inst := &ir.Instance{Name: "u", Module: child.Module, Parent: h.Module, Pos: ir.Here(-1),
		Clocks: map[*ir.Clock]*ir.Clock{spare: spare}}
	h.Instances = []*ir.Instance{inst}

	stopped, borrowed := h.signal(ir.Reg, "stopped", 4), h.signal(ir.Reg, "borrowed", 4)
	stopped.Clock, borrowed.Clock = nil, spare
	h.set(stopped, read(a))
	h.set(borrowed, read(a))
	h.unused(a, b, stopped, borrowed)

	data := h.signal(ir.ReadData, "data", 5)
	ram := &ir.Memory{Name: "ram", Module: h.Module, Width: 4, Depth: 8, Lane: 2, Pos: ir.Here(-1)}
	port := &ir.ReadPort{Memory: ram, Addr: read(a), En: read(b), Data: data, Pos: ir.Here(-1)}
	data.Read = port
	ram.Reads = []*ir.ReadPort{port}
	ram.Writes = []*ir.WritePort{{Memory: ram, Clock: h.clk, Addr: node(ir.OpSlice, 3, read(a)), En: read(b),
		Data: node(ir.OpSlice, 3, read(a)), Lanes: read(a), Pos: ir.Here(-1)}}
	flat := &ir.Memory{Name: "flat", Module: h.Module, Width: 0, Depth: 8, Lane: 1, Pos: ir.Here(-1)}
	flat.Writes = []*ir.WritePort{{Memory: flat, Clock: h.clk, Addr: node(ir.OpSlice, 3, read(a)), En: read(b), Data: read(b), Pos: ir.Here(-1)}}
	async := &ir.Memory{Name: "async", Module: h.Module, Width: 4, Depth: 4, Lane: 4, Async: true, Pos: ir.Here(-1)}
	word := node(ir.OpMemRead, 4, read(a))
	word.Memory = async
	h.Unused = append(h.Unused, word, read(data))
	h.Memories = []*ir.Memory{ram, flat, async}
	h.Checks = []*ir.Check{{Name: "p", Cond: read(b), Pos: ir.Here(-1)}}
	h.Events = []*ir.Event{{Name: "e", When: read(b), Pos: ir.Here(-1)}}

	state := h.signal(ir.Reg, "state", 1)
	state.FSM, state.Enum = true, &ir.Enum{Name: "state", Values: []ir.EnumValue{{Value: 0, Name: "off"}, {Value: 1, Name: "on"}}}
	h.set(state, node(ir.OpNot, 1, read(state)))
	h.Body.Stmts = append(h.Body.Stmts, &ir.Switch{Subject: read(state), Pos: ir.Here(-1), Arms: []*ir.CaseArm{
		{Values: []ir.Const{constant(1, 1).Const}, Body: &ir.Block{}, Pos: ir.Here(-1)},
		{Values: []ir.Const{constant(1, 1).Const}, Body: &ir.Block{}, Pos: ir.Here(-1)},
	}})
	golden(t, "shapes", text(check.Run(h.design(child))))
}
