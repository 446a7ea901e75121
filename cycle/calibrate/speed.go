package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gornic/configs"
	"gornic/cycle/model"
	"gornic/tb/axi"
	"gornic/tb/rtl"
	"gornic/tb/workload"
	"gornic/tb/workload/play"
	"gornic/verbs"
)

// A speed is how long both take for a workload.
type speed struct {
	name       string
	cycles     uint64 // of the RTL, from the first doorbell on
	rtl, model time.Duration
}

func (s speed) ratio() float64 { return float64(s.rtl) / float64(max(s.model, 1)) }

// races are the workloads that speed is measured with, at 512 bits.
var races = []struct {
	name    string
	text    string
	latency int
}{
	{"WRITEs of 4 KiB", raceText(4, 16, 4096, 200), 0},
	{"WRITEs of 64 bytes", raceText(16, 16, 64, 200), 0},
	{"WRITEs of 64 bytes, one at a time, memory that takes 4,000 cycles", raceText(1, 1, 64, 20), 4000},
}

func raceText(qps, depth, size, messages int) string {
	return fmt.Sprintf(`direction: a_to_b
messages: %d
queue_pairs: [{count: %d, path_mtu: 4096, ip: 4, send_sges: 1, recv_sges: 1, depth: %d}]
operations: {write: 1}
sizes: %d
`, messages, qps, depth, size)
}

// race measures the speed of both.
func (o options) race(ctx context.Context) ([]speed, error) {
	config, err := configs.Load("dc")
	if err != nil {
		return nil, err
	}
	cached := o.simulator().Cached(ctx)
	var all []speed
	for _, r := range races {
		w, err := workload.Parse(r.name, []byte(r.text))
		if err != nil {
			return nil, err
		}
		s := speed{name: r.name}
		nic := rtl.NICOptions{Simulator: cached, NoChecks: true, AXI: axi.Options{LatencyMin: r.latency, LatencyMax: r.latency}}
		if s.cycles, s.rtl, err = raceRTL(ctx, config, w, nic); err != nil {
			return nil, err
		}
		if s.model, err = raceModel(ctx, config, w, r.latency); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// raceRTL plays a workload on two cores as fast as it can.
func raceRTL(ctx context.Context, c configs.Config, w workload.Workload, nic rtl.NICOptions) (cycles uint64, took time.Duration, err error) {
	design, io, err := rtl.Build(c)
	if err != nil {
		return 0, 0, err
	}
	lab, err := rtl.NewLab(design, io, rtl.Options{Config: c, NIC: nic})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, lab.Close()) }()
	var hosts [2]play.Host
	for i, h := range []*rtl.Host{lab.A, lab.B} {
		device, err := verbs.Open(ctx, h, verbs.Config{MAC: h.MAC})
		if err != nil {
			return 0, 0, err
		}
		hosts[i] = play.Host{Device: device, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6}
	}
	var start time.Time
	var first uint64
	now := func() uint64 {
		if start.IsZero() {
			start, first = time.Now(), lab.Cycle()
		}
		took, cycles = time.Since(start), lab.Cycle()-first
		return cycles
	}
	_, err = play.Run(ctx, w, hosts, play.Options{Seed: 1, Now: now, Ready: true, Lie: play.OnePiece, Attr: func(a *verbs.QPAttr) { a.Timeout = 10 }})
	return cycles, took, err
}

// raceModel plays it on the model, with the same memory.
func raceModel(ctx context.Context, c configs.Config, w workload.Workload, latency int) (time.Duration, error) {
	config := model.Default(c)
	config.Host.Latency = latency
	start := time.Now()
	_, err := model.Run(ctx, config, w, model.Options{Seed: 1})
	return time.Since(start), err
}
