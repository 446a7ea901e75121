package sim_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type counterIO struct {
	Enable hdl.Bits `hdl:"in" w:"1"`
	Step   hdl.Bits `hdl:"in"`
	Count  hdl.Bits `hdl:"out"`
	Lost   hdl.Bits `hdl:"out"` // a register without reset
}

// counter adds step in enabled cycles, up to limit.
func counter(width int, limit uint64) hdl.Def[counterIO] {
	return hdl.Def[counterIO]{
		Name: fmt.Sprintf("counter_%d", width),
		IO:   counterIO{Step: hdl.W(width), Count: hdl.W(width), Lost: hdl.W(width)},
		Body: func(m *hdl.Module, io *counterIO) {
			value := m.Reg("value", width, 5)
			lost := m.RegN("lost_value", width)
			m.If(io.Enable, func() {
				value.Set(value.Add(io.Step))
			})
			m.If(io.Step.Is(1), func() { lost.SetK(1) })
			io.Count.Set(value)
			io.Lost.Set(lost)
			m.Assert("below_limit", value.LtK(limit))
			m.Cover("seven", value.Is(7))
		},
	}
}

func start(t *testing.T, width int, limit uint64, o sim.Options) (*sim.Sim, *counterIO) {
	t.Helper()
	design, io, err := hdl.Build(counter(width, limit))
	require.NoError(t, err)
	s, err := sim.New(design, o)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s, io
}

func TestRegistersAndReset(t *testing.T) {
	s, io := start(t, 8, 255, sim.Options{})
	s.Set(io.Enable, 1)
	s.Set(io.Step, 2)
	s.Run(3)
	assert.EqualValues(t, 5, s.Get(io.Count), "under reset")
	s.Reset(1)
	assert.EqualValues(t, 5, s.Get(io.Count))
	s.Step()
	assert.EqualValues(t, 7, s.Get(io.Count))
	s.Set(io.Enable, 0)
	s.Run(10)
	assert.EqualValues(t, 7, s.Get(io.Count))
	assert.EqualValues(t, 15, s.Cycle())
	assert.EqualValues(t, 10, s.Covered("seven"), "the cycle before the one that made 7 does not count")
	require.NoError(t, s.Err())
}

// A register without reset starts from the seed, and does not care for reset.
func TestUnresetState(t *testing.T) {
	values := map[uint64]bool{}
	for seed := range uint64(8) {
		s, io := start(t, 60, 1<<59, sim.Options{Seed: seed})
		before := s.Get(io.Lost)
		s.Reset(3)
		assert.Equal(t, before, s.Get(io.Lost))
		values[before] = true
		again, io := start(t, 60, 1<<59, sim.Options{Seed: seed})
		assert.Equal(t, before, again.Get(io.Lost), "same seed, same state")
	}
	assert.Len(t, values, 8)
	assert.False(t, values[0], "never zero by default")
}

func TestWideValues(t *testing.T) {
	s, io := start(t, 200, 1<<63, sim.Options{})
	s.Reset(1)
	want, _ := new(big.Int).SetString("123456789abcdef0123456789abcdef0123456789abcdef", 16)
	s.SetBig(io.Step, want)
	assert.Equal(t, want, s.Big(io.Step))
	assert.Equal(t, byte(0xef), s.Bytes(io.Step)[0])
	s.SetBytes(io.Step, []byte{1, 2, 3})
	assert.Equal(t, []uint64{0x030201, 0, 0, 0}, s.Words(io.Step))
	require.NoError(t, s.Err())
}

func TestFailedAssertion(t *testing.T) {
	s, io := start(t, 8, 20, sim.Options{})
	s.Reset(2)
	s.Set(io.Enable, 1)
	s.Set(io.Step, 5)
	s.Run(100)
	var failed *sim.CheckError
	require.ErrorAs(t, s.Err(), &failed)
	assert.Equal(t, "below_limit", failed.Check.Path())
	assert.EqualValues(t, 5, failed.Cycle, "two of reset, then 5, 10, 15 and 20")
	assert.Regexp(t, `^hdl/sim/simulation_test.go:\d+: assert below_limit failed in cycle 5 \(55000 ps\)$`, s.Err().Error())
	assert.EqualValues(t, 6, s.Cycle(), "the failing edge is the last one")
	s.Run(10)
	assert.EqualValues(t, 6, s.Cycle())
}

func TestStopConditions(t *testing.T) {
	s, io := start(t, 8, 255, sim.Options{})
	s.Reset(1)
	s.Set(io.Enable, 1)
	s.Set(io.Step, 1)
	assert.Equal(t, 1, s.Await(100, s.Is(io.Count, 99), s.Is(io.Count, 20)))
	assert.EqualValues(t, 20, s.Get(io.Count))
	assert.Equal(t, 0, s.RunUntil(100, s.High(io.Enable)), "true already: no cycle is run")
	assert.EqualValues(t, 20, s.Get(io.Count))
	assert.Equal(t, -1, s.RunUntil(3, s.Is(io.Count, 99)))
	require.NoError(t, s.Err())
	s.Await(3, s.Is(io.Count, 99))
	require.ErrorIs(t, s.Err(), sim.ErrLimit)
}

