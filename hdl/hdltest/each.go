package hdltest

import (
	"errors"
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim"
)

// Build elaborates and checks a design; mistakes in it end the test.
func Build[IO any](t testing.TB, def hdl.Def[IO]) (*hdl.Design, *IO) {
	t.Helper()
	d, io, err := hdl.Build(def)
	if err != nil {
		t.Fatal(err)
	}
	return d, io
}

// EachSim runs a test as one subtest for the native simulator and for each of
// the others, from reset lines high and the seed of [Seed]. A simulator that is
// not installed is skipped. A mistake of the test, such as an Await in vain, and
// a failed assertion or assumption end it.
func EachSim(t *testing.T, d *hdl.Design, test func(*testing.T, *sim.Sim), others ...sim.Simulator) {
	t.Helper()
	EachSimWith(t, d, sim.Options{Seed: Seed(t)}, test, others...)
}

// EachSimWith is EachSim with options. Options.Waves "x.vcd" gives a file for
// each simulator: x.native.vcd, x.verilator.fst.
func EachSimWith(t *testing.T, d *hdl.Design, o sim.Options, test func(*testing.T, *sim.Sim), others ...sim.Simulator) {
	t.Helper()
	for _, simulator := range append([]sim.Simulator{sim.NativeSimulator}, others...) {
		o := o
		o.Waves = waveFile(o.Waves, simulator)
		t.Run(simulator.Name, func(t *testing.T) {
			t.Helper()
			test(t, Open(t, simulator, d, o))
		})
	}
}

// Open starts a design in a simulator, skips the test where that is not
// installed, and closes it at the end of the test. The first mistake or failed
// check ends the test: one that expects it uses sim.Start.
func Open(t testing.TB, simulator sim.Simulator, d *hdl.Design, o sim.Options) *sim.Sim {
	t.Helper()
	if o.Waves == "" {
		o.Waves = flaggedWaves(t, simulator)
	}
	o.Events = o.Events || *eventsFlag
	s, err := sim.Start(simulator.Open, d, o)
	if simulator.Absent != nil && errors.Is(err, simulator.Absent) {
		t.Skipf("skipped: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.OnError(func(error) { t.FailNow() }) // it is reported below, with the test's line
	t.Cleanup(func() {
		t.Helper()
		err := s.Close()
		if err == nil {
			err = s.Err() // the test closed it
		}
		if err != nil {
			t.Error(err)
		}
		if *eventsFlag {
			logEvents(t, s)
		}
		if t.Failed() && o.Waves != "" {
			t.Logf("waves: %s", o.Waves)
		}
	})
	return s
}
