package rtl

import (
	"fmt"

	"gornic/blocks"
	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
)

// Build elaborates the core of a configuration, for any number of NICs.
func Build(c configs.Config) (*hdl.Design, *core.IO, error) {
	design, io, err := hdl.Build(core.Def(blocks.Core(c)))
	if err != nil {
		return nil, nil, fmt.Errorf("rtl: core in configuration %s: %w", c.Name, err)
	}
	return design, io, nil
}
