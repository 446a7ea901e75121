package verilog

import (
	"math/big"

	"gornic/hdl/ir"
)

// fold returns the value of an operation on constants, or nil for operations
// that it does not know.
func fold(n *ir.Node) *big.Int {
	v := make([]*big.Int, len(n.Args))
	for i, a := range n.Args {
		if !isConst(a) {
			return nil
		}
		v[i] = a.Const.Big()
	}
	if len(v) == 0 {
		return nil
	}
	width := n.Args[0].Width
	r := new(big.Int)
	switch n.Op {
	case ir.OpNot:
		r.Xor(v[0], ones(width))
	case ir.OpAnd:
		r.And(v[0], v[1])
	case ir.OpOr:
		r.Or(v[0], v[1])
	case ir.OpXor:
		r.Xor(v[0], v[1])
	case ir.OpAdd:
		r.And(r.Add(v[0], v[1]), ones(width))
	case ir.OpSub:
		r.And(r.Add(v[0], r.Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), v[1])), ones(width))
	case ir.OpMul:
		r.Mul(v[0], v[1])
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
		return bit(compared(n.Op, v[0].Cmp(v[1])))
	case ir.OpSLt, ir.OpSLe:
		return bit(compared(n.Op, signed(v[0], width).Cmp(signed(v[1], width))))
	case ir.OpShl:
		r.And(r.Lsh(v[0], distance(v[1], width)), ones(width))
	case ir.OpShr:
		r.Rsh(v[0], distance(v[1], width))
	case ir.OpSar:
		r.And(r.Rsh(signed(v[0], width), distance(v[1], width)), ones(width))
	case ir.OpSlice:
		r.And(r.Rsh(v[0], uint(n.Lo)), ones(n.Width))
	case ir.OpCat:
		for i, a := range n.Args {
			r.Or(r.Lsh(r, uint(a.Width)), v[i])
		}
	case ir.OpRepeat:
		for range n.Lo {
			r.Or(r.Lsh(r, uint(width)), v[0])
		}
	case ir.OpRedOr:
		return bit(v[0].Sign() != 0)
	case ir.OpRedAnd:
		return bit(v[0].Cmp(ones(width)) == 0)
	case ir.OpRedXor:
		for i := range v[0].BitLen() {
			r.Xor(r, big.NewInt(int64(v[0].Bit(i))))
		}
	default:
		return nil
	}
	return r
}

func compared(op ir.Op, order int) bool {
	switch op {
	case ir.OpEq:
		return order == 0
	case ir.OpNe:
		return order != 0
	case ir.OpLt, ir.OpSLt:
		return order < 0
	}
	return order <= 0
}

func bit(v bool) *big.Int {
	if v {
		return big.NewInt(1)
	}
	return new(big.Int)
}

// signed reads a value in two's complement.
func signed(v *big.Int, width int) *big.Int {
	if v.Bit(width-1) == 0 {
		return v
	}
	return new(big.Int).Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(width)))
}

// distance is how far a shift goes; past the width all are the same.
func distance(v *big.Int, width int) uint {
	if v.Cmp(big.NewInt(int64(width))) > 0 {
		return uint(width)
	}
	return uint(v.Uint64())
}
