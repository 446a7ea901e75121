package main

import "fmt"

// A family is a kind of FPGA.
type family struct {
	Name   string
	script string // of Yosys, with the top's name to come
}

// families are the two that the budgets speak of.
func families() []family {
	return []family{
		{"ecp5", "synth_ecp5 -top %s"},
		{"xcup", "synth_xilinx -family xcup -flatten -noiopad -top %s"},
	}
}

// commands is the whole script for the files of a design. Reading is deferred until the top is known, as it was for the
// peers' numbers.
func (f family) commands(top string, files []string, netlist string) string {
	script := "read_verilog -defer"
	for _, name := range files {
		script += " " + name
	}
	return script + fmt.Sprintf("; hierarchy -check -top %s; ", top) + fmt.Sprintf(f.script, top) + "; write_json " + netlist
}
