package verilog_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

// Every arm is where File.Arms says.
func TestArmsPointAtBranches(t *testing.T) {
	condition := regexp.MustCompile(`^ *(end else )?if \(`)
	starts := map[string]*regexp.Regexp{
		"if": condition, "else": condition, "case": regexp.MustCompile(`^ *(\d+'\w+|[A-Z_0-9]+|default).*: (begin|;)$`),
	}
	found := map[string]int{}
	for _, d := range designs {
		for _, f := range emit(t, d.build(t), verilog.Options{Checks: true}) {
			lines := strings.Split(string(f.Text), "\n")
			for _, a := range f.Arms {
				found[a.Branch]++
				if line := lines[a.Line-1]; !starts[a.Branch].MatchString(line) || (a.If == nil) == (a.Case == nil) {
					t.Errorf("%s:%d: %s is not at %q", f.Name, a.Line, a.Branch, line)
				}
			}
		}
	}
	for branch := range starts {
		if found[branch] == 0 {
			t.Errorf("no arm of kind %s", branch)
		}
	}
}

// Verilator's line coverage has a point for every arm, by line and branch.
func TestArmsMatchVerilatorCoverage(t *testing.T) {
	verilator := toolset.Need(t, toolset.Verilator)
	dir := t.TempDir()
	files := emit(t, of(Framer(64)).build(t), verilog.Options{})
	names, err := verilog.Write(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	command(t, dir, verilator, append([]string{"--cc", "--coverage-line", "--top-module", "framer_64"}, names...)...)
	insert := regexp.MustCompile(`"framer_64\.v", (\d+), \d+, [^;]*"(if|elsif|else|case)"`)
	points := map[string]bool{}
	for _, f := range insert.FindAllStringSubmatch(generated(t, dir, "*.cpp"), -1) {
		points[f[1]+" "+strings.Replace(f[2], "elsif", "if", 1)] = true
	}
	if len(files[0].Arms) == 0 {
		t.Fatal("no arms")
	}
	for _, a := range files[0].Arms {
		if point := fmt.Sprintf("%d %s", a.Line, a.Branch); !points[point] {
			t.Errorf("no point %q of %v", point, points)
		}
	}
}
