// Package lint checks the Verilog of a design with the tools that its users
// have: no warning from Verilator -Wall, Icarus -Wall (as Verilog-2005 and as
// SystemVerilog) and Yosys check -assert. A test of a block calls [Check].
package lint

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gornic/hdl/ir"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

// A linter is one way to look at the text.
type linter struct {
	name     string
	tool     string
	args     func(top string, files []string) []string
	harmless func(line string) bool // output that is not a complaint
	events   bool                   // it is for designs with trace events
	joint    bool                   // it looks at large designs, too
}

// DECLFILENAME is about models of black boxes, and MULTITOP about black boxes
// that nothing instantiates.
var verilator = []string{"--lint-only", "-Wall", "-Wno-DECLFILENAME", "-Wno-MULTITOP", "--top-module"}

// compiled is where Icarus writes, beside the text. It makes the file executable,
// which is why the null device will not do.
const compiled = "lint.vvp"

// Linters are run as subtests; each one skips where its tool is absent.
var linters = []linter{
	{"verilator", "verilator", func(top string, files []string) []string {
		return slices.Concat(verilator, []string{top}, files)
	}, isReport, false, false},
	{"verilator with checks", "verilator", func(top string, files []string) []string {
		return slices.Concat(verilator, []string{top, "-DGORNIC_CHECK"}, files)
	}, isReport, false, false},
	{"verilator with events", "verilator", func(top string, files []string) []string {
		return slices.Concat(verilator, []string{top, "-DGORNIC_TRACE"}, files)
	}, isReport, true, false},
	{"verilator with checks and quiet events", "verilator", func(top string, files []string) []string {
		return slices.Concat(verilator, []string{top, "-DGORNIC_CHECK", "-DGORNIC_TRACE", "-DGORNIC_TRACE_QUIET"}, files)
	}, isReport, true, true},
	{"icarus 2005", "iverilog", func(top string, files []string) []string {
		return slices.Concat([]string{"-Wall", "-g2005", "-o", compiled, "-s", top}, files)
	}, nil, false, true},
	{"icarus 2012 with checks", "iverilog", func(top string, files []string) []string {
		return slices.Concat([]string{"-Wall", "-g2012", "-DGORNIC_CHECK", "-o", compiled, "-s", top}, files)
	}, nil, false, false},
	{"icarus 2005 with events", "iverilog", func(top string, files []string) []string {
		return slices.Concat([]string{"-Wall", "-g2005", "-DGORNIC_TRACE", "-o", compiled, "-s", top}, files)
	}, nil, true, false},
	{"yosys", "yosys", func(top string, files []string) []string {
		return []string{"-p", fmt.Sprintf("read_verilog %s; hierarchy -check -top %s; proc; check -assert",
			strings.Join(files, " "), top)}
	}, isLog, false, false},
	{"yosys formal", "yosys", func(top string, files []string) []string {
		return []string{"-p", fmt.Sprintf("read_verilog -formal %s; hierarchy -check -top %s; proc; check -assert",
			strings.Join(files, " "), top)}
	}, isLog, false, false},
}

// isReport passes the statistics that newer versions of Verilator print.
func isReport(line string) bool { return strings.HasPrefix(line, "- ") }

// isLog passes all that Yosys says but warnings and errors.
func isLog(line string) bool {
	return !strings.Contains(line, "Warning") && !strings.Contains(line, "ERROR")
}

// Check prints the design, with properties, events and the models of its black boxes,
// and fails t for each warning of a tool. Tools that are absent are skipped.
func Check(t *testing.T, d *ir.Design) {
	t.Helper()
	check(t, d, everyLinter, need)
}

// CheckJoint is Check for a large design whose modules are checked alone, with the
// same parameters. Yosys and Icarus would take minutes to read them all again in
// every variant, so of what joins them one tool sees the text with properties and
// events, and another the plain one.
func CheckJoint(t *testing.T, d *ir.Design) {
	t.Helper()
	check(t, d, func(l linter) bool { return l.joint }, need)
}

func everyLinter(linter) bool { return true }

func need(t *testing.T, name string) []toolset.Tool {
	return []toolset.Tool{toolset.Need(t, name)}
}

// CheckEvery is Check with the tools that this project brings and with those of
// the machine, which may be older.
func CheckEvery(t *testing.T, d *ir.Design) {
	t.Helper()
	check(t, d, everyLinter, func(t *testing.T, name string) []toolset.Tool {
		tools := []toolset.Tool{toolset.Need(t, name)}
		if own, err := toolset.FindIn("", name); err == nil && own.Path != tools[0].Path {
			tools = append(tools, own)
		}
		return tools
	})
}

func check(t *testing.T, d *ir.Design, chosen func(linter) bool, find func(t *testing.T, name string) []toolset.Tool) {
	t.Helper()
	files, err := verilog.Emit(d, verilog.Options{Checks: true, Events: true, Models: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	names, err := verilog.Write(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	events := slices.ContainsFunc(d.All, func(m *ir.Module) bool { return len(m.Events) > 0 })
	for _, l := range linters {
		if l.events && !events || !chosen(l) {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			for _, tool := range find(t, l.tool) {
				l.run(t, tool, dir, d.Top.Name, names)
			}
		})
	}
}

func (l linter) run(t *testing.T, tool toolset.Tool, dir, top string, files []string) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := tool.Command(ctx, l.args(top, files)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var complaints []string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if line != "" && (l.harmless == nil || !l.harmless(line)) {
			complaints = append(complaints, line)
		}
	}
	if err != nil || len(complaints) > 0 {
		t.Errorf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, strings.Join(complaints, "\n"))
	}
}
