package formal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gornic/hdl/ir"
)

// Options say how far a proof goes. The zero value proves 20 cycles, without induction, in at most two minutes a question.
type Options struct {
	Depth     int           // cycles of the bounded proof and of covers, reset included; 0 means 20
	Induction int           // cycles that the induction step may rely on; 0 means no induction
	NoCovers  bool          // do not look for covers
	Timeout   time.Duration // of each question; 0 means two minutes
}

func (o Options) withDefaults() Options {
	if o.Depth == 0 {
		o.Depth = 20
	}
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	return o
}

// Status is the answer to one question.
type Status int

// The answers.
const (
	NotAsked Status = iota
	Passed
	Failed
	TimedOut
)

// String returns the answer in words, such as "timed out".
func (s Status) String() string { return [...]string{"-", "passed", "failed", "timed out"}[s] }

// Answer is what the solver said to one question.
type Answer struct {
	Status  Status
	Failing []Property // assertions that can fail, or covers that were not reached
	Time    time.Duration
}

// Property is a property of one instance.
type Property struct {
	Path  string // "u_fifo.no_overflow"
	Check *ir.Check
}

// String names the property and the Go line that states it.
func (p Property) String() string {
	if p.Check == nil {
		return p.Path
	}
	return fmt.Sprintf("%s %s (%s)", p.Check.Kind, p.Path, p.Check.Pos)
}

// Result has the answers to all questions.
type Result struct {
	Bounded, Induction, Covers Answer
	Properties                 int // assertions that were proved
}

// Err is nil where everything that was asked passed.
func (r *Result) Err() error {
	return errors.Join(r.Bounded.err("bounded proof"), r.Induction.err("induction"), r.Covers.err("covers"))
}

func (a Answer) err(question string) error {
	if a.Status == NotAsked || a.Status == Passed {
		return nil
	}
	err := fmt.Errorf("%s %s after %.1f s", question, a.Status, a.Time.Seconds())
	for _, p := range a.Failing {
		err = fmt.Errorf("%w\n\t%s", err, p)
	}
	return err
}

// Prove proves the properties of a design. The error is for what kept it from asking, such as an absent tool
// (toolset.ErrAbsent); the answers, good or bad, are in the result.
func Prove(ctx context.Context, d *ir.Design, o Options) (*Result, error) {
	o = o.withDefaults()
	p, err := newProver(d)
	if err != nil {
		return nil, err
	}
	defer p.close()
	model, err := p.model(ctx, "")
	if err != nil {
		return nil, err
	}
	r := &Result{Properties: p.count(ir.Assert)}
	if r.Bounded, err = p.ask(ctx, model, o, bounded); err != nil {
		return nil, err
	}
	if o.Induction > 0 {
		if r.Induction, err = p.ask(ctx, model, o, induction); err != nil {
			return nil, err
		}
	}
	if !o.NoCovers && p.count(ir.Cover) > 0 {
		r.Covers, err = p.ask(ctx, model, o, covers)
	}
	return r, err
}
