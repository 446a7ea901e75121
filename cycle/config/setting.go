package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/configs"
)

// Setting is a value for one field, from somewhere else than the field's own place.
type Setting struct {
	Field string     // path of the field: host.pcie.latency_ns, workload.queue_pairs[0].count
	Value *yaml.Node // with its line
	From  string     // the file or flag that it comes from
}

// ParseSetting reads a flag's "FIELD=VALUE".
func ParseSetting(text string) (Setting, error) {
	path, value, found := strings.Cut(text, "=")
	if !found || path == "" || value == "" {
		return Setting{}, fmt.Errorf("-set %s: expected FIELD=VALUE", text)
	}
	from := "-set " + text
	n, err := configs.Node(from, []byte(value))
	if err != nil {
		return Setting{}, err
	}
	eachNode(n, func(n *yaml.Node) { n.Line = 0 })
	return Setting{path, n, from}, nil
}

// Text is the value as one line of YAML.
func (s Setting) Text() string { return flow(s.Value) }

// flow is a value in one line of YAML.
func flow(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		var all []string
		for _, e := range n.Content {
			all = append(all, flow(e))
		}
		return "[" + strings.Join(all, ", ") + "]"
	case yaml.MappingNode:
		var all []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			all = append(all, n.Content[i].Value+": "+flow(n.Content[i+1]))
		}
		return "{" + strings.Join(all, ", ") + "}"
	}
	return n.Value
}

// step is a part of a path: a field, or an element of a list.
type step struct {
	field string
	index int // of a step without a field
}

// steps takes a path apart; ok tells that it is one.
func steps(path string) (all []step, ok bool) {
	for part := range strings.SplitSeq(path, ".") {
		name, rest, _ := strings.Cut(part, "[")
		if name == "" {
			return nil, false
		}
		all = append(all, step{field: name})
		for rest != "" {
			number, more, found := strings.Cut(rest, "]")
			index, err := strconv.Atoi(number)
			if err != nil || index < 0 || !found || more != "" && more[0] != '[' {
				return nil, false
			}
			all = append(all, step{index: index})
			rest = strings.TrimPrefix(more, "[")
		}
	}
	return all, true
}

// set changes one field of a tree.
func (r *reader) set(root *yaml.Node, s Setting) {
	path, ok := steps(s.Field)
	at := *s.Value // the place, for errors
	r.from(s.Value, s.From, s.Field)
	r.from(&at, s.From, s.Field)
	if !ok {
		r.fail(&at, s.Field, "not a field: expected something like host.pcie.latency_ns or workload.queue_pairs[0].count")
		return
	}
	if names := sectionNames(); !slices.Contains(names, path[0].field) {
		r.fail(&at, s.Field, "unknown field: expected one that begins with %s%s", strings.Join(names, ", "), configs.Nearest(path[0].field, names))
		return
	}
	n := root
	for i, p := range path {
		if n = r.down(n, p, path[:i], s, i == len(path)-1); n == nil {
			return
		}
	}
	*n = *clone(s.Value)
	r.from(n, s.From, s.Field)
}

// down is one step into a tree; a field that is not there is made. It returns nil after an error.
func (r *reader) down(n *yaml.Node, p step, before []step, s Setting, last bool) *yaml.Node {
	where := pathText(before)
	switch {
	case p.field != "" && n.Kind == yaml.SequenceNode:
		r.fail(s.Value, s.Field, "%s is a list: expected %s[0].%s, or another of its %d elements", where, where, p.field, len(n.Content))
	case p.field != "" && n.Kind != yaml.MappingNode:
		r.fail(s.Value, s.Field, "%s is %s, which has no fields", where, shown(n))
	case p.field == "" && n.Kind != yaml.SequenceNode:
		r.fail(s.Value, s.Field, "%s is no list", where)
	case p.field == "" && p.index >= len(n.Content):
		r.fail(s.Value, s.Field, "%s has %d elements, from 0", where, len(n.Content))
	case p.field == "":
		return n.Content[p.index]
	default:
		if v := field(n, p.field); v != nil {
			return v
		}
		made := &yaml.Node{Kind: yaml.MappingNode, Line: s.Value.Line}
		r.from(made, s.From, s.Field)
		put(n, &yaml.Node{Kind: yaml.ScalarNode, Value: p.field, Line: s.Value.Line}, made)
		return made
	}
	return nil
}

func pathText(path []step) string {
	var b strings.Builder
	for i, p := range path {
		switch {
		case p.field == "":
			fmt.Fprintf(&b, "[%d]", p.index)
		case i > 0:
			b.WriteString("." + p.field)
		default:
			b.WriteString(p.field)
		}
	}
	return b.String()
}

// field returns the value of a field of a mapping; nil if it is not there.
func field(mapping *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// put changes a field of a mapping, or adds it.
func put(mapping, key, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key.Value {
			mapping.Content[i], mapping.Content[i+1] = key, value
			return
		}
	}
	mapping.Content = append(mapping.Content, key, value)
}

// clone copies a tree.
func clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, e := range n.Content {
		c.Content[i] = clone(e)
	}
	return &c
}

func eachNode(n *yaml.Node, do func(*yaml.Node)) {
	do(n)
	for _, e := range n.Content {
		eachNode(e, do)
	}
}
