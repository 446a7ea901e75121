package walk

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Walk is a walk of the documents.
type Walk struct {
	Name  string // "W1"
	Title string
	lends bool // B has a region for fast registration with the index of lentKey
	plays []script
	steps []step
}

// step is one of its facts.
type step struct {
	number int
	fact   string // as the document has it
	check  func(*fact)
}

// Steps is how many facts the walk has.
func (w Walk) Steps() int { return len(w.steps) }

// All are the walks that can be walked, in the order of the documents.
func All() []Walk { return []Walk{W1, W2, R1, R2, S1, S2, I1, I2, C1} }

// Result is a walk that was walked.
type Result struct {
	Walk   string
	Title  string
	Facts  []Fact
	Cycles uint64 // that the plays took
}

// Fact is a step that was checked.
type Fact struct {
	Step  int
	Fact  string
	OK    bool
	Cycle uint64 // of the last observation it rests on
	Lines []Line
	Err   error // why it is none

	used []used
}

// Seen is what was seen, in words, or what was not.
func (f Fact) Seen() string {
	var parts []string
	for _, l := range f.Lines {
		parts = append(parts, l.String())
	}
	if f.Err != nil {
		parts = append(parts, f.Err.Error())
	}
	return strings.Join(parts, "; ")
}

// Err tells which facts were not seen; nil: all were.
func (r Result) Err() error {
	var errs []error
	for _, f := range r.Facts {
		if !f.OK {
			errs = append(errs, fmt.Errorf("%s.%d, %s: %w", r.Walk, f.Step, f.Fact, f.Err))
		}
	}
	return errors.Join(errs...)
}

// Run plays a walk and checks its facts. An error is a play that could not be played: a
// simulator that is absent, a design that broke a rule; a fact that is none is
// in the Result.
func Run(ctx context.Context, w Walk, o Options) (Result, error) {
	plays, err := perform(ctx, w, o)
	if err != nil {
		return Result{}, fmt.Errorf("walk %s: %w", w.Name, err)
	}
	return check(w, plays), nil
}

// check checks the facts of a walk in its plays.
func check(w Walk, plays map[string]*play) Result {
	r := Result{Walk: w.Name, Title: w.Title}
	for _, p := range plays {
		r.Cycles += p.cycles
	}
	marks := map[string]Seen{}
	for _, s := range w.steps {
		f := &fact{plays: plays, marks: marks}
		s.check(f)
		if f.err == nil && len(f.lines) == 0 {
			f.fail("nothing was seen")
		}
		r.Facts = append(r.Facts, Fact{Step: s.number, Fact: s.fact, OK: f.err == nil, Cycle: f.cycle, Lines: f.lines, Err: f.err, used: f.used})
	}
	return r
}
