package hdltest_test

import (
	"testing"

	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
	verilator "gornic/sim-verilator"
)

// A test of a part with streams, in the native simulator and in Verilator.
// In a test file the function is named TestSlice.
func Example() {
	test := func(t *testing.T) {
		design, io := hdltest.Build(t, stream.SliceDef(stream.BeatOf(64)))
		hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
			in := sim.NewSource(s, io.In, hdltest.Gaps(t, 30)) // idle in 30 % of the cycles
			out := sim.NewSink(s, io.Out, hdltest.Gaps(t, 50))
			s.Reset(2)
			hdltest.SendFrame(in, []byte("a frame of some bytes"))
			s.Await(1000, out.Frames(1))
			for _, frame := range hdltest.TakeFrames(out) {
				t.Logf("%q, cycles %d to %d", frame.Data, frame.First, frame.Last)
			}
		}, verilator.Simulator)
	}
	_ = test
}
