package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gornic/configs"
	"gornic/fpga/board"
	"gornic/fpga/flow"
	"gornic/tools/toolset"
)

// xcup is the one device without a board: UltraScale+, as Yosys knows it.
const xcup = "xcup"

// buildOptions are the flags of build.
type buildOptions struct {
	board   string
	device  string
	config  string
	core    bool
	digital bool
	json    bool
	seed    int
	seeds   int
}

func buildCommand(flags *flag.FlagSet) func(context.Context, io.Writer, io.Writer) error {
	var o buildOptions
	flags.StringVar(&o.board, "board", board.All()[0].Name, "the `board`")
	flags.StringVar(&o.device, "device", "", "instead of a board: "+xcup+", the core alone for UltraScale+")
	flags.StringVar(&o.config, "config", "", "configuration of the core: `FILE` or a name (default the board's)")
	flags.BoolVar(&o.core, "core", false, "the core alone, without pins")
	flags.BoolVar(&o.digital, "digital", false, "all but pads and clocks, without pins")
	flags.BoolVar(&o.json, "json", false, "print the report as JSON")
	flags.IntVar(&o.seed, "seed", 1, "`seed` of the placer")
	flags.IntVar(&o.seeds, "seeds", 1, "how many seeds to try until the timing is met")
	return func(ctx context.Context, stdout, stderr io.Writer) error { return build(ctx, o, stdout, stderr) }
}

func build(ctx context.Context, o buildOptions, stdout, stderr io.Writer) error {
	b, err := board.Find(o.board)
	if err != nil {
		return &argumentError{err}
	}
	if o.device != "" && o.device != xcup || o.seeds < 1 {
		return &argumentError{fmt.Errorf("-device %q -seeds %d: the device is %s, seeds are one or more", o.device, o.seeds, xcup)}
	}
	if o.config == "" {
		o.config = b.Config
	}
	config, err := configs.Load(o.config)
	if err != nil {
		return &argumentError{err}
	}
	p := newProgress(stderr)
	defer p.close()
	options := flow.Options{Progress: p}
	for i := range o.seeds {
		options.Seeds = append(options.Seeds, o.seed+i)
	}
	report, err := o.flow(ctx, b, config, options)
	p.close()
	if errors.Is(err, toolset.ErrAbsent) {
		return fmt.Errorf("%w: go run ./tools/setup yosys nextpnr-ecp5", err)
	}
	if report == nil {
		return err
	}
	return errors.Join(printReport(stdout, report, o.json), err)
}

// flow runs the flow that the options ask for.
func (o buildOptions) flow(ctx context.Context, b board.Board, config configs.Config, options flow.Options) (*flow.Report, error) {
	design, err := o.part().design(b, config)
	if err != nil {
		return nil, err
	}
	if o.device == xcup {
		return flow.Size(ctx, xcup, design, options)
	}
	target, err := o.part().target(b)
	if err != nil {
		return nil, err
	}
	return flow.Build(ctx, target, design, options)
}

func (o buildOptions) part() part {
	switch {
	case o.core || o.device == xcup:
		return coreAlone
	case o.digital:
		return digitalPart
	}
	return wholeBoard
}

func printReport(w io.Writer, r *flow.Report, asJSON bool) error {
	if !asJSON {
		return r.Print(w)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "\t")
	return encoder.Encode(r)
}

func reportCommand(flags *flag.FlagSet) func(context.Context, io.Writer, io.Writer) error {
	name := flags.String("board", board.All()[0].Name, "the `board`, or the name of another folder in build/fpga")
	asJSON := flags.Bool("json", false, "print it as JSON")
	return func(_ context.Context, stdout, _ io.Writer) error {
		dir, err := toolset.BuildDir()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, "fpga", *name, "report.json"))
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s has no report: go run ./fpga build -board %[1]s", *name)
		}
		if err != nil {
			return err
		}
		var r flow.Report
		if err := json.Unmarshal(text, &r); err != nil {
			return err
		}
		return printReport(stdout, &r, *asJSON)
	}
}
