package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/configs"
	"gornic/cycle/config"
)

// Plan is all points of a sweep.
type Plan struct {
	File   *config.File
	Fields []string // that are swept, in order
	Points []Point
}

// Point is one run of a sweep.
type Point struct {
	Number     int // from 0
	Values     []config.Setting
	Experiment config.Experiment
	Key        string // hash of all that its result depends on
}

// Value is a point's value of a swept field; empty if the point has none.
func (p Point) Value(field string) string {
	for _, v := range p.Values {
		if v.Field == field {
			return v.Text()
		}
	}
	return ""
}

// mostPoints is more than anybody waits for.
const mostPoints = 100_000

// tellMistakes is how many mistakes of points are told; they are often the same one.
const tellMistakes = 5

// NewPlan makes the points of a file, and checks each of them; extra are set in all of them. A file without a sweep has one
// point. Errors are joined and name the place in the file.
func NewPlan(ctx context.Context, f *config.File, extra []config.Setting) (*Plan, error) {
	p := &Plan{File: f}
	points := [][]config.Setting{nil}
	if f.Sweep != nil {
		b := block{file: f.Name, seed: f.Seed()}
		dimensions := b.dimensions(f.Sweep)
		if len(b.mistakes) == 0 {
			b.rules(f, dimensions)
		}
		if len(b.mistakes) > 0 {
			return nil, errors.Join(b.mistakes...)
		}
		p.Fields, points = b.fields, product(dimensions)
	}
	return p, p.check(ctx, points, extra)
}

// check makes the points, all of which have to be possible.
func (p *Plan) check(ctx context.Context, points [][]config.Setting, extra []config.Setting) error {
	var mistakes []string
	wrong := 0
	for i, values := range points {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, err := p.File.With(append(append([]config.Setting{}, extra...), values...))
		if err == nil {
			err = possible(e)
		}
		if err != nil {
			wrong++
			mistakes = appendNew(mistakes, p.wrong(values, err))
			continue
		}
		k, err := key(e)
		if err != nil {
			return err
		}
		p.Points = append(p.Points, Point{Number: i, Values: values, Experiment: e, Key: k})
	}
	switch {
	case wrong == 0:
		return nil
	case len(mistakes) > tellMistakes:
		mistakes = append(mistakes[:tellMistakes], fmt.Sprintf("and %d other mistakes", len(mistakes)-tellMistakes))
	}
	if len(points) > 1 {
		mistakes = append(mistakes, fmt.Sprintf("%d of %d points cannot be run", wrong, len(points)))
	}
	return errors.New(strings.Join(mistakes, "\n"))
}

// wrong is what is wrong with a point. A mistake that names a place needs no more; another is told with the point.
func (p *Plan) wrong(values []config.Setting, err error) string {
	var m configs.Mistake
	if errors.As(err, &m) && m.File != "" || len(values) == 0 {
		return err.Error()
	}
	return fmt.Sprintf("%s:%d: %s: %v", p.File.Name, p.File.Sweep.Line, describe(values), err)
}

func describe(values []config.Setting) string {
	var all []string
	for _, v := range values {
		all = append(all, v.Field+"="+v.Text())
	}
	return strings.Join(all, " ")
}

func appendNew(list []string, text string) []string {
	for _, t := range list {
		if t == text {
			return list
		}
	}
	return append(list, text)
}

// product is each of the first with each of the others; the last changes fastest.
func product(dimensions [][][]config.Setting) [][]config.Setting {
	points := [][]config.Setting{nil}
	for _, d := range dimensions {
		var more [][]config.Setting
		for _, p := range points {
			for _, values := range d {
				more = append(more, append(append([]config.Setting{}, p...), values...))
			}
		}
		points = more
	}
	return points
}

