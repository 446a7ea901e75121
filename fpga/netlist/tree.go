package netlist

import (
	"cmp"
	"slices"
	"strings"
)

// Tree is an instance with all that is in it.
type Tree struct {
	Name string // of the instance; the module's for the top
	Path string // from the top: "u_core.u_retry"; "" for the top
	Size Size   // with its children's
	Own  Size   // without them
	Sub  []*Tree
}

// Tree sums the cells up by instance. An instance is a path that a name has before its last point, among those known;
// with none known, any path. Children come in order of the LUTs that they take.
func (n *Netlist) Tree(known map[string]bool) *Tree {
	root := &Tree{Name: n.Top}
	at := map[string]*Tree{"": root}
	for name, c := range n.Cells {
		size := c.Size()
		if size == (Size{}) {
			continue
		}
		t := node(at, owner(name, known))
		t.Own.Add(size)
	}
	root.total()
	return root
}

// owner is the path of the instance that a cell belongs to by its name.
func owner(name string, known map[string]bool) string {
	path := name
	for {
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return ""
		}
		path = path[:i]
		if known == nil || known[path] {
			return path
		}
	}
}

// node finds or makes the tree of a path.
func node(at map[string]*Tree, path string) *Tree {
	if t, ok := at[path]; ok {
		return t
	}
	parent, name := "", path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		parent, name = path[:i], path[i+1:]
	}
	t := &Tree{Name: name, Path: path}
	at[path] = t
	p := node(at, parent)
	p.Sub = append(p.Sub, t)
	return t
}

func (t *Tree) total() {
	t.Size = t.Own
	for _, s := range t.Sub {
		s.total()
		t.Size.Add(s.Size)
	}
	slices.SortFunc(t.Sub, func(a, b *Tree) int {
		return cmp.Or(cmp.Compare(b.Size.Comb(), a.Size.Comb()), cmp.Compare(a.Name, b.Name))
	})
}
