package config

import (
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/configs"
	"gornic/cycle/model"
	"gornic/tb/workload"
)

// run has the fields of an experiment that are no part of the model.
type run struct {
	Seed   int `yaml:"seed"`
	Warmup int `yaml:"warmup"`
}

// sections are the fields at the top of an experiment, beside those of the model.
func sectionNames() []string {
	names := []string{"nic", "workload"}
	for _, t := range []reflect.Type{reflect.TypeFor[run](), reflect.TypeFor[model.Config]()} {
		names = append(names, fieldNames(t)...)
	}
	return names
}

// fieldNames are the names in files of the fields of a struct.
func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if name := fileName(t.Field(i)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// fileName is the name of a field in a file; empty if it has none.
func fileName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	return name
}

// experiment reads a whole tree.
func (r *reader) experiment(root *yaml.Node) Experiment {
	var e Experiment
	if n := field(root, "nic"); n != nil {
		c, err := configs.ParseNode(r.fileOf("nic"), n)
		if err != nil {
			r.failSection("nic", err)
		}
		e.Model = model.Default(c)
	}
	if n := field(root, "workload"); n != nil {
		w, err := workload.ParseNode(r.fileOf("workload"), n)
		if err != nil {
			r.failSection("workload", err)
		}
		e.Workload = w
	}
	rest := without(root, "nic", "workload")
	other := run{Seed: usualSeed}
	r.structs(rest, "", reflect.ValueOf(&other).Elem(), reflect.ValueOf(&e.Model).Elem())
	e.Seed, e.Warmup = uint64(other.Seed), other.Warmup
	return e
}

func (r *reader) fileOf(section string) string {
	if file, ok := r.file.files[section]; ok {
		return file
	}
	return r.file.Name
}

// without is a mapping without some fields.
func without(n *yaml.Node, fields ...string) *yaml.Node {
	c := *n
	c.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !slices.Contains(fields, n.Content[i].Value) {
			c.Content = append(c.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &c
}

// structs reads a mapping into the fields of structs; a field that is not there stays as it is.
func (r *reader) structs(n *yaml.Node, path string, into ...reflect.Value) {
	if !r.isMapping(n, path) {
		return
	}
	var names []string
	if path == "" {
		names = append(names, "title", "nic", "workload", "sweep", "plot")
	}
	values := map[string]reflect.Value{}
	for _, v := range into {
		for i := range v.NumField() {
			if name := fileName(v.Type().Field(i)); name != "" {
				names = append(names, name)
				values[name] = v.Field(i)
			}
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if v, ok := values[key.Value]; ok {
			r.value(value, join(path, key.Value), v)
		} else {
			r.fail(key, join(path, key.Value), "unknown field: expected one of %s%s", strings.Join(names, ", "), configs.Nearest(key.Value, names))
		}
	}
}

// value reads one value. Its limits are those of the table.
func (r *reader) value(n *yaml.Node, path string, v reflect.Value) {
	if v.Kind() == reflect.Struct {
		r.structs(n, path, v)
		return
	}
	f := fieldOf(path)
	if n.Kind != yaml.ScalarNode {
		r.fail(n, path, "%s: expected %s", shown(n), f.Want)
		return
	}
	switch v.Kind() {
	case reflect.String:
		if !slices.Contains(f.words, n.Value) {
			r.fail(n, path, "%s: expected %s%s", shown(n), f.Want, configs.Nearest(n.Value, f.words))
			return
		}
		v.SetString(n.Value)
	case reflect.Bool:
		if n.Value != "true" && n.Value != "false" {
			r.fail(n, path, "%s: expected true or false", shown(n))
			return
		}
		v.SetBool(n.Value == "true")
	case reflect.Float64:
		r.number(n, path, f, v.SetFloat)
	default:
		if !wholeNumber.MatchString(n.Value) {
			r.fail(n, path, "%s is not a whole number: expected %s", shown(n), f.Want)
			return
		}
		r.number(n, path, f, func(x float64) { v.SetInt(int64(x)) })
	}
}

// wholeNumber is one way to write a whole number, as in configuration files.
var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

func (r *reader) number(n *yaml.Node, path string, f Field, set func(float64)) {
	x, err := strconv.ParseFloat(n.Value, 64)
	switch {
	case err != nil || math.IsNaN(x):
		r.fail(n, path, "%s is not a number: expected %s", shown(n), f.Want)
	case x < f.low || x > f.high || f.values != nil && !slices.Contains(f.values, int(x)):
		r.fail(n, path, "%s: expected %s", n.Value, f.Want)
	default:
		set(x)
	}
}
