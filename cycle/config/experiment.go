package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/configs"
	"gornic/cycle/model"
	"gornic/tb/workload"
)

// Experiment is one run of the model.
type Experiment struct {
	Model    model.Config
	Workload workload.Workload
	Seed     uint64
	Warmup   int // messages that are not measured
}

// File is an experiment file.
type File struct {
	Name  string // as it was given
	Title string
	Sweep *yaml.Node // the sweep block; nil: there is none
	Plot  *yaml.Node // the plot block; nil: there is none

	root  *yaml.Node        // of what is left, with nic and workload in place
	files map[string]string // of nic and workload, where they come from another file
	other []origin          // fields of those that this file has changed
}

// usualNIC is the configuration of a file that names none.
const usualNIC = "board"

// usualSeed is the seed of a file that has none.
const usualSeed = 1

// Load reads an experiment file.
func Load(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return Parse(name, text)
}

// Parse reads the text of an experiment file; name names it in errors, and its folder is
// where the files that it names are looked for.
func Parse(name string, text []byte) (*File, error) {
	root, err := configs.Node(name, text)
	if err != nil {
		return nil, err
	}
	f := &File{Name: name, root: root, files: map[string]string{}}
	r := &reader{file: f}
	if r.plain(root); len(r.mistakes) == 0 && r.isMapping(root, "") {
		f.take(r)
		f.bring(r, "nic", configs.Names(), configs.Read)
		f.bring(r, "workload", workload.Names(), workload.Read)
		f.other = r.other
	}
	return f, errors.Join(r.mistakes...)
}

// Of makes the experiment file that says no more than a workload, and a configuration.
func Of(work, nic string) (*File, error) {
	text, err := yaml.Marshal(map[string]string{"nic": nic, "workload": work})
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return Parse("experiment", text)
}

// take takes out of the root what is not of a single run.
func (f *File) take(r *reader) {
	if n := pick(f.root, "title"); n != nil {
		f.Title = n.Value
		if n.Kind != yaml.ScalarNode {
			r.fail(n, "title", "%s: a line of text was expected", shown(n))
		}
	}
	f.Sweep, f.Plot = pick(f.root, "sweep"), pick(f.root, "plot")
}

// pick takes a field out of a mapping; nil if it is not there. One that stands there twice stays, for an
// error.
func pick(mapping *yaml.Node, field string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == field {
			value := mapping.Content[i+1]
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			return value
		}
	}
	return nil
}

// bring puts in place what a section only names: a section that is a word is a file, and base in one that is a
// mapping is a file that the rest of the mapping changes.
func (f *File) bring(r *reader, section string, names []string, read func(string) (string, []byte, error)) {
	value := field(f.root, section)
	switch {
	case value == nil && section == "nic":
		value = &yaml.Node{Kind: yaml.ScalarNode, Value: usualNIC, Line: f.root.Line}
		f.root.Content = append(f.root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: section, Line: f.root.Line}, value)
	case value == nil:
		r.fail(f.root, section, "missing: expected %s, a file, or all of it in place", strings.Join(names, ", "))
		return
	}
	base, changes := value, []*yaml.Node(nil)
	if value.Kind == yaml.MappingNode {
		if base = pick(value, "base"); base == nil {
			return
		}
		changes = value.Content
	}
	if base.Kind != yaml.ScalarNode || base.Value == "" {
		r.fail(base, section, "%s: expected %s, a file, or all of it in place", shown(base), strings.Join(names, ", "))
		return
	}
	tree, from, err := f.readBase(base.Value, names, read)
	if err != nil {
		r.mistakes = append(r.mistakes, f.at(base, section, err))
		return
	}
	f.files[section] = from
	*value = *tree
	for i := 0; i+1 < len(changes); i += 2 {
		put(value, changes[i], changes[i+1])
		r.from(changes[i+1], f.Name, section+"."+changes[i].Value)
	}
}

// readBase reads the tree of a file that is named in this one.
func (f *File) readBase(name string, names []string, read func(string) (string, []byte, error)) (*yaml.Node, string, error) {
	if !slices.Contains(names, name) && !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(f.Name), name)
	}
	from, text, err := read(name)
	if err != nil {
		return nil, "", err
	}
	tree, err := configs.Node(from, text)
	if err != nil {
		return nil, "", err
	}
	r := &reader{file: &File{Name: from}}
	if r.plain(tree); len(r.mistakes) == 0 {
		r.isMapping(tree, "")
	}
	return tree, from, errors.Join(r.mistakes...)
}

// at says where a file is named that cannot be read.
func (f *File) at(n *yaml.Node, section string, err error) error {
	var m configs.Mistake
	if errors.As(err, &m) {
		return err
	}
	return fmt.Errorf("%s:%d: %s: %w", f.Name, n.Line, section, err)
}

// Experiment returns what the file says, without its sweep.
func (f *File) Experiment() (Experiment, error) { return f.With(nil) }

// With returns what the file says with other values for some fields. A mistake in one of
// those is told with the place that the value comes from.
func (f *File) With(values []Setting) (Experiment, error) {
	changed := *f
	changed.root = clone(f.root)
	r := &reader{file: &changed, other: slices.Clone(f.other)}
	for _, v := range values {
		r.set(changed.root, v)
	}
	if len(r.mistakes) > 0 {
		return Experiment{}, errors.Join(r.mistakes...)
	}
	e := r.experiment(changed.root)
	return e, errors.Join(r.mistakes...)
}

// Seed is the file's seed, the usual one if it has none that is a number.
func (f *File) Seed() int {
	if n := field(f.root, "seed"); n != nil {
		if seed, err := strconv.Atoi(n.Value); err == nil {
			return seed
		}
	}
	return usualSeed
}
