package dcqcn_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/dcqcn"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// events has the block tell of each rate.
var events = sim.Options{Events: true}

// randomSettings are parameters in which much happens in few ticks.
func randomSettings(r *rand.Rand) format.Congestion[uint64] {
	line := 20 + r.Uint64N(1<<(4+r.IntN(14))) // up to few and to many halves of the way
	return format.Congestion[uint64]{
		LineRate: line, MinRate: 1 + r.Uint64N(20), FirstRate: r.Uint64N(2) * (1 + r.Uint64N(line)), AIRate: r.Uint64N(line / 4), HAIRate: r.Uint64N(line),
		ByteReset: r.Uint64N(100), TimeReset: r.Uint64N(12), Monitor: r.Uint64N(6), G: 1 + r.Uint64N(1023), InitialAlpha: r.Uint64N(1024),
		GD: 9 + r.Uint64N(4), MinKeep: r.Uint64N(256), Threshold: 1 + r.Uint64N(5), Clamp: r.Uint64N(2), ClampTime: r.Uint64N(2),
	}
}

// Notifications, packets and time at random: each queue pair has the rate of the reference.
func TestRatesAgainstReference(t *testing.T) {
	p := params(2, 800) // a tick is longer than all updates of alpha that a cut may have to make: 3 cycles for each tick since the last
	design, io := hdltest.Build(t, dcqcn.Def(p))
	hdltest.EachSimWith(t, design, events, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
		alphaTime := 1 + r.Uint64N(4) // of the whole run: updates are counted from reset
		c := randomSettings(r)
		c.AlphaTime = alphaTime
		b := newBench(t, s, io, p, 0, c)
		seen := map[string]int{}
		for range 24 {
			c = randomSettings(r)
			c.AlphaTime = alphaTime
			b.set(c)
			for qp := range 1 << 2 {
				b.clear(qp)
				b.run(120)
			}
			b.until(0)
			tick, _ := b.now()
			var flows [1 << 2]dcqcn.Flow
			for qp := range flows {
				flows[qp].Advance(b.settings, tick)
			}
			b.flows = map[int]flow{}
			for range 25 {
				b.round(r, flows[:], seen)
			}
		}
		require.Greater(t, seen["cut"], 100)
		require.Greater(t, seen["no cut"], 10)
		require.Greater(t, seen["increase"], 100)
		require.Greater(t, seen["line rate"], 5)
	}, verilator.Simulator)
}

// round has one thing happen to one queue pair, some ticks pass, and compares all rates.
func (b *bench) round(r *rand.Rand, flows []dcqcn.Flow, seen map[string]int) {
	qp := r.IntN(len(flows))
	f := &flows[qp]
	b.until(8)
	tick, _ := b.now()
	for i := range flows {
		flows[i].Advance(b.settings, tick)
	}
	was := *f
	if r.IntN(3) > 0 {
		b.cnp.Send(qp)
		before := b.cuts
		cuts := f.CNP(b.settings)
		b.until(700)
		b.compare(qp, f)
		require.Equal(b.t, cuts, b.cuts == before+1)
		if cuts {
			seen["cut"]++
			require.Equal(b.t, f.Alpha, b.flows[qp].alpha, "queue pair %d: alpha", qp)
		} else {
			seen["no cut"]++
		}
	} else {
		b.until(100)
		for range r.IntN(4) {
			n := r.IntN(4097)
			b.sent.Send(sent{qp, n})
			f.Sent(b.settings, uint64(n)+64)
		}
	}
	b.until(799)
	for range r.IntN(6) {
		b.run(b.tick)
	}
	tick, _ = b.now()
	for i := range flows {
		flows[i].Advance(b.settings, tick)
		b.compare(i, &flows[i])
	}
	if f.Rate > was.Rate {
		seen["increase"]++
	}
	if was.Slowed && !f.Slowed {
		seen["line rate"]++
	}
}

func (b *bench) compare(qp int, want *dcqcn.Flow) {
	b.t.Helper()
	got := b.flows[qp]
	require.Equal(b.t, want.Slowed, got.slowed, "queue pair %d, %+v, %+v", qp, got, want)
	if want.Slowed {
		require.Equal(b.t, [2]uint64{want.Rate, want.Target}, [2]uint64{got.rate, got.target}, "queue pair %d: %+v", qp, b.settings)
	}
}

// Alpha goes down to nothing in a long time without a notification, and what is done of that at once is what the reference does one by
// one. The line rate is so far away that the queue pair stays slowed down.
func TestAlphaDecays(t *testing.T) {
	p := params(1, 32)
	design, io := hdltest.Build(t, dcqcn.Def(p))
	hdltest.EachSimWith(t, design, events, func(t *testing.T, s *sim.Sim) {
		c := format.CongestionDefaults(200000)
		c.TimeReset, c.ByteReset, c.Monitor = 0, 0, 0
		b := newBench(t, s, io, p, 0, c)
		var f dcqcn.Flow
		pauses := []int{0, 1, 2, 40, 500, 700, 1022, 1023, 1024, 1025, 2100, 4200}
		for _, ticks := range pauses {
			b.until(4)
			b.run(ticks * p.Tick)
			tick, _ := b.now()
			f.Advance(c, tick)
			b.cnp.Send(1)
			require.True(t, f.CNP(c))
			b.run(4000) // up to 1024 updates of 3 cycles
			b.compare(1, &f)
			require.Equal(t, f.Alpha, b.flows[1].alpha, "after %d ticks", ticks)
		}
		require.Equal(t, len(pauses), b.cuts)
	}, verilator.Simulator)
}

