package vm

import (
	"slices"

	"gornic/hdl/sim/internal/netlist"
	"gornic/hdl/sim/internal/plan"
)

// Compile turns a plan into bytecode. Constants and open values get the words
// of the store from number free on.
func Compile(n *netlist.Netlist, p *plan.Program) *Program {
	c := &compiler{
		n: n, p: p, g: n.Graph, out: &Program{}, free: n.Slots,
		consts: map[uint64]int{}, absorbed: make([]bool, len(p.Slot)), slot: slices.Clone(p.Slot),
	}
	for i := range c.g.Matrices {
		c.out.tables = append(c.out.tables, newTables(&c.g.Matrices[i]))
	}
	c.absorbAll(p.Body)
	c.block(p.Body)
	for _, k := range p.Copies {
		c.move(uint32(k.Slot), c.at(k.Val))
	}
	for _, r := range p.Roots {
		if r.Val != netlist.None {
			c.place(r.Val)
		}
	}
	c.out.slots = c.free
	c.out.place = c.place
	return c.out
}

type compiler struct {
	n        *netlist.Netlist
	p        *plan.Program
	g        *netlist.Graph
	out      *Program
	free     int
	consts   map[uint64]int
	absorbed []bool // computed by the instruction of the only user
	label    int    // the last place that a jump goes to
	slot     []int  // of each value that is its own place; -1 until it is needed
}

// place returns the word of the store that a value is in.
func (c *compiler) place(v netlist.Val) int {
	v = c.p.Place(v)
	n := c.g.Nodes[v]
	switch {
	case n.Op == netlist.Leaf:
		return int(n.Imm)
	case n.Op == netlist.Const:
		return c.constant(n.Imm)
	}
	if c.slot[v] < 0 {
		c.slot[v] = c.free
		c.free++
	}
	return c.slot[v]
}

func (c *compiler) at(v netlist.Val) uint32 { return uint32(c.place(v)) }

func (c *compiler) constant(v uint64) int {
	slot, ok := c.consts[v]
	if !ok {
		slot = c.free
		c.free++
		c.consts[v] = slot
		c.out.consts = append(c.out.consts, constant{slot, v})
	}
	return slot
}

func (c *compiler) emit(in instr) int {
	c.out.code = append(c.out.code, in)
	return len(c.out.code) - 1
}

func (c *compiler) block(body []plan.Stmt) {
	for _, s := range body {
		switch s.Kind {
		case plan.Calc:
			if !c.absorbed[s.Val] {
				c.calc(s.Val)
			}
		case plan.Move:
			c.move(c.at(s.Dst), c.at(s.Val))
		case plan.Branch:
			c.branch(s)
		}
	}
}

// move copies a word, as one with the copy before where they are neighbours.
func (c *compiler) move(dst, src uint32) {
	if k := len(c.out.code) - 1; k >= c.label {
		last := &c.out.code[k]
		n := uint32(1)
		if last.op == opCopy {
			n = uint32(last.imm)
		}
		apart := last.dst+n+1 <= last.a || last.a+n+1 <= last.dst
		if (last.op == opMove || last.op == opCopy) && last.dst+n == dst && last.a+n == src && apart {
			last.op, last.imm = opCopy, uint64(n)+1
			return
		}
	}
	c.emit(instr{op: opMove, dst: dst, a: src})
}

// branch emits the two sides with a jump around each.
func (c *compiler) branch(s plan.Stmt) {
	skip := c.emit(c.jump(s.Val, len(s.Then) == 0))
	if len(s.Then) == 0 {
		c.block(s.Else)
		c.land(skip)
		return
	}
	c.block(s.Then)
	if len(s.Else) > 0 {
		end := c.emit(instr{op: opJump})
		c.land(skip)
		c.block(s.Else)
		skip = end
	}
	c.land(skip)
}

// land makes the jump at index at go to here.
func (c *compiler) land(at int) {
	c.label = len(c.out.code)
	c.out.code[at].c = uint32(c.label)
}

// jump returns the jump for a false condition, or for a true one.
func (c *compiler) jump(cond netlist.Val, ifTrue bool) instr {
	op := opJumpEq // to zero
	a, b := cond, netlist.None
	if n := c.g.Nodes[cond]; c.absorbed[cond] {
		a, b = n.A, n.B
		if n.Op == netlist.Eq {
			op = opJumpNe
		}
	}
	if ifTrue {
		op = opJumpEq + opJumpNe - op
	}
	in := instr{op: op, a: c.at(a)}
	if b == netlist.None {
		in.b = uint32(c.constant(0))
	} else {
		in.b = c.at(b)
	}
	return in
}
