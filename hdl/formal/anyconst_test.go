package formal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/formal"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tools/toolset"
)

type pickIO struct {
	In  hdl.Bits `hdl:"in" w:"3"`
	Out hdl.Bits `hdl:"out" w:"3"`
}

// pick holds its input; properties follow one value of all. With wrong, they say that it never comes.
func pick(wrong bool) hdl.Def[pickIO] {
	return hdl.Def[pickIO]{Name: "pick", Body: func(m *hdl.Module, io *pickIO) {
		held := m.Reg("held", 3, 0)
		held.Set(io.In)
		io.Out.Set(held)
		value := m.AnyConst("value", 3)
		came := m.PastReset("came", io.In.Eq(value), 0)
		m.Assert("comes_out", came.Not().Or(held.Eq(value)))
		if wrong {
			m.Assert("never_comes", came.Not())
		}
		m.Cover("came", came)
	}}
}

func TestAnyConst(t *testing.T) {
	r := prove(t, build(t, pick(false)), formal.Options{Depth: 4, Induction: 1})
	require.NoError(t, r.Err())

	r = prove(t, build(t, pick(true)), formal.Options{Depth: 4})
	require.Equal(t, "never_comes", r.Bounded.Failing[0].Path)
	values := texts(t, r.Bounded.Trace, "value")
	for _, v := range values {
		require.Equal(t, values[0], v)
	}
	require.Equal(t, values[0], texts(t, r.Bounded.Trace, "held")[r.Bounded.Trace.Cycles-1])
}

// In a simulation the seed says what an arbitrary constant is.
func TestAnyConstInSimulation(t *testing.T) {
	t.Run("native", func(t *testing.T) { drawsFromSeed(t, sim.Native) })
	t.Run("verilator", func(t *testing.T) {
		toolset.Need(t, toolset.Verilator)
		drawsFromSeed(t, verilator.Open)
	})
}

func drawsFromSeed(t *testing.T, open sim.Open) {
	d := build(t, pick(false))
	seen := map[uint64]bool{}
	for seed := range uint64(10) {
		b, err := open(d, sim.Options{Seed: seed})
		require.NoError(t, err)
		value := func() uint64 {
			words, err := b.Peek("value")
			require.NoError(t, err)
			return words[0]
		}
		first := value()
		b.Run(sim.RunRequest{Clock: d.Top.Clocks[0], Edges: 2})
		b.SetReset(d.Top.Clocks[0], false)
		b.Run(sim.RunRequest{Clock: d.Top.Clocks[0], Edges: 5})
		require.Equal(t, first, value())
		require.NoError(t, b.Close())
		seen[first] = true
	}
	require.Greater(t, len(seen), 1)
}

func TestAnyConstIsNotSet(t *testing.T) {
	_, _, err := hdl.Build(hdl.Def[pickIO]{Name: "sets", Body: func(m *hdl.Module, io *pickIO) {
		value := m.AnyConst("value", 3)
		m.Ghost(func() { value.Set(io.In) })
		io.Out.Set(io.In)
	}})
	require.ErrorContains(t, err, "it is an AnyConst, which never changes")
}
