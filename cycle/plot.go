package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gornic/cycle/report"
	"gornic/cycle/sweep"
)

func runPlot(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := newFlags("plot", "FILE", stderr)
	c := f.experiment()
	dir := f.String("o", "", "`DIR` of the results (default build/cycle/NAME of the file)")
	to := f.String("to", "", "`DIR` for the plots (default that of the results)")
	if err := f.parse(args); err != nil {
		return err
	}
	rows, folder, plan, err := collected(ctx, c, f.args, *dir)
	if err != nil {
		return err
	}
	if *to == "" {
		*to = folder
	}
	picture, err := plan.File.Picture()
	if err != nil {
		return err
	}
	if report.Count(rows, report.OK) == 0 {
		return fmt.Errorf("none of %d points has a result: go run ./cycle sweep %s", len(rows), report.Quote(c.path))
	}
	figures, err := report.Figures(rows, report.Picture(picture))
	if err != nil {
		return err
	}
	for _, figure := range figures {
		svg, err := report.SVG(figure)
		if err != nil {
			return err
		}
		if err := put(filepath.Join(*to, figure.Name+".svg"), svg, stdout); err != nil {
			return err
		}
	}
	page, err := page(c, plan, rows, figures)
	if err != nil {
		return err
	}
	return errors.Join(put(filepath.Join(*to, "report.html"), page, stdout), incomplete(rows))
}

// put writes a file and prints its name.
func put(path string, text []byte, stdout io.Writer) error {
	if err := sweep.WriteFile(path, text); err != nil {
		return err
	}
	_, err := fmt.Fprintln(stdout, path)
	return err
}

// page is the HTML page of a sweep.
func page(c *chosen, plan *sweep.Plan, rows []report.Row, figures []report.Figure) ([]byte, error) {
	p := report.Paper{Title: plan.File.Title, Path: c.path}
	if p.Title == "" {
		p.Title = filepath.Base(plan.File.Name)
	}
	p.About = "Measured on the cycle model of gornic, whose error against the RTL is in docs/calibration.md."
	if c.path != "" {
		text, err := os.ReadFile(c.path)
		if err != nil {
			return nil, err
		}
		p.File = string(text)
	}
	return report.Page(p, rows, figures)
}
