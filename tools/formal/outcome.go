package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"gornic/hdl"
	"gornic/hdl/formal"
)

// An outcome is what is known of one design in the end.
type outcome struct {
	Name      string  `json:"name"`
	Asserts   int     `json:"asserts"`
	Solver    string  `json:"solver"`
	Depth     int     `json:"depth"`             // cycles of the bounded proof
	Bounded   string  `json:"bounded"`           // as formal.Status says it
	Relies    int     `json:"relies"`            // cycles that the induction relies on; 0: a solver searched
	Induction string  `json:"induction"`         // as formal.Status
	Covers    string  `json:"covers"`            // as formal.Status
	Reached   int     `json:"reached"`           // covers,
	Covered   int     `json:"covered"`           // of so many
	Caught    int     `json:"caught"`            // broken copies that the assertions notice,
	Copies    int     `json:"copies"`            // of so many
	Killed    int     `json:"killed"`            // random mutants that they notice,
	Mutants   int     `json:"mutants"`           // of so many
	Seconds   float64 `json:"seconds"`           // of processor time
	Known     bool    `json:"known"`             // from an earlier run
	Failure   string  `json:"failure,omitempty"` // absent where all is well

	details []string
}

// one asks all questions about one design, unless it is known to be good.
func (r runner) one(ctx context.Context, p hdl.Proof) outcome {
	failed := outcome{Name: p.Name, Solver: p.Solver.String(), Depth: p.Depth, Relies: p.Induction}
	design, err := p.Build()
	if err != nil {
		failed.Failure = err.Error()
		return failed
	}
	key, err := keyOf(ctx, p, design, r.mutants)
	if err != nil {
		failed.Failure = err.Error()
		return failed
	}
	if o, ok := r.known.recall(key); ok && !r.verbose {
		o.Known, o.Solver = true, p.Solver.String()
		return o
	}
	o, err := r.ask(ctx, p, design)
	o.Seconds = math.Round(o.Seconds*100) / 100
	if err == nil {
		err = r.known.keep(key, o)
	}
	if err != nil {
		o.Failure = err.Error()
	}
	return o
}

// engine is how package formal proves: with the author's invariants, or looking for them.
type engine struct {
	prove   func(context.Context, *hdl.Design, formal.Options) (*formal.Result, error)
	copies  func(context.Context, func() (*hdl.Design, error), []hdl.Fault, formal.Options) ([]formal.Copy, error)
	mutants func(context.Context, *hdl.Design, formal.Options, int) ([]formal.Mutant, error)
}

// patience is the limit of each question, in processor time; the longest takes less than a quarter of it.
const patience = 3 * time.Minute

func (r runner) engineFor(p hdl.Proof) (engine, formal.Options) {
	o := formal.Options{Depth: p.Depth, Induction: p.Induction, OneReset: p.Bounded, NoCovers: p.NoCovers, Witness: r.verbose, Timeout: patience}
	if p.Solver == hdl.Z3 {
		return engine{formal.Prove, formal.Copies, formal.Mutants}, o
	}
	if !p.Bounded {
		o.Induction = 1
	}
	return engine{formal.ProveBits, formal.CopiesBits, formal.MutantsBits}, o
}

func (r runner) ask(ctx context.Context, p hdl.Proof, design *hdl.Design) (outcome, error) {
	e, questions := r.engineFor(p)
	o := outcome{Name: p.Name, Solver: p.Solver.String(), Depth: p.Depth, Relies: p.Induction}
	result, err := e.prove(ctx, design, questions)
	if err != nil {
		return o, err
	}
	o.take(result)
	if err := result.Err(); err != nil {
		return o, errors.New(strings.TrimSpace(err.Error() + "\n" + result.Explain()))
	}
	if err := r.breakCopies(ctx, e, p, questions, &o); err != nil || r.mutants == 0 {
		return o, err
	}
	mutants, err := e.mutants(ctx, design, questions, r.mutants)
	for _, m := range mutants {
		o.Mutants++
		if m.Answer.Status == formal.Failed {
			o.Killed++
		}
		o.details = append(o.details, fmt.Sprintf("mutant, %s: bounded proof %s", m.What, m.Answer.Status))
	}
	return o, err
}

// breakCopies tries the broken copies that the proof names; all of them have to be noticed.
func (r runner) breakCopies(ctx context.Context, e engine, p hdl.Proof, questions formal.Options, o *outcome) error {
	if len(p.Faults) == 0 {
		return errors.New("the proof names no broken copy: see hdl.Proof.Breaks")
	}
	copies, err := e.copies(ctx, p.Build, p.Faults, questions)
	if err != nil {
		return err
	}
	var missed []error
	for _, c := range copies {
		o.Copies++
		o.Seconds += c.Time.Seconds()
		if c.Answer.Status == formal.Failed {
			o.Caught++
		} else {
			missed = append(missed, fmt.Errorf("broken copy not noticed: %s: bounded proof %s", c.Fault, c.Answer.Status))
		}
		o.details = append(o.details, fmt.Sprintf("broken copy, %s: bounded proof %s in %.1f s", c.Fault, c.Answer.Status, c.Answer.Time.Seconds()))
	}
	return errors.Join(missed...)
}

// take notes the answers.
func (o *outcome) take(r *formal.Result) {
	o.Seconds += r.Time.Seconds()
	o.Asserts, o.Covered = r.Properties, r.Covered
	o.Bounded, o.Induction, o.Covers = r.Bounded.Status.String(), r.Induction.Status.String(), r.Covers.Status.String()
	if r.Covers.Status != formal.NotAsked {
		o.Reached = r.Covered - len(r.Covers.Failing)
	}
	for _, q := range []struct {
		name   string
		answer formal.Answer
	}{{"bounded proof", r.Bounded}, {"induction", r.Induction}, {"covers", r.Covers}} {
		o.details = append(o.details, fmt.Sprintf("%s %s in %.1f s", q.name, q.answer.Status, q.answer.Time.Seconds()))
	}
	for _, w := range r.Covers.Witnesses {
		o.details = append(o.details, w.String())
	}
}
