package netlist

import "math/bits"

// Matrix is a linear map over single bits, as checksums are made of: column j
// is what input bit j adds to the result.
type Matrix [64]uint64

// Times returns the map of x.
func (m *Matrix) Times(x uint64) uint64 {
	y := uint64(0)
	for ; x != 0; x &= x - 1 {
		y ^= m[bits.TrailingZeros64(x)]
	}
	return y
}

// Groups returns which groups of four input bits the map depends on: it is
// computed with one look-up for each.
func (m *Matrix) Groups() []int {
	var out []int
	for k := range 16 {
		if m[4*k]|m[4*k+1]|m[4*k+2]|m[4*k+3] != 0 {
			out = append(out, k)
		}
	}
	return out
}

// linear recognises bits that are each the parity of some bits of a few
// values, and computes them together.
func (g *Graph) linear(run []piece) (Val, bool) {
	f := forms{g: g, matrices: map[Val]*Matrix{}}
	for i, p := range run {
		f.row, f.budget = i, 400
		f.parity(p.v, 1<<p.lo)
	}
	lookups := 0
	for _, base := range f.order {
		lookups += len(f.matrices[base].Groups())
	}
	if 4*lookups >= f.direct {
		return None, false
	}
	v := g.Const(f.constant)
	for _, base := range f.order {
		v = g.binary(Xor, 64, v, g.times(f.matrices[base], base))
	}
	return v, true
}

func (g *Graph) times(m *Matrix, x Val) Val {
	id, ok := g.matrices[*m]
	if !ok {
		id = len(g.Matrices)
		g.Matrices = append(g.Matrices, *m)
		g.matrices[*m] = id
	}
	all := uint64(0)
	for _, c := range m {
		all |= c
	}
	return g.unary(Linear, max(1, bits.Len64(all)), x, uint64(id))
}

// forms collects the rows of matrices, by the value that they are applied to.
type forms struct {
	g        *Graph
	matrices map[Val]*Matrix
	order    []Val
	constant uint64
	row      int
	budget   int // steps left for this row
	direct   int // operations that it takes the plain way
}

// parity adds the parity of v & m to the row.
func (f *forms) parity(v Val, m uint64) {
	n := f.g.Nodes[v]
	if m &= n.Mask(); m == 0 {
		return
	}
	f.budget--
	switch {
	case f.budget < 0:
	case n.Op == Xor:
		f.direct++
		f.parity(n.A, m)
		f.parity(n.B, m)
		return
	case n.Op == And:
		if k, ok := f.g.IsConst(n.B); ok {
			f.direct++
			f.parity(n.A, m&k)
			return
		}
	case n.Op == Parity:
		f.direct += 2
		f.parity(n.A, ^uint64(0))
		return
	case n.Op == Extract:
		f.parity(n.A, m<<n.Imm)
		return
	case n.Op == ShlK:
		f.parity(n.A, m>>n.Imm)
		return
	case n.Op == Const:
		f.constant ^= uint64(bits.OnesCount64(n.Imm&m)&1) << f.row
		return
	}
	f.direct += 2
	f.add(v, m)
}

func (f *forms) add(base Val, m uint64) {
	matrix, ok := f.matrices[base]
	if !ok {
		matrix = &Matrix{}
		f.matrices[base] = matrix
		f.order = append(f.order, base)
	}
	for ; m != 0; m &= m - 1 {
		matrix[bits.TrailingZeros64(m)] ^= 1 << f.row
	}
}
