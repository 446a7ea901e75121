package netlist

import (
	"fmt"
	"strings"

	"gornic/hdl/ir"
)

// A value that depends on itself as a whole may still be no loop: a bit of it
// may depend on other bits only. Such values, which are few, are lowered bit
// by bit. A bit that depends on itself is a loop.
type loopState struct {
	bits   map[nodeBit]Val
	active map[nodeBit]bool
	path   []*ir.Signal // signals on the way to the present bit
}

type nodeBit struct {
	signal *ir.Signal // or else
	node   *ir.Node
	bit    int
}

func newLoopState() loopState {
	return loopState{bits: map[nodeBit]Val{}, active: map[nodeBit]bool{}}
}

// signalBits lowers bits lo .. lo+w-1 of a signal one by one.
func (b *Builder) signalBits(s *ir.Signal, lo, w int) Vec {
	ps := make([]piece, w)
	for i := range ps {
		ps[i] = piece{b.signalBit(s, lo+i), 0, 1}
	}
	return b.g.join(ps)
}

func (b *Builder) signalBit(s *ir.Signal, i int) Val {
	if v, ok := b.known[s]; ok {
		return b.g.slice(v, i, 1)[0]
	}
	if slot, ok := b.slots[s]; ok {
		return b.g.slice(b.g.leafVec(s.Width, slot), i, 1)[0]
	}
	return b.once(nodeBit{signal: s, bit: i}, func() Val {
		if from, node := b.source(s); from != nil {
			return b.signalBit(from, i)
		} else if node != nil {
			return b.nodeBit(node, i)
		}
		b.failf("%s: %s %s is driven by nothing", s.Pos, s.Kind, path(s.Module, s.Name))
		return b.g.Const(0)
	})
}

// once computes a bit unless it is known, and reports a loop where it is
// asked for by its own computation.
func (b *Builder) once(key nodeBit, compute func() Val) Val {
	if v, ok := b.loop.bits[key]; ok {
		return v
	}
	if b.loop.active[key] {
		b.failLoop(key.signal)
		return b.g.Const(0)
	}
	b.loop.active[key] = true
	if key.signal != nil {
		b.loop.path = append(b.loop.path, key.signal)
	}
	v := compute()
	if key.signal != nil {
		b.loop.path = b.loop.path[:len(b.loop.path)-1]
	}
	delete(b.loop.active, key)
	b.loop.bits[key] = v
	return v
}

// failLoop reports the loop that closes at s, or at the last signal passed.
func (b *Builder) failLoop(s *ir.Signal) {
	if b.err != nil {
		return
	}
	signals := b.loop.path
	for i := len(signals) - 1; s != nil && i >= 0; i-- {
		if signals[i] == s {
			signals = signals[i:]
			break
		}
	}
	var hops []string
	for _, s := range signals {
		hops = append(hops, fmt.Sprintf("%s (%s)", path(s.Module, s.Name), s.Pos))
	}
	b.err = fmt.Errorf("sim: %w: %s", ErrLoop, strings.Join(hops, " -> "))
}

func (b *Builder) nodeBit(n *ir.Node, i int) Val {
	if n.Op == ir.OpSignal {
		return b.signalBit(n.Signal, i)
	}
	if v, ok := b.nodes[n]; ok {
		return b.g.slice(v, i, 1)[0]
	}
	return b.once(nodeBit{node: n, bit: i}, func() Val { return b.computeBit(n, i) })
}

// computeBit asks for no more bits of the operands than bit i depends on.
func (b *Builder) computeBit(n *ir.Node, i int) Val {
	g := b.g
	arg := func(k, i int) Val { return b.nodeBit(n.Args[k], i) }
	switch n.Op {
	case ir.OpConst:
		return g.Const(n.Const.Bit(i))
	case ir.OpNot:
		return g.Not(1, arg(0, i))
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return g.binary(And+Op(n.Op-ir.OpAnd), 1, arg(0, i), arg(1, i))
	case ir.OpMux:
		return g.Mux(arg(0, 0), arg(1, i), arg(2, i))
	case ir.OpSlice:
		return arg(0, n.Lo+i)
	case ir.OpRepeat:
		return arg(0, i%n.Args[0].Width)
	case ir.OpCat:
		for k := len(n.Args) - 1; ; k-- {
			if w := n.Args[k].Width; i < w {
				return arg(k, i)
			}
			i -= n.Args[k].Width
		}
	case ir.OpAdd:
		return g.slice(g.add(b.lowBits(n.Args[0], i+1), b.lowBits(n.Args[1], i+1), i+1), i, 1)[0]
	case ir.OpSub:
		return g.slice(g.sub(b.lowBits(n.Args[0], i+1), b.lowBits(n.Args[1], i+1), i+1), i, 1)[0]
	}
	args := make([]Vec, len(n.Args))
	for k, a := range n.Args {
		args[k] = b.lowBits(a, a.Width)
	}
	return g.slice(b.apply(n, args), i, 1)[0]
}

// lowBits lowers the low w bits of an expression one by one.
func (b *Builder) lowBits(n *ir.Node, w int) Vec {
	ps := make([]piece, w)
	for i := range ps {
		ps[i] = piece{b.nodeBit(n, i), 0, 1}
	}
	return b.g.join(ps)
}
