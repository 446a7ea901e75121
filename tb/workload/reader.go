package workload

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/configs"
)

// reader collects what is wrong with a file.
type reader struct {
	file     string
	mistakes []error
	lines    map[string]int // of fields, by path, for rules over several
	asks     asks           // what was asked for, where somebody wants to know
}

func (r *reader) fail(line int, field, format string, args ...any) {
	r.mistakes = append(r.mistakes, configs.Mistake{File: r.file, Line: line, Field: field, Text: fmt.Sprintf(format, args...)})
}

// object is a mapping whose fields are read one by one. Those that nobody asked
// for are unknown.
type object struct {
	r      *reader
	path   string // in errors
	line   int
	values map[string]*yaml.Node
	keys   []*yaml.Node
	asked  []string
}

// object starts on a mapping. Call done at its end.
func (r *reader) object(n *yaml.Node, path string) *object {
	r.kind(path, map[string]any{"type": "object"})
	o := &object{r: r, path: path, line: n.Line, values: map[string]*yaml.Node{}}
	if n.Kind != yaml.MappingNode {
		r.fail(n.Line, path, "%s: a list of `field: value` lines was expected", shown(n))
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if first, twice := o.values[key.Value]; twice {
			r.fail(key.Line, o.name(key.Value), "given twice: first on line %d", first.Line)
			continue
		}
		o.values[key.Value] = n.Content[i+1]
		o.keys = append(o.keys, key)
	}
	return o
}

func (o *object) name(field string) string {
	if o.path == "" {
		return field
	}
	return o.path + "." + field
}

// done reports the fields that nobody asked for.
func (o *object) done() {
	for _, key := range o.keys {
		if !slices.Contains(o.asked, key.Value) {
			o.r.fail(key.Line, o.name(key.Value), "unknown field: expected one of %s%s", strings.Join(o.asked, ", "), configs.Nearest(key.Value, o.asked))
		}
	}
}

// has tells whether a field is there.
func (o *object) has(field string) bool {
	if o.r.asks != nil {
		o.r.asks.note(o.name(field), false)
	}
	if !slices.Contains(o.asked, field) {
		o.asked = append(o.asked, field)
	}
	v, ok := o.values[field]
	if ok {
		if o.r.lines == nil {
			o.r.lines = map[string]int{}
		}
		o.r.lines[o.name(field)] = v.Line
	}
	return ok
}

// need returns a field that has to be there, nil if it is not.
func (o *object) need(field, want string) *yaml.Node {
	if o.r.asks != nil {
		o.r.asks.note(o.name(field), true)
	}
	if !o.has(field) {
		o.r.fail(o.line, o.name(field), "missing: expected %s", want)
		return nil
	}
	return o.values[field]
}

// number reads a whole number from low to high that has to be there.
func (o *object) number(field string, low, high int) int {
	if n := o.need(field, between(low, high)); n != nil {
		return o.r.number(n, o.name(field), low, high)
	}
	return low
}

// numberOr is number with a value for a field that is not there.
func (o *object) numberOr(field string, low, high, otherwise int) int {
	if !o.has(field) {
		return otherwise
	}
	return o.number(field, low, high)
}

func (r *reader) number(n *yaml.Node, field string, low, high int) int {
	r.kind(field, integer(low, high))
	v, err := strconv.Atoi(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode || err != nil:
		r.fail(n.Line, field, "%s is not a whole number: expected %s", shown(n), between(low, high))
	case v < low || v > high:
		r.fail(n.Line, field, "%d: expected %s", v, between(low, high))
	default:
		return v
	}
	return low
}

func between(low, high int) string {
	if high == math.MaxInt {
		return fmt.Sprintf("a number of %d or more", low)
	}
	return fmt.Sprintf("a number from %d to %d", low, high)
}

// choice reads one of some words, and returns its index.
func (o *object) choice(field string, words []string) int {
	want := "one of " + strings.Join(words, ", ")
	n := o.need(field, want)
	o.r.kind(o.name(field), enum(words))
	if n == nil {
		return 0
	}
	if i := slices.Index(words, n.Value); i >= 0 && n.Kind == yaml.ScalarNode {
		return i
	}
	o.r.fail(n.Line, o.name(field), "%s: expected %s", shown(n), want)
	return 0
}

// rate reads a share from 0 to 1, in parts of a million.
func (o *object) rate(field string) int {
	const want = "a share from 0.000001 to 1"
	n := o.need(field, want)
	o.r.kind(o.name(field), map[string]any{"type": "number", "minimum": 0.000001, "maximum": 1})
	if n == nil {
		return 0
	}
	v, err := strconv.ParseFloat(n.Value, 64)
	parts := math.Round(v * 1e6)
	if n.Kind != yaml.ScalarNode || err != nil || !(parts >= 1 && parts <= 1e6) {
		o.r.fail(n.Line, o.name(field), "%s: expected %s", shown(n), want)
		return 0
	}
	return int(parts)
}

// list returns the elements of a list that has to be there and has some.
func (o *object) list(field string) []*yaml.Node {
	n := o.need(field, "a list")
	o.r.kind(o.name(field), map[string]any{"type": "array", "minItems": 1})
	switch {
	case n == nil:
		return nil
	case n.Kind != yaml.SequenceNode || len(n.Content) == 0:
		o.r.fail(n.Line, o.name(field), "%s: expected a list of at least one element", shown(n))
		return nil
	}
	return n.Content
}

func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		return strconv.Quote(n.Value)
	case yaml.SequenceNode:
		return "a list"
	}
	return "a mapping"
}
