package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"gornic/hdl"
	"gornic/hdl/formal"
)

// A report prints outcomes as they come: rows for people, or objects.
type report struct {
	w       io.Writer
	options options
	name    int // width of the column
	known   int
	seconds float64 // of processor time, in this run
}

func newReport(w io.Writer, o options, list []hdl.Proof) *report {
	r := &report{w: w, options: o, name: len("design")}
	for _, p := range list {
		r.name = max(r.name, len(p.Name))
	}
	if !o.json {
		r.line("design", "solver", "asserts", "bounded", "induction", "covers", "copies", r.ifMutants("mutants"), "seconds")
	}
	return r
}

func (r *report) line(name string, cells ...any) {
	fmt.Fprintf(r.w, "%-*s  %6v  %7v  %9v  %9v  %9v  %7v  %s%7v\n", append([]any{r.name, name}, cells...)...)
}

// ifMutants is a cell of a column that is there with -mutants alone.
func (r *report) ifMutants(cell string) string {
	if r.options.mutants == 0 {
		return ""
	}
	return fmt.Sprintf("%8s  ", cell)
}

// row prints one design. What cannot be written to standard output is not worth a failure of its own.
func (r *report) row(o outcome) {
	if r.options.json {
		text, err := json.Marshal(o)
		if err == nil {
			fmt.Fprintf(r.w, "%s\n", text)
		}
		return
	}
	seconds := fmt.Sprintf("%.1f", o.Seconds)
	if o.Known {
		seconds = "(" + seconds + ")"
		r.known++
	} else {
		r.seconds += o.Seconds
	}
	r.line(o.Name, o.Solver, o.Asserts, o.bounded(), o.induction(), o.covers(), of(o.Caught, o.Copies), r.ifMutants(of(o.Killed, o.Mutants)), seconds)
	if r.options.verbose {
		for _, d := range o.details {
			r.indented(d)
		}
	}
	if o.Failure != "" {
		r.indented(o.Failure)
	}
}

func (r *report) indented(text string) {
	fmt.Fprintln(r.w, "    "+strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    "))
}

func (r *report) end(passed, failed int) {
	if r.options.json {
		return
	}
	if r.known > 0 {
		fmt.Fprintf(r.w, "%d known from earlier runs, with the seconds they took; -v asks again\n", r.known)
	}
	fmt.Fprintf(r.w, "%.0f seconds of processor time\n%d passed, %d failed\n", r.seconds, passed, failed)
}

func (o outcome) bounded() string {
	if o.Bounded == formal.Passed.String() {
		return count(o.Depth, "cycle")
	}
	return status(o.Bounded)
}

func (o outcome) induction() string {
	switch {
	case o.Induction != formal.Passed.String():
		return status(o.Induction)
	case o.Relies == 0:
		return "searched"
	}
	return count(o.Relies, "cycle")
}

func (o outcome) covers() string {
	switch o.Covers {
	case formal.Passed.String(), formal.Failed.String():
		return of(o.Reached, o.Covered)
	}
	return status(o.Covers)
}

func status(s string) string {
	if s == "" || s == formal.NotAsked.String() {
		return "-"
	}
	return s
}

func of(some, all int) string { return fmt.Sprintf("%d of %d", some, all) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
