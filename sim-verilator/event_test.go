package verilator_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/hdl/sim/randnet"
	verilator "gornic/sim-verilator"
)

// Random designs show the same events on both simulators, edge by edge: of two clocks, in and out of reset, of instances.
func TestSameEventsAsNative(t *testing.T) {
	needVerilator(t)
	designs := rapid.Custom(func(t *rapid.T) *ir.Design {
		return randnet.Design(t, randnet.Options{Clocks: 2, Reset: true})
	})
	seen := 0
	for seed := range 4 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := designs.Example(seed)
			native, verilated := openWithEvents(t, sim.Native, d), openWithEvents(t, verilator.Open, d)
			both := []sim.Backend{native, verilated}
			state := uint64(seed)
			for instant := range uint64(800) {
				for _, s := range d.Top.Signals {
					if s.Kind == ir.Input {
						set(both, s, &state)
					}
				}
				for _, c := range d.Top.Clocks {
					high := instant < 10 || sim.SplitMix64(&state)%16 == 0
					native.SetReset(c, high)
					verilated.SetReset(c, high)
				}
				until := 1_000 * (instant + 1)
				native.Run(sim.RunRequest{Until: until})
				verilated.Run(sim.RunRequest{Until: until})
				want := native.Events()
				require.Equal(t, want, verilated.Events(), "instant %d", instant)
				seen += len(want)
			}
			require.NoError(t, verilated.Close())
		})
	}
	require.Greater(t, seen, 100)
}

// set gives an input the same random value in several simulators.
func set(backends []sim.Backend, s *ir.Signal, state *uint64) {
	words := make([]uint64, ir.WordCount(s.Width))
	for i := range words {
		words[i] = sim.SplitMix64(state)
	}
	if r := s.Width % 64; r != 0 {
		words[len(words)-1] &= 1<<r - 1
	}
	for _, b := range backends {
		b.Set(s, words)
	}
}

func openWithEvents(t *testing.T, open sim.Open, d *ir.Design) sim.Backend {
	t.Helper()
	b, err := open(d, sim.Options{Events: true, Clocks: map[string]sim.Timing{"": {Period: 5_000}, "b": {Period: 3_000, Phase: 1_000}}})
	require.NoError(t, err)
	return b
}

type walkIO struct {
	Step hdl.Bits `hdl:"in" w:"4"`
	At   hdl.Bits `hdl:"out" w:"8"`
}

// walk counts in steps; its assertion fails where the count passes 20.
func walk() hdl.Def[walkIO] {
	return hdl.Def[walkIO]{Name: "event_walk", Body: func(m *hdl.Module, io *walkIO) {
		at := m.Reg("place", 8, 0)
		at.Set(at.Add(io.Step.ZExt(8)))
		io.At.Set(at)
		before := m.PastReset("left", at, 0)
		m.Assert("near", at.LtK(20))
		m.Event("stepped", at.Ne(before), hdl.Field("from", before), hdl.Field("to", at))
		m.Event("far", at.GeK(20))
	}}
}

// Events of the instant at which a check fails are there, and those before it; a state of properties may be a field.
func TestEventsOfAFailedInstant(t *testing.T) {
	for name, open := range map[string]sim.Open{"native": sim.Native, "verilator": verilator.Open} {
		t.Run(name, func(t *testing.T) {
			if name == "verilator" {
				needVerilator(t)
			}
			d, io, err := hdl.Build(walk())
			require.NoError(t, err)
			s, err := sim.Start(open, d, sim.Options{Events: true})
			require.NoError(t, err)
			s.Reset(2)
			s.Set(io.Step, 7)
			s.Run(3)
			require.Len(t, s.Events(), 2)
			s.Run(100)
			require.Error(t, s.Close())
			var lines []string
			for _, e := range s.Events() {
				lines = append(lines, e.String())
			}
			require.Equal(t, []string{
				"       5  stepped                          from=0xe to=0x15",
				"       5  far",
			}, lines)
			require.Empty(t, s.Events())
		})
	}
}

// Where properties are left out, their state is there for the events that read it.
func TestEventsWithoutChecks(t *testing.T) {
	needVerilator(t)
	d, io, err := hdl.Build(walk())
	require.NoError(t, err)
	var all [][]sim.Event
	for _, open := range []sim.Open{sim.Native, verilator.Open} {
		s, err := sim.Start(open, d, sim.Options{Events: true, NoChecks: true})
		require.NoError(t, err)
		s.Reset(2)
		s.Set(io.Step, 7)
		s.Run(10)
		require.NoError(t, s.Close())
		all = append(all, s.Events())
	}
	require.Len(t, all[0], 9+7)
	require.Equal(t, all[0], all[1])
}

// A run that nobody traces loads the library that it always had.
func TestEventsAreAnotherLibrary(t *testing.T) {
	needVerilator(t)
	d, _, err := hdl.Build(walk())
	require.NoError(t, err)
	s, err := sim.Start(verilator.Open, d, sim.Options{})
	require.NoError(t, err)
	s.Reset(2)
	s.Run(3)
	require.Nil(t, s.Events())
	_, err = s.Backend().Peek("event_stepped")
	require.Error(t, err)
	require.NoError(t, s.Close())
}

func BenchmarkEvents(b *testing.B) {
	needVerilator(b)
	d, io, err := hdl.Build(hdl.Def[walkIO]{Name: "event_bench", Body: func(m *hdl.Module, io *walkIO) {
		at := m.Reg("place", 8, 0)
		at.Set(at.Add(io.Step.ZExt(8)))
		io.At.Set(at)
		m.Event("stepped", io.Step.Any(), hdl.Field("from", at), hdl.Field("step", io.Step))
	}})
	require.NoError(b, err)
	for _, step := range []uint64{0, 1} {
		b.Run(fmt.Sprintf("%d a cycle", step), func(b *testing.B) {
			s, err := sim.Start(verilator.Open, d, sim.Options{Events: true})
			require.NoError(b, err)
			s.Reset(1)
			s.Set(io.Step, step)
			b.ResetTimer()
			const cycles = 1000
			for range b.N {
				s.Run(cycles)
				if got := len(s.Events()); uint64(got) != step*cycles {
					b.Fatalf("%d events", got)
				}
			}
			b.ReportMetric(float64(b.N*cycles)/b.Elapsed().Seconds(), "cycles/s")
			require.NoError(b, s.Close())
		})
	}
}
