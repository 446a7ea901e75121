package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gornic/configs"
	"gornic/cycle/calibrate/cases"
	"gornic/cycle/calibrate/fit"
	"gornic/cycle/calibrate/hops"
	"gornic/cycle/calibrate/record"
	"gornic/cycle/table"
	"gornic/hdl/sim"
	"gornic/tools/toolset"
)

// calibrate records, fits, compares and writes, unless only some cases are asked for.
func (o options) calibrate(ctx context.Context, w io.Writer) error {
	root, err := toolset.ModuleRoot()
	if err != nil {
		return err
	}
	suite, held, err := o.recordOrLoad(ctx, root, w)
	if err != nil {
		return err
	}
	var s sheet
	if s.hops, err = o.recordHops(ctx, root); err != nil {
		return err
	}
	fitted, err := o.fit(ctx, root, suite, &s, w)
	if err != nil {
		return err
	}
	if s.verdicts, err = judge(ctx, fitted, slices.Concat(suite, held)); err != nil {
		return err
	}
	if o.match == "" {
		if s.speeds, err = o.race(ctx); err != nil {
			return err
		}
		if err := s.write(root); err != nil {
			return err
		}
	}
	return errors.Join(printVerdicts(w, s.verdicts), missed(s.verdicts))
}

// recordOrLoad plays both sets on the RTL and saves that, or with -recorded takes what is there.
func (o options) recordOrLoad(ctx context.Context, root string, w io.Writer) (suite, held []played, err error) {
	for _, set := range []cases.Set{cases.Suite, cases.Held} {
		var all []played
		if o.recorded {
			all, err = o.loadSome(set)
		} else {
			all, err = o.recordAll(ctx, set, w)
		}
		if err != nil {
			return nil, nil, err
		}
		if !o.recorded && o.match == "" {
			if err := save(root, set, all); err != nil {
				return nil, nil, err
			}
		}
		if set == cases.Suite {
			suite = all
		} else {
			held = all
		}
	}
	if o.recorded || o.match != "" {
		return suite, held, nil
	}
	sum, err := pin(root)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "cycle/calibrate", pinFile), sum, 0o644)
	}
	return suite, held, err
}

// hopConfigs are the configurations whose hops are recorded: with the smallest `make test` measures them again.
var hopConfigs = []string{"tiny", "board", "dc"}

// recordHops measures the latencies of blocks and saves them.
func (o options) recordHops(ctx context.Context, root string) (map[string][]hops.Measured, error) {
	all := map[string][]hops.Measured{}
	for _, name := range hopConfigs {
		config, err := configs.Load(name)
		if err != nil {
			return nil, err
		}
		// A handful of messages is done before another simulator is compiled.
		p, err := record.Prepare(ctx, config, sim.NativeSimulator, record.Streams, nil)
		if err != nil {
			return nil, err
		}
		if all[name], err = measureHops(ctx, p); err != nil {
			return nil, err
		}
		if o.match == "" {
			if err := os.WriteFile(filepath.Join(root, "cycle/calibrate", hopFile(name)), hops.Text(all[name]), 0o644); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func hopFile(config string) string { return "testdata/hops." + config + ".txt" }

// changed are the blocks of the table that take another number of cycles than when they were last calibrated: the times of these are
// fitted. The others are right, and a fit would only hide in them what the model lacks.
func changed(now map[string][]hops.Measured) ([]string, error) {
	var blocks []string
	for _, config := range hopConfigs {
		text, err := testdata.ReadFile(hopFile(config))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		was, err := hops.Parse(text)
		if err != nil {
			return nil, err
		}
		for _, m := range hops.Compare(was, now[config]) {
			if b := tableBlock(m.Block); b != "" && !slices.Contains(blocks, b) {
				blocks = append(blocks, b)
			}
		}
	}
	slices.Sort(blocks)
	return blocks, nil
}

// tableBlock is the block of the table that a hop's is, empty for none.
func tableBlock(block string) string {
	switch block {
	case "core":
		return ""
	case "wqefetch_sq", "wqefetch_rq":
		return "wqefetch"
	}
	return block
}

// fit fits the times of the blocks that have changed to the suite, and saves the table.
func (o options) fit(ctx context.Context, root string, suite []played, s *sheet, w io.Writer) (*table.Table, error) {
	start, err := table.Default()
	if err != nil {
		return nil, err
	}
	var widths []int
	for _, name := range recordedConfigs {
		c, err := configs.Load(name)
		if err != nil {
			return nil, err
		}
		widths = append(widths, c.DataWidth)
	}
	free, err := changed(s.hops)
	if err != nil {
		return nil, err
	}
	fitted, changes := start, []fit.Change(nil)
	if len(free) > 0 {
		fitted, changes, err = fit.Fit(ctx, start, widths, costOf(suite), func(c fit.Change, cost int64) {
			fmt.Fprintf(w, "%s: %d cycles of error are left\n", c, cost)
		}, free...)
	}
	if err != nil || o.match != "" {
		return fitted, err
	}
	s.changes = changes
	pinned, err := fitted.Pin(os.DirFS(filepath.Join(root, "rtl")))
	if err != nil {
		return nil, err
	}
	text, err := pinned.Text()
	if err != nil {
		return nil, err
	}
	return pinned, os.WriteFile(filepath.Join(root, "cycle/table/table.yaml"), text, 0o644)
}

// strayCost is what an event costs that only one side has.
const strayCost = 1000

// costOf is the sum of the errors of all events of the suite at a width, in cycles: of each, by how much it is later than the one before it.
func costOf(suite []played) fit.Cost {
	return func(ctx context.Context, t *table.Table, width int, limit int64) (int64, error) {
		var sum int64
		for _, p := range suite {
			if p.width != width || p.Latency > 0 || p.Waits() {
				continue // slow memory adds nothing that a block takes, and a timer's phase is no block's
			}
			v, err := judge(ctx, t, []played{p})
			if err != nil {
				return 0, err
			}
			if sum += v[0].cost(); sum >= limit {
				break
			}
		}
		return sum, nil
	}
}

// cost is what a case adds.
func (v verdict) cost() int64 {
	sum := int64(len(v.Only)+len(v.Extra)) * strayCost
	for _, p := range v.Pairs {
		sum += max(p.Error(), -p.Error())
	}
	return sum
}

// write writes the page and its picture.
func (s sheet) write(root string) error {
	text, err := s.page()
	if err != nil {
		return err
	}
	picture, err := correlation(s.verdicts)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(root, "cycle/calibrate", errorFile), errorText(s.verdicts), 0o644),
		os.WriteFile(filepath.Join(root, "docs", "calibration.md"), text, 0o644),
		os.WriteFile(filepath.Join(root, "docs", "calibration.svg"), picture, 0o644),
	)
}
