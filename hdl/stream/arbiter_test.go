package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

func TestRoundRobin(t *testing.T) { testArbiter(t, stream.RoundRobinDef(hdl.W(16), 3)) }
func TestPriority(t *testing.T)   { testArbiter(t, stream.PriorityDef(hdl.W(16), 3)) }

// testArbiter sends numbers whose top two bits say where they come in.
func testArbiter(t *testing.T, def hdl.Def[stream.ArbiterIO[hdl.Bits]]) {
	d, io := build(t, def)
	eachTraffic(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		const each = 150
		total := each * len(io.In)
		out := sim.NewSink(s, withFrom(io), tr.out)
		want := make([][]uint64, len(io.In))
		for i, in := range io.In {
			p := tr.in
			p.Seed += uint64(i)
			source := sim.NewSource(s, in, p)
			for _, v := range numbers(t, each, 14) {
				want[i] = append(want[i], uint64(i)<<14|v)
			}
			source.Send(anys(want[i])...)
		}
		s.Reset(2)
		s.Await(20000, out.Beats(total))
		values, cycles := payloads(out)
		got := make([][]uint64, len(io.In))
		for _, v := range values {
			value, from := v&0xffff, v>>16
			require.Equal(t, value>>14, from, "From names the input")
			got[from] = append(got[from], value)
		}
		require.Equal(t, want, got, "each input in order")
		if tr.name == "full speed" {
			requireFullRate(t, cycles, 0)
		}
	})
}

// withFrom is the arbiter's output with From beside the payload.
func withFrom[T any](io *stream.ArbiterIO[T]) hdl.Stream[stream.Pair[T, hdl.Bits]] {
	return hdl.Stream[stream.Pair[T, hdl.Bits]]{
		Valid: io.Out.Valid, Ready: io.Out.Ready, Data: stream.Pair[T, hdl.Bits]{A: io.Out.Data, B: io.From},
	}
}

func TestArbitersKeepFramesWhole(t *testing.T) {
	for _, def := range []hdl.Def[stream.ArbiterIO[stream.Beat]]{
		stream.RoundRobinDef(stream.BeatOf(16), 4), stream.PriorityDef(stream.BeatOf(16), 4),
	} {
		t.Run(def.Name, func(t *testing.T) {
			d, io := build(t, def)
			onBoth(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
				out := sim.NewSink(s, io.Out, tr.out)
				sent := map[string]int{} // frame -> how often
				total := 0
				for i, in := range io.In {
					p := tr.in
					p.Seed += uint64(i)
					source := sim.NewSource(s, in, p)
					for _, f := range randomFrames(t, 40, 20) {
						hdltest.SendFrame(source, f)
						sent[string(f)]++
						total++
					}
				}
				s.Reset(2)
				s.Await(40000, out.Frames(total))
				for _, f := range hdltest.TakeFrames(out) {
					sent[string(f.Data)]--
					require.GreaterOrEqual(t, sent[string(f.Data)], 0, "a frame that was not sent: %x", f.Data)
				}
			})
		})
	}
}

// With every input asking all the time, turns go around.
func TestRoundRobinIsFair(t *testing.T) {
	order := servedOrder(t, stream.RoundRobinDef(hdl.W(4), 4))
	for i, from := range order {
		require.Equal(t, uint64(i%4), from, "payload %d", i)
	}
}

// With every input asking all the time, the first one has it all.
func TestPriorityIsStrict(t *testing.T) {
	for i, from := range servedOrder(t, stream.PriorityDef(hdl.W(4), 4)) {
		require.Equal(t, uint64(i/20), from, "payload %d", i)
	}
}

// servedOrder keeps all inputs busy with 20 payloads each and returns where the
// payloads came from, in order.
func servedOrder(t *testing.T, def hdl.Def[stream.ArbiterIO[hdl.Bits]]) []uint64 {
	d, io := build(t, def)
	s, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	for i, in := range io.In {
		source := sim.NewSource(s, in, sim.Pattern{})
		for range 20 {
			source.Send(i)
		}
	}
	out := sim.NewSink(s, io.Out, sim.Pattern{})
	s.Reset(2)
	s.Await(200, out.Beats(20*len(io.In)))
	order, _ := payloads(out)
	require.NoError(t, s.Close())
	return order
}
