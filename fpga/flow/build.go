package flow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gornic/fpga/netlist"
	"gornic/hdl"
	"gornic/hdl/verilog"
	"gornic/tools/toolset"
)

// Options are how to build.
type Options struct {
	Seeds    []int  // of the placer, tried in turn until the timing is met; none: 1
	Dir      string // where results go, each target in a folder of its own; "": build/fpga of the module root
	Progress Progress
}

func (o *Options) complete() error {
	if len(o.Seeds) == 0 {
		o.Seeds = []int{1}
	}
	if o.Progress == nil {
		o.Progress = Quiet{}
	}
	if o.Dir == "" {
		build, err := toolset.BuildDir()
		if err != nil {
			return err
		}
		o.Dir = filepath.Join(build, "fpga")
	}
	return nil
}

// A builder is a build that goes on.
type builder struct {
	Options
	target Target
	design *hdl.Design
	store  store
	steps  int // in all
	step   int // the one that goes on, from 1
}

// Build makes the bitstream of a design in Dir/NAME, with the Verilog (rtl/) and the report (report.json) beside it. Where
// the design is too large for the device, or the timing is not met, the report is returned together with a *SizeError or
// *TimingError, and nothing but the report is put there.
func Build(ctx context.Context, t Target, d *hdl.Design, o Options) (*Report, error) {
	if err := errors.Join(t.validate(), o.complete()); err != nil {
		return nil, err
	}
	b := &builder{Options: o, target: t, design: d, store: store{filepath.Join(o.Dir, "steps")}, steps: 3}
	if t.OutOfContext {
		b.steps = 2
	}
	// What an earlier build left must not be taken for what this one makes.
	if err := os.Remove(b.result(BitFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := b.generate(); err != nil {
		return nil, err
	}
	report, err := b.synthesized(ctx, forECP5)
	if err != nil {
		return nil, err
	}
	if err := report.fits(); err != nil {
		return report, errors.Join(fmt.Errorf("%s: %w", t.Name, err), report.save(b.result(reportFile)))
	}
	return report, b.placed(ctx, report)
}

// Size synthesizes a design for UltraScale+ and reports what it costs there.
func Size(ctx context.Context, name string, d *hdl.Design, o Options) (*Report, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	b := &builder{Options: o, target: Target{Name: name}, design: d, store: store{filepath.Join(o.Dir, "steps")}, steps: 1}
	report, err := b.synthesized(ctx, forXCUP)
	if err != nil {
		return nil, err
	}
	return report, report.save(b.result(reportFile))
}

// Netlist synthesizes a design for the ECP5, as Build does.
func Netlist(ctx context.Context, name string, d *hdl.Design, o Options) (*netlist.Netlist, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	b := &builder{Options: o, target: Target{Name: name}, design: d, store: store{filepath.Join(o.Dir, "steps")}, steps: 1}
	report, err := b.synthesized(ctx, forECP5)
	if err != nil {
		return nil, err
	}
	return report.netlist, nil
}

// result is the path of a file of the build.
func (b *builder) result(name string) string { return filepath.Join(b.Dir, b.target.Name, name) }

// generate writes the Verilog for people: with the Go line beside. What Yosys reads lies with its step.
func (b *builder) generate() error {
	files, err := verilog.Emit(b.design, verilog.Options{Positions: true, Checks: true})
	if err != nil {
		return err
	}
	dir := b.result("rtl")
	if err := errors.Join(os.RemoveAll(dir+".part"), writeVerilog(dir+".part", files), os.RemoveAll(dir)); err != nil {
		return err
	}
	return os.Rename(dir+".part", dir)
}

// do does a step, or finds what it made.
func (b *builder) do(ctx context.Context, name string, inputs []byte, make func(ctx context.Context, dir string, detail func(string)) error) (string, error) {
	kind := b.target.Name + "-" + strings.ReplaceAll(name, " ", "-")
	b.step++
	b.Progress.Begin(b.step, b.steps, name, b.store.lately(kind))
	again := true
	dir, err := b.store.do(ctx, kind, inputs, func(dir string) error {
		again = false
		return make(ctx, dir, b.Progress.Detail)
	})
	if err != nil {
		return "", fmt.Errorf("%s: %s: %w", b.target.Name, name, err)
	}
	b.Progress.End(took(dir), again)
	return dir, nil
}

// synthesized makes the netlist, and a report of what it costs.
func (b *builder) synthesized(ctx context.Context, command string) (*Report, error) {
	s, err := newSynthesis(ctx, b.design, command)
	if err != nil {
		return nil, err
	}
	dir, err := b.do(ctx, "synthesize", s.inputs(), s.make)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, netlistFile)
	n, err := netlist.Read(path, s.top)
	if err != nil {
		return nil, err
	}
	source := netlist.NewSource(b.design)
	r := &Report{
		Name: b.target.Name, Device: b.target.Device, Speed: b.target.Speed, Top: s.top, Yosys: s.version,
		Blocks: blocksOf(n.Tree(source.Paths()), b.design), netlist: n, source: source, path: path,
	}
	r.Steps = append(r.Steps, Step{"synthesize", took(dir).Seconds()})
	return r, nil
}

// placed places, routes and packs: with one seed after another while the timing is not met.
func (b *builder) placed(ctx context.Context, r *Report) error {
	seeds, before := b.Seeds, b.step
	var err error
	for i, seed := range seeds {
		b.step = before
		if err = b.seed(ctx, r, seed); err == nil {
			return nil
		}
		var timing *TimingError
		if !errors.As(err, &timing) || i == len(seeds)-1 {
			break
		}
	}
	return err
}

// seed is placed with one seed.
func (b *builder) seed(ctx context.Context, r *Report, seed int) error {
	p, err := newPlacement(ctx, b.target, r.path, seed)
	if err != nil {
		return err
	}
	dir, err := b.do(ctx, "place and route", p.inputs(), p.make)
	if err != nil {
		return err
	}
	r.Nextpnr, r.Seed = p.version, seed
	r.Steps = append(slices.Clip(r.Steps[:1]), Step{"place and route", took(dir).Seconds()})
	if err := r.readTiming(filepath.Join(dir, reportFile), b.target.Clocks); err != nil {
		return err
	}
	timing := r.judge()
	if b.target.OutOfContext || timing != nil {
		return errors.Join(r.save(b.result(reportFile)), timing)
	}
	pack, err := newPacking(p, dir)
	if err != nil {
		return err
	}
	dir, err = b.do(ctx, "pack", pack.inputs(), pack.make)
	if err != nil {
		return err
	}
	r.Steps = append(r.Steps, Step{"pack", took(dir).Seconds()})
	r.Bitstream = b.result(BitFile)
	return errors.Join(publish(filepath.Join(dir, BitFile), r.Bitstream), r.save(b.result(reportFile)))
}
