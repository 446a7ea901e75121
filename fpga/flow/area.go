package flow

import (
	"gornic/fpga/netlist"
	"gornic/hdl"
)

const (
	opened = 5   // an instance of more than a fifth of the design is shown with what is in it
	shown  = 200 // one of less than a two-hundredth counts with its neighbours
)

// rest names the small instances of a module together.
const rest = "…"

// blocksOf lists the instances that a reader wants to know of.
func blocksOf(t *netlist.Tree, d *hdl.Design) []Block {
	modules := map[string]string{}
	for _, m := range d.All {
		modules[m.Path] = m.Name
	}
	l := lister{all: t.Size, modules: modules}
	l.add(t, 0)
	return l.list
}

type lister struct {
	all     netlist.Size
	modules map[string]string // by path
	list    []Block
}

func (l *lister) add(t *netlist.Tree, depth int) {
	l.put(t.Path, l.modules[t.Path], depth, t.Size)
	if depth > 0 && t.Size.Comb()*opened < l.all.Comb() {
		return
	}
	small := t.Own
	for _, s := range t.Sub {
		if s.Size.Comb()*shown < l.all.Comb() && s.Size.RAM == 0 {
			small.Add(s.Size)
			continue
		}
		l.add(s, depth+1)
	}
	if len(t.Sub) > 0 && small != (netlist.Size{}) {
		l.put(joined(t.Path, rest), "", depth+1, small)
	}
}

func (l *lister) put(path, module string, depth int, size netlist.Size) {
	l.list = append(l.list, Block{Path: path, Module: module, Depth: depth, Size: size, Comb: size.Comb()})
}

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
