package dcqcn_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/dcqcn"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// slow has queue pairs slowed down to rates that they keep.
func (b *bench) slow(rates map[int]uint64) {
	for _, qp := range slices.Sorted(maps.Keys(rates)) {
		b.fixed(rates[qp])
		b.cnp.Send(qp)
		b.run(200)
		require.Equal(b.t, flow{true, rates[qp], rates[qp], 0}, b.flows[qp])
	}
}

// senders has queue pairs that always have something to send do so, in turn, with cycles between two packets: as the requester would,
// who asks whether one waits, and forgets one that does until it is woken. It returns the bytes that each sent.
func (b *bench) senders(r *rand.Rand, qps []int, cycles, between, longest int) map[int]int {
	bytes, ready := map[int]int{}, append([]int{}, qps...)
	forgotten := map[int]bool{}
	b.woken = nil
	for n := 0; n < cycles; n++ {
		for _, qp := range b.woken {
			if forgotten[qp] {
				ready = append(ready, qp)
				delete(forgotten, qp)
			}
		}
		b.woken = nil
		if n%between == 0 && len(ready) > 0 {
			qp := ready[0]
			ready = ready[1:]
			if b.waits(qp) {
				forgotten[qp] = true
			} else {
				size := r.IntN(longest + 1)
				b.sent.Send(sent{qp, size})
				bytes[qp] += size + 64
				ready = append(ready, qp)
			}
		}
		b.run(1)
	}
	return bytes
}

// Queue pairs keep their rates, whatever the others do: of small packets and of large ones, of few and of many Mb/s.
func TestPace(t *testing.T) {
	p := params(3, 256)
	design, io := hdltest.Build(t, dcqcn.Def(p))
	hdltest.EachSimWith(t, design, events, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 3))
		b := newBench(t, s, io, p, 0, format.Congestion[uint64]{})
		for _, c := range []struct {
			longest, between, cycles int
			rates                    map[int]uint64
		}{
			{0, 6, 20000, map[int]uint64{0: 1000, 1: 3000, 2: 2000, 5: 300, 7: 700}},
			{200, 8, 25000, map[int]uint64{0: 1000, 1: 8000, 2: 3000, 5: 300, 7: 700}},
			{4096, 30, 80000, map[int]uint64{0: 1000, 1: 20000, 2: 4000, 5: 300, 7: 9000}},
		} {
			for _, qp := range slices.Sorted(maps.Keys(c.rates)) {
				b.clear(qp)
				b.run(1200)
			}
			b.slow(c.rates)
			got := b.senders(r, []int{0, 1, 2, 5, 6, 7}, c.cycles, c.between, c.longest)
			for qp, rate := range c.rates {
				longest, cycles := c.longest, float64(c.cycles)
				seconds := dcqcn.Wait(float64(got[qp]), float64(rate)) * float64(p.Tick) / cycles
				// A packet that is begun is sent whole, what was owed before has to pass, and who was idle has saved a little.
				saved := float64(max(p.Tick, 128))
				edge := (dcqcn.Wait(2*float64(longest+64), float64(rate))*float64(p.Tick) + saved) / cycles
				require.InDelta(t, 1, seconds, 0.005+edge, "queue pair %d at %d Mb/s sent %d bytes", qp, rate, got[qp])
			}
			require.Greater(t, got[6], got[1], "one that is not slowed down")
		}
	}, verilator.Simulator)
}