func TestMistakes(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(*sim.Sim, *counterIO)
		want string
	}{
		"set output":   {func(s *sim.Sim, io *counterIO) { s.Set(io.Count, 1) }, "Set of count, which is an output"},
		"too large":    {func(s *sim.Sim, io *counterIO) { s.Set(io.Step, 256) }, "does not fit in 8 bits"},
		"not a port":   {func(s *sim.Sim, io *counterIO) { s.Set(hdl.K(1, 0), 0) }, "no port of counter_8"},
		"no signal":    {func(s *sim.Sim, _ *counterIO) { s.Peek("u_nothing.x") }, `no signal "u_nothing.x"`},
		"no cover":     {func(s *sim.Sim, _ *counterIO) { s.Covered("eight") }, `no cover "eight"`},
		"no domain":    {func(s *sim.Sim, _ *counterIO) { s.RunClock("rx", 1) }, `no clock domain "rx"`},
		"no condition": {func(s *sim.Sim, _ *counterIO) { s.Is(hdl.K(8, 1), 1) }, "no port of counter_8"},
	} {
		t.Run(name, func(t *testing.T) {
			s, io := start(t, 8, 255, sim.Options{})
			s.Reset(1)
			test.do(s, io)
			s.Run(5)
			require.ErrorContains(t, s.Err(), test.want)
			require.ErrorContains(t, s.Close(), test.want)
		})
	}
}

func TestPeek(t *testing.T) {
	type io struct {
		At  hdl.Bits `hdl:"in" w:"2"`
		Out hdl.Bits `hdl:"out" w:"8"`
	}
	design, ports, err := hdl.Build(hdl.Def[io]{
		Name: "outer", Body: func(m *hdl.Module, p *io) {
			inner := hdl.Instance(m, "u_inner", hdl.Def[io]{
				Name: "inner", Body: func(m *hdl.Module, p *io) {
					words := m.LUTRAM("words", 4, 8)
					words.Write(p.At, hdl.K(1, 1), p.At.ZExt(8).AddK(0x40))
					read := m.Wire("read_data", 8)
					read.Set(words.At(p.At))
					p.Out.Set(read)
				},
			})
			inner.At.Set(p.At)
			p.Out.Set(inner.Out)
		},
	})
	require.NoError(t, err)
	s, err := sim.New(design, sim.Options{})
	require.NoError(t, err)
	s.Set(ports.At, 2)
	s.Step()
	assert.EqualValues(t, 0x42, s.Peek("u_inner.words[2]"))
	assert.EqualValues(t, 0x42, s.Peek("u_inner.read_data"))
	assert.EqualValues(t, 0x42, s.Get(ports.Out))
	require.NoError(t, s.Err())
	_, err = s.Backend().Peek("u_inner.words[4]")
	require.ErrorContains(t, err, "has 4 words")
}

type clocksIO struct {
	Fast hdl.Bits `hdl:"out" w:"16" clock:"fast"`
	Slow hdl.Bits `hdl:"out" w:"16" clock:"slow"`
}

// Two clocks count; the first one is the fast one.
func twoClocks() hdl.Def[clocksIO] {
	return hdl.Def[clocksIO]{Name: "two_clocks", Body: func(m *hdl.Module, io *clocksIO) {
		for _, c := range []struct {
			name string
			out  hdl.Bits
		}{{"fast", io.Fast}, {"slow", io.Slow}} {
			m.In(m.Domain(c.name), func() {
				n := m.Reg(c.name+"_count", 16, 0)
				n.Set(n.AddK(1))
				c.out.Set(n)
			})
		}
	}}
}

func TestClocks(t *testing.T) {
	design, io, err := hdl.Build(twoClocks())
	require.NoError(t, err)
	s, err := sim.New(design, sim.Options{Clocks: map[string]sim.Timing{
		"fast": {Period: 4000}, "slow": {Period: 10_000, Phase: 1000},
	}})
	require.NoError(t, err)
	s.SetReset("fast", false)
	s.SetReset("slow", false)
	// Fast rises at 2, 6, 10, 14, 18, 22 ns and so on, slow at 6, 16, 26.
	s.RunClock("slow", 1)
	assert.EqualValues(t, 6000, s.Time())
	assert.EqualValues(t, 2, s.Cycle())
	s.RunTo(25_999)
	assert.EqualValues(t, 22_000, s.Time())
	fast, slow := s.Get(io.Fast), s.Get(io.Slow)
	s.RunTo(26_000)
	assert.Equal(t, fast+1, s.Get(io.Fast))
	assert.Equal(t, slow+1, s.Get(io.Slow))
	s.SetReset("slow", true)
	s.RunClock("fast", 10)
	assert.Zero(t, s.Get(io.Slow))
	assert.Equal(t, fast+11, s.Get(io.Fast))
	require.NoError(t, s.Err())
}

// Logic without a clock can be looked at, but not run.
func TestNoClock(t *testing.T) {
	type io struct {
		A hdl.Bits `hdl:"in" w:"1"`
		B hdl.Bits `hdl:"out" w:"1"`
	}
	design, ports, err := hdl.Build(hdl.Def[io]{Name: "inverter", Body: func(m *hdl.Module, p *io) { p.B.Set(p.A.Not()) }})
	require.NoError(t, err)
	s, err := sim.New(design, sim.Options{})
	require.NoError(t, err)
	assert.EqualValues(t, 1, s.Get(ports.B))
	s.Set(ports.A, 1)
	assert.EqualValues(t, 0, s.Get(ports.B))
	require.NoError(t, s.Err())
	s.Step()
	require.ErrorContains(t, s.Err(), "inverter has no clock")
}

// What a stop condition needs is looked at in order; errors.Is finds the limit.
func TestErrLimitIsWrapped(t *testing.T) {
	s, io := start(t, 8, 255, sim.Options{})
	s.Await(1, s.Is(io.Count, 200))
	assert.True(t, errors.Is(s.Err(), sim.ErrLimit))
	assert.ErrorContains(t, s.Err(), "count is 5 instead of 200 after 1 cycle; Reset was never called")
}
