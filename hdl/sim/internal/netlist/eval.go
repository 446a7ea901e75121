package netlist

// Evaluator computes single values from the state in a store, slowly: for
// looking at values that no program computes.
type Evaluator struct {
	n     *Netlist
	store []uint64
	known map[Val]uint64
}

// NewEvaluator returns an evaluator of one moment.
func NewEvaluator(n *Netlist, store []uint64) *Evaluator {
	return &Evaluator{n: n, store: store, known: map[Val]uint64{}}
}

// Value returns the value of v, or 0 for None.
func (e *Evaluator) Value(v Val) uint64 {
	if v == None {
		return 0
	}
	if x, ok := e.known[v]; ok {
		return x
	}
	x := e.compute(e.n.Graph.Nodes[v])
	e.known[v] = x
	return x
}

func (e *Evaluator) compute(n Node) uint64 {
	switch n.Op {
	case Leaf:
		return e.store[n.Imm]
	case Mux:
		if e.Value(n.A) != 0 {
			return e.Value(n.B)
		}
		return e.Value(n.C)
	case Linear:
		return e.n.Graph.Matrices[n.Imm].Times(e.Value(n.A))
	case MemRead:
		m := e.n.Mems[n.Imm>>8]
		if at := e.Value(n.A); at < uint64(m.Memory.Depth) {
			return e.store[m.Slot+int(at)*m.Parts+int(n.Imm&0xff)]
		}
		return 0
	}
	return n.Eval(e.Value(n.A), e.Value(n.B), e.Value(n.C))
}
