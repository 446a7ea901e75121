package config

import (
	"reflect"
	"strings"

	"gornic/configs"
	"gornic/cycle/model"
	"gornic/tb/workload"
)

// Schema is the JSON Schema of experiment files, made of the Go types that they are read into, the table of their
// fields, that of the configuration, and what the reader of workloads asks for.
func Schema() map[string]any {
	properties := map[string]any{
		"title":    map[string]any{"type": "string", "description": "of pages and plots"},
		"nic":      section("configuration of the core", configs.Names(), nicSchema()),
		"workload": section("what the hosts do", workload.Names(), workload.Schema()),
		"sweep":    sweepSchema(),
		"plot":     plotSchema(),
	}
	for _, t := range []reflect.Type{reflect.TypeFor[run](), reflect.TypeFor[model.Config]()} {
		for i := range t.NumField() {
			if name := fileName(t.Field(i)); name != "" {
				properties[name] = typeSchema(t.Field(i).Type, name)
			}
		}
	}
	s := object(properties)
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "experiment of the cycle model"
	s["required"] = []string{"workload"}
	return s
}

func object(properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

// section is a name or a file, a change of one, or all of it in place.
func section(doc string, names []string, whole map[string]any) map[string]any {
	changed := map[string]any{"type": "object", "required": []string{"base"}, "properties": map[string]any{
		"base": map[string]any{"type": "string", "examples": names, "description": "a name or file; the other fields change it"},
	}}
	return map[string]any{"description": doc, "anyOf": []any{
		map[string]any{"type": "string", "examples": names, "description": "a name or a file"}, changed, whole,
	}}
}

func nicSchema() map[string]any {
	properties := map[string]any{}
	var names []string
	for _, f := range configs.Fields() {
		properties[f.Name] = map[string]any{"type": "integer", "description": f.Doc + ": " + f.Want}
		names = append(names, f.Name)
	}
	s := object(properties)
	s["required"] = names
	return s
}

// typeSchema is that of a Go type; its leaves are lines of the table.
func typeSchema(t reflect.Type, path string) map[string]any {
	if t.Kind() == reflect.Struct {
		properties := map[string]any{}
		for i := range t.NumField() {
			if name := fileName(t.Field(i)); name != "" {
				properties[name] = typeSchema(t.Field(i).Type, join(path, name))
			}
		}
		return object(properties)
	}
	f := fieldOf(path)
	s := map[string]any{"description": strings.TrimPrefix(f.Doc+": "+f.Want, ": ")}
	switch t.Kind() {
	case reflect.Bool:
		s["type"] = "boolean"
	case reflect.String:
		s["enum"] = f.words
	case reflect.Float64:
		s["type"], s["minimum"], s["maximum"] = "number", f.low, f.high
	default:
		s["type"], s["minimum"], s["maximum"] = "integer", f.low, f.high
		if f.values != nil {
			s = map[string]any{"description": s["description"], "enum": f.values}
		}
	}
	return s
}

func sweepSchema() map[string]any {
	number := map[string]any{"type": "number"}
	ends := map[string]any{"type": "array", "items": number, "minItems": 2, "maxItems": 2}
	step := object(map[string]any{"from": number, "to": number, "step": number})
	step["required"] = []string{"from", "to", "step"}
	power := func(name string) map[string]any {
		s := object(map[string]any{name: ends})
		s["required"] = []string{name}
		return s
	}
	values := map[string]any{"anyOf": []any{map[string]any{"type": "array", "minItems": 1}, step, power("log2"), power("log10")}}
	fields := map[string]any{"type": "object", "additionalProperties": values, "minProperties": 1}
	s := object(map[string]any{
		"grid":  fields,
		"zip":   fields,
		"list":  map[string]any{"type": "array", "minItems": 1, "items": map[string]any{"type": "object", "minProperties": 1}},
		"seeds": map[string]any{"type": "integer", "minimum": 1},
	})
	s["description"] = "fields by path, with their values; each point of one block with each of the others"
	s["minProperties"] = 1
	return s
}

func plotSchema() map[string]any {
	word := map[string]any{"type": "string"}
	words := map[string]any{"anyOf": []any{word, map[string]any{"type": "array", "items": word}}}
	return object(map[string]any{"x": word, "series": words, "y": words, "closed_form": map[string]any{"enum": []string{"go_back_n"}}})
}
