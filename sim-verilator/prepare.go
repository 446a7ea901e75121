package verilator

import (
	"context"
	"fmt"
	"path/filepath"

	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/tools/toolset"
)

// prepared is a design that has been compiled.
type prepared struct {
	name     string
	artefact *artefact
	covers   int
	arms     *armCovers
}

// Prepare compiles a design for any number of copies; it has the type sim.Prepare. To print a
// large design so that its library can be found takes longer than to run it for a
// thousand cycles. The end of ctx ends the compilation.
func Prepare(ctx context.Context, d *ir.Design, o sim.Options) (sim.Open, error) {
	if err := d.Simulable(); err != nil {
		return nil, fmt.Errorf("verilator: %w", err)
	}
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
	p := &prepared{"verilator " + tools.version, a, len(t.covers), arms}
	return sim.PreparedFor(d, o.Needs(), p.open), nil
}

// open makes a copy of the design; it has the type sim.Open.
func (p *prepared) open(d *ir.Design, o sim.Options) (sim.Backend, error) {
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
