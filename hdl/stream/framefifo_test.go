package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

// Without drops when full, what leaves is exactly the good frames that fit.
func TestFrameFIFO(t *testing.T) {
	const depth, size = 16, 4
	d, io := build(t, stream.FrameFIFODef(stream.FrameFIFOOptions{Width: 8 * size, Depth: depth}))
	onBoth(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		in, out := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out)
		drops := countPulses(s, io)
		s.Reset(2)
		var want []string
		bad, long := 0, 0
		r := rng(t)
		for _, f := range randomFrames(t, 300, size*(depth+4)) {
			switch {
			case len(f) > size*depth:
				long++
				hdltest.SendFrame(in, f)
			case r.IntN(4) == 0:
				bad++
				hdltest.SendBadFrame(in, f)
			default:
				want = append(want, string(f))
				hdltest.SendFrame(in, f)
			}
		}
		s.Await(100000, in.Drained())
		s.Await(1000, out.Frames(len(want)))
		s.Run(10)
		require.Equal(t, want, frameStrings(t, out))
		require.Equal(t, pulses{err: bad, full: long}, drops())
	})
}

// With drops when full, In never waits, what leaves is a part of the good
// frames, and each of the others is counted.
func TestFrameFIFODropWhenFull(t *testing.T) {
	const depth, size = 16, 4
	d, io := build(t, stream.FrameFIFODef(stream.FrameFIFOOptions{Width: 8 * size, Depth: depth, DropWhenFull: true}))
	onBoth(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		in, out := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out)
		drops := countPulses(s, io)
		s.Reset(2)
		var good []string
		bad := 0
		r := rng(t)
		longest := size * depth
		if tr.name == "gaps" {
			longest /= 3
		}
		for _, f := range randomFrames(t, 300, longest) {
			if r.IntN(4) == 0 {
				bad++
				hdltest.SendBadFrame(in, f)
				continue
			}
			good = append(good, string(f))
			hdltest.SendFrame(in, f)
		}
		s.Await(100000, in.Drained())
		s.Run(1000)
		got := frameStrings(t, out)
		require.True(t, isSubsequence(got, good), "frames leave whole and in order")
		p := drops()
		require.Equal(t, 300, len(got)+p.err+p.full, "every frame leaves or is counted")
		require.LessOrEqual(t, p.err, bad)
		if tr.name == "gaps" {
			require.Equal(t, len(good), len(got), "with room, nothing good is dropped")
		}
		if tr.name == "slow" || tr.name == "pauses" {
			require.Positive(t, p.full, "the test fills the FIFO")
		}
	})
}

// A frame that is dropped leaves room for the whole depth again.
func TestFrameFIFORollsBack(t *testing.T) {
	const depth, size = 8, 4
	d, io := build(t, stream.FrameFIFODef(stream.FrameFIFOOptions{Width: 8 * size, Depth: depth, DropWhenFull: true}))
	s, err := sim.New(d, sim.Options{})
	require.NoError(t, err)
	in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
	s.Reset(2)
	for range 10 {
		hdltest.SendBadFrame(in, make([]byte, depth*size))
	}
	hdltest.SendFrame(in, []byte("a frame of exactly 32 bytes long"))
	s.Await(500, out.Frames(1))
	s.Run(20)
	require.Equal(t, []string{"a frame of exactly 32 bytes long"}, frameStrings(t, out))
	require.Zero(t, s.Get(io.Level))
	require.Equal(t, uint64(depth), s.Get(io.HighWater))
	require.NoError(t, s.Close())
}

// Back-to-back frames go through at a beat every cycle.
func TestFrameFIFORate(t *testing.T) {
	for _, beats := range []int{1, 2, 8} {
		d, io := build(t, stream.FrameFIFODef(stream.FrameFIFOOptions{Width: 64, Depth: 32}))
		s, err := sim.New(d, sim.Options{})
		require.NoError(t, err)
		in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
		s.Reset(2)
		const n = 64
		for range n / beats {
			hdltest.SendFrame(in, make([]byte, 8*beats))
		}
		s.Await(1000, out.Beats(n))
		_, cycles := payloads(out)
		requireFullRate(t, cycles, beats-1+3)
		require.NoError(t, s.Close())
	}
}

type pulses struct{ err, full int }

// countPulses watches the two pulses of drops from now on.
func countPulses(s *sim.Sim, io *stream.FrameFIFOIO) func() pulses {
	watch := func(pulse hdl.Bits) *sim.Sink {
		ports := sim.StreamPorts{Clock: s.Design().Top.Clocks[0], Valid: pulse.Signal()}
		return sim.NewSinkOf(s, ports, sim.Pattern{}, sim.SinkOptions{})
	}
	errs, fulls := watch(io.DroppedErr), watch(io.DroppedFull)
	return func() pulses { return pulses{int(errs.Count()), int(fulls.Count())} }
}

func frameStrings(t *testing.T, k *sim.Sink) []string {
	t.Helper()
	var list []string
	for _, f := range hdltest.TakeFrames(k) {
		require.False(t, f.Err, "a bad frame left")
		list = append(list, string(f.Data))
	}
	return list
}

func isSubsequence(part, whole []string) bool {
	for _, x := range whole {
		if len(part) > 0 && part[0] == x {
			part = part[1:]
		}
	}
	return len(part) == 0
}
