package core_test

import (
	"testing"

	"gornic/blocks"
	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl/hdltest"
)

// The core elaborates in every configuration without a finding.
func TestBuilds(t *testing.T) {
	for _, name := range configs.Names() {
		t.Run(name, func(t *testing.T) {
			c, err := configs.Named(name)
			if err != nil {
				t.Fatal(err)
			}
			hdltest.Build(t, core.Def(blocks.Core(c)))
			c.Congestion ^= 1
			hdltest.Build(t, core.Def(blocks.Core(c)))
		})
	}
}
