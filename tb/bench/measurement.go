package main

import (
	"context"
	"fmt"

	"gornic/verbs"
)

// A measurement is one figure of one configuration, and what it shall be.
type measurement struct {
	config string
	name   string
	budget budget
	subject
}

// A subject is what is measured: a load or a trip.
type subject interface {
	name() string
	measure(ctx context.Context, b *built) (row, error)
}

// A budget is the most cycles, or the least share of the wire; 0: none.
type budget struct {
	cycles float64
	wire   float64 // percent
}

// met tells whether a row keeps the budget.
func (g budget) met(r row) bool {
	return (g.cycles == 0 || r.Cycles <= g.cycles) && r.Wire >= g.wire
}

func (g budget) String() string {
	switch {
	case g.cycles > 0:
		return fmt.Sprintf("at most %g cycles", g.cycles)
	case g.wire > 0:
		return fmt.Sprintf("at least %g %%", g.wire)
	}
	return ""
}

// full is the rate of the wire: what is missing to a hundred is less than a beat in a hundred.
const full = 99

// measurements are all of a configuration.
func measurements(config string) []measurement {
	var all []measurement
	add := func(s subject, g budget) {
		all = append(all, measurement{config: config, name: config + "/" + s.name(), budget: g, subject: s})
	}
	for _, w := range []way{sends, receives, both} {
		for _, op := range []verbs.Opcode{verbs.WRWrite, verbs.WRSend} {
			for _, bytes := range []int{0, 64, 128, 256, 1024, 4096, 65536} {
				for _, qps := range []int{1, 16} {
					l := load{way: w, op: op, bytes: bytes, qps: qps}
					add(l, rateBudget(config, l))
				}
			}
		}
	}
	for _, l := range fetches(config) {
		add(l, rateBudget(config, l))
	}
	for _, latency := range []int{0, 100} {
		for _, t := range []trip{
			{part: toWire, op: verbs.WRWrite}, {part: toWire, op: verbs.WRSend}, {part: toWire, op: verbs.WRWrite, inline: true},
			{part: toCQE, op: verbs.WRSend}, {part: ackToCQE, op: verbs.WRWrite},
		} {
			t.bytes, t.latency = 64, latency
			add(t, tripBudget(config, t))
		}
	}
	return all
}

// fetches are the rates of READs, whose longest are for dc alone, and of atomics.
func fetches(config string) []load {
	sizes := []int{64, 4096, 65536}
	if config == "dc" {
		sizes = append(sizes, 1<<20)
	}
	var all []load
	for _, w := range []way{sends, receives, both} {
		for _, qps := range []int{1, 16} {
			for _, bytes := range sizes {
				all = append(all, load{way: w, op: verbs.WRRead, bytes: bytes, qps: qps})
			}
			for _, op := range []verbs.Opcode{verbs.WRFetchAdd, verbs.WRCompSwap} {
				all = append(all, load{way: w, op: op, bytes: wordBytes, qps: qps})
			}
		}
	}
	return all
}

// rateBudget is the budget of a rate. The board's wire is used up by every WRITE from 64 bytes; at dc, where a message of 64 bytes
// takes 3 beats, messages have 8 cycles, and 4 KiB at least 95 % of the wire. READs of 64 bytes have 10 cycles, atomics 12.
func rateBudget(config string, l load) budget {
	write := l.op == verbs.WRWrite
	many := l.qps == 16 && l.way != both
	switch {
	case config == "dc" && l.op == verbs.WRRead && l.bytes >= 4096:
		return budget{wire: 95}
	case config == "dc" && l.op == verbs.WRRead && l.bytes == 64 && many:
		return budget{cycles: 10}
	case config == "dc" && l.isAtomic() && many:
		return budget{cycles: 12}
	case config == "board" && write && l.bytes >= 64:
		return budget{wire: full}
	case config == "dc" && write && l.bytes >= 4096:
		return budget{wire: 95}
	case config == "dc" && write && l.bytes == 64 && many:
		return budget{cycles: 8}
	}
	return budget{}
}

// answerCycles is what host memory takes at least: from the cycle that takes an address, or the last beat of a write, to the
// one that takes the first beat of the answer.
const answerCycles = 2

// tripBudget is the budget of a latency at dc: 60 cycles and the answers of host memory that are
// on the way, which are the WQE's and then the payload's to the wire, and that to the payload to a CQE.
func tripBudget(config string, t trip) budget {
	answers := map[part]int{toWire: 2, toCQE: 1, ackToCQE: 0}[t.part]
	if config != "dc" || t.inline {
		return budget{}
	}
	return budget{cycles: float64(60 + answers*(answerCycles+t.latency))}
}
