package blocks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks"
	"gornic/configs"
	"gornic/hdl/verilog/lint"
)

// Every block in every configuration draws no warning from the tools of its users.
func TestLint(t *testing.T) {
	for _, name := range configs.Names() {
		config, err := configs.Named(name)
		require.NoError(t, err)
		for _, b := range blocks.All() {
			t.Run(name+" "+b.Name, func(t *testing.T) {
				if b.Name == "core" && name == "dc" {
					t.Skip("Yosys takes minutes for it: its blocks are linted each, and the same wiring in the other configurations")
				}
				design, err := b.Build(config)
				require.NoError(t, err)
				lint.Check(t, design)
			})
		}
	}
}
