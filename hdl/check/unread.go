package check

import (
	"strings"

	"gornic/hdl/ir"
)

// checkUnread finds bits of signals that nothing reads, and memories.
func checkUnread(c *checker, m *ir.Module) {
	hardware, properties := demands(m)
	unseen := unseenBy(hardware, properties)
	signals := keep(m.Signals, func(s *ir.Signal) bool { return readable(s) && !(s.Kind == ir.Input && hollow(m)) })
	var loose []*whole
	if !hollow(m) {
		loose = looseEnds(m, unseen)
	}
	bundles, single := wholes(signals, unseen)
	for _, w := range bundles {
		if !partOf(w.signals[0], loose) {
			c.report(w.signals[0].Pos, m, "%s%s is never read: drop it or mark it with Unused (%s)", w.name(), w.owner(), portList(w.signals))
		}
	}
	for _, s := range single {
		if !partOf(s, loose) {
			c.report(s.Pos, m, "%s is never read: drop it or mark it with Unused", nameOf(s))
		}
	}
	for _, s := range signals {
		if !unseen(s) {
			c.unread(m, s, hardware, properties)
		}
	}
	for _, mem := range m.Memories {
		if len(mem.Reads) == 0 && !hardware.memories[mem] && !(mem.Ghost && properties.memories[mem]) {
			c.report(mem.Pos, m, "memory %s is never read", mem.Name)
		}
	}
}

// demands returns what of a module's signals hardware reads, and what its
// properties and events do.
func demands(m *ir.Module) (hardware, properties *demand) {
	hardware, properties = newDemand(), newDemand()
	for _, b := range blocks(m) {
		for _, s := range b.Stmts {
			demandOf(s, m, hardware, properties)
		}
	}
	for _, mem := range m.Memories {
		to := hardware
		if mem.Ghost {
			to = properties
		}
		for _, n := range memoryInputs(mem) {
			to.root(n, nil)
		}
	}
	for _, p := range m.Checks {
		properties.root(p.Cond, nil)
	}
	for _, n := range eventValues(m) {
		properties.root(n, nil)
	}
	for _, n := range m.Unused {
		hardware.root(n, nil)
	}
	hardware.propagate()
	properties.propagate()
	return hardware, properties
}

// readable reports whether a signal has to be read.
func readable(s *ir.Signal) bool {
	return s.Kind != ir.Output && s.Kind != ir.ChildInput
}

// unseenBy tells which signals nobody reads, not even a property.
func unseenBy(hardware, properties *demand) func(*ir.Signal) bool {
	return func(s *ir.Signal) bool {
		read := hardware.signals[s]
		return (read == nil || read.empty()) && properties.signals[s] == nil
	}
}

// unread reports what is not read of one signal that is not unseen.
func (c *checker) unread(m *ir.Module, s *ir.Signal, hardware, properties *demand) {
	read := newMask(s.Width)
	if d := hardware.signals[s]; d != nil {
		read.or(d)
	}
	inProperties := properties.signals[s]
	if s.Ghost && inProperties != nil {
		read.or(inProperties)
	}
	name := nameOf(s)
	missing := read.missing(s.Width)
	switch {
	case read.empty():
		c.report(s.Pos, m, "%s is read by properties or events only: drop it, make it a Ghost, or mark it with Unused", name)
	case missing != "":
		c.report(s.Pos, m, "%s of %s %s with Unused", missing, name, verdict(missing))
	case s.Kind == ir.Reg && hardware.readers[s] == s:
		c.report(s.Pos, m, "%s is read by nothing but its own next value: drop it or mark it with Unused", name)
	}
}

// nameOf names a signal as its reader knows it.
func nameOf(s *ir.Signal) string {
	if s.Kind == ir.ChildOutput {
		return portOf(s)
	}
	return s.Name
}

// verdict goes on after "bits 7:4 of x" or "bit 3 of x".
func verdict(missing string) string {
	if strings.HasPrefix(missing, "bits ") {
		return "are never read: narrow it or mark them"
	}
	return "is never read: narrow it or mark it"
}

// demandOf adds the expressions of a statement. What properties alone need is
// kept apart, so that the hardware is complete without them.
func demandOf(s ir.Stmt, m *ir.Module, hardware, properties *demand) {
	readers := targets(s)
	to := hardware
	for _, t := range readers {
		if t.Ghost {
			to = properties
		}
	}
	var sole *ir.Signal
	if len(readers) == 1 {
		sole = readers[0]
	}
	if a, ok := s.(*ir.Assign); ok {
		to.root(a.Value, sole)
	}
	for _, n := range conditions(s) {
		to.root(n, sole)
	}
	for _, b := range bodies(s) {
		for _, s := range b.Stmts {
			demandOf(s, m, hardware, properties)
		}
	}
}