// key is the hash of all that a result depends on. The name of a configuration or a workload does not change it.
func key(e config.Experiment) (string, error) {
	code, err := fingerprint()
	if err != nil {
		return "", err
	}
	nic := e.Model.NIC
	nic.Name, e.Model.NIC.Name = "", ""
	text, err := json.Marshal(struct {
		Model    any
		NIC      configs.Config
		Workload string
		Seed     uint64
		Warmup   int
		Code     string
	}{e.Model, nic, string(e.Workload.Text()), e.Seed, e.Warmup, code})
	if err != nil {
		return "", fmt.Errorf("sweep: name of a result: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

// block reads the sweep block of a file.
type block struct {
	file     string
	seed     int // of the file
	fields   []string
	mistakes []error
}

func (b *block) fail(n *yaml.Node, field, format string, args ...any) {
	b.mistakes = append(b.mistakes, configs.Mistake{File: b.file, Line: n.Line, Field: field, Text: fmt.Sprintf(format, args...)})
}

// rules are those over the whole block.
func (b *block) rules(f *config.File, dimensions [][][]config.Setting) {
	points := 1
	for _, d := range dimensions {
		if points *= len(d); points > mostPoints {
			b.fail(f.Sweep, "sweep", "more than %d points: expected fewer", mostPoints)
			return
		}
	}
}

var parts = []string{"grid", "zip", "list", "seeds"}

// dimensions returns what is to be combined: of each, the alternatives.
func (b *block) dimensions(n *yaml.Node) [][][]config.Setting {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		b.fail(n, "sweep", "expected a mapping of some of %s", strings.Join(parts, ", "))
		return nil
	}
	var all [][][]config.Setting
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if seen[name.Value] {
			b.fail(name, "sweep."+name.Value, "given twice")
			continue
		}
		seen[name.Value] = true
		switch name.Value {
		case "grid":
			all = append(all, b.grid(value)...)
		case "zip":
			all = append(all, b.zip(value))
		case "list":
			all = append(all, b.list(value))
		case "seeds":
			all = append(all, b.seeds(value))
		default:
			b.fail(name, "sweep."+name.Value, "unknown field: expected one of %s%s", strings.Join(parts, ", "), configs.Nearest(name.Value, parts))
		}
	}
	return all
}

// grid is a dimension for each field.
func (b *block) grid(n *yaml.Node) [][][]config.Setting {
	var all [][][]config.Setting
	b.eachField(n, "sweep.grid", func(field string, value *yaml.Node) {
		var d [][]config.Setting
		for _, v := range b.values(value, "sweep.grid."+field) {
			d = append(d, []config.Setting{{Field: field, Value: v, From: b.file}})
		}
		all = append(all, d)
	})
	return all
}

// zip is one dimension of all fields side by side.
func (b *block) zip(n *yaml.Node) [][]config.Setting {
	var d [][]config.Setting
	first := ""
	b.eachField(n, "sweep.zip", func(field string, value *yaml.Node) {
		values := b.values(value, "sweep.zip."+field)
		if first == "" {
			first, d = field, make([][]config.Setting, len(values))
		}
		if len(values) != len(d) {
			b.fail(value, "sweep.zip."+field, "%d values: expected as many as those of %s, %d", len(values), first, len(d))
			return
		}
		for i, v := range values {
			d[i] = append(d[i], config.Setting{Field: field, Value: v, From: b.file})
		}
	})
	return d
}

// list is one dimension of points that are written out.
func (b *block) list(n *yaml.Node) [][]config.Setting {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		b.fail(n, "sweep.list", "expected a list of mappings from field to value")
		return nil
	}
	var d [][]config.Setting
	known := len(b.fields)
	for i, e := range n.Content {
		var point []config.Setting
		own := append([]string{}, b.fields[known:]...)
		b.fields = b.fields[:known]
		b.eachField(e, fmt.Sprintf("sweep.list[%d]", i), func(field string, value *yaml.Node) {
			point = append(point, config.Setting{Field: field, Value: value, From: b.file})
		})
		for _, f := range b.fields[known:] {
			own = appendNew(own, f)
		}
		b.fields = append(b.fields[:known], own...)
		d = append(d, point)
	}
	return d
}

func (b *block) seeds(n *yaml.Node) [][]config.Setting {
	count, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || count < 1 || count > mostPoints {
		b.fail(n, "sweep.seeds", "expected a number from 1 to %d", mostPoints)
		return nil
	}
	b.take(n, "sweep.seeds", "seed")
	var d [][]config.Setting
	for i := range count {
		v := &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.Itoa(b.seed + i), Line: n.Line}
		d = append(d, []config.Setting{{Field: "seed", Value: v, From: b.file}})
	}
	return d
}

// eachField calls do for each field of a mapping that may be swept.
func (b *block) eachField(n *yaml.Node, path string, do func(field string, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		b.fail(n, path, "expected a mapping of fields, as host.pcie.latency_ns: [400, 800]")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if field := n.Content[i].Value; b.take(n.Content[i], path, field) {
			do(field, n.Content[i+1])
		}
	}
}

// take notes that a field is swept, which it may be once.
func (b *block) take(n *yaml.Node, path, field string) bool {
	for _, f := range b.fields {
		if f == field {
			b.fail(n, path, "%s is swept twice", field)
			return false
		}
	}
	b.fields = append(b.fields, field)
	return true
}
