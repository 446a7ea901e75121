package check

import (
	"strconv"
	"strings"

	"gornic/hdl/ir"
)

// numbering gives equal numbers to expressions of one module that are equal
// by their structure, as if the author had written the value once.
type numbering struct {
	nodes map[*ir.Node]int
	byKey map[string]int
	names map[any]int // of signals and memories
}

func newNumbering() *numbering {
	return &numbering{nodes: make(map[*ir.Node]int), byKey: make(map[string]int), names: make(map[any]int)}
}

func (t *numbering) of(n *ir.Node) int {
	if number, ok := t.nodes[n]; ok {
		return number
	}
	key := t.key(n)
	number, ok := t.byKey[key]
	if !ok {
		number = len(t.byKey)
		t.byKey[key] = number
	}
	t.nodes[n] = number
	return number
}

func (t *numbering) key(n *ir.Node) string {
	var b strings.Builder
	b.WriteString(n.Op.String())
	add := func(i int) {
		b.WriteByte(' ')
		b.WriteString(strconv.Itoa(i))
	}
	switch n.Op {
	case ir.OpConst:
		b.WriteString(n.Const.String())
	case ir.OpSignal:
		add(t.name(n.Signal))
	case ir.OpMemRead:
		add(t.name(n.Memory))
	case ir.OpInvalid:
		add(len(t.nodes)) // equal to nothing
	}
	add(n.Width)
	add(n.Lo)
	for _, a := range n.Args {
		add(t.of(a))
	}
	return b.String()
}

func (t *numbering) name(x any) int {
	number, ok := t.names[x]
	if !ok {
		number = len(t.names)
		t.names[x] = number
	}
	return number
}
