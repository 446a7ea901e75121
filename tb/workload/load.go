package workload

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"gornic/configs"
)

//go:embed *.yaml
var files embed.FS

// Names returns the names of the workloads that come with gornic.
func Names() []string {
	entries, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil // the pattern is right: Glob cannot fail
	}
	for i, e := range entries {
		entries[i] = strings.TrimSuffix(e, ".yaml")
	}
	return entries
}

// Load reads a workload file, or returns the workload of that name if it is one
// of [Names].
func Load(name string) (Workload, error) {
	file, text, err := Read(name)
	if err != nil {
		return Workload{}, err
	}
	return Parse(file, text)
}

// Read returns the text of a workload file, or of the workload of that name if it is
// one of [Names], and the file's name for errors.
func Read(name string) (file string, text []byte, err error) {
	if slices.Contains(Names(), name) {
		file = name + ".yaml"
		if text, err = files.ReadFile(file); err != nil {
			return file, nil, fmt.Errorf("workload: %w", err)
		}
		return file, text, nil
	}
	if text, err = os.ReadFile(name); err != nil {
		return name, nil, fmt.Errorf("workload: %w (with gornic come %s)", err, strings.Join(Names(), ", "))
	}
	return name, text, nil
}

// Parse reads the text of a workload file; file names it in errors. The error
// joins a [configs.Mistake] for each thing that is wrong.
func Parse(file string, text []byte) (Workload, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return Workload{}, configs.Mistake{File: file, Text: strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	if len(doc.Content) == 0 {
		return Workload{}, configs.Mistake{File: file, Line: 1, Text: "the file is empty: a list of `field: value` lines was expected"}
	}
	return ParseNode(file, doc.Content[0])
}

// ParseNode is Parse of a workload that stands in another file, or that was read already.
func ParseNode(file string, n *yaml.Node) (Workload, error) {
	r := &reader{file: file}
	w := r.workload(n)
	w.Name = strings.TrimSuffix(filepath.Base(file), ".yaml")
	if len(r.mistakes) == 0 {
		r.rules(w)
	}
	if len(r.mistakes) > 0 {
		return Workload{}, errors.Join(r.mistakes...)
	}
	return w, nil
}
