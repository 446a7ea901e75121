package flow

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gornic/hdl"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

// netlistFile is what synthesis makes.
const netlistFile = "netlist.json"

// A synthesis turns Verilog into cells of a family.
type synthesis struct {
	yosys   toolset.Tool
	version string
	top     string
	files   []verilog.File
	command string   // of Yosys, for the family
	clocks  []string // nets of the top
}

const (
	forECP5 = "synth_ecp5 -nowidelut"
	forXCUP = "synth_xilinx -family xcup -flatten -noiopad"
)

// narrowAdders makes LUTs of adders and comparisons up to 8 bits. A carry chain has two places for a LUT4 more at its beginning, and two
// where its end leads to logic: a short one takes more of them than LUTs do, which ABC merges with what is around.
const narrowAdders = "techmap -map +/techmap.v t:$alu r:Y_WIDTH<=8 %i"

func newSynthesis(ctx context.Context, d *hdl.Design, command string) (*synthesis, error) {
	yosys, err := toolset.Find(toolset.Yosys)
	if err != nil {
		return nil, err
	}
	version, err := yosys.Version(ctx)
	if err != nil {
		return nil, err
	}
	// Without positions, so that a line of Go that only moved is not synthesized again.
	files, err := verilog.Emit(d, verilog.Options{})
	if err != nil {
		return nil, err
	}
	s := &synthesis{yosys: yosys, version: version, top: d.Top.Name, files: files, command: command}
	for _, c := range slices.Concat(d.Top.Clocks, d.Top.Made) {
		s.clocks = append(s.clocks, c.Clk)
	}
	return s, nil
}

// script is what Yosys does. Modules are read when the hierarchy asks for them, which the family's command has made before: it
// knows the primitives. Clocks keep their names, by which nextpnr is told of their frequencies; other nets of the same signal may
// take them away else.
func (s *synthesis) script() string {
	var b strings.Builder
	for _, f := range s.files {
		fmt.Fprintf(&b, "read_verilog -defer rtl/%s\n", f.Name)
	}
	fmt.Fprintf(&b, "%s -top %s -run begin:coarse\n", s.command, s.top)
	for _, clock := range s.clocks {
		fmt.Fprintf(&b, "setattr -set keep 1 %s/w:%s\n", s.top, clock)
	}
	if s.command == forECP5 {
		fmt.Fprintf(&b, "%s -top %s -run coarse:map_gates\n%s\n%[1]s -top %[2]s -run map_gates:\n", s.command, s.top, narrowAdders)
	} else {
		fmt.Fprintf(&b, "%s -top %s -run coarse:\n", s.command, s.top)
	}
	fmt.Fprintf(&b, "write_json %s\n", netlistFile)
	return b.String()
}

// inputs is all that the netlist depends on.
func (s *synthesis) inputs() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, s.version, s.script())
	for _, f := range s.files {
		fmt.Fprintf(&b, "%s %d\n%s", f.Name, len(f.Text), f.Text)
	}
	return b.Bytes()
}

func (s *synthesis) make(ctx context.Context, dir string, detail func(string)) error {
	if err := writeVerilog(filepath.Join(dir, "rtl"), s.files); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "synth.ys"), []byte(s.script()), 0o644); err != nil {
		return err
	}
	return run(ctx, s.yosys, dir, "yosys.log", func(line string) {
		if m := pass.FindStringSubmatch(line); m != nil {
			detail("pass " + strings.ToLower(m[1]))
		}
	}, "-s", "synth.ys")
}

// pass matches the line at the begin of a pass of the script that synthesizes, not of those within it.
var pass = regexp.MustCompile(`^\d+\.\d+\. Executing (\w+)`)

// writeVerilog writes the files of a design into a folder.
func writeVerilog(dir string, files []verilog.File) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
