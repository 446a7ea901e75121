package hdltest_test

import (
	"testing"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
	verilator "gornic/sim-verilator"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two threads, as one would write them down: one puts numbers in, the other
// takes them out more slowly.
func TestBench(t *testing.T) {
	design, io, err := hdl.Build(stream.SliceDef(hdl.W(8)))
	require.NoError(t, err)
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		s.Reset(2)
		bench := hdltest.NewBench(s)
		bench.Go(func(t *hdltest.Thread) {
			for i := range uint64(10) {
				t.Sim.Set(io.In.Data, i)
				t.Sim.Set(io.In.Valid, 1)
				t.WaitFor(io.In.Ready)
				t.Step()
				t.Sim.Set(io.In.Valid, 0)
			}
		})
		var got []uint64
		bench.Go(func(t *hdltest.Thread) {
			for len(got) < 10 {
				t.WaitFor(io.Out.Valid)
				t.Wait(2)
				got = append(got, t.Sim.Get(io.Out.Data))
				t.Sim.Set(io.Out.Ready, 1)
				t.Step()
				t.Sim.Set(io.Out.Ready, 0)
			}
		})
		assert.True(t, bench.Run(200))
		assert.Equal(t, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, got)
	}, verilator.Simulator)
}

// A thread that waits for ever is ended, and the bench says so.
func TestBenchLimit(t *testing.T) {
	design, io, err := hdl.Build(stream.SliceDef(hdl.W(8)))
	require.NoError(t, err)
	s, err := sim.New(design, sim.Options{})
	require.NoError(t, err)
	s.Reset(1)
	bench := hdltest.NewBench(s)
	cleaned := false
	bench.Go(func(t *hdltest.Thread) {
		defer func() { cleaned = true }()
		t.WaitFor(io.Out.Valid)
	})
	assert.False(t, bench.Run(20))
	assert.True(t, cleaned)
	assert.EqualValues(t, 21, s.Cycle())
}

func TestSeedDependsOnName(t *testing.T) {
	var seeds [2]uint64
	for i, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			seeds[i] = hdltest.Seed(t)
			assert.Equal(t, seeds[i], hdltest.Seed(t))
		})
	}
	assert.NotEqual(t, seeds[0], seeds[1])
}
