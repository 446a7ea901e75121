package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/netlist"
)

func TestLUTsAreDrawnBySeed(t *testing.T) {
	n := &netlist.Netlist{Cells: map[string]*netlist.Cell{"ff": {Type: "TRELLIS_FF"}}}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		n.Cells[name] = &netlist.Cell{Type: "LUT4"}
	}
	first, err := chooseLUTs(n, 5, 1)
	require.NoError(t, err)
	require.Len(t, first, 5)
	require.NotContains(t, first, "ff")
	again, err := chooseLUTs(n, 5, 1)
	require.NoError(t, err)
	require.Equal(t, first, again)
	other, err := chooseLUTs(n, 5, 2)
	require.NoError(t, err)
	require.NotEqual(t, first, other)
	_, err = chooseLUTs(n, 9, 1)
	require.ErrorContains(t, err, "8 LUTs")
}
