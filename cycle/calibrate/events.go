package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gornic/configs"
	"gornic/cycle/calibrate/cases"
	"gornic/cycle/calibrate/compare"
	"gornic/cycle/calibrate/hops"
	"gornic/cycle/calibrate/record"
	"gornic/cycle/model"
	"gornic/hdl/sim"
	"gornic/tb/workload"
)

// printEvents prints what the RTL does with a workload.
func (o options) printEvents(ctx context.Context, w io.Writer) error {
	work, err := workload.Load(o.events)
	if err != nil {
		return err
	}
	depth := record.Ports
	if o.streams {
		depth = record.Streams
	}
	p, err := o.prepare(ctx, o.config, depth)
	if err != nil {
		return err
	}
	l, err := p.Run(ctx, work, record.Options{Seed: o.seed, Latency: o.latency, Wire: o.wire})
	switch {
	case err != nil:
		return err
	case o.streams:
		return printStreams(w, l)
	case o.json:
		return printJSON(w, record.Since(l.Begin, l.Events))
	}
	for _, e := range record.Since(l.Begin, l.Events) {
		if _, err := fmt.Fprintf(w, "%8d  %s\n", e.Cycle, compare.Describe(e)); err != nil {
			return err
		}
	}
	return nil
}

func (o options) prepare(ctx context.Context, config string, d record.Depth) (*record.Prepared, error) {
	c, err := configs.Load(config)
	if err != nil {
		return nil, err
	}
	return record.Prepare(ctx, c, o.simulator(), d, nil)
}

func printJSON(w io.Writer, events []model.Event) error {
	out := json.NewEncoder(w)
	var errs []error
	for _, e := range events {
		errs = append(errs, out.Encode(struct {
			Cycle  int64  `json:"cycle"`
			Node   int    `json:"node"`
			Kind   string `json:"kind"`
			QP     int    `json:"qp"`
			WQE    int    `json:"wqe"`
			PSN    uint32 `json:"psn"`
			Opcode uint8  `json:"opcode"`
			Bytes  int    `json:"bytes"`
		}{e.Cycle, e.Node, e.Kind.String(), e.QP, e.WQE, e.PSN, e.Opcode, e.Bytes}))
	}
	return errors.Join(errs...)
}

// printStreams prints what moved in streams, from the first doorbell on: a line each, the host first.
func printStreams(w io.Writer, l *record.Log) error {
	var errs []error
	for i, trace := range l.Streams {
		for _, e := range since(l.Begin, trace) {
			_, err := fmt.Fprintln(w, i, e)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// since is a trace from a cycle on.
func since(begin uint64, trace []sim.Event) []sim.Event {
	for i, e := range trace {
		if e.Cycle >= begin {
			return trace[i:]
		}
	}
	return nil
}

// hopFiles are the files of the suite that all hops are in.
var hopFiles = []string{"write_1", "send_1", "read_1", "fetch_add"}

// measureHops measures the latencies of the blocks of a core.
func measureHops(ctx context.Context, p *record.Prepared) ([]hops.Measured, error) {
	var traces [][]sim.Event
	for _, f := range hopFiles {
		c := cases.Case{Set: cases.Suite, File: f, Config: p.Config.Name, Timeout: 10}
		l, err := c.Record(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, t := range l.Streams {
			traces = append(traces, since(l.Begin, t))
		}
	}
	return hops.Measure(hops.All, traces...), nil
}

func (o options) printHops(ctx context.Context, w io.Writer) error {
	o.native = true // four messages are done before another simulator is compiled
	p, err := o.prepare(ctx, o.hops, record.Streams)
	if err != nil {
		return err
	}
	all, err := measureHops(ctx, p)
	if err != nil {
		return err
	}
	var errs []error
	for _, m := range all {
		_, err := fmt.Fprintf(w, "%-26s %4d  from %s to %s\n", m, m.Cycles, m.From, m.To)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
