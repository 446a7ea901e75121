package netlist_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	synthesized "gornic/fpga/netlist"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
	verilator "gornic/sim-verilator"
	"gornic/tb/netlist"
	"gornic/tools/toolset"
)

// Inputs of a rack, and the bits of its clock and its first input.
const (
	rackInputs = 64
	rackClock  = synthesized.Bit(2)
	rackInput  = synthesized.Bit(10)
	rackOutput = rackInput + rackInputs
)

type rackIO struct {
	In  hdl.Bits `hdl:"in" w:"64"`
	Out hdl.Bits `hdl:"out"`
}

// rack is a netlist of cells side by side, whose pins are at the inputs and outputs.
type rack struct {
	*synthesized.Netlist
	outputs []synthesized.Bit
}

func newRack() *rack {
	in := make([]synthesized.Bit, rackInputs)
	for i := range in {
		in[i] = rackInput + synthesized.Bit(i)
	}
	return &rack{Netlist: &synthesized.Netlist{Top: "rack", Cells: map[string]*synthesized.Cell{}, Ports: map[string]*synthesized.Port{
		"clk": {Direction: "input", Bits: []synthesized.Bit{rackClock}}, "rst": {Direction: "input", Bits: []synthesized.Bit{3}},
		"in": {Direction: "input", Bits: in}, "out": {Direction: "output"},
	}}}
}

// add adds a cell; its outputs are the next ones of the rack.
func (r *rack) add(kind string, parameters map[string]string, inputs map[string][]synthesized.Bit, outputs map[string]int) {
	connections := maps.Clone(inputs)
	for _, pin := range slices.Sorted(maps.Keys(outputs)) {
		for range outputs[pin] {
			bit := rackOutput + synthesized.Bit(len(r.outputs))
			r.outputs = append(r.outputs, bit)
			connections[pin] = append(connections[pin], bit)
		}
	}
	r.Ports["out"].Bits = r.outputs
	r.Cells[fmt.Sprintf("u%d", len(r.Cells))] = &synthesized.Cell{Type: kind, Parameters: parameters, Connections: connections}
}

// design is one with the ports of the rack.
func (r *rack) design(t *testing.T) (*hdl.Design, *rackIO) {
	n := len(r.outputs)
	return hdltest.Build(t, hdl.Def[rackIO]{Name: "rack", IO: rackIO{Out: hdl.W(n)}, Body: func(m *hdl.Module, io *rackIO) {
		held := m.Reg("held", rackInputs, 0)
		held.Set(io.In)
		io.Out.Set(held.Rep((n + rackInputs - 1) / rackInputs).Trunc(n))
	}})
}

// instances is the rack as Verilog that leaves what cells do to others.
func (r *rack) instances() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "module rack(input clk, input rst, input [%d:0] in, output [%d:0] out);\n", rackInputs-1, len(r.outputs)-1)
	name := func(bit synthesized.Bit) string {
		switch {
		case bit == rackClock:
			return "clk"
		case bit >= rackOutput:
			return fmt.Sprintf("out[%d]", bit-rackOutput)
		case bit >= rackInput:
			return fmt.Sprintf("in[%d]", bit-rackInput)
		case bit == synthesized.One:
			return "1'b1"
		}
		return "1'b0"
	}
	for _, u := range slices.Sorted(maps.Keys(r.Cells)) {
		c := r.Cells[u]
		var parameters, pins []string
		for _, p := range slices.Sorted(maps.Keys(c.Parameters)) {
			value := c.Parameters[p]
			if strings.HasPrefix(p, "INIT") {
				value = fmt.Sprintf("%d'b%s", len(value), value)
			} else {
				value = fmt.Sprintf("%q", value)
			}
			parameters = append(parameters, fmt.Sprintf(".%s(%s)", p, value))
		}
		for _, p := range slices.Sorted(maps.Keys(c.Connections)) {
			var bits []string
			for _, bit := range slices.Backward(c.Connections[p]) {
				bits = append(bits, name(bit))
			}
			pins = append(pins, fmt.Sprintf(".%s({%s})", p, strings.Join(bits, ", ")))
		}
		fmt.Fprintf(&b, "%s #(%s) %s(%s);\n", c.Type, strings.Join(parameters, ", "), u, strings.Join(pins, ", "))
	}
	return []byte(b.String() + "endmodule\n")
}

// picker draws connections.
type picker struct{ *rand.Rand }

// input is an input of the rack, or now and then a constant.
func (p picker) input() []synthesized.Bit {
	switch p.IntN(12) {
	case 0:
		return []synthesized.Bit{synthesized.Zero}
	case 1:
		return []synthesized.Bit{synthesized.One}
	}
	return []synthesized.Bit{rackInput + synthesized.Bit(p.IntN(rackInputs))}
}

func (p picker) inputs(pins ...string) map[string][]synthesized.Bit {
	all := map[string][]synthesized.Bit{}
	for _, pin := range pins {
		all[pin] = p.input()
	}
	return all
}

func (p picker) bus(width int) (bits []synthesized.Bit) {
	for range width {
		bits = append(bits, p.input()...)
	}
	return bits
}

func (p picker) table() string { return fmt.Sprintf("%016b", p.Uint64()&0xffff) }

func (p picker) one(of ...string) string { return of[p.IntN(len(of))] }

