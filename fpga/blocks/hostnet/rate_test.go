package hostnet_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/blocks/hostnet"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	pc "gornic/verbs/hostnet"
)

// roundTrip is 50 us at 62.5 MHz, in cycles; a gigabit is two bytes a cycle.
const (
	roundTrip    = 50_000 / 16
	gigabitBytes = 2
)

// Shares of a gigabit with a PC that is 50 us away, as docs/hostnet.md has them: reads and writes of 4 KiB.
func TestGigabit(t *testing.T) {
	reads := func(b *bench, i int) { b.read(readArea+uint64(i%16)*2048, 256, uint64(i%16)) }
	writes := func(b *bench, i int) { b.write(writeArea+uint64(i%16)*2048, 256, uint64(i%16), whole) }
	for _, c := range []struct {
		name  string
		p     hostnet.Params
		ask   func(b *bench, i int)
		share float64
	}{
		{"reads", hostnet.DefaultParams(), reads, 0.88},
		{"writes", hostnet.DefaultParams(), writes, 0.88},
		{"reads/small", hostnet.SmallParams(), reads, 0.8},
		{"writes/small", hostnet.SmallParams(), writes, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			design, io := hdltest.Build(t, hostnet.Def(c.p))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, 0)
				share := b.gigabitShare(c.ask)
				t.Logf("%.1f %% of a gigabit", 100*share)
				require.GreaterOrEqual(t, share, c.share)
			})
		})
	}
}

// gigabitShare sends 200 KiB of bursts of 2 KiB, and returns their share of a gigabit.
func (b *bench) gigabitShare(ask func(b *bench, i int)) float64 {
	const bursts, bytes = 100, 2048
	b.fill()
	b.gigabit = true
	b.toPC.delay, b.toBoard.delay = roundTrip/2, roundTrip/2
	b.in.SetPattern(wordInFour)
	b.out.SetPattern(wordInFour)
	bus := b.open(pc.Options{})
	start := b.now
	for i := range bursts {
		ask(b, i)
	}
	b.run(bus, 1_000_000, b.idle)
	require.Zero(b.t, b.resent)
	b.compare()
	return float64(bursts*bytes) / float64(gigabitBytes*(b.last-start))
}

func whole(int) uint64 { return 0xFF }

// Cycles of the block alone: a datagram of n words leaves in n + 20, one that comes takes n + 14.
func TestCycles(t *testing.T) {
	const bursts = 64
	for _, c := range []struct {
		name string
		ask  func(b *bench)
		most int // cycles a burst
	}{
		{"reads of 128 words", func(b *bench) { b.read(readArea, 128, 0) }, 128 + 14},
		{"writes of 128 words", func(b *bench) { b.write(writeArea, 128, 0, whole) }, 128 + 20},
		{"reads of a word", func(b *bench) { b.read(readArea, 1, 0) }, 20},
		{"writes of a word", func(b *bench) { b.write(writeArea, 1, 0, whole) }, 1 + 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			design, io := hdltest.Build(t, hostnet.Def(hostnet.DefaultParams()))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, 0)
				b.fill()
				bus := b.open(pc.Options{})
				start := b.now
				for range bursts {
					c.ask(b)
				}
				b.run(bus, 100_000, b.idle)
				got := float64(b.last-start) / bursts
				t.Logf("%.1f cycles a burst", got)
				require.LessOrEqual(t, got, float64(c.most)+200.0/bursts) // the first answer takes its time
			})
		})
	}
}
