package blocks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/blocks"
	"gornic/fpga/blocks/top"
	"gornic/fpga/board"
	"gornic/hdl/verilog/lint"
)

// Every block of every board draws no warning from the tools of its users.
func TestLint(t *testing.T) {
	for _, name := range board.All() {
		p, err := top.ParamsOf(name)
		require.NoError(t, err)
		for _, b := range blocks.All() {
			t.Run(name.Name+" "+b.Name, func(t *testing.T) {
				design, err := b.Build(p)
				require.NoError(t, err)
				lint.Check(t, design)
			})
		}
	}
}
