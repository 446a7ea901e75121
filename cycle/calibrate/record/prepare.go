package record

import (
	"context"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/cycle/calibrate/probe"
	"gornic/hdl"
	"gornic/hdl/sim"
	"gornic/tb/rtl"
)

// Depth is how far inside the cores a recording looks.
type Depth uint8

// Depths.
const (
	Ports   Depth = iota // the ports alone
	Streams              // every stream between two blocks, too
)

// Prepared is the core of a configuration, ready to be simulated any number of times.
type Prepared struct {
	Config    configs.Config
	Depth     Depth
	design    *hdl.Design
	io        *core.IO
	simulator sim.Simulator
}

// Build elaborates a core: [rtl.Build], or what puts a change into it.
type Build func(configs.Config) (*hdl.Design, *core.IO, error)

// Prepare elaborates a core; the first run compiles it. A nil build is [rtl.Build].
func Prepare(ctx context.Context, c configs.Config, s sim.Simulator, d Depth, build Build) (*Prepared, error) {
	if build == nil {
		build = rtl.Build
	}
	design, io, err := build(c)
	if err != nil {
		return nil, err
	}
	if err := probe.Ports(design); err != nil {
		return nil, err
	}
	if d == Streams {
		probe.Streams(design)
	}
	return &Prepared{Config: c, Depth: d, design: design, io: io, simulator: s.Cached(ctx)}, nil
}
