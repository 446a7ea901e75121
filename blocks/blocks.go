package blocks

import (
	"gornic/blocks/icrc"
	"gornic/blocks/rxparse"
	"gornic/configs"
	"gornic/hdl"
)

// Block is one datapath block.
type Block struct {
	Name string // of its folder
	Doc  string // what it does, in a line
	// Build elaborates the block in a configuration, with itself as the top.
	Build func(configs.Config) (*hdl.Design, error)
}

// All returns the blocks in the order in which data flows, receive first.
func All() []Block {
	return []Block{
		{"rxparse", "takes Ethernet frames apart: RoCEv2 descriptors and payloads, frames for the host", func(c configs.Config) (*hdl.Design, error) {
			return build(rxparse.Def(rxparse.Params{DataWidth: c.DataWidth}), nil)
		}},
		{"icrc", "checks or appends the invariant CRC of frames, a beat a cycle", func(c configs.Config) (*hdl.Design, error) {
			return build(icrc.Check(icrc.Params{DataWidth: c.DataWidth}))
		}},
	}
}

func build[IO any](def hdl.Def[IO], err error) (*hdl.Design, error) {
	if err != nil {
		return nil, err
	}
	design, _, err := hdl.Build(def)
	return design, err
}
