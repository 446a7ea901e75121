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
	if slices.Contains(Names(), name) {
		file := name + ".yaml"
		text, err := files.ReadFile(file)
		if err != nil {
			return Workload{}, fmt.Errorf("workload: %w", err)
		}
		return Parse(file, text)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return Workload{}, fmt.Errorf("workload: %w (with gornic come %s)", err, strings.Join(Names(), ", "))
	}
	return Parse(name, text)
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
	r := &reader{file: file}
	w := r.workload(doc.Content[0])
	w.Name = strings.TrimSuffix(filepath.Base(file), ".yaml")
	if len(r.mistakes) == 0 {
		r.rules(w)
	}
	if len(r.mistakes) > 0 {
		return Workload{}, errors.Join(r.mistakes...)
	}
	return w, nil
}
