package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"gornic/cycle/config"
	"gornic/cycle/model"
	"gornic/cycle/report"
	"gornic/cycle/sweep"
)

// single reads the one run that flags and arguments say; a sweep's own values are not in it.
func single(c *chosen, args []string) (config.Experiment, error) {
	file, settings, err := c.load(args)
	if err != nil {
		return config.Experiment{}, err
	}
	return file.With(settings)
}

// play runs an experiment, with a line on a terminal that tells how far it is.
func play(ctx context.Context, e config.Experiment, stderr io.Writer) (report.Measured, error) {
	show := newLine(stderr)
	defer show.end()
	result, err := sweep.Play(ctx, e, show.at)
	if err != nil {
		return report.Measured{}, err
	}
	return report.Measure(result), nil
}

func runRun(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := newFlags("run", "FILE", stderr)
	c := f.experiment()
	asJSON := f.Bool("json", false, "print one JSON object")
	if err := f.parse(args); err != nil {
		return err
	}
	e, err := single(c, f.args)
	if err != nil {
		return err
	}
	m, err := play(ctx, e, stderr)
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(stdout, m)
	}
	return report.Text(stdout, m)
}

func runTrace(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := newFlags("trace", "FILE", stderr)
	c := f.experiment()
	out := f.String("o", "build/cycle/trace.sqlite3", "`FILE` of the trace")
	from := f.Int64("from", 0, "first `CYCLE` that is traced")
	to := f.Int64("to", 0, "last `CYCLE` that is traced (0: to the end)")
	if err := f.parse(args); err != nil {
		return err
	}
	if *from < 0 || *to < 0 || *to > 0 && *to < *from {
		return usagef("-from %d -to %d: expected cycles, the first not behind the last", *from, *to)
	}
	e, err := single(c, f.args)
	if err != nil {
		return err
	}
	result, err := traced(ctx, e, *out, *from, *to)
	if err != nil {
		return err
	}
	if err := report.Text(stdout, report.Measure(result)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "trace       %s; to look at it: go run github.com/sarchlab/akita/v4/daisen@v4.9.2 -sqlite %[1]s\n", *out)
	return err
}

// traced runs an experiment whose trace is in place when it is whole.
func traced(ctx context.Context, e config.Experiment, path string, from, to int64) (*model.Result, error) {
	var result *model.Result
	err := sweep.Produce(path, func(unfinished string) error {
		var err error
		result, err = model.Run(ctx, e.Model, e.Workload, model.Options{
			Seed: e.Seed, Warmup: int64(e.Warmup), Trace: unfinished, From: from, To: to,
		})
		return err
	})
	return result, err
}

func runSchema(_ context.Context, args []string, stdout, stderr io.Writer) error {
	f := newFlags("schema", "", stderr)
	if err := f.parse(args); err != nil {
		return err
	}
	if len(f.args) > 0 {
		return usagef("unexpected argument %q", f.args[0])
	}
	return printJSON(stdout, config.Schema())
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("JSON: %w", err)
	}
	return nil
}

// line tells on a terminal how far a single run is.
type line struct {
	to    io.Writer // nil: nobody wants to know
	began time.Time
	told  time.Time
}

func newLine(w io.Writer) *line {
	l := &line{began: time.Now()}
	if sweep.IsTerminal(w) {
		l.to = w
	}
	return l
}

// at tells that so many messages of all are done.
func (l *line) at(done, all int64) {
	if done > 0 {
		left := time.Duration(float64(time.Since(l.began)) / float64(done) * float64(all-done))
		l.tell("%d of %d messages, %v left", done, all, left.Round(time.Second))
	}
}

// tell changes the line, if it is time. What cannot be written is not worth a failure.
func (l *line) tell(format string, args ...any) {
	const between = 200 * time.Millisecond
	if l.to == nil || time.Since(l.told) < between {
		return
	}
	l.told = time.Now()
	fmt.Fprintf(l.to, "\r\033[K"+format, args...)
}

func (l *line) end() {
	if l.to != nil {
		fmt.Fprint(l.to, "\r\033[K")
	}
}
