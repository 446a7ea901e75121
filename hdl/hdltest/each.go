package hdltest

import (
	"errors"
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim"
)

// EachSim runs a test as one subtest for the native simulator and for each of
// the others, from reset lines high and the seed of [Seed]. A simulator that is
// not installed is skipped. A mistake of the test and a failed assertion or
// assumption fail it.
func EachSim(t *testing.T, d *hdl.Design, test func(*testing.T, *sim.Sim), others ...sim.Simulator) {
	t.Helper()
	EachSimWith(t, d, sim.Options{Seed: Seed(t)}, test, others...)
}

// EachSimWith is EachSim with options.
func EachSimWith(t *testing.T, d *hdl.Design, o sim.Options, test func(*testing.T, *sim.Sim), others ...sim.Simulator) {
	t.Helper()
	for _, simulator := range append([]sim.Simulator{sim.NativeSimulator}, others...) {
		t.Run(simulator.Name, func(t *testing.T) {
			s := Open(t, simulator, d, o)
			test(t, s)
			if err := s.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Open starts a design in a simulator, skips the test where that is not
// installed, and closes it at the end of the test.
func Open(t testing.TB, simulator sim.Simulator, d *hdl.Design, o sim.Options) *sim.Sim {
	t.Helper()
	s, err := sim.Start(simulator.Open, d, o)
	if simulator.Absent != nil && errors.Is(err, simulator.Absent) {
		t.Skipf("skipped: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil && s.Err() == nil {
			t.Error(err)
		}
	})
	return s
}
