package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/configs"
)

// reader collects what is wrong with a file.
type reader struct {
	file     *File
	mistakes []error
	other    []origin // the last that has a field counts
}

// origin is a part of the tree that comes from another place than its section.
type origin struct {
	field string // path; those below it are of the same place
	from  string
	line  int
}

// from tells where a field has its value from.
func (r *reader) from(n *yaml.Node, place, field string) {
	r.other = append(r.other, origin{field, place, n.Line})
}

// placeOf is the file that a field stands in, and whether that is one of the other places.
func (r *reader) placeOf(field string) (file string, o origin, other bool) {
	for _, o := range slices.Backward(r.other) {
		rest, below := strings.CutPrefix(field, o.field)
		if below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return o.from, o, true
		}
	}
	section, _, _ := strings.Cut(field, ".")
	if file, ok := r.file.files[section]; ok {
		return file, origin{}, false
	}
	return r.file.Name, origin{}, false
}

func (r *reader) fail(n *yaml.Node, field, format string, args ...any) {
	file, _, _ := r.placeOf(field)
	r.mistakes = append(r.mistakes, configs.Mistake{File: file, Line: n.Line, Field: field, Text: fmt.Sprintf(format, args...)})
}

// failSection adds the mistakes that the reader of a section found, which knows
// nothing of values from elsewhere.
func (r *reader) failSection(section string, err error) {
	for _, e := range each(err) {
		var m configs.Mistake
		if !errors.As(e, &m) {
			r.mistakes = append(r.mistakes, e)
			continue
		}
		field := section
		if m.Field != "" {
			field += "." + m.Field
		}
		file, o, other := r.placeOf(field)
		switch {
		case other:
			m.File, m.Field, m.Line = file, field, o.line
		case file == r.file.Name:
			m.Field = field
		}
		r.mistakes = append(r.mistakes, m)
	}
}

// each takes joined errors apart.
func each(err error) []error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		return joined.Unwrap()
	}
	return []error{err}
}

// plain refuses anchors and aliases: with them a line would stand for several fields.
func (r *reader) plain(n *yaml.Node) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		r.fail(n, "", "an anchor or alias: expected the value in place")
		return
	}
	for _, e := range n.Content {
		r.plain(e)
	}
}

// isMapping tells that a node is a mapping that has each field once.
func (r *reader) isMapping(n *yaml.Node, path string) bool {
	if n.Kind != yaml.MappingNode {
		r.fail(n, path, "%s: a list of `field: value` lines was expected", shown(n))
		return false
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if first, twice := lines[key.Value]; twice {
			r.fail(key, join(path, key.Value), "given twice: first on line %d", first)
			return false
		}
		lines[key.Value] = key.Line
	}
	return true
}

func join(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a mapping"
	}
	return fmt.Sprintf("%q", n.Value)
}
