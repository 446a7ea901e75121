package formal

import (
	"fmt"
	"strings"

	"gornic/hdl"
	"gornic/hdl/ir"
)

// Break puts a fault into a design: the module with the signal becomes another one than those of its name, and so do the
// modules around it.
func Break(d *ir.Design, f hdl.Fault) error {
	s, err := signalAt(d, f.Signal)
	if err != nil {
		return fmt.Errorf("fault in %s: %w", d.Top.Name, err)
	}
	bits, err := brokenBits(f, s.Width)
	if err != nil {
		return fmt.Errorf("fault in %s: %w", d.Top.Name, err)
	}
	insert(s, bits)
	separate(d, s.Module)
	return nil
}

// signalAt finds a signal of the hardware by its path.
func signalAt(d *ir.Design, path string) (*ir.Signal, error) {
	inside, name := splitPath(path)
	for _, m := range d.All {
		if m.Path != inside {
			continue
		}
		var names []string
		for _, s := range m.Signals {
			if s.Instance != nil || s.Ghost {
				continue
			}
			if s.Name == name {
				return s, nil
			}
			names = append(names, s.Name)
		}
		return nil, fmt.Errorf("no register, wire or port %q; there are %s", path, strings.Join(names, ", "))
	}
	var paths []string
	for _, m := range d.All[1:] {
		paths = append(paths, m.Path)
	}
	return nil, fmt.Errorf("no register, wire or port %q: no instance %q; there are %s", path, inside, strings.Join(paths, ", "))
}

// A brokenBit is what stands in place of one bit of a signal.
type brokenBit struct {
	from     int // the bit of the true value; negative where it is stuck
	stuckAt  uint64
	inverted bool
}

// brokenBits lists what becomes of each bit of a signal, bit 0 first.
func brokenBits(f hdl.Fault, width int) ([]brokenBit, error) {
	bits := make([]brokenBit, width)
	for i := range bits {
		bits[i].from = i
	}
	chosen := f.Bits
	if chosen == nil {
		for i := range width {
			chosen = append(chosen, i)
		}
	}
	for _, i := range chosen {
		if i < 0 || i >= width {
			return nil, fmt.Errorf("%s: the signal has %d bits", f, width)
		}
	}
	switch f.Kind {
	case hdl.FaultStuckAt0, hdl.FaultStuckAt1:
		for _, i := range chosen {
			bits[i] = brokenBit{from: -1, stuckAt: uint64(f.Kind - hdl.FaultStuckAt0)}
		}
	case hdl.FaultInverted:
		for _, i := range chosen {
			bits[i].inverted = true
		}
	case hdl.FaultBitsSwapped:
		for i, at := range chosen {
			bits[at].from = chosen[len(chosen)-1-i]
		}
	case hdl.FaultBytesSwapped:
		if width%8 != 0 {
			return nil, fmt.Errorf("%s: the signal has %d bits, no whole bytes", f, width)
		}
		for i := range bits {
			bits[i].from = width - 8 - i/8*8 + i%8
		}
	}
	return bits, nil
}

// insert puts a wire between a signal and its readers in the hardware, or before an output.
func insert(s *ir.Signal, bits []brokenBit) {
	m := s.Module
	wire := &ir.Signal{Name: freeName(m, s.Name+"_fault"), Width: s.Width, Kind: ir.Wire, Module: m, Pos: s.Pos}
	m.Signals = append(m.Signals, wire)
	truth, seen := s, wire
	if s.Kind == ir.Output {
		retarget(m.Body, s, wire)
		truth, seen = wire, s
	} else {
		r := replacer{from: s, to: wire, done: map[*ir.Node]*ir.Node{}}
		r.module(m)
	}
	m.Body.Stmts = append(m.Body.Stmts, &ir.Assign{Target: seen, Value: brokenValue(truth, bits), Pos: s.Pos})
}

func freeName(m *ir.Module, name string) string {
	taken := map[string]bool{}
	for _, s := range m.Signals {
		taken[s.Name] = true
	}
	for _, mem := range m.Memories {
		taken[mem.Name] = true
	}
	for _, i := range m.Instances {
		taken[i.Name] = true
	}
	for taken[name] {
		name += "_"
	}
	return name
}

