package main

import (
	"math"
	"strings"
	"testing"

	"gornic/configs"
	"gornic/hdl/sim"
	"gornic/tb/frames/talk"
	"gornic/tb/wire"
)

// Two cores in the native simulator: all packets are marked for a while, and the sender keeps the rate that the algorithm says.
func TestCongestion(t *testing.T) {
	// The command plays all rows in Verilator; this is one of them for Go alone.
	if testing.Short() {
		t.Skip("-short: two cores in the native simulator for a minute")
	}
	c, err := configs.Load("tiny")
	if err != nil {
		t.Fatal(err)
	}
	m := congestion{config: c, cycles: 16_000, sim: sim.NativeSimulator.Name}
	m.prepare()
	if m.bench, err = newBench(t.Context(), options{config: m.config, sim: m.sim}); err != nil {
		t.Fatal(err)
	}
	f, err := m.measure(t.Context(), episode{name: "short", control: true, marked: wire.Million, from: 200, to: 260, gap: 64, stays: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(f)
	if err := f.judge(); err != nil {
		t.Error(err)
	}
}

// What two cores may not do is told.
func TestCongestionJudges(t *testing.T) {
	good := func() *flow {
		m := congestion{}
		e := episodes[1]
		return &flow{
			episode: e, tick: 4, settings: m.settings(e), packets: 100, marked: 20, cnps: 4, leastGap: 300, modelCuts: 4, cuts: 4, sentCNPs: 4,
			whole: 240, last: 250, slowed: 20_000, allowed: 20_200, slowedBytes: 30_000, burst: 1,
		}
	}
	if err := good().judge(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*flow){
		"no packet was marked":                  func(f *flow) { f.marked = 0 },
		"that have no congestion control":       func(f *flow) { f.episode.control = false },
		"nothing to see":                        func(f *flow) { f.cnps, f.sentCNPs = 1, 1 },
		"4 CNPs on the wire, and 5 counted":     func(f *flow) { f.sentCNPs = 5 },
		"100 cycles between two CNPs":           func(f *flow) { f.leastGap = 100 },
		"3 cuts, expected 4":                    func(f *flow) { f.cuts = 3 },
		"it has not recovered":                  func(f *flow) { f.last = 100 },
		"it sent what takes 26000 at its rates": func(f *flow) { f.allowed = 26_000 },
		"it sent what takes 15000 at its rates": func(f *flow) { f.allowed = 15_000 },
		"8.0 packets left before it was their":  func(f *flow) { f.burst = 8 },
	} {
		f := good()
		change(f)
		if err := f.judge(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// A flow that is cut counts what packets take at its rate, behind the time in which it settles, and how early they are.
func TestFlow(t *testing.T) {
	m := congestion{config: configs.Config{DataWidth: 64, AckTick: 16}}
	e := episodes[1]
	f := &flow{episode: e, tick: m.tick(), settings: m.settings(e), begun: 1, leastGap: math.MaxInt64, floor: math.Inf(1)}
	f.settings.TimeReset = 0
	f.advance(1000)
	for range 3 {
		f.cnp()
		f.advance(f.now + 300)
		f.notified()
	}
	if f.modelCuts != 3 || f.cnps != 3 || f.leastGap != 300 || f.rate() > 41 || f.rate() < 30 {
		t.Fatalf("%+v", f)
	}
	p := &talk.Packet{Payload: make([]byte, 256)}
	takes := uint64(320 * 8 / f.rate() / 1.024 * 4) // cycles
	for i := range 50 {
		f.advance(f.now + takes)
		p.BTH.PSN = uint64(i)
		f.packet(wire.Crossing{Action: wire.Mark}, p)
	}
	f.packet(wire.Crossing{}, p) // the last one again, at once
	f.end(f.now + 100)
	if f.packets != 51 || f.again != 1 || f.marked != 50 || math.Abs(f.allowed/float64(f.slowed)-1) > 0.15 || f.slowed == 0 || f.burst < 0.9 || f.burst > 1.3 {
		t.Errorf("%+v", f)
	}
}
