package walk

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// Every fact of every walk is seen on two cores.
func TestWalks(t *testing.T) {
	for _, w := range All() {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			seen(t, w, check(w, played(t, w)))
		})
	}
}

// In Verilator all is as in the native simulator, in the same cycles.
func TestWalksInVerilator(t *testing.T) {
	for _, w := range All() {
		t.Run(w.Name, func(t *testing.T) {
			r, err := Run(context.Background(), w, Options{Config: tiny(t), Simulator: verilator.Simulator, Seed: 1})
			skipAbsent(t, verilator.Simulator, err)
			seen(t, w, r)
			require.Equal(t, check(w, played(t, w)), r)
		})
	}
}

// seen makes sure that all facts were.
func seen(t *testing.T, w Walk, r Result) {
	t.Helper()
	require.Len(t, r.Facts, w.Steps())
	for _, f := range r.Facts {
		t.Logf("%s.%d %s", r.Walk, f.Step, f.Seen())
	}
	require.NoError(t, r.Err())
}

func tiny(t *testing.T) configs.Config {
	t.Helper()
	c, err := configs.Load("tiny")
	require.NoError(t, err)
	return c
}

func skipAbsent(t *testing.T, s sim.Simulator, err error) {
	t.Helper()
	if s.Absent != nil && errors.Is(err, s.Absent) {
		t.Skipf("skipped: %v", err)
	}
	require.NoError(t, err)
}

// stages are the walks that were played in the native simulator, each once.
var stages sync.Map

// played are the plays of a walk.
func played(t *testing.T, w Walk) map[string]*play {
	t.Helper()
	c := tiny(t)
	once, _ := stages.LoadOrStore(w.Name, sync.OnceValues(func() (map[string]*play, error) {
		return perform(context.Background(), w, Options{Config: c, Seed: 1})
	}))
	plays, err := once.(func() (map[string]*play, error))()
	require.NoError(t, err)
	return plays
}

// The documents have 93 facts in nine walks, numbered from 1.
func TestSteps(t *testing.T) {
	total := 0
	for _, w := range All() {
		total += w.Steps()
		for i, s := range w.steps {
			require.Equal(t, i+1, s.number, w.Name)
		}
	}
	require.Equal(t, 93, total)
}

func TestRoom(t *testing.T) {
	c, changed := Room(tiny(t))
	require.Equal(t, "path_mtu 4096, rx_buffer 32768, rx_packets 16", changed)
	require.Equal(t, PathMTU, c.PathMTU)
	again, changed := Room(c)
	require.Empty(t, changed)
	require.Equal(t, c, again)
}
