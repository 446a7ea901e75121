package main

import (
	"context"
	"fmt"

	"gornic/configs"
	"gornic/cycle/calibrate/hops"
	"gornic/cycle/calibrate/record"
	"gornic/hdl/sim"
	"gornic/tb/workload"
)

func hopsMain(ctx context.Context, files []string) error {
	got := map[string][]hops.Measured{}
	for _, name := range []string{"board", "dc"} {
		c, err := configs.Load(name)
		if err != nil {
			return err
		}
		p, err := record.Prepare(ctx, c, sim.NativeSimulator, record.Streams, nil)
		if err != nil {
			return err
		}
		var traces [][]sim.Event
		for _, f := range files {
			w, err := workload.Load(f)
			if err != nil {
				return err
			}
			l, err := p.Run(ctx, w, record.Options{Seed: 1})
			if err != nil {
				return err
			}
			for _, t := range l.Streams {
				var after []sim.Event
				for _, e := range t {
					if e.Cycle >= l.Begin {
						after = append(after, e)
					}
				}
				traces = append(traces, after)
			}
		}
		got[name] = hops.Measure(hops.All, traces...)
	}
	for i, h := range hops.All {
		fmt.Printf("%-26s %4d %4d   %s -> %s\n", h, got["board"][i].Cycles, got["dc"][i].Cycles, h.From, h.To)
	}
	return nil
}