// brokenValue reads a signal with a fault in it: runs of bits side by side.
func brokenValue(s *ir.Signal, bits []brokenBit) *ir.Node {
	whole := &ir.Node{Op: ir.OpSignal, Width: s.Width, Signal: s, Module: s.Module, Pos: s.Pos}
	var parts []*ir.Node // the most significant first
	for lo := 0; lo < len(bits); {
		hi := lo + 1
		for hi < len(bits) && bits[hi] == bits[hi-1].next() {
			hi++
		}
		parts = append([]*ir.Node{bits[lo].run(whole, hi-lo)}, parts...)
		lo = hi
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return &ir.Node{Op: ir.OpCat, Width: s.Width, Args: parts, Module: s.Module, Pos: s.Pos}
}

// next is what the bit above looks like if it belongs to the same run.
func (b brokenBit) next() brokenBit {
	if b.from >= 0 {
		b.from++
	}
	return b
}

// run is a run of so many bits, from b up.
func (b brokenBit) run(whole *ir.Node, n int) *ir.Node {
	node := func(op ir.Op, lo int, args ...*ir.Node) *ir.Node {
		return &ir.Node{Op: op, Width: n, Lo: lo, Args: args, Module: whole.Module, Pos: whole.Pos}
	}
	switch {
	case b.from < 0 && n > 1:
		bit := b.run(whole, 1)
		return node(ir.OpRepeat, n, bit)
	case b.from < 0:
		c, _ := ir.NewConst(1, b.stuckAt)
		return &ir.Node{Op: ir.OpConst, Width: 1, Const: c, Pos: whole.Pos}
	}
	part := whole
	if n < whole.Width {
		part = node(ir.OpSlice, b.from, whole)
	}
	if b.inverted {
		part = node(ir.OpNot, 0, part)
	}
	return part
}

// retarget makes all assignments to one signal those to another.
func retarget(b *ir.Block, from, to *ir.Signal) {
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *ir.Assign:
			if stmt.Target == from {
				stmt.Target = to
			}
		case *ir.If:
			for _, arm := range stmt.Arms {
				retarget(arm.Body, from, to)
			}
		case *ir.Switch:
			for _, arm := range stmt.Arms {
				retarget(arm.Body, from, to)
			}
		}
	}
}

// A replacer has the hardware of a module read another signal. Nodes are shared with the properties, so those that change are
// copied.
type replacer struct {
	from, to *ir.Signal
	done     map[*ir.Node]*ir.Node
}

func (r replacer) module(m *ir.Module) {
	r.block(m.Body)
	for _, mem := range m.Memories {
		if mem.Ghost {
			continue
		}
		for _, p := range mem.Reads {
			r.all(&p.Addr, &p.En)
		}
		for _, p := range mem.Writes {
			r.all(&p.Addr, &p.En, &p.Data, &p.Lanes)
		}
	}
}

func (r replacer) block(b *ir.Block) {
	for _, stmt := range b.Stmts {
		switch stmt := stmt.(type) {
		case *ir.Assign:
			r.all(&stmt.Value)
		case *ir.If:
			for _, arm := range stmt.Arms {
				r.all(&arm.Cond)
				r.block(arm.Body)
			}
		case *ir.Switch:
			r.all(&stmt.Subject)
			for _, arm := range stmt.Arms {
				r.block(arm.Body)
			}
		}
	}
}

func (r replacer) all(nodes ...**ir.Node) {
	for _, n := range nodes {
		*n = r.node(*n)
	}
}

func (r replacer) node(n *ir.Node) *ir.Node {
	if n == nil {
		return nil
	}
	if known, ok := r.done[n]; ok {
		return known
	}
	changed := *n
	same := true
	if n.Op == ir.OpSignal && n.Signal == r.from {
		changed.Signal, same = r.to, false
	}
	changed.Args = make([]*ir.Node, len(n.Args))
	for i, a := range n.Args {
		changed.Args[i] = r.node(a)
		same = same && changed.Args[i] == a
	}
	r.done[n] = &changed
	if same {
		r.done[n] = n
	}
	return r.done[n]
}

// separate gives a module and those around it, up to the top, names of their own, as other instances of the same name have
// no fault.
func separate(d *ir.Design, m *ir.Module) {
	taken := map[string]bool{}
	for _, other := range d.All {
		taken[other.Name] = true
	}
	for ; m != d.Top; m = m.Parent {
		name := m.Name + "_broken"
		for taken[name] {
			name += "_"
		}
		m.Name, taken[name] = name, true
	}
	d.Modules = nil
	list(d, d.Top, map[string]bool{})
}

// list puts one module of each name into the design's list, children first.
func list(d *ir.Design, m *ir.Module, listed map[string]bool) {
	for _, i := range m.Instances {
		list(d, i.Module, listed)
	}
	if !listed[m.Name] {
		listed[m.Name] = true
		d.Modules = append(d.Modules, m)
	}
}
