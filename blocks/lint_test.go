package blocks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks"
	"gornic/configs"
	"gornic/hdl/verilog/lint"
)

// Every block in every configuration draws no warning from the tools of its users. i5 is i9 with smaller tables.
func TestLint(t *testing.T) {
	for _, name := range configs.Names() {
		if name == "i5" {
			continue
		}
		config, err := configs.Named(name)
		require.NoError(t, err)
		for _, b := range blocks.All() {
			t.Run(name+" "+b.Name, func(t *testing.T) {
				design, err := b.Build(config)
				require.NoError(t, err)
				if b.Name == "core" && name == "dc" {
					lint.CheckBut(t, design, "yosys", "takes minutes: it reads each block of this core, and the same wiring in the other configurations")
					return
				}
				lint.Check(t, design)
			})
		}
	}
}
