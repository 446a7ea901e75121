package check

import (
	"hash/maphash"
	"strconv"

	"gornic/hdl/ir"
)

// checkTwins finds modules of one name that are built differently, and picks
// one module of each structure for the passes that look at single modules.
func checkTwins(c *checker) {
	byName := make(map[string][]*ir.Module)
	var names []string
	for _, m := range c.design.All {
		if byName[m.Name] == nil {
			names = append(names, m.Name)
		}
		byName[m.Name] = append(byName[m.Name], m)
	}
	for _, name := range names {
		c.modules = append(c.modules, c.structures(byName[name])...)
	}
}

// structures returns one module of each structure among modules of one name,
// and reports each after the first.
func (c *checker) structures(twins []*ir.Module) []*ir.Module {
	if len(twins) == 1 {
		return twins
	}
	var hash maphash.Hash
	seen := make(map[uint64]bool)
	var distinct []*ir.Module
	for _, m := range twins {
		hash.Reset()
		for _, l := range describe(m) {
			hash.WriteString(l.text)
			hash.WriteByte('\n')
		}
		if sum := hash.Sum64(); !seen[sum] {
			seen[sum] = true
			distinct = append(distinct, m)
		}
	}
	for _, m := range distinct[1:] {
		c.reportTwin(distinct[0], m)
	}
	return distinct
}

// reportTwin reports the first difference between two modules of one name.
func (c *checker) reportTwin(a, b *ir.Module) {
	linesA, linesB := describe(a), describe(b)
	i := 0
	for i < len(linesA) && i < len(linesB) && linesA[i].text == linesB[i].text {
		i++
	}
	at := func(lines []fact) string {
		if i == len(lines) {
			return "nothing more"
		}
		return lines[i].text + " (" + lines[i].pos.String() + ")"
	}
	c.report(b.Pos, b, "this name was given to a module that is built differently (%v): a parameter is missing in it\n"+
		"there: %s\nhere: %s", a.Pos, at(linesA), at(linesB))
}

// fact is one line of the description of a module.
type fact struct {
	text string
	pos  ir.Pos
}

// describe returns all that the Verilog of a module depends on, apart from
// lines of source, as text. Nodes are numbered in the order of their first
// use, so that equal descriptions mean equal modules.
func describe(m *ir.Module) []fact {
	d := &description{numbers: make(map[*ir.Node]int)}
	d.add(m.Pos, "module external="+strconv.FormatBool(m.External))
	for _, p := range m.Params { // their values belong to the instance
		d.add(m.Pos, "parameter "+p.Name)
	}
	for _, clk := range m.Clocks {
		d.add(m.Pos, "clock "+clk.Clk+" "+clk.Rst)
	}
	for _, s := range m.Signals {
		d.signal(s)
	}
	for _, i := range m.Instances {
		d.instance(i)
	}
	for _, mem := range m.Memories {
		d.memory(mem)
	}
	for _, b := range blocks(m) {
		d.block(b)
	}
	for _, p := range m.Checks {
		d.add(p.Pos, p.Kind.String()+" "+p.Name+" "+d.node(p.Cond)+clockName(p.Clock))
	}
	for _, e := range m.Events {
		text := "event " + e.Name + " " + d.node(e.When) + clockName(e.Clock)
		for _, f := range e.Fields {
			text += ", " + f.Name + "=" + d.node(f.Value) + valuesOf(f.Enum)
		}
		d.add(e.Pos, text)
	}
	for _, n := range m.Unused {
		d.add(n.Pos, "unused "+d.node(n))
	}
	return d.facts
}

type description struct {
	facts   []fact
	numbers map[*ir.Node]int
}

func (d *description) add(pos ir.Pos, text string) { d.facts = append(d.facts, fact{text, pos}) }

