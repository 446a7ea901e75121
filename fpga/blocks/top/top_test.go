package top_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/fpga/blocks/top"
	"gornic/fpga/board"
	"gornic/hdl"
	"gornic/hdl/ir"
)

// Every board elaborates without a finding, and each of its pins has a place in the constraints.
func TestBuilds(t *testing.T) {
	for _, b := range board.All() {
		t.Run(b.Name, func(t *testing.T) {
			design, err := top.Design(b)
			require.NoError(t, err)
			require.Equal(t, "gornic_"+b.Name, design.Top.Name)
			require.Empty(t, design.Top.Clocks, "clocks come in as pins")
			places := constrained(t, "../../../constraints/"+b.Name+".lpf")
			for _, s := range design.Top.Signals {
				if s.Kind != ir.Input && s.Kind != ir.Output {
					continue
				}
				for i := range s.Width {
					require.Contains(t, places, pin(s.Name, i, s.Width))
				}
			}
		})
	}
}

// A board that is wrong, and a core that does not fit it, are told.
func TestValidate(t *testing.T) {
	b := board.I9()
	b.HostMemory = 0
	_, err := top.ParamsOf(b)
	require.ErrorContains(t, err, "board i9: host memory of 0 bytes")
	_, err = top.Design(b)
	require.Error(t, err)

	dc, err := configs.Named("dc")
	require.NoError(t, err)
	_, _, err = hdl.Build(top.BoardDef(top.Params{Board: board.I9(), Core: dc}))
	require.ErrorContains(t, err, "a core of 512 bits, want 64")
}
