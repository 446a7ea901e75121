package top_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/fpga/blocks/top"
	"gornic/fpga/board"
	"gornic/hdl"
	"gornic/hdl/hdltest"
)

// Every board elaborates without a finding.
func TestBuilds(t *testing.T) {
	for _, b := range board.All() {
		t.Run(b.Name, func(t *testing.T) {
			p, err := top.ParamsOf(b)
			require.NoError(t, err)
			digital, _ := hdltest.Build(t, top.BoardDef(p))
			require.Equal(t, "gornic_board_"+b.Name, digital.Top.Name)
		})
	}
}

// A board that is wrong, and a core that does not fit it, are told.
func TestValidate(t *testing.T) {
	b := board.I9()
	b.HostMemory = 0
	_, err := top.ParamsOf(b)
	require.ErrorContains(t, err, "board i9: host memory of 0 bytes")

	dc, err := configs.Named("dc")
	require.NoError(t, err)
	_, _, err = hdl.Build(top.BoardDef(top.Params{Board: board.I9(), Core: dc}))
	require.ErrorContains(t, err, "a core of 512 bits, want 64")
}
