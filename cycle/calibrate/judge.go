package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gornic/cycle/calibrate/cases"
	"gornic/cycle/calibrate/compare"
	"gornic/cycle/model"
	"gornic/cycle/table"
)

// Limits of the errors of the model.
const (
	suiteCycles = 2  // of any event of a single operation
	heldMean    = 3  // percent, of throughput, on average
	heldWorst   = 8  // percent, of throughput
	heldLatency = 10 // percent, of p99 latency
	whole       = 100
)

// A verdict is how far the model is from the RTL in one case.
type verdict struct {
	played
	compare.Comparison
	RTL, Model compare.Summary
	failed     error // the model could not play it
}

// worst is the greatest error of an event in cycles.
func (v verdict) worst() int64 {
	p, ok := v.Worst()
	if !ok {
		return 0
	}
	return max(p.Error(), -p.Error())
}

// throughput is by how many percent the model is slower than the RTL.
func (v verdict) throughput() float64 { return percent(v.Model.Cycles, v.RTL.Cycles) }

// latency is by how many percent the 99th percentile of the model's latencies is greater.
func (v verdict) latency() float64 { return percent(v.Model.P99, v.RTL.P99) }

func percent(is, should int64) float64 {
	if should == 0 {
		return 0
	}
	return whole * (float64(is)/float64(should) - 1)
}

// allowed is by how many cycles an event of the suite may be off.
func (v verdict) allowed() int64 {
	if v.Waits() {
		return int64(v.tick)
	}
	return suiteCycles
}

// err is what is wrong with a case of the suite, or of the others.
func (v verdict) err() error {
	if v.failed != nil {
		return v.failed
	}
	var err error
	switch {
	case v.Set == cases.Suite:
		err = v.Err(v.allowed())
	case v.Model.Messages != v.RTL.Messages:
		err = fmt.Errorf("%d messages completed in the model, %d in the RTL", v.Model.Messages, v.RTL.Messages)
	case math.Abs(v.throughput()) > heldWorst:
		err = fmt.Errorf("%d cycles in the RTL, %d in the model: %+.1f %%, %d %% are allowed", v.RTL.Cycles, v.Model.Cycles, v.throughput(), heldWorst)
	case math.Abs(v.latency()) > heldLatency:
		err = fmt.Errorf("p99 latency of %d cycles in the RTL, %d in the model: %+.1f %%, %d %% are allowed", v.RTL.P99, v.Model.P99, v.latency(), heldLatency)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", v.Name(), err)
	}
	return nil
}

// judge plays what was recorded on the model.
func judge(ctx context.Context, t *table.Table, all []played) ([]verdict, error) {
	var verdicts []verdict
	for _, p := range all {
		v := verdict{played: p, RTL: compare.Summarize(p.rtl)}
		r, err := p.Case.Model(ctx, t)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			v.failed = err
		default:
			events := ordered(r.Events)
			v.Comparison, v.Model = compare.Events(p.rtl, events), compare.Summarize(events)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// ordered are events by cycle, node and kind, as a record has them, without the doorbells of receive queues: they are what
// software does.
func ordered(events []model.Event) []model.Event {
	events = slices.DeleteFunc(slices.Clone(events), func(e model.Event) bool { return e.Kind == model.RecvDoorbell })
	slices.SortStableFunc(events, func(a, b model.Event) int {
		return cmp.Or(cmp.Compare(a.Cycle, b.Cycle), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Kind, b.Kind))
	})
	return events
}

// missed are the errors of all verdicts, and that of their mean throughput.
func missed(verdicts []verdict) error {
	var errs []error
	for _, v := range verdicts {
		errs = append(errs, v.err())
	}
	if mean := meanThroughput(verdicts); mean > heldMean {
		errs = append(errs, fmt.Errorf("throughput is %.1f %% off on average, %d %% are allowed", mean, heldMean))
	}
	return errors.Join(errs...)
}

// meanThroughput is the mean error of throughput of the held cases, percent.
func meanThroughput(verdicts []verdict) float64 {
	sum, n := 0.0, 0
	for _, v := range verdicts {
		if v.Set == cases.Held && v.failed == nil {
			sum += math.Abs(v.throughput())
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// printVerdicts prints a line for each case.
func printVerdicts(w io.Writer, verdicts []verdict) error {
	var errs []error
	for _, v := range verdicts {
		line := fmt.Sprintf("%d events, worst %d cycles, missing %d, too many %d", len(v.Pairs), v.worst(), len(v.Only), len(v.Extra))
		switch {
		case v.failed != nil:
			line = v.failed.Error()
		case v.Set == cases.Held:
			line = fmt.Sprintf("%d cycles, %+.1f %%; p99 %d, %+.1f %%", v.RTL.Cycles, v.throughput(), v.RTL.P99, v.latency())
		}
		_, err := fmt.Fprintf(w, "%-34s %s\n", v.Name(), line)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