// targets returns the signals that a statement assigns, each once.
func targets(s ir.Stmt) []*ir.Signal {
	var list []*ir.Signal
	seen := make(map[*ir.Signal]bool)
	add := func(s ir.Stmt) {
		if a, ok := s.(*ir.Assign); ok && !seen[a.Target] {
			seen[a.Target] = true
			list = append(list, a.Target)
		}
	}
	add(s)
	for _, b := range bodies(s) {
		eachStmt(b, add)
	}
	return list
}

// many stands for more than one reader, or one that is no signal.
var many = new(ir.Signal)

// demand finds which bits of which signals some expressions need. A bit is
// needed when the value of the expressions can depend on it by the structure
// of their operations: constants are not looked at.
type demand struct {
	roots    []*ir.Node
	bits     map[*ir.Node]mask
	reader   map[*ir.Node]*ir.Signal // the one signal that the node's value goes to, or many
	signals  map[*ir.Signal]mask
	readers  map[*ir.Signal]*ir.Signal
	memories map[*ir.Memory]bool
}

func newDemand() *demand {
	return &demand{
		bits: make(map[*ir.Node]mask), reader: make(map[*ir.Node]*ir.Signal),
		signals: make(map[*ir.Signal]mask), readers: make(map[*ir.Signal]*ir.Signal),
		memories: make(map[*ir.Memory]bool),
	}
}

// root adds an expression of which all bits are needed; reader is the one
// signal that takes it, nil where there are more or none.
func (d *demand) root(n *ir.Node, reader *ir.Signal) {
	d.roots = append(d.roots, n)
	d.of(n).fill(0, n.Width)
	d.readBy(n, reader)
}

func (d *demand) of(n *ir.Node) mask {
	m, ok := d.bits[n]
	if !ok {
		m = newMask(n.Width)
		d.bits[n] = m
	}
	return m
}

func (d *demand) readBy(n *ir.Node, reader *ir.Signal) {
	if reader == nil || d.reader[n] != nil && d.reader[n] != reader {
		reader = many
	}
	d.reader[n] = reader
}

// propagate carries the demand from the roots down to the signals.
func (d *demand) propagate() {
	order := postorder(d.roots)
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		if need := d.of(n); !need.empty() || poisoned(n) {
			d.node(n, need)
			for _, a := range n.Args {
				d.readBy(a, d.reader[n])
			}
		}
	}
}

// node carries the demand on a node to its operands, or its signal.
func (d *demand) node(n *ir.Node, need mask) {
	if n.Op == ir.OpMemRead {
		d.memories[n.Memory] = true
	}
	if poisoned(n) {
		d.all(n.Args)
		return
	}
	switch n.Op {
	case ir.OpSignal:
		d.signal(n, need)
	case ir.OpNot, ir.OpAnd, ir.OpOr, ir.OpXor:
		for _, a := range n.Args {
			d.of(a).or(need)
		}
	case ir.OpMux:
		d.all(n.Args[:1])
		d.of(n.Args[1]).or(need)
		d.of(n.Args[2]).or(need)
	case ir.OpSlice:
		d.of(n.Args[0]).copyBits(n.Lo, need, 0, n.Width)
	case ir.OpCat:
		at := n.Width
		for _, a := range n.Args {
			at -= a.Width
			d.of(a).copyBits(0, need, at, a.Width)
		}
	case ir.OpRepeat:
		a := n.Args[0]
		for i := range n.Lo {
			d.of(a).copyBits(0, need, i*a.Width, a.Width)
		}
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		for _, a := range n.Args {
			d.of(a).fill(0, min(need.top(), a.Width))
		}
	case ir.OpShl, ir.OpShr, ir.OpSar:
		d.shift(n, need)
	default:
		d.all(n.Args)
	}
}

// shift needs the bits that can come to a needed place.
func (d *demand) shift(n *ir.Node, need mask) {
	a, by := n.Args[0], n.Args[1]
	d.all(n.Args[1:])
	lo, hi := 0, need.top() // a left shift
	if n.Op != ir.OpShl {
		lo, hi = need.low(), n.Width
	}
	if by.Op == ir.OpConst && n.Op != ir.OpSar {
		d.shiftK(n, need)
		return
	}
	d.of(a).fill(lo, hi)
}

// shiftK is shift by a constant, without sign.
func (d *demand) shiftK(n *ir.Node, need mask) {
	by := n.Args[1].Const
	if !by.Big().IsInt64() || by.Uint64() >= uint64(n.Width) {
		return
	}
	k := int(by.Uint64())
	if n.Op == ir.OpShl {
		d.of(n.Args[0]).copyBits(0, need, k, n.Width-k)
	} else {
		d.of(n.Args[0]).copyBits(k, need, 0, n.Width-k)
	}
}

func (d *demand) all(list []*ir.Node) {
	for _, n := range list {
		d.of(n).fill(0, n.Width)
	}
}

func (d *demand) signal(n *ir.Node, need mask) {
	s := n.Signal
	if d.signals[s] == nil {
		d.signals[s] = newMask(s.Width)
	}
	d.signals[s].or(need)
	reader := d.reader[n]
	if before := d.readers[s]; before != nil && before != reader {
		reader = many
	}
	d.readers[s] = reader
}
