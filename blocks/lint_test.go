package blocks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks"
	"gornic/configs"
	"gornic/hdl/verilog/lint"
)

// Every block in every configuration draws no warning from the tools of its users. What several configurations have alike is
// looked at once; i5 is i9 with smaller tables.
func TestLint(t *testing.T) {
	seen := map[string]bool{}
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
				switch {
				case seen[design.Top.Name]:
				case b.Name == "core" && name != "tiny":
					lint.CheckJoint(t, design)
				default:
					lint.Check(t, design)
				}
				seen[design.Top.Name] = true
			})
		}
	}
}
