package slow

import (
	"math/big"

	"gornic/hdl/ir"
)

var one = big.NewInt(1)

func (s *Sim) value(n *ir.Node) *big.Int {
	if n.Op == ir.OpSignal {
		return s.signal(n.Signal)
	}
	if v, ok := s.nodes[n]; ok {
		return v
	}
	v := s.compute(n)
	v = new(big.Int).And(v, ones(n.Width))
	s.nodes[n] = v
	return v
}

func ones(width int) *big.Int {
	v := new(big.Int).Lsh(one, uint(width))
	return v.Sub(v, one)
}

// signed reads v as two's complement of width bits.
func signed(v *big.Int, width int) *big.Int {
	if v.Bit(width-1) == 0 {
		return v
	}
	return new(big.Int).Sub(v, new(big.Int).Lsh(one, uint(width)))
}

func bit(b bool) *big.Int {
	if b {
		return one
	}
	return new(big.Int)
}

func (s *Sim) compute(n *ir.Node) *big.Int {
	arg := func(i int) *big.Int { return s.value(n.Args[i]) }
	z := new(big.Int)
	switch n.Op {
	case ir.OpConst:
		return n.Const.Big()
	case ir.OpNot:
		return z.Xor(arg(0), ones(n.Width))
	case ir.OpAnd:
		return z.And(arg(0), arg(1))
	case ir.OpOr:
		return z.Or(arg(0), arg(1))
	case ir.OpXor:
		return z.Xor(arg(0), arg(1))
	case ir.OpAdd:
		return z.Add(arg(0), arg(1))
	case ir.OpSub:
		return z.Sub(arg(0), arg(1)) // And of a negative number is that of its two's complement
	case ir.OpMul:
		return z.Mul(arg(0), arg(1))
	case ir.OpSlice:
		return z.Rsh(arg(0), uint(n.Lo))
	case ir.OpCat:
		for i, a := range n.Args {
			z.Lsh(z, uint(a.Width)).Or(z, arg(i))
		}
		return z
	case ir.OpRepeat:
		for range n.Lo {
			z.Lsh(z, uint(n.Args[0].Width)).Or(z, arg(0))
		}
		return z
	case ir.OpMux:
		if arg(0).Sign() != 0 {
			return arg(1)
		}
		return arg(2)
	case ir.OpMemRead:
		if a := arg(0); a.Cmp(big.NewInt(int64(n.Memory.Depth))) < 0 {
			return s.words[n.Memory][a.Int64()]
		}
		return z
	case ir.OpShl, ir.OpShr, ir.OpSar:
		return shift(n, arg(0), arg(1))
	}
	return bit(s.test(n))
}

func shift(n *ir.Node, a, by *big.Int) *big.Int {
	k := uint(n.Width) // as far as everything goes
	if by.Cmp(big.NewInt(int64(n.Width))) < 0 {
		k = uint(by.Uint64())
	}
	switch n.Op {
	case ir.OpShl:
		return new(big.Int).Lsh(a, k)
	case ir.OpSar:
		a = signed(a, n.Width)
	}
	return new(big.Int).Rsh(a, k)
}

func (s *Sim) test(n *ir.Node) bool {
	a, w := s.value(n.Args[0]), n.Args[0].Width
	var b *big.Int
	if len(n.Args) > 1 {
		b = s.value(n.Args[1])
	}
	switch n.Op {
	case ir.OpEq:
		return a.Cmp(b) == 0
	case ir.OpNe:
		return a.Cmp(b) != 0
	case ir.OpLt:
		return a.Cmp(b) < 0
	case ir.OpLe:
		return a.Cmp(b) <= 0
	case ir.OpSLt:
		return signed(a, w).Cmp(signed(b, w)) < 0
	case ir.OpSLe:
		return signed(a, w).Cmp(signed(b, w)) <= 0
	case ir.OpRedOr:
		return a.Sign() != 0
	case ir.OpRedAnd:
		return a.Cmp(ones(w)) == 0
	case ir.OpRedXor:
		odd := false
		for i := range w {
			odd = odd != (a.Bit(i) == 1)
		}
		return odd
	}
	panic("slow: no operation " + n.Op.String())
}
