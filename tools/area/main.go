package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"

	"gornic/blocks"
	"gornic/configs"
	"gornic/hdl"
)

// options are the command's flags.
type options struct {
	block   string
	config  string
	family  string
	json    bool
	path    bool
	suggest bool
	yosys   string
}

func main() {
	var o options
	flag.StringVar(&o.block, "block", "", "only this `block`")
	flag.StringVar(&o.config, "config", "", "only this `configuration`, any of them; without it board and dc")
	flag.StringVar(&o.family, "family", "", "only this `family`, ecp5 or xcup")
	flag.BoolVar(&o.json, "json", false, "print an object a line")
	flag.BoolVar(&o.path, "path", false, "print the longest way of each row")
	flag.BoolVar(&o.suggest, "suggest", false, "print a new budget.yaml: the present sizes and some room")
	flag.StringVar(&o.yosys, "yosys", "", "`path` of another Yosys")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/area [flags]")
		flag.PrintDefaults()
	}
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "area:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, w io.Writer) error {
	budgets, err := readBudgets(budgetFile)
	if err != nil {
		return err
	}
	s, err := newSynthesizer(ctx, o.yosys)
	if err != nil {
		return err
	}
	if s.families, err = chosen(o.family); err != nil {
		return err
	}
	print := printer(o, s.version, w)
	var errs []error
	names := []string{"board", "dc"}
	if o.config != "" {
		names = []string{o.config}
	}
	for _, name := range names {
		config, err := configs.Load(name)
		if err != nil {
			return err
		}
		errs = append(errs, s.config(ctx, config, o, budgets, print))
	}
	switch {
	case o.suggest:
		return nil
	case !o.json:
		if o.block == "" || o.block == "icrc" {
			errs = append(errs, s.floor(ctx, print))
		}
		writePeers(w, func(block string) bool { return o.block == "" || o.block == block })
	}
	return errors.Join(errs...)
}

// config prints the rows of every block in one configuration.
func (s *synthesizer) config(ctx context.Context, config configs.Config, o options, budgets []budget, print func(row)) error {
	var errs []error
	for _, b := range blocks.All() {
		if o.block != "" && o.block != b.Name || o.block == "" && b.Name == "core" {
			continue // the core is its blocks, and takes long
		}
		design, err := b.Build(config)
		if err != nil {
			return err
		}
		rows, err := s.each(ctx, design, row{Block: b.Name, Width: config.DataWidth, Verdict: "ok"})
		errs = append(errs, err)
		for _, r := range rows {
			errs = append(errs, r.judge(budgets))
			print(r)
		}
	}
	return errors.Join(errs...)
}

// each synthesizes a design for the families side by side, and completes a row for each.
func (s *synthesizer) each(ctx context.Context, design *hdl.Design, like row) ([]row, error) {
	list := s.families
	rows, errs := make([]row, len(list)), make([]error, len(list))
	var group sync.WaitGroup
	for i, f := range list {
		group.Go(func() {
			rows[i] = like
			rows[i].Family = f.Name
			rows[i].Size, errs[i] = s.size(ctx, design, f)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return rows, nil
}

// floor prints the rows of the least that a CRC takes.
func (s *synthesizer) floor(ctx context.Context, print func(row)) error {
	for _, width := range []int{64, 256, 512} {
		design, _, err := hdl.Build(crcFloor(width))
		if err != nil {
			return err
		}
		rows, err := s.each(ctx, design, row{Block: "(flat CRC step)", Width: width, Verdict: "for comparison"})
		if err != nil {
			return err
		}
		for _, r := range rows {
			print(r)
		}
	}
	return nil
}

// judge compares a row with its budget. One that has none is not judged, but says so.
func (r *row) judge(budgets []budget) error {
	b, ok := budgetOf(budgets, *r)
	if !ok {
		r.Verdict = "no budget"
		return nil
	}
	if excess := b.excess(r.Size); excess != "" {
		r.Verdict = "over:" + excess
		return fmt.Errorf("%s %s at %d bits is over its budget:%s", r.Block, r.Family, r.Width, excess)
	}
	return nil
}

// printer prints rows as they come: as a table, as JSON, or as budgets.
func printer(o options, version string, w io.Writer) func(row) {
	switch {
	case o.suggest:
		fmt.Fprint(w, budgetHead)
		return func(r row) { fmt.Fprintln(w, suggestion(r)) }
	case o.json:
		encoder := json.NewEncoder(w)
		return func(r row) { _ = encoder.Encode(r) } // to a closed pipe: there is nobody to tell
	}
	writeHead(w, version)
	return func(r row) {
		r.write(w)
		if o.path {
			r.writePath(w)
		}
	}
}
