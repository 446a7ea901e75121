package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

func TestMux(t *testing.T) {
	const n = 3
	d, io := build(t, stream.MuxDef(hdl.W(16), n))
	eachTraffic(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		from, out := sim.NewSource(s, io.From, tr.in), sim.NewSink(s, io.Out, tr.out)
		ins := make([]*sim.Source, n)
		for i := range ins {
			ins[i] = sim.NewSource(s, io.In[i], tr.in)
		}
		s.Reset(2)
		var want []uint64
		for _, v := range numbers(t, 300, 18) {
			tag := v >> 16
			from.Send(tag)
			if tag < n { // another tag is dropped
				ins[tag].Send(v & 0xffff)
				want = append(want, v&0xffff)
			}
		}
		s.Await(10000, from.Drained())
		got, _ := payloads(out)
		require.Equal(t, want, got, "in the order of the tags")
		if tr.name == "full speed" {
			require.Equal(t, uint64(firstCycle+300), s.Cycle(), "a tag every cycle")
		}
	})
}

func TestMuxKeepsFramesWhole(t *testing.T) {
	const n = 2
	d, io := build(t, stream.MuxDef(stream.BeatOf(16), n))
	onBoth(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
		from, out := sim.NewSource(s, io.From, tr.in), sim.NewSink(s, io.Out, tr.out)
		ins := []*sim.Source{sim.NewSource(s, io.In[0], tr.in), sim.NewSource(s, io.In[1], tr.in)}
		s.Reset(2)
		r := rng(t)
		frames := randomFrames(t, 100, 20)
		for _, f := range frames {
			tag := r.IntN(n)
			from.Send(tag)
			hdltest.SendFrame(ins[tag], f)
		}
		s.Await(20000, out.Frames(len(frames)))
		for i, f := range hdltest.TakeFrames(out) {
			require.Equal(t, frames[i], f.Data)
		}
	})
}
