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
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gornic/configs"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/workload"
	"gornic/tools/toolset"
)

// options are the command's flags.
type options struct {
	match  *regexp.Regexp // nil: everything
	list   bool
	json   bool
	config string
	sim    string
	work   string
	seed   uint64
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	o, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(2)
	default:
		err = run(ctx, o, os.Stdout)
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var match string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&match, "run", "", "only measurements whose name matches `REGEXP`")
	flags.BoolVar(&o.list, "list", false, "list the measurements and stop")
	flags.BoolVar(&o.json, "json", false, "print an object a line")
	flags.StringVar(&o.config, "config", "", "only `CONFIG`, board or dc; with -workload also tiny or a file")
	flags.StringVar(&o.sim, "sim", verilator.Simulator.Name, "simulator, verilator or `native`: the same cycles, some 50 times as slow")
	flags.StringVar(&o.work, "workload", "", "play `FILE` between two cores, or one of "+strings.Join(workload.Names(), ", "))
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the workload")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.sim != sim.NativeSimulator.Name && o.sim != verilator.Simulator.Name {
		return o, fmt.Errorf("-sim %s: want native or verilator", o.sim)
	}
	if match == "" {
		return o, nil
	}
	var err error
	o.match, err = regexp.Compile(match)
	return o, err
}

// run is the command.
func run(ctx context.Context, o options, w io.Writer) error {
	if o.work != "" {
		return playFile(ctx, o, w)
	}
	chosen := o.choose()
	if len(chosen) == 0 {
		return errors.New("no measurement has that name")
	}
	if o.list {
		return list(w, chosen)
	}
	rows, err := measureAll(ctx, o, chosen, o.printer(w))
	if err != nil {
		return err
	}
	if o.match == nil && o.config == "" && o.sim == verilator.Simulator.Name {
		if err := writePage(rows); err != nil {
			return err
		}
	}
	return misses(rows)
}

// configNames are the configurations that have budgets.
var configNames = []string{"board", "dc"}

func (o options) choose() []measurement {
	var chosen []measurement
	for _, name := range configNames {
		for _, m := range measurements(name) {
			if (o.config == "" || o.config == name) && (o.match == nil || o.match.MatchString(m.name)) {
				chosen = append(chosen, m)
			}
		}
	}
	return chosen
}

func list(w io.Writer, all []measurement) error {
	for _, m := range all {
		if _, err := fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-44s %s", m.name, m.budget), " ")); err != nil {
			return err
		}
	}
	return nil
}

func (o options) printer(w io.Writer) printer {
	if o.json {
		return lines{json.NewEncoder(w)}
	}
	return &table{to: w}
}

// measureAll measures, the configurations side by side, and prints each row as it comes. What cannot be measured is a row, too,
// and keeps no budget; but nothing is measured without the simulator. Rows are returned in the order of the measurements.
func measureAll(ctx context.Context, o options, all []measurement, to printer) ([]row, error) {
	parts := map[string][]measurement{}
	for _, m := range all {
		parts[m.config] = append(parts[m.config], m)
	}
	var group sync.WaitGroup
	rows, errs := make([][]row, len(configNames)), make([]error, len(configNames))
	shared := &oneAtATime{to: to}
	for i, name := range configNames {
		group.Go(func() { rows[i], errs[i] = measureConfig(ctx, o, name, parts[name], shared) })
	}
	group.Wait()
	return slices.Concat(rows...), errors.Join(errs...)
}

// measureConfig measures in one configuration.
func measureConfig(ctx context.Context, o options, name string, all []measurement, to printer) (rows []row, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	b, err := openConfig(ctx, o, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = closing(err, b.close) }()
	for _, m := range all {
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		r, err := m.row(ctx, b)
		if err != nil {
			return rows, err
		}
		if err := to.print(r); err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// row is what comes of a measurement. The error says that there is no simulator.
func (m measurement) row(ctx context.Context, b *built) (row, error) {
	r, err := m.measure(ctx, b)
	if errors.Is(err, toolset.ErrAbsent) {
		return r, err
	}
	r.Name, r.Config, r.Budget = m.name, m.config, m.budget.String()
	_, r.rate = m.subject.(load)
	switch {
	case err != nil:
		r.Verdict = fmt.Sprintf("%s: %v", missed, err)
	case m.budget == budget{}:
	case m.budget.met(r):
		r.Verdict = met
	default:
		r.Verdict = missed
	}
	return r, nil
}

// misses is the error of rows that miss their budgets.
func misses(rows []row) error {
	n := 0
	for _, r := range rows {
		if r.missed() {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("%d of %d measurements miss their budget", n, len(rows))
	}
	return nil
}

// openConfig builds the core of a configuration.
func openConfig(ctx context.Context, o options, name string) (*built, error) {
	config, err := configs.Load(name)
	if err != nil {
		return nil, err
	}
	simulator := verilator.Simulator
	if o.sim == sim.NativeSimulator.Name {
		simulator = sim.NativeSimulator
	}
	return buildCore(config, simulator.Cached(ctx))
}

// writePage writes docs/performance.md.
func writePage(rows []row) error {
	root, err := toolset.ModuleRoot()
	if err != nil {
		return err
	}
	text, err := page(rows)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "docs", "performance.md"), text, 0o644)
}
