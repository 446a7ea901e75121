// Package hdltest helps to test hardware written with package hdl: every
// simulator with one test, random seeds, frames in and out, threads that act
// cycle by cycle, golden files.
//
// A test builds its design, says what to drive and looks at what comes out:
//
//	design, io := hdltest.Build(t, MyBlock(64))
//	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
//		in := sim.NewSource(s, io.In, hdltest.Gaps(t, 30))   // valid in 70 % of the cycles
//		out := sim.NewSink(s, io.Out, hdltest.Gaps(t, 50))
//		s.Reset(2)
//		hdltest.SendFrame(in, []byte("some bytes"))
//		s.Await(1000, out.Frames(1))
//		got := hdltest.TakeFrames(out)
//		require.Equal(t, "some bytes", string(got[0].Data))
//	})
//
// EachSim runs that in the native simulator, and in those that are named after
// it, such as Verilator. A failed assertion of the design, or an Await in vain, ends
// the test and says where. [Picture] shows cycle by cycle what happens, for a reader
// of a test or of a failure.
//
// # Flags of the tests
//
//	-hdl.seed=N      other gaps, pauses and un-reset state; a failure names its seed
//	-hdl.waves=DIR   waves of every run: DIR/TESTNAME.native.vcd, DIR/TESTNAME.verilator.fst
//	-hdl.events      trace events of every run, in its log
//	-update          write golden files
package hdltest
