package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"gornic/hdl"
	"gornic/hdl/formal"
)

// An outcome is one row of the table.
type outcome struct {
	Asserts                    int
	Bounded, Induction, Covers formal.Status
	Caught, Faults             int
	Seconds                    float64
	Failure                    string // empty where all is well
}

const rowFormat = "%-26s %8v %10v %10v %10v %8v %8v\n"

func (o outcome) write(w io.Writer, name string) {
	fmt.Fprintf(w, rowFormat, name, o.Asserts, o.Bounded, o.Induction, o.Covers,
		fmt.Sprintf("%d of %d", o.Caught, o.Faults), fmt.Sprintf("%.1f", o.Seconds))
	if o.Failure != "" {
		fmt.Fprintln(w, "    "+strings.ReplaceAll(o.Failure, "\n", "\n    "))
	}
}

// prove asks all questions about one design, unless it is known to be good.
func (p proof) prove(ctx context.Context, known memory) outcome {
	design, err := p.build()
	if err != nil {
		return outcome{Failure: err.Error()}
	}
	key, err := p.key(ctx, design)
	if err != nil {
		return outcome{Failure: err.Error()}
	}
	if o, ok := known.recall(key); ok {
		return o
	}
	start := time.Now()
	o, err := p.ask(ctx, design)
	o.Seconds = time.Since(start).Seconds()
	if err == nil {
		err = known.keep(key, o)
	}
	if err != nil {
		o.Failure = err.Error()
	}
	return o
}

func (p proof) ask(ctx context.Context, design *hdl.Design) (outcome, error) {
	r, err := formal.Prove(ctx, design, p.options)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{Asserts: r.Properties, Bounded: r.Bounded.Status, Induction: r.Induction.Status, Covers: r.Covers.Status}
	if err := r.Err(); err != nil {
		return o, err
	}
	faults, err := formal.Faults(ctx, design, p.options, p.faults)
	if err != nil {
		return o, err
	}
	o.Caught, o.Faults = formal.Caught(faults), len(faults)
	if o.Caught == 0 {
		var what []error
		for _, f := range faults {
			what = append(what, fmt.Errorf("passes although it is broken: %s", f.What))
		}
		return o, errors.Join(what...)
	}
	return o, nil
}
