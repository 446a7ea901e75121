package stream_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
)

func TestNarrow(t *testing.T) {
	for _, c := range [][2]int{{16, 8}, {64, 16}, {512, 64}} {
		testWidth(t, stream.NarrowDef(c[0], c[1]), c[0] == 64)
	}
}

func TestWiden(t *testing.T) {
	for _, c := range [][2]int{{8, 16}, {16, 64}, {64, 512}} {
		testWidth(t, stream.WidenDef(c[0], c[1]), c[0] == 16)
	}
}

func testWidth(t *testing.T, def hdl.Def[stream.WidthIO], both bool) {
	t.Run(def.Name, func(t *testing.T) {
		d, io := build(t, def)
		run := eachTraffic
		if both {
			run = onBoth
		}
		run(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
			in, out := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out)
			s.Reset(2)
			requireFramesPass(t, s, in, out, randomFrames(t, 150, 200))
		})
	})
}

// requireFramesPass sends frames, some of them bad, and expects the same out.
func requireFramesPass(t *testing.T, s *sim.Sim, in *sim.Source, out *sim.Sink, frames [][]byte) {
	t.Helper()
	for i, f := range frames {
		if i%3 == 0 {
			hdltest.SendBadFrame(in, f)
		} else {
			hdltest.SendFrame(in, f)
		}
	}
	s.Await(400000, out.Frames(len(frames)))
	for i, f := range hdltest.TakeFrames(out) {
		require.Equal(t, frames[i], f.Data)
		require.Equal(t, i%3 == 0, f.Err)
	}
}

// The narrow side moves a beat every cycle, whatever the lengths of frames.
func TestWidthRate(t *testing.T) {
	for _, def := range []hdl.Def[stream.WidthIO]{stream.NarrowDef(64, 16), stream.WidenDef(16, 64)} {
		d, io := build(t, def)
		s, err := sim.New(d, sim.Options{})
		require.NoError(t, err)
		in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
		s.Reset(2)
		narrowBeats := 0
		frames := randomFrames(t, 100, 40)
		for _, f := range frames {
			hdltest.SendFrame(in, f)
			narrowBeats += (len(f) + 1) / 2
		}
		s.Await(5000, out.Frames(len(frames)))
		require.Equal(t, uint64(firstCycle+narrowBeats+1), s.Cycle(), def.Name)
		require.NoError(t, s.Close())
	}
}

type resizeIO struct {
	In  stream.Frame `hdl:"in"`
	Out stream.Frame `hdl:"out"`
}

func TestResize(t *testing.T) {
	for _, c := range [][2]int{{32, 8}, {8, 32}, {32, 32}} {
		t.Run(fmt.Sprintf("%d to %d", c[0], c[1]), func(t *testing.T) {
			d, io := build(t, hdl.Def[resizeIO]{
				Name: "resize",
				IO:   resizeIO{In: stream.FrameOf(c[0]), Out: stream.FrameOf(c[1])},
				Body: func(m *hdl.Module, io *resizeIO) {
					// A slice, so that there is a clock without a converter, too.
					hdl.Connect(io.Out, stream.Slice(m, "u_slice", stream.Resize(m, "u_resize", io.In, c[1])))
				},
			})
			eachTraffic(t, d, func(t *testing.T, s *sim.Sim, tr traffic) {
				in, out := sim.NewSource(s, io.In, tr.in), sim.NewSink(s, io.Out, tr.out)
				s.Reset(2)
				requireFramesPass(t, s, in, out, randomFrames(t, 50, 40))
			})
		})
	}
}
