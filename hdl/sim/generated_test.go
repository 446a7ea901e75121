package sim_test

import (
	"path/filepath"
	"regexp"
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A registered function runs in place of bytecode if it is of this very
// design, and not otherwise.
func TestRegister(t *testing.T) {
	design, _, err := hdl.Build(counter(13, 1<<12))
	require.NoError(t, err)
	text, err := sim.GoFile(design, "counter13")
	require.NoError(t, err)
	assert.Contains(t, string(text), "package counter13")
	hash := regexp.MustCompile(`sim\.Register\("([0-9a-f]+)", Step, Init\)`).FindSubmatch(text)
	require.NotNil(t, hash)

	sim.Register("an older hash", nil, nil)
	s, err := sim.New(design, sim.Options{})
	require.NoError(t, err)
	assert.Equal(t, "native (bytecode)", s.Backend().Name())

	steps := 0
	sim.Register(string(hash[1]), func([]uint64) { steps++ }, func([]uint64) {})
	s, err = sim.New(design, sim.Options{})
	require.NoError(t, err)
	assert.Equal(t, "native (generated)", s.Backend().Name())
	s.Run(3)
	assert.Equal(t, 3, steps)
	s, err = sim.New(design, sim.Options{Interpret: true})
	require.NoError(t, err)
	assert.Equal(t, "native (bytecode)", s.Backend().Name())

	other, _, err := hdl.Build(counter(14, 1<<12))
	require.NoError(t, err)
	s, err = sim.New(other, sim.Options{})
	require.NoError(t, err)
	assert.Equal(t, "native (bytecode)", s.Backend().Name())
}

// Sources and sinks in the other process act in the same cycles as those here.
func TestGeneratedStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: compiles a program")
	}
	design, io, err := hdl.Build(adder())
	require.NoError(t, err)
	run := func(open sim.Open) (beats []sim.Beat, counts []uint64) {
		s, err := sim.Start(open, design, sim.Options{Seed: 3})
		require.NoError(t, err)
		in := sim.NewSource(s, io.In, sim.Pattern{Kind: sim.Random, Percent: 60, Seed: 1})
		ports := sim.Ports(s, io.Out.Valid, io.Out.Ready, io.Out.Data)
		out := sim.NewSinkOf(s, ports, sim.Pattern{Kind: sim.Burst, On: 5, Off: 9, Seed: 2}, sim.SinkOptions{WaitValid: true})
		s.Reset(2)
		for i := range 100 {
			in.Send([2]int{i, 2 * i})
		}
		s.Run(200)
		counts = append(counts, out.Count(), uint64(in.Pending()), s.Cycle(), s.Time())
		in.SetPattern(sim.Pattern{})
		out.SetPattern(sim.Pattern{Kind: sim.Periodic, On: 3, Off: 1})
		s.Await(2000, in.Drained())
		s.Run(10)
		beats = out.Take()
		assert.Len(t, beats, 100)
		assert.Zero(t, out.Ports().BeatWidth()-8)
		require.NoError(t, s.Close())
		return beats, counts
	}
	wantBeats, wantCounts := run(sim.Native)
	gotBeats, gotCounts := run(sim.Generated(t.Context(), filepath.Join("..", "..", "build", "gogen")))
	assert.Equal(t, wantBeats, gotBeats)
	assert.Equal(t, wantCounts, gotCounts)
}

func TestGeneratedHasNoWaves(t *testing.T) {
	design, _, err := hdl.Build(counter(8, 100))
	require.NoError(t, err)
	_, err = sim.Start(sim.Generated(t.Context(), t.TempDir()), design, sim.Options{Waves: "x.vcd"})
	require.ErrorContains(t, err, "no waves")
}

// Outside a module that has this package, the compiler's words are in the error.
func TestGeneratedOutsideAModule(t *testing.T) {
	design, _, err := hdl.Build(counter(8, 100))
	require.NoError(t, err)
	_, err = sim.Start(sim.Generated(t.Context(), t.TempDir()), design, sim.Options{})
	require.ErrorContains(t, err, "compile generated code")
}
