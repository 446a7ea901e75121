package workload

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// samples have every field in every form that it may have. What the reader asks for as it reads them is the schema.
var samples = []string{
	`direction: both
messages: 10
queue_pairs: [{count: 1, path_mtu: 256, ip: 4, send_sges: 6, recv_sges: 7, depth: 32, reads: 8}]
operations: {write: 1, write_imm: 1, send: 1, send_imm: 3, read: 2, cmp_swap: 4, fetch_add: 5, send_inv: 6}
sizes: [0, 1]
inline: 10
signaled: 50
solicited: 5
batch: {min: 1, max: 4}
arrival: {kind: poisson, cycles: 300}
faults:
  - {action: drop, rate: 0.001, packets: responses, attempts: 2, opcode: ATOMIC_ACK, nth: 2, psn: 7, sender: b}
outages: [{at_us: 10, for_us: 20}]
`,
	`direction: both
messages: 10
queue_pairs: [{count: 1, path_mtu: 256, ip: 4}]
operations: {write: 1}
sizes: {distribution: uniform, min: 1, max: 2}
batch: 2
arrival: {kind: every, per_million: 100}
faults: [{action: delay, rate: 0.5, frames: 3}]
`,
	`direction: both
messages: 10
queue_pairs: [{count: 1, path_mtu: 256, ip: 4}]
operations: {write: 1}
sizes: 9
faults: [{action: delay, nth: 1, for_us: 3}]
`,
}

// ask is a field that the reader has asked for.
type ask struct {
	required bool
	kinds    []map[string]any // schemas of the forms that it takes
}

// asks are the fields that were asked for, by path; elements of a list have the path "list[]".
type asks map[string]*ask

var elements = regexp.MustCompile(`\[\d+\]`)

// note notes that a field is asked for. The first to ask knows whether it has to be there.
func (a asks) note(path string, required bool) *ask {
	path = elements.ReplaceAllString(path, "[]")
	if a[path] == nil {
		a[path] = &ask{required: required}
	}
	return a[path]
}

// kind notes a form that a field takes.
func (r *reader) kind(path string, schema map[string]any) {
	if r.asks != nil {
		a := r.asks.note(path, false)
		a.add(schema)
	}
}

func (a *ask) add(schema map[string]any) {
	if !slices.ContainsFunc(a.kinds, func(s map[string]any) bool { return reflect.DeepEqual(s, schema) }) {
		a.kinds = append(a.kinds, schema)
	}
}

// Schema is the JSON Schema of workload files: what their reader asks for.
func Schema() map[string]any {
	all := asks{}
	for _, text := range samples {
		all.merge(asksOf(text))
	}
	return all.schema("")
}

// asksOf are the fields that are asked for in a file.
func asksOf(text string) asks {
	var doc yaml.Node
	r := &reader{file: "sample", asks: asks{}}
	if err := yaml.Unmarshal([]byte(text), &doc); err == nil {
		r.workload(doc.Content[0])
	}
	return r.asks
}

// merge adds what was asked for in another file. A field is required if it is wherever what it is a part of is there.
func (a asks) merge(other asks) {
	before := map[string]bool{}
	for path, mine := range a {
		before[path] = len(mine.kinds) > 0
	}
	for path, theirs := range other {
		mine := a[path]
		if mine == nil {
			mine = &ask{required: !before[parent(path)]}
			a[path] = mine
		}
		mine.required = mine.required && theirs.required
		for _, k := range theirs.kinds {
			mine.add(k)
		}
	}
	for path, mine := range a {
		if whole := other[parent(path)]; other[path] == nil && whole != nil && len(whole.kinds) > 0 {
			mine.required = false
		}
	}
}

// parent is the path of what a field is a part of; that of fields at the top is empty.
func parent(path string) string {
	if inner, ok := strings.CutSuffix(path, "[]"); ok {
		return inner
	}
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)]
}

// schema is that of a path, with all below it.
func (a asks) schema(path string) map[string]any {
	var forms []any
	for _, k := range a[path].kinds {
		form := maps.Clone(k)
		switch form["type"] {
		case "object":
			a.object(form, path)
		case "array":
			form["items"] = a.schema(path + "[]")
		}
		forms = append(forms, form)
	}
	if len(forms) == 1 {
		return forms[0].(map[string]any)
	}
	return map[string]any{"anyOf": forms}
}

// object fills in the fields of a mapping.
func (a asks) object(form map[string]any, path string) {
	properties, required := map[string]any{}, []string{}
	for _, field := range slices.Sorted(maps.Keys(a)) {
		if field == "" || parent(field) != path || strings.HasSuffix(field, "[]") {
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(field, path), ".")
		properties[name] = a.schema(field)
		if a[field].required {
			required = append(required, name)
		}
	}
	form["properties"], form["required"], form["additionalProperties"] = properties, required, false
}

// enum is the schema of a choice. Words that are numbers stand without quotes in a file.
func enum(words []string) map[string]any {
	all := make([]any, len(words))
	for i, w := range words {
		all[i] = w
		if n, err := strconv.Atoi(w); err == nil {
			all[i] = n
		}
	}
	return map[string]any{"enum": all}
}

func integer(low, high int) map[string]any {
	return map[string]any{"type": "integer", "minimum": low, "maximum": high, "description": fmt.Sprint(between(low, high))}
}
