package verilog_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"gornic/hdl"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

// Memories map to the block RAM and LUT RAM of the FPGAs, and not to
// flip-flops.
func TestMemoriesMap(t *testing.T) {
	const (
		ecp5   = "synth_ecp5"
		ice40  = "synth_ice40"
		xilinx = "synth_xilinx -family xcup -noiopad"
	)
	simple := of(RAM("ram", 512, 32, 32, hdl.Undefined))
	lanes := of(RAM("lane_ram", 512, 32, 8, hdl.Undefined))
	older := of(RAM("old_ram", 512, 32, 32, hdl.ReadOld))
	newer := of(RAM("new_ram", 512, 32, 8, hdl.ReadNew))
	for _, c := range []struct {
		design design
		flow   string
		cell   string
		count  int
	}{
		{simple, ecp5, "DP16KD", 1},
		{simple, ice40, "SB_RAM40_4K", 4},
		{simple, xilinx, "RAMB18E2", 1},
		{lanes, ecp5, "DP16KD", 1},
		{older, xilinx, "RAMB18E2", 1},
		{newer, ecp5, "DP16KD", 1},
		{newer, xilinx, "RAMB18E2", 1},
		{of(LUTRAM()), ecp5, "TRELLIS_DPR16X4", 8},
		{of(LUTRAM()), xilinx, "RAM32M16", 2},
		{of(Dual(hdl.Undefined)), ecp5, "DP16KD", 2},
		{of(TwoClock()), ecp5, "DP16KD", 2},
	} {
		t.Run(c.design.name+"/"+strings.Fields(c.flow)[0], func(t *testing.T) {
			cells := synthesize(t, c.design, c.flow)
			if cells[c.cell] != c.count {
				t.Errorf("%d cells %s, want %d; cells: %v", cells[c.cell], c.cell, c.count, cells)
			}
		})
	}
}

var cellLine = regexp.MustCompile(`(?m)^\s+(?:(\d+)\s+)?(\w+)(?:\s+(\d+))?\s*$`)

// synthesize returns the number of cells of each type.
func synthesize(t *testing.T, d design, flow string) map[string]int {
	t.Helper()
	yosys := toolset.Need(t, "yosys")
	ir := d.build(t)
	files, err := verilog.Emit(ir, verilog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	names, err := verilog.Write(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := yosys.Command(ctx, "-p", fmt.Sprintf("read_verilog %s; %s -top %s; stat", strings.Join(names, " "), flow, ir.Top.Name))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cells := map[string]int{}
	last := string(out[strings.LastIndex(string(out), "Printing statistics"):])
	for _, f := range cellLine.FindAllStringSubmatch(last, -1) {
		var n int
		if _, err := fmt.Sscan(f[1]+f[3], &n); err == nil {
			cells[f[2]] = n
		}
	}
	return cells
}
