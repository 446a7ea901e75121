package hdl_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
)

type tableIO struct {
	Index hdl.Bits `hdl:"in" w:"3"`
	Value hdl.Bits `hdl:"out" w:"4"`
}

func lookUp(values ...uint64) hdl.Def[tableIO] {
	return hdl.Def[tableIO]{Name: "look_up", Body: func(m *hdl.Module, io *tableIO) {
		state := m.Reg("state", 4, 0) // what has a clock can be simulated
		state.Set(m.Table("found", io.Index, 4, values...))
		io.Value.Set(state)
	}}
}

func TestTable(t *testing.T) {
	for _, values := range [][]uint64{{7}, {1, 2, 1, 3}, {5, 5, 5, 5, 5, 5, 5, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		d, io, err := hdl.Build(lookUp(values...))
		if len(values) == 1 || values[0] == 5 {
			require.ErrorContains(t, err, "index is never read")
			continue
		}
		require.NoError(t, err)
		s, err := sim.New(d, sim.Options{})
		require.NoError(t, err)
		s.Reset(1)
		for i := range uint64(8) {
			s.Set(io.Index, i)
			s.Step()
			require.Equal(t, values[min(int(i), len(values)-1)], s.Get(io.Value), "%v[%d]", values, i)
		}
		require.NoError(t, s.Close())
	}
}

// Equal values are one arm.
func TestTableIsOneCase(t *testing.T) {
	d, _, err := hdl.Build(lookUp(1, 2, 1, 3))
	require.NoError(t, err)
	files, err := verilog.Emit(d, verilog.Options{})
	require.NoError(t, err)
	text := string(files[0].Text)
	require.Equal(t, 1, strings.Count(text, "case (index)"))
	require.Contains(t, text, "3'h0, 3'h2: begin")
	require.NotContains(t, text, "3'h3") // the last value is the default
}
