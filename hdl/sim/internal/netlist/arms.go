package netlist

import "gornic/hdl/ir"

// lowerArms lowers the conditions under which each arm of each instance is
// taken. Arms of ghost statements are not counted.
func (n *Netlist) lowerArms(d *ir.Design) {
	for _, m := range d.All {
		clock := 0
		if len(m.Clocks) > 0 {
			clock = n.domains[m.Clocks[0]]
		}
		n.blockArms(m.Body, n.g.Const(1), clock)
	}
}

func (n *Netlist) blockArms(block *ir.Block, reached Val, clock int) {
	for _, stmt := range block.Stmts {
		var branches []branch
		switch stmt := stmt.(type) {
		case *ir.If:
			branches = ifBranches(stmt)
		case *ir.Switch:
			branches = switchBranches(stmt)
		}
		here := reached
		for _, b := range branches {
			taken := here
			if b.cond != nil {
				cond := n.bit(b.cond)
				taken = n.g.binary(And, 1, here, cond)
				here = n.g.binary(And, 1, here, n.g.Not(1, cond))
			}
			n.Arms = append(n.Arms, Arm{Pos: b.pos, Kind: b.kind, Taken: taken, Domain: clock})
			n.blockArms(b.body, taken, clock)
		}
	}
}
