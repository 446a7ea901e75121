package verilator_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tools/toolset"
)

type phase int

const (
	idle phase = iota
	busy
)

func (p phase) String() string { return [...]string{"idle", "busy"}[p] }

type watchedIO struct {
	Go    hdl.Bits `hdl:"in" w:"1"`
	Count hdl.Bits `hdl:"out" w:"70"`
}

// watched has two instances of a counter, each with two assertions that fail when its third and fifth bit are reached.
func watched(t *testing.T) (*hdl.Design, *watchedIO) {
	t.Helper()
	inner := hdl.Def[watchedIO]{
		Name: "watched_counter",
		Body: func(m *hdl.Module, io *watchedIO) {
			count := m.Reg("count_now", 70, 0)
			state := hdl.NewFSM(m, "state", idle, busy)
			m.If(io.Go, func() { count.Set(count.AddK(1)); state.Goto(busy) }).ElseIf(state.Is(busy), func() { state.Goto(idle) })
			io.Count.Set(count)
			m.Assert("below_four", count.Slice(69, 2).None())
			m.Assert("below_four_too", count.Slice(69, 2).None())
			m.Cover("busy", state.Is(busy))
		},
	}
	d, io, err := hdl.Build(hdl.Def[watchedIO]{
		Name: "watched",
		Body: func(m *hdl.Module, io *watchedIO) {
			a := hdl.Instance(m, "u_a", inner)
			b := hdl.Instance(m, "u_b", inner)
			a.Go.Set(io.Go)
			b.Go.Set(io.Go)
			io.Count.Set(a.Count.Or(b.Count))
		},
	})
	require.NoError(t, err)
	return d, io
}

// fail drives the design until its assertions fail.
func fail(b sim.Backend, d *hdl.Design, io *watchedIO) *sim.CheckError {
	clock := d.Top.Clocks[0]
	b.Set(io.Go.Signal(), []uint64{1})
	b.Run(sim.RunRequest{Clock: clock, Edges: 2})
	b.SetReset(clock, false)
	b.Run(sim.RunRequest{Clock: clock, Edges: 100})
	return b.Failure()
}

