package stamp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/examples/stamp"
	"gornic/hdl/formal"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

func TestNumbersAreConsecutive(t *testing.T) {
	design, io, err := hdl.Build(stamp.Def(16, 4))
	require.NoError(t, err)
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		in := sim.NewSource(s, io.In, hdltest.Gaps(t, 30))
		out := sim.NewSink(s, io.Out, hdltest.Gaps(t, 50))
		s.Reset(2)
		const items = 100
		for i := range items {
			in.Send(uint64(1000 + i))
		}
		s.Await(2000, out.Beats(items))
		for i, beat := range out.Take() {
			number, item := out.Ports().Field(beat, 0)[0], out.Ports().Field(beat, 1)[0]
			assert.Equal(t, uint64(i%16), number)
			assert.Equal(t, uint64(1000+i), item)
		}
	}, verilator.Simulator)
}

func TestProof(t *testing.T) {
	design, _, err := hdl.Build(stamp.Def(2, 3))
	require.NoError(t, err)
	formal.Check(t, design, formal.Options{Depth: 10, Induction: 2})
}
