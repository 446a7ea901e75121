package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

// tagged puts the tag beside the payload, so that a source drives both.
func tagged[T any](io *stream.DemuxIO[T]) hdl.Stream[stream.Pair[hdl.Bits, T]] {
	return hdl.Stream[stream.Pair[hdl.Bits, T]]{
		Valid: io.In.Valid, Ready: io.In.Ready, Data: stream.Pair[hdl.Bits, T]{A: io.To, B: io.In.Data},
	}
}

func TestDemux(t *testing.T) {
	const n = 3
	d, io := build(t, stream.DemuxDef(hdl.W(16), n))
	eachTraffic(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		in := sim.NewSource(s, tagged(io), tr.in)
		outs := make([]*sim.Sink, n)
		for i := range outs {
			outs[i] = sim.NewSink(s, io.Out[i], tr.out)
		}
		s.Reset(2)
		want := make([][]uint64, n+1) // tag 3 goes nowhere
		for _, v := range numbers(t, 300, 18) {
			in.Send(stream.Pair[uint64, uint64]{A: v >> 16, B: v & 0xffff})
			want[v>>16] = append(want[v>>16], v&0xffff)
		}
		s.Await(10000, in.Drained())
		cycles := s.Cycle()
		for i, k := range outs {
			got, _ := payloads(k)
			require.Equal(t, want[i], got)
		}
		if tr.name == "full speed" {
			require.Equal(t, uint64(firstCycle+300), cycles, "a payload every cycle")
		}
	})
}

func TestDemuxKeepsFramesWhole(t *testing.T) {
	const n = 3
	d, io := build(t, stream.DemuxDef(stream.BeatOf(16), n))
	onBoth(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		in := sim.NewSource(s, tagged(io), tr.in)
		outs := make([]*sim.Sink, n)
		for i := range outs {
			outs[i] = sim.NewSink(s, io.Out[i], tr.out)
		}
		s.Reset(2)
		want := make([][]string, n+1)
		r := rng(t)
		for _, f := range randomFrames(t, 100, 20) {
			to := r.IntN(n + 1)
			want[to] = append(want[to], string(f))
			for at := 0; at < len(f); at += 2 {
				b := beatAt(f, at, 2)
				if at > 0 {
					to = r.IntN(4) // looked at with the first beat only
				}
				in.Send(stream.Pair[int, beat]{A: to, B: b})
			}
		}
		s.Await(20000, in.Drained())
		for i, k := range outs {
			var got []string
			for _, f := range hdltest.TakeFrames(k) {
				got = append(got, string(f.Data))
			}
			require.Equal(t, want[i], got)
		}
	})
}

// beat is a stream.Beat in numbers.
type beat struct {
	Data, Keep []byte
	Last, Err  bool
}

// beatAt is the beat of size bytes, eight at most, at byte at of a frame.
func beatAt(frame []byte, at, size int) beat {
	n := min(size, len(frame)-at)
	return beat{Data: frame[at : at+n], Keep: []byte{byte(1<<n - 1)}, Last: at+n == len(frame)}
}
