package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"gornic/cycle/report"
	"gornic/cycle/sweep"
)

// array is what -slurm asks for.
type array struct {
	wanted           bool
	perTask, largest int
}

func runSweep(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := newFlags("sweep", "FILE", stderr)
	c := f.experiment()
	r := sweep.Runner{Shard: sweep.Whole, To: stderr}
	dir := f.String("o", "", "`DIR` of the results (default build/cycle/NAME of the file)")
	shard := f.String("shard", "1/1", "run part `i/n` of the points alone")
	list := f.Bool("list", false, "list the points and stop")
	asJSON := f.Bool("json", false, "print one JSON object: what was run")
	f.IntVar(&r.Jobs, "j", runtime.NumCPU(), "`POINTS` at once")
	f.BoolVar(&r.Retry, "retry", false, "also run the points that have failed before")
	var slurm array
	f.BoolVar(&slurm.wanted, "slurm", false, "run nothing, but write DIR/sweep.sbatch, a job array of Slurm")
	f.IntVar(&slurm.perTask, "per-task", 10, "with -slurm: `POINTS` of a task, at least")
	f.IntVar(&slurm.largest, "max-array", 1001, "with -slurm: MaxArraySize of the cluster, `N`")
	if err := f.parse(args); err != nil {
		return err
	}
	if r.Jobs < 1 {
		return usagef("-j %d: expected 1 or more", r.Jobs)
	}
	var err error
	if r.Shard, err = sweep.ParseShard(*shard); err != nil {
		return usageError{err}
	}
	if r.Plan, *dir, err = planned(ctx, c, f.args, *dir); err != nil {
		return err
	}
	switch {
	case *list:
		return listPoints(stdout, r.Plan)
	case slurm.wanted:
		return writeBatch(stdout, c, r.Plan, *dir, slurm)
	}
	if r.Store, err = sweep.Open(*dir); err != nil {
		return err
	}
	return runPoints(ctx, &r, c, *dir, *asJSON, stdout)
}

// planned makes the points that flags and arguments say, and the folder of their results.
func planned(ctx context.Context, c *chosen, args []string, dir string) (*sweep.Plan, string, error) {
	file, settings, err := c.load(args)
	if err != nil {
		return nil, "", err
	}
	if dir == "" {
		dir = sweep.DirOf(file)
	}
	p, err := sweep.NewPlan(ctx, file, settings)
	return p, dir, err
}

// runPoints runs the points and prints what was run.
func runPoints(ctx context.Context, r *sweep.Runner, c *chosen, dir string, asJSON bool, stdout io.Writer) error {
	sum, err := r.Run(ctx)
	if err != nil {
		return fmt.Errorf("%w (%v; the same command goes on where this one stopped)", err, sum)
	}
	if asJSON {
		err = printJSON(stdout, sum)
	} else {
		_, err = fmt.Fprintf(stdout, "%v\nresults: %s; go run ./cycle collect|plot %s\n", sum, dir, report.Quote(c.path))
	}
	if err == nil && sum.Failed > 0 {
		err = fmt.Errorf("%d of %d points failed: go run ./cycle collect %s tells why, sweep -retry runs them again", sum.Failed, sum.Points, report.Quote(c.path))
	}
	return err
}

func listPoints(w io.Writer, p *sweep.Plan) error {
	for _, point := range p.Points {
		text := fmt.Sprintf("%d", point.Number)
		for _, f := range p.Fields {
			if v := point.Value(f); v != "" {
				text += " " + f + "=" + v
			}
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// writeBatch writes the batch script, and beside it the command that its tasks run: `go run` removes its own
// when it ends.
func writeBatch(stdout io.Writer, c *chosen, p *sweep.Plan, dir string, a array) error {
	if c.path == "" {
		return usagef("-slurm wants an experiment file")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	file, err := filepath.Abs(c.path)
	if err != nil {
		return err
	}
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	b := sweep.Batch{
		Name: "cycle-" + filepath.Base(dir), Binary: filepath.Join(dir, "cycle"), Folder: folder, Results: dir,
		Points: len(p.Points), PerTask: a.perTask, Largest: a.largest,
	}
	for _, s := range c.sets {
		b.Args = append(b.Args, "-set", s)
	}
	b.Args = append(b.Args, file)
	script, err := b.Script()
	if err != nil {
		return err
	}
	if err := copySelf(b.Binary); err != nil {
		return err
	}
	path := filepath.Join(dir, "sweep.sbatch")
	if err := sweep.WriteFile(path, script); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%d points in %d tasks: sbatch %s\nthen: go run ./cycle collect -o %s %s\n", b.Points, b.Tasks(), report.Quote(path), report.Quote(dir), report.Quote(c.path))
	return err
}

// copySelf puts a copy of this command in place.
func copySelf(path string) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	return sweep.Produce(path, func(unfinished string) error {
		text, err := os.ReadFile(own)
		if err != nil {
			return err
		}
		if err := os.WriteFile(unfinished, text, 0o755); err != nil {
			return err
		}
		return os.Chmod(unfinished, 0o755)
	})
}

func runCollect(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := newFlags("collect", "FILE", stderr)
	c := f.experiment()
	dir := f.String("o", "", "`DIR` of the results (default build/cycle/NAME of the file)")
	asCSV := f.Bool("csv", false, "print CSV instead of a table")
	asJSON := f.Bool("json", false, "print JSON instead of a table")
	if err := f.parse(args); err != nil {
		return err
	}
	if *asCSV && *asJSON {
		return usagef("-csv and -json: expected one of them")
	}
	rows, folder, _, err := collected(ctx, c, f.args, *dir)
	if err != nil {
		return err
	}
	switch {
	case *asCSV:
		err = report.CSV(stdout, rows)
	case *asJSON:
		err = report.JSON(stdout, rows)
	default:
		if err = report.Table(stdout, rows); err == nil {
			err = writeTables(folder, rows, stdout)
		}
	}
	return errors.Join(err, incomplete(rows))
}

// collected are the rows of a sweep, and where its results are.
func collected(ctx context.Context, c *chosen, args []string, dir string) ([]report.Row, string, *sweep.Plan, error) {
	plan, dir, err := planned(ctx, c, args, dir)
	if err != nil {
		return nil, dir, nil, err
	}
	store, err := sweep.Open(dir)
	if err != nil {
		return nil, dir, nil, err
	}
	rows, err := sweep.Collect(plan, store)
	return rows, dir, plan, err
}

// writeTables writes results.csv and results.json.
func writeTables(dir string, rows []report.Row, stdout io.Writer) error {
	for _, t := range []struct {
		name  string
		write func(io.Writer, []report.Row) error
	}{{"results.csv", report.CSV}, {"results.json", report.JSON}} {
		var text bytes.Buffer
		if err := t.write(&text, rows); err != nil {
			return err
		}
		path := filepath.Join(dir, t.name)
		if err := sweep.WriteFile(path, text.Bytes()); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(stdout, path); err != nil {
			return err
		}
	}
	return nil
}

// incomplete is the error of points that have no result.
func incomplete(rows []report.Row) error {
	var parts []string
	if n := report.Count(rows, report.Missing); n > 0 {
		parts = append(parts, fmt.Sprintf("%d have not been run", n))
	}
	if n := report.Count(rows, report.Failed); n > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", n))
	}
	if parts == nil {
		return nil
	}
	text := fmt.Sprintf("of %d points %s", len(rows), strings.Join(parts, ", "))
	for _, r := range rows {
		if r.Status == report.Failed {
			return fmt.Errorf("%s; the first failure, of point %d: %s", text, r.Point, r.Error)
		}
	}
	return errors.New(text)
}
