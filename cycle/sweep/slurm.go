package sweep

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"gornic/cycle/report"
)

//go:embed sbatch.tmpl
var batchText string

// Batch is a sweep as a job array of Slurm: each task runs a shard.
type Batch struct {
	Name    string
	Binary  string   // absolute path of the command, on a file system that all nodes have
	Folder  string   // that it is run in
	Results string   // absolute path of the folder of results
	Args    []string // of the sweep: flags and the experiment file
	Points  int
	PerTask int // points of a task, at least
	Largest int // MaxArraySize of the cluster: task numbers are below it
}

// Tasks is the size of the array: as many as it takes, or as many as it may have, with more points each.
func (b Batch) Tasks() int {
	return max(1, min((b.Points+b.PerTask-1)/b.PerTask, b.Largest-1))
}

// Script is what sbatch takes.
func (b Batch) Script() ([]byte, error) {
	if b.PerTask < 1 || b.Largest < 2 {
		return nil, fmt.Errorf("slurm: %d points a task, array below %d: expected at least 1 and 2", b.PerTask, b.Largest)
	}
	if strings.ContainsAny(b.Results+b.Name, "\n\"") {
		return nil, fmt.Errorf("slurm: %q: a folder of results whose name a batch script can hold was expected", b.Results)
	}
	t, err := template.New("batch").Funcs(template.FuncMap{
		"quote":   report.Quote,
		"percent": func(s string) string { return strings.ReplaceAll(s, "%", "%%") },
	}).Parse(batchText)
	if err != nil {
		return nil, fmt.Errorf("slurm: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, b); err != nil {
		return nil, fmt.Errorf("slurm: %w", err)
	}
	return out.Bytes(), nil
}
