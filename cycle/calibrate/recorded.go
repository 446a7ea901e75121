package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gornic/configs"
	"gornic/cycle/calibrate/cases"
	"gornic/cycle/calibrate/record"
	"gornic/cycle/model"
)

// recordedConfigs are the configurations that are calibrated: the narrowest and the widest data path.
var recordedConfigs = []string{"board", "dc"}

//go:embed testdata
var testdata embed.FS

// logFile is where the events of a set are.
func logFile(s cases.Set) string { return "testdata/" + string(s) + ".log.gz" }

// A played is a case with what the RTL did.
type played struct {
	cases.Case
	rtl   []model.Event // cycles since the first doorbell
	width int           // bits of the data path
	tick  int           // cycles of a tick of timers
}

func newPlayed(c cases.Case, rtl []model.Event, config configs.Config) played {
	return played{Case: c, rtl: rtl, width: config.DataWidth, tick: config.AckTick}
}

// recordAll plays cases on the RTL.
func (o options) recordAll(ctx context.Context, set cases.Set, w io.Writer) ([]played, error) {
	var all []played
	for _, config := range recordedConfigs {
		p, err := o.prepare(ctx, config, record.Ports)
		if err != nil {
			return nil, err
		}
		list, err := cases.Of(set, config)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if !strings.Contains(c.Name(), o.match) {
				continue
			}
			l, err := c.Record(ctx, p)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(w, "%-34s %7d cycles of the RTL, %d events\n", c.Name(), l.Cycles-l.Begin, len(l.Events))
			all = append(all, newPlayed(c, record.Since(l.Begin, l.Events), p.Config))
		}
	}
	return all, nil
}

// save writes what was recorded to a file beside this one.
func save(root string, set cases.Set, all []played) error {
	var sections []record.Section
	for _, p := range all {
		sections = append(sections, record.Section{Name: p.Name(), Events: p.rtl})
	}
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	if err := errors.Join(record.Write(packed, sections), packed.Close()); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "cycle/calibrate", logFile(set)), b.Bytes(), 0o644)
}

// load reads what was recorded of a set, in the order of the cases. Those that were not recorded are not there.
func load(set cases.Set) ([]played, error) {
	text, err := testdata.ReadFile(logFile(set))
	if err != nil {
		return nil, err
	}
	plain, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", logFile(set), err)
	}
	sections, err := record.Read(logFile(set), plain)
	if err != nil {
		return nil, err
	}
	list, err := cases.Of(set, recordedConfigs...)
	if err != nil {
		return nil, err
	}
	recorded := map[string][]model.Event{}
	for _, x := range sections {
		recorded[x.Name] = x.Events
	}
	var all []played
	for _, c := range list {
		events, there := recorded[c.Name()]
		if !there {
			continue
		}
		config, err := configs.Load(c.Config)
		if err != nil {
			return nil, err
		}
		all = append(all, newPlayed(c, events, config))
	}
	return all, nil
}

// loadSome is what was recorded of the cases that are asked for.
func (o options) loadSome(set cases.Set) ([]played, error) {
	all, err := load(set)
	return slices.DeleteFunc(all, func(p played) bool { return !strings.Contains(p.Name(), o.match) }), err
}

// checkRecorded compares the model with what is recorded.
func (o options) checkRecorded(ctx context.Context, w io.Writer) error {
	verdicts, err := o.judgeRecorded(ctx)
	if err != nil {
		return err
	}
	return errors.Join(printVerdicts(w, verdicts), missed(verdicts))
}

// judgeRecorded plays what is recorded of both sets on the model.
func (o options) judgeRecorded(ctx context.Context) ([]verdict, error) {
	var all []verdict
	for _, set := range []cases.Set{cases.Suite, cases.Held} {
		recorded, err := o.loadSome(set)
		if err != nil {
			return nil, err
		}
		verdicts, err := judge(ctx, nil, recorded)
		if err != nil {
			return nil, err
		}
		all = append(all, verdicts...)
	}
	return all, nil
}