// From a packet to the wake passes the time of the packet, less what was saved, and a slot or so more; however many rounds of the
// wheel that is.
func TestWaits(t *testing.T) {
	p := params(2, 4)
	design, io := hdltest.Build(t, dcqcn.Def(p))
	hdltest.EachSimWith(t, design, events, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, p, 0, format.Congestion[uint64]{})
		b.slow(map[int]uint64{0: 1, 1: 7, 2: 100})
		for _, c := range []struct{ qp, bytes int }{{0, 100}, {1, 2000}, {2, 3000}, {0, 4096}, {1, 4096}, {0, 0}, {0, 17}, {1, 300}} {
			rate := float64(b.flows[c.qp].rate)
			cost := dcqcn.Wait(float64(c.bytes+64), rate) * float64(p.Tick)
			b.run(3000)
			require.False(t, b.waits(c.qp))
			b.woken = nil
			b.sent.Send(sent{c.qp, c.bytes})
			from := s.Cycle()
			b.run(20)
			if cost < 128 { // as long as is made up for
				continue
			}
			require.True(t, b.waits(c.qp))
			for len(b.woken) == 0 {
				require.True(t, b.waits(c.qp))
				b.run(8)
			}
			require.Equal(t, []int{c.qp}, b.woken)
			require.False(t, b.waits(c.qp))
			waited := float64(s.Cycle() - from)
			require.GreaterOrEqual(t, waited, cost-128-1)
			require.LessOrEqual(t, waited, cost-128+32+40)
		}
	}, verilator.Simulator)
}

// A time that moves on while its queue pair waits counts: who has more packets on the way than it should waits for all of them.
func TestDebt(t *testing.T) {
	p := params(2, 1)
	design, io := hdltest.Build(t, dcqcn.Def(p))
	hdltest.EachSimWith(t, design, events, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, p, 0, format.Congestion[uint64]{})
		b.slow(map[int]uint64{3: 5})
		b.run(2000)
		from := s.Cycle()
		for range 6 {
			b.sent.Send(sent{3, 1000 - 64})
			b.run(50)
		}
		cost := dcqcn.Wait(6000, 5)
		for len(b.woken) == 0 {
			b.run(10)
		}
		require.InDelta(t, cost-128, float64(s.Cycle()-from), 80)

		// Far more than can be on the way: it is forgiven, and the wait ends.
		for range 110 {
			b.sent.Send(sent{3, 4096})
		}
		b.run(250000)
		require.True(t, b.waits(3), "a debt that is too large for the number of a time")
		b.woken = nil
		for range 60 {
			b.run(1000)
		}
		require.Equal(t, []int{3}, b.woken)
		require.False(t, b.waits(3))
	}, verilator.Simulator)
}

// A queue pair that was idle for longer than times have numbers sends at once.
func TestIdle(t *testing.T) {
	p := params(1, 1)
	design, io := hdltest.Build(t, dcqcn.Def(p))
	hdltest.EachSimWith(t, design, events, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, p, 0, format.Congestion[uint64]{})
		b.slow(map[int]uint64{0: 100})
		for range 12 {
			b.sent.Send(sent{0, 0})
			b.run(200)
			require.False(t, b.waits(0), "a packet of %.0f cycles", dcqcn.Wait(64, 100))
			b.run(30000)
		}
	}, verilator.Simulator)
}

// Packets go by at the rate of the core: of queue pairs that are not slowed down one a cycle, else one in 6 cycles, while
// the rates are gone over.
func TestCycles(t *testing.T) {
	p := params(4, 256)
	design, io := hdltest.Build(t, dcqcn.Def(p))
	hdltest.EachSimWith(t, design, events, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, p, 0, format.Congestion[uint64]{})
		count := func(qps ...int) float64 {
			const packets = 1200
			for i := range packets {
				b.sent.Send(sent{qps[i%len(qps)], 64})
			}
			from := s.Cycle()
			for b.sent.Pending() > 0 {
				b.run(1)
			}
			return float64(s.Cycle()-from) / packets
		}
		require.LessOrEqual(t, count(0, 1, 2, 3), 1.02)
		b.slow(map[int]uint64{0: 100000, 1: 100000, 2: 120000, 3: 100})
		require.LessOrEqual(t, count(0), 6.0)
		require.LessOrEqual(t, count(0, 1, 2, 3), 6.0)
		require.LessOrEqual(t, count(0, 1, 8, 2, 9), 6.0)

		for range 400 { // and a CNP is heard among them
			b.sent.Send(sent{0, 64})
		}
		b.run(100)
		b.cnp.Send(5)
		b.run(400)
		require.NotZero(t, b.sent.Pending())
		require.True(t, b.flows[5].slowed)
	}, verilator.Simulator)
}
