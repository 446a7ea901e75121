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
	for _, s := range []sim.Simulator{sim.NativeSimulator, verilator.Simulator} {
		for _, w := range All() {
			t.Run(s.Name+"/"+w.Name, func(t *testing.T) {
				plays := played(t, w)
				if s.Name != sim.NativeSimulator.Name {
					var err error
					plays, err = perform(context.Background(), w, Options{Config: tiny(t), Simulator: s, Seed: 1})
					skipAbsent(t, s, err)
				}
				r := check(w, plays)
				require.Len(t, r.Facts, w.Steps())
				for _, f := range r.Facts {
					for _, l := range f.Lines {
						t.Logf("%s.%d %v", r.Walk, f.Step, l)
					}
				}
				require.NoError(t, r.Err())
			})
		}
	}
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

// The documents have 54 facts in these walks, numbered from 1.
func TestSteps(t *testing.T) {
	total := 0
	for _, w := range All() {
		total += w.Steps()
		for i, s := range w.steps {
			require.Equal(t, i+1, s.number, w.Name)
		}
	}
	require.Equal(t, 54, total)
}

func TestRoom(t *testing.T) {
	c, changed := Room(tiny(t))
	require.Equal(t, "path_mtu 4096, rx_buffer 32768, rx_packets 16", changed)
	require.Equal(t, PathMTU, c.PathMTU)
	again, changed := Room(c)
	require.Empty(t, changed)
	require.Equal(t, c, again)
}
