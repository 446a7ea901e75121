package sweep

import (
	"math"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/configs"
)

// ranges are the kinds of ranges, each with its fields.
var ranges = []string{"from", "to", "step", "log2", "log10"}

// values are those of a swept field: a list, or a range.
func (b *block) values(n *yaml.Node, path string) []*yaml.Node {
	switch {
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0:
		return n.Content
	case n.Kind != yaml.MappingNode || len(n.Content) == 0:
		b.fail(n, path, "expected a list of values, or a range: {from: 1, to: 9, step: 2}, {log2: [1, 1024]}, {log10: [0.001, 0.1]}")
		return nil
	}
	fields := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if !contains(ranges, name) {
			b.fail(n.Content[i], path+"."+name, "unknown field: expected one of %s%s", strings.Join(ranges, ", "), configs.Nearest(name, ranges))
			return nil
		}
		fields[name] = n.Content[i+1]
	}
	switch {
	case len(fields) == 1 && fields["log2"] != nil:
		return b.powers(fields["log2"], path+".log2", 2)
	case len(fields) == 1 && fields["log10"] != nil:
		return b.powers(fields["log10"], path+".log10", 10)
	case len(fields) == 3 && fields["from"] != nil && fields["to"] != nil && fields["step"] != nil:
		return b.steps(fields["from"], fields["to"], fields["step"], path)
	}
	b.fail(n, path, "expected from, to and step, or log2, or log10")
	return nil
}

func contains(words []string, word string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}

// powers are the values from the first of two on, each so many times the one before.
func (b *block) powers(n *yaml.Node, path string, base float64) []*yaml.Node {
	if n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
		b.fail(n, path, "expected the first and the last value: [1, 1024]")
		return nil
	}
	low, high := b.number(n.Content[0], path), b.number(n.Content[1], path)
	if !(low > 0 && low <= high) {
		b.fail(n, path, "from %s to %s: expected two values above 0 of which the first is not the larger", n.Content[0].Value, n.Content[1].Value)
		return nil
	}
	var all []*yaml.Node
	for i := 0; ; i++ {
		v := low * math.Pow(base, float64(i))
		if v > high*(1+1e-9) {
			return all
		}
		all = append(all, scalar(v, n))
	}
}

// steps are the values from one to another, so far from each other.
func (b *block) steps(from, to, step *yaml.Node, path string) []*yaml.Node {
	low, high, by := b.number(from, path+".from"), b.number(to, path+".to"), b.number(step, path+".step")
	count := (high - low) / by
	if !(by > 0 && low <= high && count < mostPoints) {
		b.fail(from, path, "from %s to %s by %s: expected a step above 0, a first value that is not the larger, and at most %d values",
			from.Value, to.Value, step.Value, mostPoints)
		return nil
	}
	var all []*yaml.Node
	for i := range int(count+1e-9) + 1 {
		all = append(all, scalar(low+float64(i)*by, from))
	}
	return all
}

func (b *block) number(n *yaml.Node, path string) float64 {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		b.fail(n, path, "%q is not a number", n.Value)
		return math.NaN()
	}
	return v
}

// scalar is a number as a value in the place of another. Twelve digits leave out what adding up steps puts in.
func scalar(v float64, at *yaml.Node) *yaml.Node {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err == nil {
		v = rounded
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(v, 'f', -1, 64), Line: at.Line}
}
