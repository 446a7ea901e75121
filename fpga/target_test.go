package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/board"
	"gornic/fpga/flow"
)

// Every board has its constraints, the core's clock has its margin, and Ethernet's clocks have none.
func TestTargets(t *testing.T) {
	for _, b := range board.All() {
		for _, p := range []part{wholeBoard, digitalPart, coreAlone} {
			target, err := p.target(b)
			require.NoError(t, err, b.Name)
			require.Equal(t, p == wholeBoard, len(target.Constraints) > 0, target.Name)
			require.Equal(t, p != wholeBoard, target.OutOfContext)
			require.Equal(t, flow.Clock{Name: "clk", Hz: b.PLL.CoreHz(), Margin: 1.15}, target.Clocks[0])
			if p == coreAlone {
				require.Len(t, target.Clocks, 1)
				continue
			}
			require.Len(t, target.Clocks, 2+len(b.Ports), target.Name)
			for _, c := range target.Clocks[1:] {
				require.InDelta(t, 125, c.MHz(), 0.001, c.Name)
			}
		}
	}
}
