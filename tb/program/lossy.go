package program

import (
	"math"
	"math/rand/v2"
	"time"

	"gornic/tb/wire"
)

// Lossy returns the program of a seed for a wire that fails. In one half of them no packet fails so often that a queue pair gives up,
// and there is all that other programs have, but what ends by a NAK, which might be lost; in the other half there is nothing but
// trials, and losses have no bound but their rate.
func Lossy(seed uint64, limits Limits) Program {
	r := rand.New(rand.NewPCG(seed, 0x6C6F737379))
	p := Program{Seed: seed, Timing: randomTiming(r)}
	bounded := r.IntN(2) == 0
	p.Faults = randomFaults(r, bounded)
	p.Faults.Seed = seed
	d := newDraft(r, limits)
	d.lossy, d.loansLeft = true, 0
	if bounded {
		p.Acts = []Act{d.act()}
	} else {
		p.Acts = []Act{d.trialsAlone()}
	}
	return p
}

// mostTrials is how many trials an act has at most.
const mostTrials = 4

// trialsAlone is an act of trials.
func (d *draft) trialsAlone() Act {
	a := Act{Send: 100, Receive: 100, Poll: 100}
	for i := range d.hosts {
		d.hosts[i] = d.station()
	}
	a.Trials = d.trials(1 + d.r.IntN(min(mostTrials, d.limits.Connections)))
	return d.close(a)
}

// trialsBeside is how many trials an act of other connections has, which have a CQ and a queue pair less each.
func (d *draft) trialsBeside() int {
	if !d.lossy || d.limits.Connections < 2 || d.limits.CQs < 2 || d.r.IntN(2) == 0 {
		return 0
	}
	n := 1 + d.r.IntN(min(mostTrials, d.limits.Connections-1))
	d.limits.Connections -= n
	d.limits.CQs--
	return n
}

// attemptsMost is how often a packet fails at most on a wire that always gets through: a request so often, and then its
// answer, and there are seven retries.
const attemptsMost = 3

// randomFaults draws what a wire does: losses in either direction of 0.1 to 30 %, and a few of the other faults.
func randomFaults(r *rand.Rand, bounded bool) wire.Faults {
	attempts := 0
	if bounded {
		attempts = attemptsMost
	}
	var f wire.Faults
	add := func(a wire.Action, rate int) {
		f.Rules = append(f.Rules, wire.Rule{Action: a, Rate: rate, Attempts: attempts})
	}
	for _, from := range []wire.Sender{wire.FromA, wire.FromB} {
		if r.IntN(6) > 0 {
			add(wire.Drop, share(r, 0.3))
			f.Rules[len(f.Rules)-1].Sender = from
		}
	}
	for _, a := range []wire.Action{wire.Duplicate, wire.Corrupt, wire.Flip, wire.Truncate, wire.Mark} {
		if r.IntN(3) == 0 {
			add(a, share(r, 0.05))
		}
	}
	if r.IntN(3) == 0 {
		add(wire.Delay, share(r, 0.1))
		f.Rules[len(f.Rules)-1].Frames = 1 + r.IntN(8)
	}
	if r.IntN(4) == 0 {
		add(wire.Delay, share(r, 0.05))
		f.Rules[len(f.Rules)-1].For = time.Duration(1+r.IntN(20)) * time.Microsecond
	}
	if r.IntN(8) == 0 && !bounded {
		f.Outages = []wire.Outage{{At: time.Duration(r.IntN(300)) * time.Microsecond, For: time.Duration(1+r.IntN(100)) * time.Microsecond}}
	}
	return f
}

// share draws a rate from 0.1 % to the most, in packets of a million; small ones as often as large ones.
func share(r *rand.Rand, most float64) int {
	const least = 0.001
	return int(wire.Million * least * math.Pow(most/least, r.Float64()))
}
