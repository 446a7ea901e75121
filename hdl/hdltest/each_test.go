package hdltest_test

import (
	"bytes"
	"testing"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
	verilator "gornic/sim-verilator"

	"github.com/stretchr/testify/require"
)

// What was sent comes out, in order and whole, whatever the gaps and pauses;
// and it does so in the same cycles in both simulators.
func TestFramesThroughSlice(t *testing.T) {
	design, io, err := hdl.Build(stream.SliceDef(stream.BeatOf(64)))
	require.NoError(t, err)
	want := [][]byte{[]byte("a"), []byte("exactly8"), bytes.Repeat([]byte("long "), 100), []byte("end")}
	for name, gaps := range hdltest.Patterns(5) {
		t.Run(name, func(t *testing.T) {
			cycles := map[string][]hdltest.Frame{}
			pauses := hdltest.Gaps(t, 40)
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				in := sim.NewSource(s, io.In, gaps)
				out := sim.NewSink(s, io.Out, pauses)
				s.Reset(2)
				for _, frame := range want {
					hdltest.SendFrame(in, frame)
				}
				s.Await(5000, out.Frames(len(want)))
				got := hdltest.TakeFrames(out)
				require.Len(t, got, len(want))
				for i := range want {
					require.Equal(t, want[i], got[i].Data)
				}
				require.Zero(t, in.Pending())
				cycles[s.Backend().Name()[:6]] = got
			}, verilator.Simulator)
			if other, ok := cycles["verila"]; ok {
				require.Equal(t, cycles["native"], other)
			}
		})
	}
}
