package short_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	verilator "gornic/sim-verilator"
	"gornic/tb/netlist/short"
	"gornic/tb/rtl"
	"gornic/tools/toolset"
)

// The list passes on the core as it was written.
func TestTheCorePasses(t *testing.T) {
	toolset.Need(t, toolset.Verilator)
	config, err := configs.Load("tiny")
	require.NoError(t, err)
	design, io, err := rtl.Build(config)
	require.NoError(t, err)
	b := short.Bench{Config: config, Design: design, IO: io, Simulator: verilator.Simulator.Cached(context.Background())}
	for _, test := range short.List(config) {
		t.Run(test.Name, func(t *testing.T) { require.NoError(t, test.Run(t.Context(), b)) })
	}
}