// The defaults, as they are: a cut to a half, then increases of the target, half of the way each, at both clocks.
func TestDefaults(t *testing.T) {
	p := params(1, 16)
	design, io := hdltest.Build(t, dcqcn.Def(p))
	hdltest.EachSimWith(t, design, events, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, p, 0, format.CongestionDefaults(100000))
		b.cnp.Send(0)
		b.run(200)
		require.Equal(t, flow{true, 100000 - 100000*1023>>11, 100000, 1023}, b.flows[0])
		b.run(293 * 16)
		require.Equal(t, uint64(75024), b.flows[0].rate, "half of the way to the line rate")
		b.run(293 * 16)
		require.Equal(t, uint64(87512), b.flows[0].rate)
		b.cnp.Send(0)
		b.run(2000)
		require.Less(t, b.flows[0].target, uint64(87513), "an increase by time came before: the target is the rate")
		require.GreaterOrEqual(t, b.flows[0].rate, uint64(87512/2))
	}, verilator.Simulator)
}

// What begins anew has no past: no rate, and no notification that came before.
func TestClear(t *testing.T) {
	p := params(2, 64)
	design, io := hdltest.Build(t, dcqcn.Def(p))
	hdltest.EachSimWith(t, design, events, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, p, 0, format.Congestion[uint64]{})
		b.fixed(10)
		b.cnp.Send(1)
		b.run(200)
		require.Equal(t, uint64(10), b.flows[1].rate)
		b.sent.Send(sent{1, 4096})
		b.run(40)
		require.True(t, b.waits(1))
		b.clear(1)
		b.run(64 + 2*32*16) // a round of the wheel
		require.False(t, b.waits(1))
		require.Equal(t, []int{1}, b.woken)
		for range 50 {
			b.sent.Send(sent{1, 4096})
		}
		b.run(1000)
		require.False(t, b.waits(1), "it is not slowed down any more")

		b.cnp.Send(0, 2, 3, 1)
		b.clear(1)
		b.run(1000)
		b.flows = map[int]flow{}
		b.sent.Send(sent{1, 4096}, sent{2, 4096})
		b.run(40)
		require.True(t, b.waits(2))
		require.False(t, b.waits(1), "the notification was for another that stood there")
	}, verilator.Simulator)
}

// The byte that makes the number of bytes full is enough for an increase, and the one before is not.
func TestByteReset(t *testing.T) {
	p := params(1, 64)
	design, io := hdltest.Build(t, dcqcn.Def(p))
	hdltest.EachSimWith(t, design, events, func(t *testing.T, s *sim.Sim) {
		c := format.CongestionDefaults(1000)
		c.TimeReset, c.ByteReset = 0, 30
		b := newBench(t, s, io, p, 0, c)
		b.cnp.Send(0)
		b.run(200)
		cut := b.flows[0].rate
		b.sent.Send(sent{0, 30*64 - 64 - 64})
		b.run(200)
		require.Equal(t, cut, b.flows[0].rate)
		b.sent.Send(sent{0, 0})
		b.run(200)
		require.Equal(t, (cut+1000)/2, b.flows[0].rate)
		b.sent.Send(sent{0, 30*64 - 64 - 1})
		b.run(200)
		require.Equal(t, (cut+1000)/2, b.flows[0].rate)
		b.sent.Send(sent{0, 1 + 3*30*64}) // three times full, nearly four
		b.run(300)
		require.Greater(t, b.flows[0].rate, (cut+1000)/2)
	}, verilator.Simulator)
}

// A queue pair that could not be looked at for a long time, as the machine was at work for another one, has each increase by time, and
// the next one when it would have come anyway.
func TestLateVisit(t *testing.T) {
	p := params(1, 32)
	design, io := hdltest.Build(t, dcqcn.Def(p))
	hdltest.EachSimWith(t, design, events, func(t *testing.T, s *sim.Sim) {
		c := format.CongestionDefaults(250000)
		c.TimeReset, c.ByteReset = 50, 0
		b := newBench(t, s, io, p, 0, c)
		var f dcqcn.Flow
		advance := func() {
			tick, _ := b.now()
			f.Advance(c, tick)
		}
		b.cnp.Send(0)
		b.run(10 * p.Tick)
		b.until(2)
		advance()
		b.cnp.Send(1)
		f.CNP(c)
		b.run(491 * p.Tick)
		b.cnp.Send(0) // some 500 updates of alpha, of 3 cycles each: 47 ticks
		for _, ticks := range []int{52, 25, 25, 25} {
			b.run(ticks * p.Tick)
			b.until(p.Tick - 1)
			advance()
			b.compare(1, &f)
		}
		require.Less(t, f.Rate, c.LineRate-3, "it says nothing any more")
	}, verilator.Simulator)
}
