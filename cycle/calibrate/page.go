package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"gornic/cycle/calibrate/cases"
	"gornic/cycle/calibrate/fit"
	"gornic/cycle/calibrate/hops"
)

//go:embed page.md.tmpl
var pageText string

// A sheet is what docs/calibration.md is made of.
type sheet struct {
	verdicts []verdict
	changes  []fit.Change
	hops     map[string][]hops.Measured // by configuration
	speeds   []speed
}

// page is docs/calibration.md.
func (s sheet) page() ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"suite": s.suite, "held": s.held, "blocks": s.blocks, "speed": s.speed, "changes": s.fitted,
		"mean":   func() string { return fmt.Sprintf("%.1f %%", meanThroughput(s.verdicts)) },
		"misses": s.misses,
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, nil)
	return out.Bytes(), err
}

// row is a line of a Markdown table.
func row(cells ...any) string {
	words := make([]string, len(cells))
	for i, c := range cells {
		words[i] = fmt.Sprint(c)
	}
	return "| " + strings.Join(words, " | ") + " |\n"
}

func head(cells ...any) string {
	return row(cells...) + "|" + strings.Repeat("---|", len(cells)) + "\n"
}

// suite is the table of single operations.
func (s sheet) suite() string {
	text := head("case", "events", "worst error, cycles", "last event, RTL", "last event, model", "")
	for _, v := range s.verdicts {
		if v.Set != cases.Suite {
			continue
		}
		if v.failed != nil || len(v.Pairs) == 0 {
			text += row("`"+v.Name()+"`", "", "", "", "", v.grade())
			continue
		}
		last := v.Pairs[len(v.Pairs)-1]
		text += row("`"+v.Name()+"`", len(v.Pairs), v.worst(), last.RTL, last.Model, v.grade())
	}
	return strings.TrimSuffix(text, "\n")
}

// grade is a word on a case.
func (v verdict) grade() string {
	switch {
	case v.failed != nil:
		return "not in the model: " + v.failed.Error()
	case len(v.Only)+len(v.Extra) > 0:
		return fmt.Sprintf("missed: %d events are not in the model, %d not in the RTL", len(v.Only), len(v.Extra))
	case v.err() != nil:
		return "missed"
	}
	return "within limits"
}

// held is the table of what judges.
func (s sheet) held() string {
	text := head("case", "messages", "cycles, RTL", "model", "error", "p50 latency, RTL", "model", "p99 latency, RTL", "model", "error", "")
	for _, v := range s.verdicts {
		if v.Set != cases.Held {
			continue
		}
		if v.failed != nil {
			text += row("`"+v.Name()+"`", v.RTL.Messages, v.RTL.Cycles, "", "", v.RTL.P50, "", v.RTL.P99, "", "", v.failed)
			continue
		}
		verdict := "within limits"
		if v.err() != nil {
			verdict = "missed"
		}
		text += row("`"+v.Name()+"`", v.RTL.Messages, v.RTL.Cycles, v.Model.Cycles, fmt.Sprintf("%+.1f %%", v.throughput()),
			v.RTL.P50, v.Model.P50, v.RTL.P99, v.Model.P99, fmt.Sprintf("%+.1f %%", v.latency()), verdict)
	}
	return strings.TrimSuffix(text, "\n")
}

// misses says how many limits are missed.
func (s sheet) misses() string {
	n := map[cases.Set]int{}
	of := map[cases.Set]int{}
	for _, v := range s.verdicts {
		of[v.Set]++
		if v.err() != nil {
			n[v.Set]++
		}
	}
	return fmt.Sprintf("%d of the %d single operations are within %d cycles in each of their events; %d of the %d held-out cases are within %d %% in throughput and %d %% in p99 latency; "+
		"throughput is %.1f %% off on average.", of[cases.Suite]-n[cases.Suite], of[cases.Suite], suiteCycles,
		of[cases.Held]-n[cases.Held], of[cases.Held], heldWorst, heldLatency, meanThroughput(s.verdicts))
}

// blocks is the table of what each block takes.
func (s sheet) blocks() string {
	text := head("block", "", "64 bits (board)", "512 bits (dc)", "from", "to")
	for i, m := range s.hops[recordedConfigs[0]] {
		text += row("`"+m.Block+"`", m.Name, cycles(m.Cycles), cycles(s.hops[recordedConfigs[1]][i].Cycles), "`"+m.From+"`", "`"+m.To+"`")
	}
	return strings.TrimSuffix(text, "\n")
}

func cycles(n int) string {
	if n < 0 {
		return "not seen"
	}
	return fmt.Sprint(n)
}

// fitted is the list of times that were moved.
func (s sheet) fitted() string {
	if len(s.changes) == 0 {
		return "The last fit moved no time."
	}
	text := head("block", "time", "bits", "before", "fitted")
	for _, c := range s.changes {
		text += row("`"+c.Block+"`", "`"+c.Time+"`", c.Width, c.Was, c.Is)
	}
	return strings.TrimSuffix(text, "\n")
}

// speed is the table of speeds.
func (s sheet) speed() string {
	text := head("workload", "cycles", "Verilator, s", "model, s", "ratio")
	for _, x := range s.speeds {
		text += row(x.name, x.cycles, fmt.Sprintf("%.2f", x.rtl.Seconds()), fmt.Sprintf("%.4f", x.model.Seconds()), fmt.Sprintf("%.0f", x.ratio()))
	}
	return strings.TrimSuffix(text, "\n")
}
