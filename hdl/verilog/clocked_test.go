package verilog_test

import (
	"strings"
	"testing"

	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

// An instance with a clock of its own is connected to that, the others and the reset stay as they were.
func TestClockedInstance(t *testing.T) {
	d := of(Senders()).build(t)
	second := d.Top.Instances[1]
	files := emit(t, d, verilog.Options{Checks: true, Clocked: d.Top.Instances[1:], State: true})
	top := squeezed(files, "senders.v")
	for _, want := range []string{
		"input wire " + verilog.ClockOf(second) + ",",
		"first_sender u_first ( .clk (clk), .rst (rst),",
		"second_sender u_second ( .clk (" + verilog.ClockOf(second) + "), .rst (rst),",
	} {
		if !strings.Contains(top, want) {
			t.Errorf("%q is not in\n%s", want, top)
		}
	}
	first := squeezed(files, "first_sender.v")
	for _, register := range []string{"psn_now", "st", "psn_before"} {
		if want := register + " /* verilator public_flat_rd */;"; !strings.Contains(first, want) {
			t.Errorf("%q is not in\n%s", want, first)
		}
	}
	lintClocked(t, files)
}

// squeezed is a file with single spaces in place of all others.
func squeezed(files []verilog.File, name string) string {
	for _, f := range files {
		if f.Name == name {
			return strings.Join(strings.Fields(string(f.Text)), " ")
		}
	}
	return ""
}

func lintClocked(t *testing.T, files []verilog.File) {
	t.Helper()
	verilator := toolset.Need(t, toolset.Verilator)
	dir := t.TempDir()
	names, err := verilog.Write(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	command(t, dir, verilator, append([]string{"--lint-only", "-Wall", "-DGORNIC_CHECK", "--top-module", "senders"}, names...)...)
}
