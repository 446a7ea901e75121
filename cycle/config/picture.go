package config

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/configs"
)

// Picture is what the plot block of a file says.
type Picture struct {
	X          string   // the field on the x axis; empty: the first that is swept
	Series     []string // the fields that have a line for each value; nil: all others
	Y          []string // metrics; nil: the usual ones
	ClosedForm string   // a curve to compare with: go_back_n, or empty
}

var pictureFields = []string{"x", "series", "y", "closed_form"}

// Picture reads the plot block.
func (f *File) Picture() (Picture, error) {
	var p Picture
	if f.Plot == nil {
		return p, nil
	}
	r := &reader{file: f}
	if !r.isMapping(f.Plot, "plot") {
		return p, errors.Join(r.mistakes...)
	}
	for i := 0; i+1 < len(f.Plot.Content); i += 2 {
		key, value := f.Plot.Content[i], f.Plot.Content[i+1]
		words := r.words(value, "plot."+key.Value)
		switch key.Value {
		case "x":
			p.X = strings.Join(words, " ")
		case "series":
			p.Series = words
		case "y":
			p.Y = words
		case "closed_form":
			p.ClosedForm = strings.Join(words, " ")
		default:
			r.fail(key, "plot."+key.Value, "unknown field: expected one of %s%s", strings.Join(pictureFields, ", "), configs.Nearest(key.Value, pictureFields))
		}
	}
	return p, errors.Join(r.mistakes...)
}

// words are a word, or a list of them.
func (r *reader) words(n *yaml.Node, path string) []string {
	words := []string{}
	switch n.Kind {
	case yaml.ScalarNode:
		return []string{n.Value}
	case yaml.SequenceNode:
		for i, e := range n.Content {
			if e.Kind != yaml.ScalarNode {
				r.fail(e, fmt.Sprintf("%s[%d]", path, i), "%s: expected a word", shown(e))
			}
			words = append(words, e.Value)
		}
	default:
		r.fail(n, path, "%s: expected a word, or a list of them", shown(n))
	}
	return words
}
