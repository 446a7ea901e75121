package verilator

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/tools/toolset"
)

// Prepared is a design that has been compiled. To print a large design so that its
// library can be found takes longer than to run it for a thousand cycles: who needs many
// copies, one after the other, prepares them.
type Prepared struct {
	design   *ir.Design
	o        sim.Options
	name     string
	artefact *artefact
	covers   int
	arms     *armCovers
}

// Prepare compiles a design for [Prepared.Open]. Of the options Coverage, NoChecks, Events
// and whether there are Waves count. The end of ctx ends the compilation.
func Prepare(ctx context.Context, d *ir.Design, o sim.Options) (*Prepared, error) {
	t, arms, err := emit(d, o)
	if err != nil {
		return nil, err
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
	return &Prepared{d, o, "verilator " + tools.version, a, len(t.covers), arms}, nil
}

// Open is the function [Open] for the design that was prepared, and options that agree in
// what Prepare looked at.
func (p *Prepared) Open(d *ir.Design, o sim.Options) (sim.Backend, error) {
	if d != p.design {
		return nil, errors.New("verilator: another design was prepared")
	}
	if o.Coverage != p.o.Coverage || o.HasChecks() != p.o.HasChecks() || o.Events != p.o.Events || (o.Waves != "") != (p.o.Waves != "") {
		return nil, fmt.Errorf("verilator: prepared for other options: %+v", p.o)
	}
	b, err := start(d, o, p.artefact, p.name)
	if err != nil {
		return nil, err
	}
	b.covers, b.arms = p.covers, p.arms
	if o.Events {
		b.events = sim.Events(d)
	}
	return b, nil
}
