package flow

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/fpga/netlist"
)

// Lines of nextpnr's log, and what of them is shown.
func TestStageOfNextpnr(t *testing.T) {
	var s stage
	for _, c := range []struct{ line, want string }{
		{"Info: Packing LUTs...", "packing cells"},
		{"Info:     at initial placer iter 2, wirelen = 118", "placing, round 2, 118 of wire"},
		{"Info:     at iteration #6, type ALL: wirelen solved = 559398, spread = 772414, legal = 956222; time = 10.73s", "placing, round 6, 559398 of wire"},
		{"Info: Running simulated annealing placer for refinement.", "refining the placement"},
		{"Info: Routing 136 arcs.", "routing"},
		{"Info:        249 |      112        123 |  112   123 |        17|       0.04       0.04|", "routing, 17 of 136 arcs left"},
		{"Info: Checksum: 0xdb2de59e", ""},
	} {
		require.Equal(t, c.want, s.read(c.line), c.line)
	}
}

const routedReport = `{
	"fmax": {"$glbnet$clk$TRELLIS_IO_IN": {"achieved": 60, "constraint": 57.5}},
	"utilization": {"TRELLIS_COMB": {"used": 21000, "available": 24288}},
	"critical_paths": [
		{"from": "posedge $glbnet$clk$TRELLIS_IO_IN", "to": "posedge $glbnet$clk$TRELLIS_IO_IN", "path": [
			{"type": "clk-to-q", "delay": 0.5},
			{"type": "routing", "delay": 1, "net": "u_held.held[0]", "to": {"cell": "x"}},
			{"type": "logic", "delay": 0.25},
			{"type": "routing", "delay": 2, "net": "u_held.held_LUT4_Z_1", "to": {"cell": "y"}},
			{"type": "logic", "delay": 0.25},
			{"type": "routing", "delay": 3, "net": "sum_LUT4_Z", "to": {"cell": "sum_TRELLIS_FF_Q"}},
			{"type": "setup", "delay": 0.1, "to": {"cell": "sum_TRELLIS_FF_Q"}}
		]},
		{"from": "<async>", "to": "posedge $glbnet$clk$TRELLIS_IO_IN", "path": [{"type": "routing", "delay": 99, "net": "rst"}]}
	]
}`

func reportOf(t *testing.T, text string) (*Report, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), reportFile)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	nets := map[string]*netlist.Net{"clk": {Bits: []netlist.Bit{2}}, "u_held.clk": {Bits: []netlist.Bit{2}}, "other": {Bits: []netlist.Bit{3}}}
	return &Report{
		Name: "counter", Device: "LFE5U-25F", netlist: &netlist.Netlist{Nets: nets}, source: netlist.NewSource(counterDesign(t)),
	}, path
}

func TestTimingIsToldInTermsOfTheSource(t *testing.T) {
	r, path := reportOf(t, routedReport)
	require.NoError(t, r.readTiming(path, []Clock{{"u_held.clk", 50_000_000, 1.15}}), "a clock may have several names")
	require.NoError(t, r.judge())
	c := r.Clocks[0]
	require.InDelta(t, 60, c.Reaches, 0.001)
	require.Len(t, c.Path, 2)
	require.Equal(t, "u_held.held", c.Path[0].Name)
	require.Equal(t, 2, c.Path[0].Cells)
	require.InDelta(t, 0.75, c.Path[0].Logic, 0.001)
	require.InDelta(t, 3, c.Path[0].Wire, 0.001)
	require.Equal(t, "sum", c.Path[1].Name)
	require.InDelta(t, 0.35, c.Path[1].Logic, 0.001)

	var out bytes.Buffer
	require.NoError(t, r.Print(&out))
	require.Contains(t, out.String(), "21000 of  24288 placed, 86.5 %; above 80 % routing gets hard")
	require.Contains(t, out.String(), "longest path of u_held.clk: 7.1 ns, 1.1 in cells and 6.0 in wires")
}

func TestTimingThatCannotBeJudged(t *testing.T) {
	for name, c := range map[string]struct {
		clocks []Clock
		text   string
	}{
		"no such net":                  {[]Clock{{"clk_2", 50_000_000, 1.15}}, routedReport},
		"asked for 57.50 MHz":          {[]Clock{{"clk", 80_000_000, 1}}, routedReport},
		"has no frequency":             {[]Clock{{"other", 50_000_000, 1}}, routedReport},
		"unexpected end of JSON input": {nil, ""},
	} {
		r, path := reportOf(t, c.text)
		require.ErrorContains(t, r.readTiming(path, c.clocks), name)
	}
}

func TestSmallInstancesCountTogether(t *testing.T) {
	sub := func(path string, luts int, sub ...*netlist.Tree) *netlist.Tree {
		return &netlist.Tree{Name: path, Path: path, Size: netlist.Size{LUT: luts}, Sub: sub}
	}
	tree := sub("", 1000, sub("u_big", 900, sub("u_big.u_a", 500), sub("u_big.u_b", 2), sub("u_big.u_c", 3)), sub("u_other", 100, sub("u_other.u_in", 90)))
	tree.Own = netlist.Size{}
	tree.Sub[0].Own = netlist.Size{LUT: 395}
	var list []string
	for _, b := range blocksOf(tree, counterDesign(t)) {
		list = append(list, strings.Repeat(" ", b.Depth)+b.Path)
		if b.Path == "u_big.…" {
			require.Equal(t, 400, b.LUT)
		}
	}
	require.Equal(t, []string{"", " u_big", "  u_big.u_a", "  u_big.…", " u_other"}, list)
}

func TestStoreMakesOnceAndKeepsTheNewest(t *testing.T) {
	s := store{filepath.Join(t.TempDir(), "steps")}
	ctx := context.Background()
	made := 0
	do := func(input string) (string, error) {
		return s.do(ctx, "step", []byte(input), func(dir string) error {
			made++
			if input == "bad" {
				return errors.New("it fails")
			}
			return os.WriteFile(filepath.Join(dir, "out"), []byte(input), 0o644)
		})
	}
	first, err := do("a")
	require.NoError(t, err)
	again, err := do("a")
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, 1, made)

	_, err = do("bad")
	require.EqualError(t, err, "it fails")
	_, err = do("bad")
	require.Error(t, err, "what failed is not kept")
	require.Equal(t, 3, made)

	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(first, old, old))
	for _, input := range []string{"b", "c", "d", "e", "f", "g"} {
		_, err := do(input)
		require.NoError(t, err)
	}
	require.NoDirExists(t, first)
	dirs, err := s.newestFirst("step")
	require.NoError(t, err)
	require.Len(t, dirs, kept)
}
