package sim_test

import (
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/hdl/stream"

	"github.com/stretchr/testify/require"
)

// A failed property that a function of the library states names the line of the
// author that asks for it.
func TestFailureNamesTheAuthorsLine(t *testing.T) {
	design, io, err := hdl.Build(hdl.Def[sourceIO]{Name: "drops", Body: func(m *hdl.Module, io *sourceIO) {
		hdl.Connect(io.Out, io.In)
		stream.AssertSource(m, "out", io.Out)
	}})
	require.NoError(t, err)
	s, err := sim.New(design, sim.Options{})
	require.NoError(t, err)
	s.Reset(1)
	s.Set(io.In.Valid, 1)
	s.Step()
	s.Set(io.In.Valid, 0) // nobody has taken it
	s.Run(3)
	require.Regexp(t, `^hdl/stream/contract.go:\d+: assert out_\w+ failed in cycle 2 \(25000 ps\) \(used at hdl/sim/checks_test.go:18\)$`,
		s.Close().Error())
}

type sourceIO struct {
	In  hdl.Stream[bit] `hdl:"in"`
	Out hdl.Stream[bit] `hdl:"out"`
}

type bit struct {
	Bit hdl.Bits `w:"1"`
}
