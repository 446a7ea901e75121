package script

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/configs"
)

// Mistake is what is wrong with one line of a file: file, line, field, what was found
// and what was expected.
type Mistake = configs.Mistake

// Load reads a case from a file. The error joins a [Mistake] for each thing that is wrong.
func Load(file string) (*Case, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("drill: %w", err)
	}
	return Parse(file, text)
}

// Parse reads the text of a case; file names it in errors.
func Parse(file string, text []byte) (*Case, error) {
	var doc, second yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	if err := documents.Decode(&doc); err != nil && err != io.EOF {
		return nil, notYAML(file, err)
	}
	switch err := documents.Decode(&second); {
	case err == nil:
		return nil, Mistake{File: file, Line: second.Line, Text: "a second document: a file holds one case"}
	case err != io.EOF:
		return nil, notYAML(file, err)
	}
	if len(doc.Content) == 0 {
		return nil, Mistake{File: file, Line: 1, Text: "an empty file: a case has at least steps"}
	}
	r := &reader{c: &Case{File: file, End: bytes.Count(text, []byte("\n"))}}
	r.start()
	r.top(doc.Content[0])
	if len(r.mistakes) > 0 {
		return nil, errors.Join(r.mistakes...)
	}
	return r.c, nil
}

// notYAML is what the YAML reader found.
func notYAML(file string, err error) error {
	m := Mistake{File: file, Line: 1, Text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if n, _ := fmt.Sscanf(m.Text, "line %d:", &m.Line); n == 1 {
		_, m.Text, _ = strings.Cut(m.Text, ": ")
	}
	return m
}

// reader reads a case. It goes on after a mistake, so that all are found.
type reader struct {
	c        *Case
	mistakes []error

	// What is known where the reader is.
	verb   string            // of the step
	loops  int               // repeats around it
	depth  int               // lists and mappings around it
	labels map[string]string // of steps so far: their verbs
	qps    map[string]*qpTrack
	ended  map[string]int // regions that are no more: line
}

func (r *reader) start() {
	r.labels, r.qps, r.ended = map[string]string{}, map[string]*qpTrack{}, map[string]int{}
}

func (r *reader) fail(n *yaml.Node, field, text string, args ...any) {
	if r.verb != "" && field != r.verb {
		field = r.verb + "." + field
	}
	r.mistakes = append(r.mistakes, Mistake{File: r.c.File, Line: n.Line, Field: field, Text: fmt.Sprintf(text, args...)})
}

// key is a key of a mapping.
type key struct {
	name     string
	required bool
	read     func(n *yaml.Node)
}

// mapping reads a mapping, in the order of keys. What is not among them is a mistake. It returns
// false if it is none.
func (r *reader) mapping(n *yaml.Node, what string, keys ...key) bool {
	if !r.enter(n, what) {
		return false
	}
	defer r.leave()
	if n.Kind != yaml.MappingNode {
		r.fail(n, what, "%s: expected keys with values: %s", shown(n), keyNames(keys))
		return false
	}
	values := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case values[k.Value] != nil:
			r.fail(k, k.Value, "given twice: first on line %d", values[k.Value].Line)
		case !slices.ContainsFunc(keys, func(c key) bool { return c.name == k.Value }):
			r.fail(k, k.Value, "unknown in %s: expected one of %s", what, keyNames(keys))
		default:
			values[k.Value] = resolve(v)
		}
	}
	for _, k := range keys {
		if v := values[k.name]; v != nil {
			k.read(v)
		} else if k.required {
			r.fail(n, k.name, "missing in %s", what)
		}
	}
	return true
}

func keyNames(keys []key) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return strings.Join(names, ", ")
}

// list reads a list.
func (r *reader) list(n *yaml.Node, what string, read func(n *yaml.Node)) {
	if !r.enter(n, what) {
		return
	}
	defer r.leave()
	if n.Kind != yaml.SequenceNode {
		r.fail(n, what, "%s: expected a list", shown(n))
		return
	}
	for _, item := range n.Content {
		read(resolve(item))
	}
}

// deepest is how many lists and mappings may be within each other. An alias of what it is in has no end.
const deepest = 40

func (r *reader) enter(n *yaml.Node, what string) bool {
	if r.depth == deepest {
		r.fail(n, what, "more than %d lists and mappings within each other", deepest)
		return false
	}
	r.depth++
	return true
}

func (r *reader) leave() { r.depth-- }

// resolve returns what an alias stands for.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// each reads a value, or each of a list of them.
func each(n *yaml.Node, read func(n *yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		read(n)
		return
	}
	for _, item := range n.Content {
		read(resolve(item))
	}
}

func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return "nothing"
		}
		return fmt.Sprintf("%q", n.Value)
	case yaml.SequenceNode:
		return "a list"
	}
	return "keys with values"
}