// smallCells is many of each cell that Yosys has a model of, used in every way that the writer knows.
func smallCells(p picker) *rack {
	r := newRack()
	for range 24 {
		r.add("LUT4", map[string]string{"INIT": p.table()}, p.inputs("A", "B", "C", "D"), map[string]int{"Z": 1})
		r.add("CCU2C", map[string]string{
			"INIT0": p.table(), "INIT1": p.table(), "INJECT1_0": p.one("YES", "NO"), "INJECT1_1": p.one("YES", "NO"),
		}, p.inputs("A0", "B0", "C0", "D0", "A1", "B1", "C1", "D1", "CIN"), map[string]int{"S0": 1, "S1": 1, "COUT": 1})
		r.add("PFUMX", nil, p.inputs("ALUT", "BLUT", "C0"), map[string]int{"Z": 1})
		r.add("L6MUX21", nil, p.inputs("D0", "D1", "SD"), map[string]int{"Z": 1})
		flipFlop := p.inputs("CE", "DI")
		flipFlop["CLK"], flipFlop["LSR"] = []synthesized.Bit{rackClock}, straight(p.IntN(rackInputs), 1)
		r.add("TRELLIS_FF", map[string]string{
			"CEMUX": p.one("1", "0", "CE", "INV"), "LSRMUX": p.one("LSR", "INV"), "REGSET": p.one("SET", "RESET"), "SRMODE": "LSR_OVER_CE", "CLKMUX": "CLK",
		}, flipFlop, map[string]int{"Q": 1})
	}
	r.add("TRELLIS_DPR16X4", map[string]string{"WCKMUX": "WCK", "WREMUX": "WRE"}, map[string][]synthesized.Bit{
		"DI": p.bus(4), "WAD": straight(0, 4), "RAD": straight(4, 4), "WRE": straight(8, 1), "WCK": {rackClock},
	}, map[string]int{"DO": 4})
	return r
}

// straight is some inputs in a row.
func straight(from, width int) (bits []synthesized.Bit) {
	for i := range width {
		bits = append(bits, rackInput+synthesized.Bit(from+i))
	}
	return bits
}

// modelsOfYosys are the cells' models from where Yosys keeps them, without the times of their paths.
func modelsOfYosys(t *testing.T) []byte {
	t.Helper()
	yosys, err := toolset.Find(toolset.Yosys)
	require.NoError(t, err)
	root := filepath.Dir(filepath.Dir(yosys.Path))
	var found []string
	for _, pattern := range []string{"lib/pyosys/share/lattice", "share/yosys/lattice", "share/yosys/ecp5"} {
		found = append(found, filepath.Join(root, pattern))
	}
	times := regexp.MustCompile(`(?s)\bspecify\b.*?\bendspecify\b`)
	var models []byte
	for _, dir := range found {
		for _, name := range []string{"common_sim.vh", "ccu2c_sim.vh", "cells_sim_ecp5.v", "cells_sim.v"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			for _, kind := range []string{"LUT4", "LUT2", "CCU2C", "PFUMX", "L6MUX21", "TRELLIS_FF", "TRELLIS_DPR16X4"} {
				models = append(models, regexp.MustCompile(`(?s)\bmodule `+kind+`\b.*?\bendmodule\n`).Find(text)...)
			}
		}
		if len(models) > 0 {
			return times.ReplaceAll(models, nil)
		}
	}
	// They are another project's, not ours to copy: a Yosys that is packaged in another way has nothing to compare with.
	t.Skipf("Yosys keeps its models elsewhere than in %v", found)
	return nil
}

// Cells do what Yosys' own models of them do, whatever their parameters and inputs.
func TestCellsAreWhatYosysTakesThemFor(t *testing.T) {
	toolset.Need(t, toolset.Yosys)
	toolset.Need(t, toolset.Verilator)
	models := modelsOfYosys(t)
	r := smallCells(picker{rand.New(rand.NewPCG(3, 4))})
	design, io := r.design(t)
	ours, err := netlist.Prepare(t.Context(), design, r.Netlist, nil)
	require.NoError(t, err)
	theirs, err := verilator.PrepareReplaced(t.Context(), design, []verilog.File{{Name: "models.v", Text: models}, {Name: "rack.v", Text: r.instances()}})
	require.NoError(t, err)
	want, err := sim.Start(theirs, design, sim.Options{})
	require.NoError(t, err)
	got, err := sim.Start(ours.Original().Open, design, sim.Options{})
	require.NoError(t, err)

	random := rand.New(rand.NewPCG(1, hdltest.Seed(t)))
	both := func(in uint64) {
		for _, s := range []*sim.Sim{want, got} {
			s.Set(io.In, in)
			s.Step()
		}
	}
	for address := range uint64(16) { // the memory's words are written
		both(random.Uint64()&^0x1ff | 0x100 | address)
	}
	for range 64 { // and flip-flops set
		both(random.Uint64())
	}
	for i := range 5000 {
		both(random.Uint64())
		require.Zero(t, want.Big(io.Out).Cmp(got.Big(io.Out)), "cycle %d: %x, want %x", i, got.Big(io.Out), want.Big(io.Out))
	}
	require.NoError(t, want.Close())
	require.NoError(t, got.Close())
}
