package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// A tally counts tests.
type tally struct{ passed, failed, skipped int }

func (t *tally) add(u tally) {
	t.passed += u.passed
	t.failed += u.failed
	t.skipped += u.skipped
}

func (t tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.passed, t.failed, t.skipped)
}

func goTest(ctx context.Context, env environment, out io.Writer) (*tally, error) {
	cmd := env.command(ctx, "go", "test", "-p", "2", "-timeout", "40m", "-json", "./...")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := newReader(out)
	readErr := r.read(pipe)
	err = cmd.Wait()
	r.skips.write(out)
	if readErr != nil {
		return nil, readErr
	}
	if err != nil && r.tally.failed == 0 {
		r.tally.failed++ // go test itself failed
		fmt.Fprint(out, complaints.String())
	}
	if r.tally.failed > 0 {
		return &r.tally, fmt.Errorf("%d failed", r.tally.failed)
	}
	return &r.tally, nil
}

// An event is a line of `go test -json`.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// A reader turns the events of `go test -json` into counts and a short text: a line for each package, and the output of
// what failed. It collects what was skipped.
type reader struct {
	out     io.Writer
	tally   tally
	skips   skips
	output  map[string]*strings.Builder // of a test or a package that is still running
	parents map[string]bool             // tests that have subtests
	failed  map[string]bool             // packages with a failed test
}

func newReader(out io.Writer) *reader {
	return &reader{out: out, output: map[string]*strings.Builder{}, parents: map[string]bool{}, failed: map[string]bool{}}
}

func (r *reader) read(events io.Reader) error {
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(r.out, lines.Text()) // go test mixes in plain lines when a package does not build
			continue
		}
		r.take(e)
	}
	return lines.Err()
}

func (r *reader) take(e event) {
	key := e.Package + e.ImportPath + " " + e.Test
	switch e.Action {
	case "run":
		if i := strings.LastIndex(e.Test, "/"); i >= 0 {
			r.parents[e.Package+" "+e.Test[:i]] = true
		}
	case "output", "build-output":
		if r.output[key] == nil {
			r.output[key] = new(strings.Builder)
		}
		r.output[key].WriteString(e.Output)
	case "build-fail":
		fmt.Fprint(r.out, r.text(key))
	case "pass", "fail", "skip":
		if e.Test != "" {
			r.testEnded(e, key)
		} else {
			r.packageEnded(e, key)
		}
		delete(r.output, key)
	}
}

func (r *reader) text(key string) string {
	if r.output[key] == nil {
		return ""
	}
	return r.output[key].String()
}

// testEnded counts a test. One that has subtests only sums them up and is not counted beside them, unless it failed by
// itself, which shows as output.
func (r *reader) testEnded(e event, key string) {
	counts := !r.parents[key]
	switch e.Action {
	case "pass":
		if counts {
			r.tally.passed++
		}
	case "fail":
		r.failed[e.Package] = true
		if counts {
			r.tally.failed++
		}
		fmt.Fprint(r.out, r.text(key))
	case "skip":
		if counts {
			r.tally.skipped++
			r.skips.add(e.Package+" "+e.Test, reason(r.text(key)))
		}
	}
}

// packageEnded prints the package's line. A package that failed without a failed test did not build, or its process
// died: that counts as a failure.
func (r *reader) packageEnded(e event, key string) {
	if e.Action == "skip" { // no test files
		return
	}
	verdict := "ok"
	if e.Action == "fail" {
		verdict = "FAIL"
		if !r.failed[e.Package] {
			r.tally.failed++
			fmt.Fprint(r.out, r.text(key))
			r.flushUnfinished(e.Package)
		}
	}
	fmt.Fprintf(r.out, "    %-4s %-40s %6.1f s\n", verdict, e.Package, e.Elapsed)
}

// flushUnfinished prints what the tests of a package wrote that never ended.
func (r *reader) flushUnfinished(pkg string) {
	for key, text := range r.output {
		if strings.HasPrefix(key, pkg+" ") && key != pkg+" " {
			fmt.Fprint(r.out, text.String())
			delete(r.output, key)
		}
	}
}
