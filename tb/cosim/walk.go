package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"gornic/tb/rtl"
	"gornic/tb/walk"
)

// walkScenarios play the walks of the design documents on two cores, and check each
// step as a fact.
func walkScenarios() []Scenario {
	var all []Scenario
	for _, w := range walk.All() {
		all = append(all, Scenario{
			Name: "walk/" + w.Name, What: w.Title, Configs: []string{"tiny", "dc"},
			Run: func(ctx context.Context, env *Env) error { return playWalk(ctx, env, w) },
		})
	}
	return all
}

func playWalk(ctx context.Context, env *Env, w walk.Walk) error {
	r, err := walk.Run(ctx, w, walk.Options{
		Config: env.Config, Build: env.Built.Build, Simulator: env.Simulator, Seed: env.Seed, Progress: env.Progress, Tap: env.counts([2]rtl.Kind{rtl.Core, rtl.Core}),
	})
	if err != nil {
		return err
	}
	env.Walked(r)
	note := fmt.Sprintf("%d facts seen; %d cycles", len(r.Facts), r.Cycles)
	if _, changed := walk.Room(env.Config); changed != "" {
		note += "; with " + changed
	}
	env.Note("%s", note)
	return r.Err()
}

// A factRow is a fact of a walk for programs. The keys are a promise to those that
// read them.
type factRow struct {
	Walk      string `json:"walk"`
	Step      int    `json:"step"` // from 1
	Fact      string `json:"fact"` // as the document has it
	OK        bool   `json:"ok"`
	Cycle     uint64 `json:"cycle"` // of the last observation it rests on
	Seen      string `json:"seen"`  // what was seen, in words, and what was not
	Simulator string `json:"simulator"`
	Config    string `json:"config"`
}

// A scenarioRow is any other scenario, and a walk that could not be walked.
type scenarioRow struct {
	Scenario  string  `json:"scenario"`
	Simulator string  `json:"simulator"`
	Config    string  `json:"config"`
	Result    string  `json:"result"` // passed, skipped or failed
	Seconds   float64 `json:"seconds"`
	Note      string  `json:"note"` // what was counted, or what is wrong
}

// reportJSON prints one JSON object a line, with all that report says.
func reportJSON(ctx context.Context, w io.Writer, results []result) error {
	to := json.NewEncoder(w)
	to.SetEscapeHTML(false)
	for _, r := range results {
		for _, row := range rowsOf(r) {
			if err := to.Encode(row); err != nil {
				return err
			}
		}
	}
	return outcome(ctx, results)
}

func rowsOf(r result) []any {
	if r.walk == nil {
		note := r.note
		if r.err != nil {
			note = r.err.Error()
		}
		return []any{scenarioRow{r.scenario, r.simulator, r.config, strings.ToLower(r.word()), r.took.Seconds(), note}}
	}
	var rows []any
	for _, f := range r.walk.Facts {
		rows = append(rows, factRow{r.walk.Walk, f.Step, f.Fact, f.OK, f.Cycle, f.Seen(), r.simulator, r.config})
	}
	return rows
}

// printWalk prints a walk step by step for people: what was seen, and in which cycle.
func printWalk(w io.Writer, r result) {
	if r.walk == nil {
		return
	}
	fmt.Fprintf(w, "%s  %s\n    in %s, configuration %s\n", r.walk.Walk, r.walk.Title, r.simulator, r.config)
	for _, f := range r.walk.Facts {
		ok := "ok"
		if !f.OK {
			ok = "NOT SEEN"
		}
		fmt.Fprintf(w, "%4d  %s: %s\n", f.Step, f.Fact, ok)
		for _, l := range f.Lines {
			printLine(w, l)
		}
		if f.Err != nil {
			printLine(w, walk.Line{Text: f.Err.Error()})
		}
	}
	fmt.Fprintln(w)
}

func printLine(w io.Writer, l walk.Line) {
	when := ""
	if l.Cycle != 0 {
		when = fmt.Sprintf("%10d  %-6s", l.Cycle, l.Where)
	}
	if l.Play != "" {
		l.Text = "[" + l.Play + "] " + l.Text
	}
	fmt.Fprintf(w, "      %-19s %s\n", when, l.Text)
}
