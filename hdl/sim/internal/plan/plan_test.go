package plan_test

import (
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim/internal/netlist"
	"gornic/hdl/sim/internal/plan"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type planIO struct {
	Sel hdl.Bits `hdl:"in" w:"1"`
	A   hdl.Bits `hdl:"in" w:"64"`
	B   hdl.Bits `hdl:"in" w:"64"`
	X   hdl.Bits `hdl:"out" w:"64"`
	Y   hdl.Bits `hdl:"out" w:"64"`
}

// heavy is a value of many operations that simplify to nothing less.
func heavy(a, b hdl.Bits) hdl.Bits {
	for i := range 10 {
		a = a.Add(b).Xor(a).AddK(uint64(i))
	}
	return a
}

func planned(t *testing.T, body func(m *hdl.Module, io *planIO)) *plan.Program {
	t.Helper()
	d, _, _ := hdl.Elaborate(hdl.Def[planIO]{Name: "dut", Body: body})
	n, err := netlist.Lower(d, netlist.Options{})
	require.NoError(t, err)
	var roots []plan.Root
	for _, p := range n.Outputs {
		roots = append(roots, plan.Root{Val: p.Vals[0], Slot: -1, Hold: netlist.None})
	}
	for _, r := range n.Regs {
		for i, v := range r.Next {
			roots = append(roots, plan.Root{Val: v, Slot: n.NextSlot(r.Slot + i), Hold: r.Cur[i]})
		}
	}
	p := plan.Make(n.Graph, roots, 8)
	inOrder(t, p)
	return p
}

// inOrder checks that each value is there when it is read.
func inOrder(t *testing.T, p *plan.Program) {
	t.Helper()
	known := map[netlist.Val]bool{}
	read := func(v netlist.Val) {
		if v != netlist.None && !p.IsState(v) {
			require.True(t, known[p.Place(v)], "value %d is read before it is computed", v)
		}
	}
	var walk func([]plan.Stmt)
	walk = func(body []plan.Stmt) {
		for _, s := range body {
			switch s.Kind {
			case plan.Calc:
				for _, u := range p.Graph.Nodes[s.Val].Operands() {
					read(u)
				}
				known[p.Place(s.Val)] = true
			case plan.Move:
				read(s.Val)
				known[p.Place(s.Dst)] = true
			case plan.Branch:
				read(s.Val)
				walk(s.Then)
				walk(s.Else)
			}
		}
	}
	walk(p.Body)
	for _, r := range p.Roots {
		read(r.Val)
	}
}

func branches(body []plan.Stmt) []plan.Stmt {
	var out []plan.Stmt
	for _, s := range body {
		if s.Kind == plan.Branch {
			out = append(append(append(out, s), branches(s.Then)...), branches(s.Else)...)
		}
	}
	return out
}

func TestExpensiveChoiceIsABranch(t *testing.T) {
	p := planned(t, func(m *hdl.Module, io *planIO) {
		io.X.Set(hdl.Mux(io.Sel, heavy(io.A, io.B), io.A))
		io.Y.Set(hdl.Mux(io.Sel, heavy(io.B, io.A), io.B))
	})
	found := branches(p.Body)
	require.Len(t, found, 1, "choices by one condition share a branch")
	assert.Len(t, p.Body, 1)
	assert.Greater(t, len(found[0].Then), 40)
	assert.Len(t, found[0].Else, 2, "a move for each choice")
}

func TestCheapChoiceIsNone(t *testing.T) {
	p := planned(t, func(m *hdl.Module, io *planIO) {
		io.X.Set(hdl.Mux(io.Sel, io.A, io.B))
		io.Y.Set(io.A.Xor(io.B))
	})
	assert.Empty(t, branches(p.Body))
	assert.Len(t, p.Body, 2)
}

// What both sides need, or somebody else, is computed before the branch.
func TestSharedWorkIsDoneOnce(t *testing.T) {
	p := planned(t, func(m *hdl.Module, io *planIO) {
		shared := heavy(io.A, io.B)
		io.X.Set(hdl.Mux(io.Sel, heavy(shared, io.B), shared))
		io.Y.Set(shared.AddK(1))
	})
	seen := map[netlist.Val]int{}
	var count func([]plan.Stmt)
	count = func(body []plan.Stmt) {
		for _, s := range body {
			if s.Kind == plan.Calc {
				seen[s.Val]++
			}
			count(s.Then)
			count(s.Else)
		}
	}
	count(p.Body)
	for v, n := range seen {
		assert.Equal(t, 1, n, "value %d", v)
	}
	require.Len(t, branches(p.Body), 1)
}

// A register that holds costs nothing on the side where it does.
func TestHoldingRegister(t *testing.T) {
	p := planned(t, func(m *hdl.Module, io *planIO) {
		r := m.RegN("r", 64)
		m.If(io.Sel, func() { r.Set(heavy(io.A, io.B)) })
		io.X.Set(r)
		io.Y.Set(r)
	})
	found := branches(p.Body)
	require.Len(t, found, 1)
	assert.Empty(t, found[0].Else)
	for _, s := range found[0].Then {
		assert.Equal(t, plan.Calc, s.Kind, "the sum is computed in place")
	}
	assert.Empty(t, p.Copies)
}

// Choices by one condition that wait for each other are two branches.
func TestChoicesInTurn(t *testing.T) {
	p := planned(t, func(m *hdl.Module, io *planIO) {
		x := m.Wire("first", 64)
		x.Set(hdl.Mux(io.Sel, heavy(io.A, io.B), io.B))
		between := heavy(x, io.A)
		io.X.Set(hdl.Mux(io.Sel, io.A, heavy(between, io.B)))
		io.Y.Set(between)
	})
	assert.Len(t, branches(p.Body), 2)
}

// Two conditions whose choices wait for each other, though no choice waits for
// one of its own kind.
func TestBranchesThatWaitForEachOther(t *testing.T) {
	p := planned(t, func(m *hdl.Module, io *planIO) {
		other := io.A.Any()
		g1 := hdl.Mux(io.Sel, heavy(io.A, io.B), io.B)
		h1 := hdl.Mux(other, heavy(g1, io.B), io.A)
		h2 := hdl.Mux(other, heavy(io.B, io.B), io.B)
		g2 := hdl.Mux(io.Sel, heavy(h2, io.A), io.A)
		io.X.Set(h1.Xor(g2))
		io.Y.Set(g1.Add(h2))
	})
	assert.Len(t, branches(p.Body), 4, "both are split")
}
