package sim_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/sim"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counted is the native simulator that counts how often it prepares; err, if there is one, is
// what comes of it.
func counted(prepared *atomic.Int64, err error) sim.Simulator {
	s := sim.NativeSimulator
	s.Prepare = func(ctx context.Context, d *ir.Design, o sim.Options) (sim.Open, error) {
		prepared.Add(1)
		if err != nil {
			return nil, err
		}
		return sim.PrepareNative(ctx, d, o)
	}
	return s
}

// count runs a counter for so many cycles, and looks inside.
func count(t *testing.T, s sim.Simulator, d *hdl.Design, io *counterIO, cycles int) {
	running, err := sim.Start(s.Open, d, sim.Options{})
	if !assert.NoError(t, err) {
		return
	}
	defer running.Close()
	running.Set(io.Enable, 1)
	running.Set(io.Step, 2)
	running.Reset(1)
	running.Run(cycles)
	assert.EqualValues(t, 5+2*cycles, running.Get(io.Count))
	inside, err := running.Backend().Peek("value")
	assert.NoError(t, err)
	assert.Equal(t, []uint64{uint64(5 + 2*cycles)}, inside)
	assert.NoError(t, running.Err())
}

// Many goroutines open a design at once: it is prepared once, and each has a copy of its own.
func TestCached(t *testing.T) {
	d, io, err := hdl.Build(counter(8, 255))
	require.NoError(t, err)
	var prepared atomic.Int64
	s := counted(&prepared, nil).Cached(t.Context())
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() { count(t, s, d, io, 10+i) })
	}
	group.Wait()
	require.EqualValues(t, 1, prepared.Load())

	another, io, err := hdl.Build(counter(8, 255))
	require.NoError(t, err)
	count(t, s, another, io, 3)
	require.EqualValues(t, 2, prepared.Load())
}

// What is needed of a copy is what it was prepared for.
func TestCachedNeeds(t *testing.T) {
	d, _, err := hdl.Build(counter(8, 255))
	require.NoError(t, err)
	var prepared atomic.Int64
	s := counted(&prepared, nil).Cached(t.Context())
	waves := filepath.Join(t.TempDir(), "w.vcd")
	for _, o := range []sim.Options{{}, {NoChecks: true}, {Coverage: true}, {Events: true}, {Waves: waves}, {Interpret: true}} {
		before := prepared.Load()
		for seed := range uint64(2) {
			o.Seed = seed
			b, err := s.Open(d, o)
			require.NoError(t, err)
			require.Equal(t, o.Coverage, b.Coverage() != nil)
			require.NoError(t, b.Close())
		}
		require.Equal(t, before+1, prepared.Load(), "%+v", o)
	}
}

// What goes wrong is told to everybody.
func TestCachedFails(t *testing.T) {
	d, _, err := hdl.Build(counter(8, 255))
	require.NoError(t, err)
	var prepared atomic.Int64
	bad := errors.New("it cannot be done")
	s := counted(&prepared, bad).Cached(t.Context())
	for range 2 {
		_, err := s.Open(d, sim.Options{})
		require.ErrorIs(t, err, bad)
	}
	require.EqualValues(t, 1, prepared.Load())

	ended, end := context.WithCancel(t.Context())
	end()
	_, err = sim.NativeSimulator.Cached(ended).Open(d, sim.Options{})
	require.ErrorIs(t, err, context.Canceled)
}
