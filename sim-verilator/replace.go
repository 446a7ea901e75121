package verilator

import (
	"context"
	"errors"
	"path/filepath"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

// PrepareReplaced compiles other Verilog in the place of a design, such as what synthesis made of it: a module with the
// name, the clocks and the ports of the design's top. Copies have no checks, events or coverage, and Peek sees ports alone.
func PrepareReplaced(ctx context.Context, d *ir.Design, files []verilog.File) (sim.Open, error) {
	t := describe(d)
	t.signals, t.replaced = nil, true
	for _, f := range files {
		t.files = append(t.files, file{f.Name, string(f.Text)})
	}
	tools, err := knownTools()
	if err != nil {
		return nil, err
	}
	build, err := toolset.BuildDir()
	if err != nil {
		return nil, err
	}
	a, err := (&recipe{t, tools}).build(ctx, filepath.Join(build, "verilated"))
	if err != nil {
		return nil, err
	}
	p := &prepared{name: "verilator " + tools.version, artefact: a}
	return func(asked *ir.Design, o sim.Options) (sim.Backend, error) {
		switch {
		case asked != d:
			return nil, errors.New("verilator: another design was replaced")
		case o.Events || o.Coverage || o.Waves != "":
			return nil, errors.New("verilator: a replaced design has no events, coverage or waves")
		}
		return p.open(d, o)
	}, nil
}
