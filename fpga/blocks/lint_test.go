package blocks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/blocks"
	"gornic/fpga/blocks/top"
	"gornic/fpga/board"
	"gornic/hdl/verilog/lint"
)

// Every block of every board draws no warning from the tools of its users. What several boards have alike is looked at
// once.
func TestLint(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range board.All() {
		p, err := top.ParamsOf(name)
		require.NoError(t, err)
		for _, b := range blocks.All() {
			t.Run(name.Name+" "+b.Name, func(t *testing.T) {
				design, err := b.Build(p)
				require.NoError(t, err)
				switch {
				case seen[design.Top.Name]:
				case b.Name == "top": // its black boxes are empty to a linter; tb/board runs it with their models
				case b.Name == "board":
					lint.CheckJoint(t, design)
				default:
					lint.Check(t, design)
				}
				seen[design.Top.Name] = true
			})
		}
	}
}
