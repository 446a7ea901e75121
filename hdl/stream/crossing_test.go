package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
	verilator "gornic/sim-verilator"
)

// clockPairs are clocks of two domains whose edges meet in every way: equal,
// shifted, slow to fast, fast to slow, nearly equal.
var clockPairs = map[string]map[string]sim.Timing{
	"equal":        {"in": {Period: 8000}, "out": {Period: 8000}},
	"shifted":      {"in": {Period: 8000}, "out": {Period: 8000, Phase: 3000}},
	"slow to fast": {"in": {Period: 16000}, "out": {Period: 3100}},
	"fast to slow": {"in": {Period: 3300}, "out": {Period: 16000}},
	"nearly equal": {"in": {Period: 8000}, "out": {Period: 8010}},
}

func TestAsyncFIFO(t *testing.T) {
	d, io := build(t, stream.AsyncFIFODef(hdl.W(16), 8))
	for name, clocks := range clockPairs {
		for _, tr := range traffics(hdltest.Seed(t)) {
			var others []sim.Simulator
			if tr.name == "both" && name == "nearly equal" {
				others = append(others, verilator.Simulator)
			}
			t.Run(name+"/"+tr.name, func(t *testing.T) {
				o := sim.Options{Seed: hdltest.Seed(t), Clocks: clocks}
				hdltest.EachSimWith(t, d, o, func(t *testing.T, s *sim.Sim) {
					in, out := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out)
					s.Reset(4)
					want := numbers(t, 300, 16)
					in.Send(anys(want)...)
					s.Await(100000, out.Beats(len(want)))
					got, cycles := payloads(out)
					require.Equal(t, want, got)
					if tr.name == "full speed" && clocks["out"].Period >= clocks["in"].Period {
						requireFullRate(t, cycles, int(cycles[0])-firstCycle)
					}
				}, others...)
			})
		}
	}
}

// A full FIFO holds its RAM and two registers, and does not forget any of it.
func TestAsyncFIFOCapacity(t *testing.T) {
	d, io := build(t, stream.AsyncFIFODef(hdl.W(16), 8))
	s, err := sim.New(d, sim.Options{Clocks: clockPairs["nearly equal"]})
	require.NoError(t, err)
	in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{Kind: sim.Never})
	s.Reset(4)
	want := numbers(t, 20, 16)
	in.Send(anys(want)...)
	s.Run(100)
	require.Equal(t, 20-8-2, in.Pending())
	out.SetPattern(sim.Pattern{})
	s.Await(200, out.Beats(20))
	got, _ := payloads(out)
	require.Equal(t, want, got)
	require.NoError(t, s.Close())
}

func TestAsyncFIFODepths(t *testing.T) {
	for _, depth := range []int{2, 6} {
		_, _, err := hdl.Build(stream.AsyncFIFODef(hdl.W(8), depth))
		require.ErrorContains(t, err, "a power of two from 4")
	}
}

func TestPulse(t *testing.T) {
	d, io := build(t, stream.PulseDef())
	for name, clocks := range clockPairs {
		t.Run(name, func(t *testing.T) {
			s := hdltest.Open(t, sim.NativeSimulator, d, sim.Options{Clocks: clocks})
			slow := max(clocks["in"].Period, clocks["out"].Period)
			apart := 3*slow/clocks["in"].Period + 1
			ports := sim.StreamPorts{Clock: s.Design().Top.Clocks[1], Valid: io.Out.Signal()}
			arrived := sim.NewSinkOf(s, ports, sim.Pattern{}, sim.SinkOptions{})
			s.Reset(4)
			const pulses = 40
			for i := range uint64(pulses) {
				s.Set(io.In, 1)
				s.Run(1)
				s.Set(io.In, 0)
				s.Run(int(apart - 1 + i%3))
			}
			s.RunTo(s.Time() + 8*slow)
			require.Equal(t, uint64(pulses), arrived.Count())
			require.NoError(t, s.Err())
		})
	}
}

type crossIO struct {
	In    hdl.Stream[hdl.Bits] `hdl:"in" clock:"rx"`
	Pulse hdl.Bits             `hdl:"in" w:"1" clock:"rx"`
	Out   hdl.Stream[hdl.Bits] `hdl:"out" clock:"core"`
	Count hdl.Bits             `hdl:"out" w:"4" clock:"core"`
	Level hdl.Bits             `hdl:"out" w:"1" clock:"core"`
}

// The parts take the clock domains of the module around them, whatever those
// are called.
func TestCrossingsIntoNamedDomains(t *testing.T) {
	d, io := build(t, hdl.Def[crossIO]{
		Name: "crossings",
		IO:   crossIO{In: hdl.StreamOf(hdl.W(8)), Out: hdl.StreamOf(hdl.W(8))},
		Body: func(m *hdl.Module, io *crossIO) {
			rx, core := m.Domain("rx"), m.Domain("core")
			hdl.Connect(io.Out, stream.AsyncFIFO(m, "u_cross", io.In, 8, rx, core))
			var level hdl.Bits
			m.In(rx, func() {
				level = hdl.CrossSafe(m.Reg("level_rx", 1, 0))
				m.If(io.Pulse, func() { level.SetK(1) })
			})
			m.In(core, func() {
				count := m.Reg("pulses", 4, 0)
				m.If(stream.Pulse(m, "u_pulse", io.Pulse, rx, core), func() { count.Set(count.AddK(1)) })
				io.Count.Set(count)
				io.Level.Set(stream.Sync(m, "level_core", level, 0))
			})
		},
	})
	clocks := map[string]sim.Timing{"rx": {Period: 8000}, "core": {Period: 5000}}
	hdltest.EachSimWith(t, d, sim.Options{Clocks: clocks}, func(t *testing.T, s *sim.Sim) {
		in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
		s.Reset(3)
		require.Zero(t, s.Get(io.Level))
		in.Send(anys(numbers(t, 50, 8))...)
		s.RunClock("rx", 1)
		s.Set(io.Pulse, 1)
		s.RunClock("rx", 1)
		s.Set(io.Pulse, 0)
		s.Await(1000, out.Beats(50))
		require.Equal(t, uint64(1), s.Get(io.Count))
		require.Equal(t, uint64(1), s.Get(io.Level))
	})
}