func open(t *testing.T, open sim.Open, d *hdl.Design, o sim.Options) sim.Backend {
	t.Helper()
	b, err := open(d, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func TestFailureIsTheFirstCheckAtItsCycle(t *testing.T) {
	needVerilator(t)
	d, io := watched(t)
	want := fail(open(t, sim.Native, d, sim.Options{}), d, io)
	b := open(t, verilator.Open, d, sim.Options{})
	got := fail(b, d, io)
	require.NotNil(t, got)
	require.Equal(t, want.Error(), got.Error())
	require.Contains(t, got.Error(), "sim-verilator/backend_test.go:")
	require.Contains(t, got.Error(), "u_a.below_four failed")

	ended := b.Time()
	require.Zero(t, b.Run(sim.RunRequest{Clock: d.Top.Clocks[0], Edges: 5}).Edges, "a run after a failure")
	require.Equal(t, ended, b.Time())
}

// Without checks nothing fails and nothing is counted, and what the design does is the same.
func TestNoChecks(t *testing.T) {
	needVerilator(t)
	d, io := watched(t)
	for _, simulator := range []sim.Open{sim.Native, verilator.Open} {
		b := open(t, simulator, d, sim.Options{NoChecks: true})
		require.Nil(t, fail(b, d, io))
		count := make([]uint64, 2)
		b.Get(io.Count.Signal(), count)
		require.Equal(t, []uint64{100, 0}, count)
		require.Equal(t, make([]uint64, len(sim.Checks(d))), b.CoverCounts())
		require.NotNil(t, fail(open(t, simulator, d, sim.Options{}), d, io))
	}
}

// Verilator finds the context of a model through the thread, which may have served another one since.
func TestFailureAfterAnotherCopyWasClosed(t *testing.T) {
	needVerilator(t)
	d, io := watched(t)
	b := open(t, verilator.Open, d, sim.Options{})
	other, err := verilator.Open(d, sim.Options{})
	require.NoError(t, err)
	require.NotNil(t, fail(other, d, io))
	require.NoError(t, other.Close())
	require.NotNil(t, fail(b, d, io))
}

func TestGetSeesWhatWasSet(t *testing.T) {
	needVerilator(t)
	d, io, err := hdl.Build(hdl.Def[watchedIO]{
		Name: "repeat_bit",
		Body: func(m *hdl.Module, io *watchedIO) { io.Count.Set(io.Go.SExt(70)) },
	})
	require.NoError(t, err)
	b := open(t, verilator.Open, d, sim.Options{})
	got := make([]uint64, 2)
	for _, value := range []uint64{1, 0, 1} {
		b.Set(io.Go.Signal(), []uint64{value})
		b.Get(io.Count.Signal(), got)
		require.Equal(t, []uint64{-value, -value & 63}, got)
	}
}

func TestPeek(t *testing.T) {
	needVerilator(t)
	d, io := watched(t)
	b := open(t, verilator.Open, d, sim.Options{})
	clock := d.Top.Clocks[0]
	b.Set(io.Go.Signal(), []uint64{1})
	b.Run(sim.RunRequest{Clock: clock, Edges: 2})
	b.SetReset(clock, false)
	b.Run(sim.RunRequest{Clock: clock, Edges: 3})
	for _, path := range []string{"u_a.count_now", "u_b.count_now", "count"} {
		value, err := b.Peek(path)
		require.NoError(t, err, path)
		require.Equal(t, []uint64{3, 0}, value, path)
	}
	_, err := b.Peek("u_a.nothing")
	require.ErrorContains(t, err, "u_a.nothing")
}

func TestSeedFillsState(t *testing.T) {
	needVerilator(t)
	type heldIO struct {
		Load hdl.Bits `hdl:"in" w:"1"`
		In   hdl.Bits `hdl:"in" w:"64"`
		Out  hdl.Bits `hdl:"out" w:"64"`
	}
	d, io, err := hdl.Build(hdl.Def[heldIO]{
		Name: "held",
		Body: func(m *hdl.Module, io *heldIO) {
			held := m.RegN("held_value", 64)
			m.If(io.Load, func() { held.Set(io.In) })
			io.Out.Set(held)
		},
	})
	require.NoError(t, err)
	start := func(seed uint64) uint64 {
		b := open(t, verilator.Open, d, sim.Options{Seed: seed})
		value := make([]uint64, 1)
		b.Get(io.Out.Signal(), value)
		return value[0]
	}
	require.Equal(t, start(3), start(3))
	require.NotEqual(t, start(3), start(4))
	require.NotZero(t, start(0))
}

func TestWavesNameStates(t *testing.T) {
	needVerilator(t)
	d, io := watched(t)
	path := filepath.Join(t.TempDir(), "watched.fst")
	b, err := verilator.Open(d, sim.Options{Waves: path})
	require.NoError(t, err)
	require.NotNil(t, fail(b, d, io))
	require.NoError(t, b.Close())
	require.NoError(t, b.Close(), "closing twice")
	waves, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Greater(t, len(waves), 500)
	if pin, _ := toolset.PinOf(toolset.Verilator); b.Name() == "verilator "+pin.Version { // others may compress the names
		require.Contains(t, string(waves), "IDLE BUSY")
	}
}

type crossIO struct {
	In  hdl.Bits `hdl:"in" w:"8" clock:"fast"`
	Out hdl.Bits `hdl:"out" w:"8" clock:"slow"`
}

func TestSeveralClocks(t *testing.T) {
	needVerilator(t)
	d, io, err := hdl.Build(hdl.Def[crossIO]{
		Name: "crossing",
		Body: func(m *hdl.Module, io *crossIO) {
			var sum hdl.Bits
			m.In(m.Domain("fast"), func() {
				sum = hdl.CrossSafe(m.Reg("sum", 8, 1))
				sum.Set(sum.Add(io.In))
			})
			m.In(m.Domain("slow"), func() {
				seen := m.Reg("seen", 8, 0)
				seen.Set(sum.Xor(seen))
				io.Out.Set(seen)
			})
		},
	})
	require.NoError(t, err)
	options := sim.Options{Clocks: map[string]sim.Timing{"fast": {Period: 3_000}, "slow": {Period: 7_000, Phase: 1_000}}}
	run := func(open sim.Backend) (values []uint64) {
		b := open
		b.Set(io.In.Signal(), []uint64{5})
		b.Run(sim.RunRequest{Until: 20_000}) // in reset
		for _, c := range d.Top.Clocks {
			b.SetReset(c, false)
		}
		value := make([]uint64, 1)
		for i := range 40 {
			if i%2 == 0 {
				b.Run(sim.RunRequest{Clock: clockNamed(d, "slow"), Edges: 1})
			} else {
				b.Run(sim.RunRequest{Until: b.Time() + 5_500})
			}
			b.Get(io.Out.Signal(), value)
			values = append(values, value[0], b.Time(), b.Cycle(clockNamed(d, "fast")), b.Cycle(clockNamed(d, "slow")))
		}
		return values
	}
	want := run(open(t, sim.Native, d, options))
	require.Equal(t, want, run(open(t, verilator.Open, d, options)))

	options.Waves = filepath.Join(t.TempDir(), "cross.fst") // clocks fall on their own there
	require.Equal(t, want, run(open(t, verilator.Open, d, options)))
}

func clockNamed(d *hdl.Design, name string) *ir.Clock {
	for _, c := range d.Top.Clocks {
		if c.Name == name {
			return c
		}
	}
	return nil
}
