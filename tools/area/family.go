package main

import (
	"fmt"
	"slices"
)

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

// chosen is the families with a name, all where it is empty.
func chosen(name string) ([]family, error) {
	all := families()
	if name == "" {
		return all, nil
	}
	i := slices.IndexFunc(all, func(f family) bool { return f.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no family %q: ecp5 or xcup", name)
	}
	return all[i : i+1], nil
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
