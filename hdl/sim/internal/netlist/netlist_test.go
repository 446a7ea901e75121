package netlist_test

import (
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim/internal/netlist"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type idiomIO struct {
	A   hdl.Bits `hdl:"in" w:"64"`
	B   hdl.Bits `hdl:"in" w:"64"`
	N   hdl.Bits `hdl:"in" w:"6"`
	Out hdl.Bits `hdl:"out"`
}

// operations lowers a module and counts the operations behind its output.
func operations(t *testing.T, width int, out func(io *idiomIO) hdl.Bits) map[netlist.Op]int {
	t.Helper()
	d, _, _ := hdl.Elaborate(hdl.Def[idiomIO]{
		Name: "idiom", IO: idiomIO{Out: hdl.W(width)},
		Body: func(m *hdl.Module, io *idiomIO) { io.Out.Set(out(io)) },
	})
	n, err := netlist.Lower(d, netlist.Options{})
	require.NoError(t, err)
	count, seen := map[netlist.Op]int{}, map[netlist.Val]bool{}
	var visit func(netlist.Val)
	visit = func(v netlist.Val) {
		node := n.Graph.Nodes[v]
		if seen[v] || node.Op == netlist.Leaf || node.Op == netlist.Const {
			return
		}
		seen[v] = true
		count[node.Op]++
		for _, u := range node.Operands() {
			visit(u)
		}
	}
	for _, v := range n.Outputs[0].Vals {
		visit(v)
	}
	return count
}

func up(n int, f func(i int) hdl.Bits) hdl.Bits {
	parts := make([]hdl.Bits, n)
	for i := range parts {
		parts[n-1-i] = f(i)
	}
	return hdl.Cat(parts...)
}

// What datapaths do bit by bit and byte by byte is a few operations on words.
func TestIdioms(t *testing.T) {
	for _, test := range []struct {
		name  string
		width int
		out   func(io *idiomIO) hdl.Bits
		want  map[netlist.Op]int
	}{
		{"matrix of parities", 32, func(io *idiomIO) hdl.Bits {
			return up(32, func(i int) hdl.Bits { return io.A.And(hdl.K(64, 0x9e3779b97f4a7c15<<i)).Parity() })
		}, map[netlist.Op]int{netlist.Linear: 1}},
		{"matrix over two words", 32, func(io *idiomIO) hdl.Bits {
			return up(32, func(i int) hdl.Bits {
				return io.A.And(hdl.K(64, 0x9e3779b97f4a7c15<<i)).Parity().Xor(io.B.And(hdl.K(64, 0xbf58476d1ce4e5b9>>i)).Parity())
			})
		}, map[netlist.Op]int{netlist.Linear: 2, netlist.Xor: 1}},
		{"mask below a number", 64, func(io *idiomIO) hdl.Bits {
			return up(64, func(i int) hdl.Bits { return hdl.K(6, uint64(i)).Lt(io.N) })
		}, map[netlist.Op]int{netlist.Shl: 1, netlist.Sub: 1}},
		{"decoder", 64, func(io *idiomIO) hdl.Bits {
			return up(64, func(i int) hdl.Bits { return io.N.Is(uint64(i)) })
		}, map[netlist.Op]int{netlist.Shl: 1}},
		{"byte order", 64, func(io *idiomIO) hdl.Bits {
			return up(8, func(i int) hdl.Bits { return io.A.Slice(63-8*i, 56-8*i) })
		}, map[netlist.Op]int{netlist.Reverse: 1}},
		{"masked bytes", 64, func(io *idiomIO) hdl.Bits {
			return up(8, func(i int) hdl.Bits { return io.A.Slice(8*i+7, 8*i).And(io.B.Bit(i).Rep(8)) })
		}, map[netlist.Op]int{netlist.Extract: 1, netlist.Linear: 1, netlist.And: 1}},
		{"choice of a bit", 1, func(io *idiomIO) hdl.Bits {
			level := make([]hdl.Bits, 64)
			for i := range level {
				level[i] = io.A.Bit(i)
			}
			for k := range 6 {
				for i := range len(level) / 2 {
					level[i] = hdl.Mux(io.N.Bit(k), level[2*i+1], level[2*i])
				}
				level = level[:len(level)/2]
			}
			return level[0]
		}, map[netlist.Op]int{netlist.Shr: 1, netlist.Extract: 1}},
		{"slices and copies", 64, func(io *idiomIO) hdl.Bits {
			return hdl.Cat(hdl.Cat(io.A, io.B).Slice(127, 96), hdl.Cat(io.B, io.A).Slice(31, 0))
		}, map[netlist.Op]int{}},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, operations(t, test.width, test.out)) })
	}
}

func TestMatrix(t *testing.T) {
	m := netlist.Matrix{0: 0b001, 5: 0b011, 63: 0b100}
	assert.EqualValues(t, 0b110, m.Times(1|1<<5|1<<63)^0b000)
	assert.Equal(t, []int{0, 1, 15}, m.Groups())
	assert.Zero(t, m.Times(1<<7))
}
