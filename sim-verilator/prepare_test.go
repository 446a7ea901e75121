package verilator_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tools/toolset"
)

// Copies of a design that was prepared fail as those of one that was opened, each for itself; another design or other
// options are an error.
func TestPrepare(t *testing.T) {
	d, io := watched(t)
	prepared, err := verilator.Prepare(t.Context(), d, sim.Options{})
	if errors.Is(err, toolset.ErrAbsent) {
		t.Skip(err)
	}
	require.NoError(t, err)
	want := fail(open(t, verilator.Open, d, sim.Options{}), d, io)
	for range 2 {
		b := open(t, prepared, d, sim.Options{})
		require.Equal(t, want, fail(b, d, io))
		require.NoError(t, b.Close())
	}
	_, err = prepared(d, sim.Options{Coverage: true})
	require.ErrorContains(t, err, "other options")
	another, _ := watched(t)
	_, err = prepared(another, sim.Options{})
	require.ErrorContains(t, err, "another design")
}
