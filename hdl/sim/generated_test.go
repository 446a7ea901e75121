package sim_test

import (
	"os"
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

type shiftIO struct {
	N    hdl.Bits `hdl:"in" w:"7"`
	Mask hdl.Bits `hdl:"out" w:"64"`
	High hdl.Bits `hdl:"out" w:"8"`
}

// A shift by a count and comparisons of the count with 64 and more, side by
// side: a combination that the Go compiler gets wrong for plain shifts.
func TestGeneratedShiftAndCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: compiles a program")
	}
	design, io, err := hdl.Build(hdl.Def[shiftIO]{Name: "shift_and_compare", Body: func(m *hdl.Module, io *shiftIO) {
		wide := m.RegN("wide", 9)
		wide.Set(hdl.Cat(hdl.K(2, 3), io.N))
		m.Unused(wide.Slice(8, 7))
		count := wide.Trunc(7)
		mask, high := m.RegN("below", 64), m.RegN("upper", 8)
		m.If(io.N.Bit(0).Or(io.N.Any()), func() {
			var parts []hdl.Bits
			for i := range uint64(8) {
				parts = append(parts, count.LeK(0x47-i))
			}
			mask.Set(hdl.K(64, 1).Shl(count).SubK(1).Not())
			high.Set(hdl.Cat(parts...))
		})
		io.Mask.Set(mask)
		io.High.Set(high)
	}})
	require.NoError(t, err)
	s, err := sim.Start(sim.Generated(t.Context(), filepath.Join("..", "..", "build", "gogen")), design, sim.Options{})
	require.NoError(t, err)
	s.Reset(1)
	for n := range uint64(128) {
		s.Set(io.N, n)
		s.Step()
		s.Set(io.N, 1)
		s.Step()
		require.Equal(t, ^(uint64(1)<<n - 1), s.Get(io.Mask), "%d", n)
		high := uint64(0)
		for i := range uint64(8) {
			if n <= 0x40+i {
				high |= 1 << i
			}
		}
		require.Equal(t, high, s.Get(io.High), "%d", n)
	}
	require.NoError(t, s.Close())
}

// Who opens a design while another one builds it gets the whole of it.
func TestGeneratedAtOnce(t *testing.T) {
	base := filepath.Join("..", "..", "build", "gogen")
	require.NoError(t, os.MkdirAll(base, 0o755))
	dir, err := os.MkdirTemp(base, "_at-once-*")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	design, _, err := hdl.Build(counter(8, 100))
	require.NoError(t, err)
	errs := make(chan error)
	const copies = 4
	for range copies {
		go func() {
			s, err := sim.Start(sim.Generated(t.Context(), dir), design, sim.Options{})
			if err == nil {
				s.Run(3)
				err = s.Close()
			}
			errs <- err
		}()
	}
	for range copies {
		require.NoError(t, <-errs)
	}
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
