package verilog_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

type limitIO struct {
	Step  hdl.Bits `hdl:"in" w:"4"`
	Count hdl.Bits `hdl:"out" w:"8"`
}

// limit counts in steps, and asserts that the count stays below a bound.
func limit(bound uint64) hdl.Def[limitIO] {
	return hdl.Def[limitIO]{Name: "limit", Body: func(m *hdl.Module, io *limitIO) {
		count := m.Reg("count_now", 8, 0)
		m.If(count.LtK(100), func() { count.Set(count.Add(io.Step.ZExt(8))) })
		io.Count.Set(count)
		earlier := m.PastReset("earlier", count, 0)
		m.Assert("bounded", count.LtK(bound))
		m.Assert("grows", count.Ge(earlier))
		m.Cover("half", count.GeK(50))
	}}
}

// outside puts limit into a top, for a path in the reports.
func outside(bound uint64) hdl.Def[limitIO] {
	return hdl.Def[limitIO]{Name: "outside", Body: func(m *hdl.Module, io *limitIO) {
		u := hdl.Instance(m, "u_limit", limit(bound))
		u.Step.Set(io.Step)
		io.Count.Set(u.Count)
	}}
}

const limitBench = `module tb;
    reg clk = 1'b0, rst = 1'b1;
    wire [7:0] count;
    outside dut (.clk(clk), .rst(rst), .step(4'd7), .count(count));
    initial begin
        repeat (40) begin
            #1 clk = 1'b1;
            #1 clk = 1'b0;
            rst = 1'b0;
        end
        $finish(0);
    end
endmodule
`

// Both simulators print the same report of a failed assertion, and stop.
func TestReportsOfSimulators(t *testing.T) {
	half := verilog.Report{Kind: ir.Cover, Path: "u_limit", Name: "half"}
	bounded := verilog.Report{Kind: ir.Assert, Path: "u_limit", Name: "bounded"}
	for _, c := range []struct {
		name  string
		run   func(*testing.T, string, []string) string
		bound uint64
		want  []verilog.Report
	}{
		{"icarus, holds", runIcarus, 200, []verilog.Report{half}},
		{"icarus, fails", runIcarus, 60, []verilog.Report{half, bounded}},
		{"verilator, fails", runVerilator, 60, []verilog.Report{half, bounded}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := emit(t, of(outside(c.bound)).build(t), verilog.Options{Checks: true, Positions: true})
			dir := t.TempDir()
			names, err := verilog.Write(dir, append(files, verilog.File{Name: "tb.v", Text: []byte(limitBench)}))
			if err != nil {
				t.Fatal(err)
			}
			if got := reports(t, c.run(t, dir, names)); !slices.Equal(got, c.want) {
				t.Errorf("reports %v, want %v", got, c.want)
			}
		})
	}
}

// reports returns the reports in the output of a simulator, without what
// differs between them: the name of the top, and the line.
func reports(t *testing.T, out string) []verilog.Report {
	t.Helper()
	var list []verilog.Report
	for _, line := range strings.Split(out, "\n") {
		r, ok := verilog.ParseReport(line)
		if !ok {
			continue
		}
		if !strings.HasPrefix(r.Pos, "hdl/verilog/property_test.go:") {
			t.Errorf("position %q", r.Pos)
		}
		r.Pos, r.Path = "", r.Path[strings.LastIndexByte(r.Path, '.')+1:]
		list = append(list, r)
	}
	return list
}

func command(t *testing.T, dir string, tool toolset.Tool, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := tool.Command(ctx, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil && tool.Name != simulation {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

func runIcarus(t *testing.T, dir string, files []string) string {
	iverilog, vvp := toolset.Need(t, toolset.Icarus), toolset.Need(t, toolset.Vvp)
	command(t, dir, iverilog, append([]string{"-g2005", "-DGORNIC_CHECK", "-o", "tb.vvp", "-s", "tb"}, files...)...)
	return command(t, dir, vvp, "-n", "tb.vvp")
}

// simulation is a program that Verilator made; a $stop gives it an exit status.
const simulation = "simulation"

const limitMain = `#include "Voutside.h"
#include "verilated.h"
int main() {
    VerilatedContext context;
    context.fatalOnError(false);
    Voutside dut{&context, "tb"};
    dut.rst = 1;
    dut.step = 7;
    for (int i = 0; i < 40 && !context.gotError(); i++) {
        dut.clk = 1;
        dut.eval();
        dut.clk = 0;
        dut.eval();
        dut.rst = 0;
    }
}
`

func runVerilator(t *testing.T, dir string, files []string) string {
	verilator := toolset.Need(t, toolset.Verilator)
	if err := os.WriteFile(filepath.Join(dir, "main.cpp"), []byte(limitMain), 0o644); err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(slices.Clone(files), func(name string) bool { return name == "tb.v" })
	command(t, dir, verilator, append([]string{
		"--cc", "--exe", "--build", "-CFLAGS", "-O0", "-DGORNIC_CHECK", "--top-module", "outside", "main.cpp",
	}, files...)...)
	return command(t, dir, toolset.Tool{Name: simulation, Path: filepath.Join(dir, "obj_dir", "Voutside")})
}

// Proofs find the same: the property that holds is proved, the one that does
// not is refuted. Both start from reset.
func TestFormalSection(t *testing.T) {
	yosys := toolset.Need(t, "yosys")
	for _, c := range []struct {
		bound  uint64
		proved bool
	}{{115, true}, {114, false}} {
		dir := t.TempDir()
		names, err := verilog.Write(dir, emit(t, of(limit(c.bound)).build(t), verilog.Options{Checks: true}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := yosys.Command(ctx, "-p", "read_verilog -formal "+strings.Join(names, " ")+
			"; prep -flatten -top limit; async2sync; dffunmap; chformal -cover -remove; sat -seq 1 -tempinduct -prove-asserts -set-assumes -verify")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if (err == nil) != c.proved {
			t.Errorf("bound %d: proved %v\n%s", c.bound, err == nil, out[max(0, len(out)-2000):])
		}
	}
}

// Waves of Verilator have the names of FSM states and opcodes: it puts them
// into what it makes for FST.
func TestWavesHaveNames(t *testing.T) {
	verilator := toolset.Need(t, toolset.Verilator)
	dir := t.TempDir()
	names, err := verilog.Write(dir, emit(t, of(Framer(64)).build(t), verilog.Options{Waves: true}))
	if err != nil {
		t.Fatal(err)
	}
	command(t, dir, verilator, append([]string{"--cc", "--trace-fst", "-Wall", "-DGORNIC_WAVES", "--top-module", "framer_64"}, names...)...)
	text := generated(t, dir, "*Trace*.cpp")
	if !strings.Contains(text, `"PAYLOAD"`) || !strings.Contains(text, `"SEND_FIRST"`) {
		t.Error("no names of values in the waves")
	}
}

// generated returns the text that Verilator made.
func generated(t *testing.T, dir, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "obj_dir", pattern))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	return text.String()
}
