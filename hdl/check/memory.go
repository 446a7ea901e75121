package check

import (
	"math/big"

	"gornic/hdl/ir"
)

// checkMemories finds memories and memory ports of the wrong shape.
func checkMemories(c *checker, m *ir.Module) {
	for _, mem := range m.Memories {
		c.collisions(m, mem)
		if mem.Depth < 1 || mem.Width < 1 || mem.Lane < 1 || mem.Width%mem.Lane != 0 {
			c.report(mem.Pos, m, "memory %s has %d words of %d bits in lanes of %d: each is at least 1, and lanes fill the word",
				mem.Name, mem.Depth, mem.Width, mem.Lane)
			continue
		}
		for _, p := range mem.Reads {
			c.address(m, mem, p.Addr, p.Pos)
			if p.Data.Width != mem.Width {
				c.report(p.Pos, m, "read data %s has %d bits, memory %s has words of %d", p.Data.Name, p.Data.Width, mem.Name, mem.Width)
			}
		}
		for _, p := range mem.Writes {
			c.address(m, mem, p.Addr, p.Pos)
			if p.Data.Op != ir.OpInvalid && p.Data.Width != mem.Width {
				c.report(p.Pos, m, "write data has %d bits, memory %s has words of %d", p.Data.Width, mem.Name, mem.Width)
			}
			if lanes := mem.Width / mem.Lane; p.Lanes != nil && p.Lanes.Op != ir.OpInvalid && p.Lanes.Width != lanes {
				c.report(p.Pos, m, "lanes of the write have %d bits, memory %s has %d lanes", p.Lanes.Width, mem.Name, lanes)
			}
		}
	}
	if len(m.Memories) == 0 {
		return
	}
	for _, n := range postorder(roots(m)) {
		if n.Op == ir.OpMemRead && n.Memory != nil && n.Memory.Module == m {
			c.address(m, n.Memory, n.Args[0], n.Pos)
		}
	}
}

// collisions finds a promise about reads and writes that meet which no RAM
// keeps: between two clocks it is not even defined what meeting is.
func (c *checker) collisions(m *ir.Module, mem *ir.Memory) {
	for _, r := range mem.Reads {
		for _, w := range mem.Writes {
			if mem.Collide != ir.Undefined && r.Clock != nil && w.Clock != nil && r.Clock != w.Clock {
				c.report(r.Pos, m, "memory %s is read in domain %s and written in domain %s (%v): what a read gets that meets a write is Undefined",
					mem.Name, r.Clock.Clk, w.Clock.Clk, w.Pos)
				return
			}
		}
	}
}

// address verifies the width of an address, and its value where it is constant.
func (c *checker) address(m *ir.Module, mem *ir.Memory, addr *ir.Node, pos ir.Pos) {
	width := ir.AddrWidth(mem.Depth)
	switch {
	case addr.Op == ir.OpInvalid:
	case addr.Width != width:
		c.report(pos, m, "address has %d bits, memory %s of %d words takes %d", addr.Width, mem.Name, mem.Depth, width)
	case addr.Op == ir.OpConst && addr.Const.Big().Cmp(big.NewInt(int64(mem.Depth))) >= 0:
		c.report(pos, m, "address %v is past the last of the %d words of memory %s", addr.Const, mem.Depth, mem.Name)
	}
}