func (d *description) signal(s *ir.Signal) {
	text := s.Kind.String() + " " + s.Name + " of " + strconv.Itoa(s.Width) + " bits" + clockName(s.Clock)
	if s.Reset != nil {
		text += ", reset " + s.Reset.String()
	}
	if s.Ghost {
		text += ", for properties"
	}
	d.add(s.Pos, text+valuesOf(s.Enum))
}

// valuesOf describes the names of values; empty for none.
func valuesOf(enum *ir.Enum) string {
	if enum == nil {
		return ""
	}
	text := ", values of " + enum.Name
	for _, v := range enum.Values {
		text += " " + v.Name + "=" + strconv.FormatUint(v.Value, 10)
	}
	return text
}

func (d *description) instance(i *ir.Instance) {
	text := "instance " + i.Name + " of " + i.Module.Name
	for _, clk := range i.Module.Clocks {
		if to := i.Clocks[clk]; to != nil {
			text += ", " + clk.Clk + " from " + to.Clk
		}
	}
	d.add(i.Pos, text)
}

func (d *description) memory(mem *ir.Memory) {
	d.add(mem.Pos, "memory "+mem.Name+" of "+strconv.Itoa(mem.Depth)+" words of "+strconv.Itoa(mem.Width)+
		" bits, lanes of "+strconv.Itoa(mem.Lane)+", async="+strconv.FormatBool(mem.Async)+", collision "+strconv.Itoa(int(mem.Collide))+", ghost="+strconv.FormatBool(mem.Ghost))
	for _, p := range mem.Reads {
		d.add(p.Pos, "read port "+d.node(p.Addr)+" "+d.node(p.En)+clockName(p.Clock)+", shared="+strconv.FormatBool(p.Shared != nil))
	}
	for _, p := range mem.Writes {
		text := "write port " + d.node(p.Addr) + " " + d.node(p.En) + " " + d.node(p.Data) + clockName(p.Clock)
		if p.Lanes != nil {
			text += " " + d.node(p.Lanes)
		}
		d.add(p.Pos, text)
	}
}

func (d *description) block(b *ir.Block) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ir.Assign:
			d.add(s.Pos, s.Target.Name+" = "+d.node(s.Value))
		case *ir.If:
			for _, arm := range s.Arms {
				if arm.Cond == nil {
					d.add(arm.Pos, "else")
				} else {
					d.add(arm.Pos, "if "+d.node(arm.Cond))
				}
				d.block(arm.Body)
			}
			d.add(s.Pos, "end if")
		case *ir.Switch:
			d.add(s.Pos, "switch "+d.node(s.Subject))
			for _, arm := range s.Arms {
				text := "case"
				for _, v := range arm.Values {
					text += " " + v.String()
				}
				d.add(arm.Pos, text)
				d.block(arm.Body)
			}
			d.add(s.Pos, "end switch")
		}
	}
}

// node describes an expression and returns how to refer to it: a name, a
// constant, or a number that stands for a line of its own.
func (d *description) node(n *ir.Node) string {
	switch n.Op {
	case ir.OpSignal:
		return n.Signal.Name
	case ir.OpConst:
		return n.Const.String()
	}
	if number, ok := d.numbers[n]; ok {
		return "%" + strconv.Itoa(number)
	}
	text := n.Op.String()
	for _, a := range n.Args {
		text += " " + d.node(a)
	}
	if n.Op == ir.OpSlice || n.Op == ir.OpRepeat {
		text += " at " + strconv.Itoa(n.Lo)
	}
	if n.Field != "" {
		text += " named " + n.Field
	}
	if n.Memory != nil {
		text += " of " + n.Memory.Name
	}
	number := len(d.numbers)
	d.numbers[n] = number
	name := "%" + strconv.Itoa(number)
	d.add(n.Pos, name+" = "+text+", "+strconv.Itoa(n.Width)+" bits")
	return name
}

func clockName(c *ir.Clock) string {
	if c == nil {
		return ""
	}
	return " @" + c.Clk
}
