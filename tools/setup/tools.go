package main

import (
	"fmt"
	"os"
	"slices"

	"gornic/tools/toolset"
)

// A need is one tool, with the Debian packages that bring it or, for a pinned tool, that stand in for it.
type need struct {
	name     string
	command  string // empty for a library
	header   string // the file that shows that a library is there
	packages []string
	optional bool // installed only when named
	unpacked bool // packages are unpacked into the build folder instead of installed
}

var needs = []need{
	{name: "g++", command: toolset.CXX, packages: []string{"g++"}},
	{name: "zlib", header: "/usr/include/zlib.h", packages: []string{"zlib1g-dev"}},
	{name: "lz4", header: "/usr/include/lz4.h", packages: []string{"liblz4-dev"}},
	{name: "verilator", command: toolset.Verilator, packages: []string{"verilator"}},
	{name: "yosys", command: toolset.Yosys, packages: []string{"yosys"}},
	{name: "iverilog", command: toolset.Icarus, packages: []string{"iverilog"}},
	{name: "z3", command: toolset.Z3, packages: []string{"z3"}},
	{name: "tshark", command: toolset.Tshark, packages: []string{"tshark"}},
	{name: "nextpnr-ecp5", command: toolset.Nextpnr, packages: []string{"nextpnr-ecp5", "fpga-trellis"}, optional: true},
	{name: "openfpgaloader", command: toolset.Loader, packages: []string{"openfpgaloader"}, optional: true},
	{name: "slurm", optional: true, unpacked: true},
}

// pythonPackages bring the interpreter of some pinned tools and the installer of all.
var pythonPackages = []string{"python3", "python3-pip"}

// pythons are the interpreters to look for: the person's own, then Debian's.
var pythons = []string{"python3", "/usr/bin/python3"}

// choose returns the needs named, or those that are not optional.
func choose(names []string) ([]need, error) {
	var chosen []need
	for _, n := range needs {
		if slices.Contains(names, n.name) || len(names) == 0 && !n.optional {
			chosen = append(chosen, n)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(needs, func(n need) bool { return n.name == name }) {
			return nil, fmt.Errorf("unknown tool %q", name)
		}
	}
	return chosen, nil
}

// pin returns the version to fetch, where the tool is pinned.
func (n need) pin() (toolset.Pin, bool) { return toolset.PinOf(n.command) }

// present tells whether the machine has the tool, in a pinned version or its own.
func (n need) present(build string) bool {
	if n.unpacked {
		_, err := toolset.FindSlurm(build)
		return err == nil
	}
	if n.header != "" {
		_, err := os.Stat(n.header)
		return err == nil
	}
	_, err := toolset.FindIn(build, n.command)
	return err == nil
}
