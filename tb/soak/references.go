package main

import (
	"context"

	"gornic/tb/golden"
	"gornic/tb/golden/lab"
	"gornic/tb/program"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

// doReferences does a program between references, in the lab that has nothing but these.
func (b *bench) doReferences(ctx context.Context, p program.Program, watch *monitor.Monitor, taps []wire.Tap) (result, error) {
	var r result
	config := golden.ConfigOf(b.config)
	config.Pages, config.Tick = b.config.QPs, tick(b.config)
	l, err := lab.New(lab.Options{Config: &config, Seed: p.Seed, Faults: p.Faults, Taps: taps})
	if err != nil {
		return r, err
	}
	var hosts [2]program.Host
	for i, h := range []*lab.Bus{l.A, l.B} {
		d, err := verbs.Open(ctx, h, verbs.Config{MAC: h.MAC, Events: p.Timing.Events, Moderation: p.Timing.Moderation})
		if err != nil {
			return r, err
		}
		hosts[i] = program.Host{Device: d, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6, Retries: true, Break: b.breaks(h.Memory)}
	}
	r.trace, err = program.Run(ctx, p, hosts, program.Options{
		Watch: watch, Clock: l.Link.Clock, Tick: config.Tick, Patience: patience, Calm: calm(l.Link),
	})
	if err != nil {
		return r, err
	}
	return r, l.CheckGuards()
}
