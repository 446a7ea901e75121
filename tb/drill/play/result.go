package play

import (
	"errors"
	"fmt"
	"strings"

	"gornic/tools/toolset"
)

// Result is what came of a case.
type Result struct {
	File    string
	About   string
	Cycles  uint64
	Packets int      // in both directions
	Failure *Failure // nil: the case passed
	Err     error    // the case could not be played to its end: a tool is absent, a step is refused by the driver
}

// Passed tells that the case passed.
func (r Result) Passed() bool { return r.Failure == nil && r.Err == nil }

// Failure is the first step that differs.
type Failure struct {
	File        string
	Line        int
	Verb        string
	Round       string // of the repeats around the step; empty: none
	Expected    string
	Came        string
	Differences []Difference
}

// Difference is a field that differs.
type Difference struct {
	Field    string
	Expected string
	Came     string
}

func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s%s\n  expected  %s\n  came      %s", f.File, f.Line, f.Verb, f.Round, f.Expected, f.Came)
	for _, d := range f.Differences {
		fmt.Fprintf(&b, "\n  %s: expected %s, came %s", d.Field, d.Expected, d.Came)
	}
	return b.String()
}

// stepError is an error of a step that is no difference: what the driver refused.
type stepError struct {
	file string
	line int
	verb string
	err  error
}

func (e *stepError) Error() string {
	return fmt.Sprintf("%s:%d: %s: %v", e.file, e.line, e.verb, e.err)
}
func (e *stepError) Unwrap() error { return e.err }

// Absent tells whether a case could not be played as its simulator is not installed.
func (r Result) Absent() bool { return errors.Is(r.Err, toolset.ErrAbsent) }
