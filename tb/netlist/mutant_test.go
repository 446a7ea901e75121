package netlist_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/fpga/flow"
	synthesized "gornic/fpga/netlist"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/tb/netlist"
	"gornic/tools/toolset"
)

type mixIO struct {
	A   hdl.Bits `hdl:"in" w:"8"`
	B   hdl.Bits `hdl:"in" w:"8"`
	Out hdl.Bits `hdl:"out" w:"8"`
}

// mix is a design whose every LUT shows at its output.
func mix() hdl.Def[mixIO] {
	return hdl.Def[mixIO]{Name: "mix", IO: mixIO{}, Body: func(m *hdl.Module, io *mixIO) {
		held := m.Reg("held", 8, 0x5a)
		held.Set(hdl.Mux(io.A.Lt(io.B), io.A.Xor(held), io.B.And(held.Not())))
		io.Out.Set(held)
	}}
}

// run is what comes out for inputs drawn from a seed.
func run(t *testing.T, simulator sim.Simulator, design *hdl.Design, io *mixIO, seed uint64) []uint64 {
	t.Helper()
	s, err := sim.Start(simulator.Open, design, sim.Options{Seed: seed})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(seed, 1))
	s.Reset(2)
	var out []uint64
	for range 300 {
		s.Set(io.A, random.Uint64()&0xff)
		s.Set(io.B, random.Uint64()&0xff)
		s.Step()
		out = append(out, s.Get(io.Out))
	}
	require.NoError(t, s.Close())
	return out
}

// Every LUT of a small design matters, and the netlist without it is another design.
func TestMutantsDiffer(t *testing.T) {
	toolset.Need(t, toolset.Yosys)
	toolset.Need(t, toolset.Verilator)
	design, io := hdltest.Build(t, mix())
	n, err := flow.Netlist(t.Context(), "mix", design, flow.Options{})
	require.NoError(t, err)
	luts := lutsOf(n)
	require.NotEmpty(t, luts)
	simulators, err := netlist.Prepare(t.Context(), design, n, luts)
	require.NoError(t, err)
	seed := hdltest.Seed(t)
	want := run(t, sim.NativeSimulator, design, io, seed)
	require.Equal(t, want, run(t, simulators.Original(), design, io, seed))
	for i, name := range luts {
		require.NotEqual(t, want, run(t, simulators.Mutant(i), design, io, seed), name)
	}
}

func lutsOf(n *synthesized.Netlist) []string {
	var luts []string
	for _, name := range slices.Sorted(maps.Keys(n.Cells)) {
		if n.Cells[name].Type == "LUT4" {
			luts = append(luts, name)
		}
	}
	return luts
}

func TestWhatCannotBeWritten(t *testing.T) {
	none := &synthesized.Netlist{Top: "t"}
	_, err := netlist.Write(none, []string{"no_lut"})
	require.ErrorContains(t, err, "no_lut is no LUT")
	for kind, parameters := range map[string]map[string]string{
		"BB":         nil,
		"TRELLIS_FF": {"CLKMUX": "INV"},
		"DP16KD":     {"REGMODE_A": "OUTREG"},
		"LUT4":       {"INIT": "many"},
	} {
		n := &synthesized.Netlist{Top: "t", Cells: map[string]*synthesized.Cell{"u": {Type: kind, Parameters: parameters}}}
		_, err := netlist.Write(n, nil)
		require.ErrorContains(t, err, "cell u", kind)
	}
}
