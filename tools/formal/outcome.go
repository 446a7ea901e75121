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
	Depth     int     `json:"depth"`     // cycles of the bounded proof
	Bounded   string  `json:"bounded"`   // as formal.Status says it
	Relies    int     `json:"relies"`    // cycles that the induction relies on; 0: a solver searched
	Induction string  `json:"induction"` // as formal.Status
	Covers    string  `json:"covers"`    // as formal.Status
	Reached   int     `json:"reached"`   // covers,
	Covered   int     `json:"covered"`   // of so many
	Caught    int     `json:"caught"`    // broken copies that the assertions notice,
	Tried     int     `json:"tried"`     // of so many
	Seconds   float64 `json:"seconds"`
	Known     bool    `json:"known"`             // from an earlier run
	Failure   string  `json:"failure,omitempty"` // absent where all is well

	details []string
}

// copies is how many broken copies are tried, more where none of the first is noticed: a fault may be in what no assertion
// speaks of, such as the value of a checksum.
func copies() []int { return []int{4, 16, 48} }

// one asks all questions about one design, unless it is known to be good.
func (r runner) one(ctx context.Context, p hdl.Proof) outcome {
	failed := outcome{Name: p.Name, Depth: p.Depth, Relies: p.Induction}
	design, err := p.Build()
	if err != nil {
		failed.Failure = err.Error()
		return failed
	}
	key, err := keyOf(ctx, p, design)
	if err != nil {
		failed.Failure = err.Error()
		return failed
	}
	if o, ok := r.known.recall(key); ok && !r.verbose {
		o.Known = true
		return o
	}
	start := time.Now()
	o, err := r.ask(ctx, p, design)
	o.Seconds = math.Round(time.Since(start).Seconds()*100) / 100
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
	prove  func(context.Context, *hdl.Design, formal.Options) (*formal.Result, error)
	faults func(context.Context, *hdl.Design, formal.Options, int) ([]formal.Fault, error)
}

func (r runner) engineFor(p hdl.Proof) (engine, formal.Options) {
	o := formal.Options{Depth: p.Depth, Induction: p.Induction, NoCovers: p.NoCovers, Witness: r.verbose}
	if p.Induction > 0 {
		return engine{formal.Prove, formal.Faults}, o
	}
	o.Induction, o.Timeout = 1, 4*time.Minute
	return engine{formal.ProveBits, formal.FaultsBits}, o
}

func (r runner) ask(ctx context.Context, p hdl.Proof, design *hdl.Design) (outcome, error) {
	e, questions := r.engineFor(p)
	o := outcome{Name: p.Name, Depth: p.Depth, Relies: p.Induction}
	result, err := e.prove(ctx, design, questions)
	if err != nil {
		return o, err
	}
	o.take(result)
	if err := result.Err(); err != nil {
		return o, errors.New(strings.TrimSpace(err.Error() + "\n" + result.Explain()))
	}
	for _, n := range copies() {
		faults, err := e.faults(ctx, design, questions, n)
		if err != nil {
			return o, err
		}
		o.Caught, o.Tried = o.Caught+formal.Caught(faults), o.Tried+len(faults)
		for _, f := range faults {
			o.details = append(o.details, fmt.Sprintf("broken copy, %s: bounded proof %s", f.What, f.Answer.Status))
		}
		if o.Caught > 0 {
			return o, nil
		}
	}
	return o, errors.New("no broken copy was noticed: -v lists them")
}

// take notes the answers.
func (o *outcome) take(r *formal.Result) {
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
