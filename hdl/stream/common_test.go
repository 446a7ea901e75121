package stream_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// traffic is how a test treats the two ends of a part.
type traffic struct {
	name    string
	in, out sim.Pattern
}

// traffics lists what every part is tested with; full speed is the first.
func traffics(seed uint64) []traffic {
	p := hdltest.Patterns(seed)
	return []traffic{
		{"full speed", p["full speed"], p["full speed"]},
		{"gaps", p["half"], p["full speed"]},
		{"pauses", p["full speed"], p["half"]},
		{"both", p["half"], p["rare"]},
		{"slow", p["frequent"], p["frequent"]},
		{"bursts", p["bursts"], p["bursts"]},
		{"alternate", p["regular"], p["regular"]},
	}
}

// eachTraffic runs a test of a design with all traffics in the native
// simulator.
func eachTraffic(t *testing.T, d *hdl.Design, test func(*testing.T, *sim.Sim, traffic)) {
	for _, tr := range traffics(hdltest.Seed(t)) {
		t.Run(tr.name, func(t *testing.T) {
			hdltest.EachSim(t, d, func(t *testing.T, s *sim.Sim) { test(t, s, tr) })
		})
	}
}

// onBoth is eachTraffic, and the traffic with gaps and pauses in Verilator,
// too.
func onBoth(t *testing.T, d *hdl.Design, test func(*testing.T, *sim.Sim, traffic)) {
	eachTraffic(t, d, test)
	t.Run("verilator", func(t *testing.T) {
		s := hdltest.Open(t, verilator.Simulator, d, sim.Options{Seed: hdltest.Seed(t)})
		test(t, s, traffics(hdltest.Seed(t))[3])
		require.NoError(t, s.Err())
	})
}

func build[IO any](t testing.TB, def hdl.Def[IO]) (*hdl.Design, *IO) {
	t.Helper()
	d, io, err := hdl.Build(def)
	require.NoError(t, err)
	return d, io
}

func rng(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(hdltest.Seed(t), 0)) }

// numbers returns n random payloads of width bits.
func numbers(t testing.TB, n, width int) []uint64 {
	r := rng(t)
	list := make([]uint64, n)
	for i := range list {
		list[i] = r.Uint64() >> (64 - width)
	}
	return list
}

// anys turns payloads into what Source.Send takes.
func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = x
	}
	return out
}

// payloads is what came out, and when.
func payloads(k *sim.Sink) (values []uint64, cycles []uint64) {
	for _, b := range k.Take() {
		values = append(values, b.Words[0])
		cycles = append(cycles, b.Cycle)
	}
	return values, cycles
}

// firstCycle is the cycle in which a source offers its first payload after
// s.Reset(2): what a part of latency 0 gives at full speed, it gives then.
const firstCycle = 3

// requireFullRate fails unless payloads came one a cycle, the first one after
// latency cycles.
func requireFullRate(t *testing.T, cycles []uint64, latency int) {
	t.Helper()
	for i, c := range cycles {
		require.Equal(t, uint64(firstCycle+latency+i), c, "cycle of payload %d", i)
	}
}

// randomFrames returns frames of 1 to longest bytes, short ones often.
func randomFrames(t testing.TB, n, longest int) [][]byte {
	r := rng(t)
	frames := make([][]byte, n)
	for i := range frames {
		limit := longest
		if r.IntN(3) == 0 {
			limit = min(longest, 8)
		}
		frames[i] = make([]byte, 1+r.IntN(limit))
		for k := range frames[i] {
			frames[i][k] = byte(r.Uint32())
		}
	}
	return frames
}
