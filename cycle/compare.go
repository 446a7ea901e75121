package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gornic/cycle/report"
)

func runCompare(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := newFlags("compare", "A B", stderr)
	asJSON := f.Bool("json", false, "print one JSON object")
	within := f.Float64("within", -1, "fail if a number differs by more than `PERCENT` (default: never)")
	if err := f.parse(args); err != nil {
		return err
	}
	if len(f.args) != 2 {
		return usagef("%d files: expected two, each an experiment or the JSON of run or collect", len(f.args))
	}
	var sides [2][]report.Row
	for i, path := range f.args {
		var err error
		if sides[i], err = rowsOf(ctx, path, stderr); err != nil {
			return err
		}
	}
	c := report.Compare(sides[0], sides[1])
	var err error
	if *asJSON {
		err = printJSON(stdout, c)
	} else {
		err = c.Write(stdout)
	}
	if err == nil && *within >= 0 {
		err = c.Beyond(*within / 100)
	}
	return err
}

// rowsOf reads what was measured, or runs the experiment of a file: the results of its sweep, if it has one.
func rowsOf(ctx context.Context, path string, stderr io.Writer) ([]report.Row, error) {
	if strings.EqualFold(filepath.Ext(path), ".json") {
		return readRows(path)
	}
	c := &chosen{}
	file, _, err := c.load([]string{path})
	if err != nil {
		return nil, err
	}
	if file.Sweep != nil {
		rows, _, _, err := collected(ctx, c, []string{path}, "")
		return rows, err
	}
	e, err := file.Experiment()
	if err != nil {
		return nil, err
	}
	m, err := play(ctx, e, stderr)
	return []report.Row{{Seed: e.Seed, Status: report.OK, Measured: &m}}, err
}

// readRows reads the JSON of run, one object, or of collect, a list.
func readRows(path string) ([]report.Row, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		var m report.Measured
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return []report.Row{{Status: report.OK, Measured: &m}}, nil
	}
	var rows []report.Row
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("%s: expected what run -json or collect -json prints: %w", path, err)
	}
	return rows, nil
}
