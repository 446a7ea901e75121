package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gornic/tb/drill/play"
	"gornic/tb/drill/script"
	"gornic/tb/wire"
)

// list tells what cases are about.
func list(w io.Writer, cases []*script.Case) {
	for _, c := range cases {
		fmt.Fprintf(w, "%s\t%d steps\t%s\n", c.File, len(c.Steps), firstLine(c.About))
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// reporter prints results.
type reporter struct {
	o              options
	stdout, stderr io.Writer
	passed, failed int
	absent         map[string]bool // simulators
	last           string          // error of the case before
}

// playAll plays cases on each NIC, and returns whether all passed.
func playAll(ctx context.Context, o options, cases []*script.Case, stdout, stderr io.Writer) (passed bool, err error) {
	r := &reporter{o: o, stdout: stdout, stderr: stderr, absent: map[string]bool{}}
	sims := play.Simulators()
	if o.sim != "" {
		sims = []string{o.sim}
	}
	tap, finish, err := openPcap(o.pcap)
	if err != nil {
		return false, err
	}
	for _, sim := range sims {
		b := play.NewBench(play.Options{Simulator: sim, Config: o.config, Seed: o.seed, Taps: tap, Trace: r.trace()})
		for _, c := range cases {
			if r.absent[sim] || !c.On(sim) {
				continue
			}
			r.result(sim, b.Play(ctx, c))
			if ctx.Err() != nil {
				return false, errors.Join(errors.New("interrupted"), finish())
			}
		}
	}
	if !o.json {
		fmt.Fprintf(stdout, "%d passed, %d failed\n", r.passed, r.failed)
	}
	return r.failed == 0, finish()
}

// trace returns what shows steps.
func (r *reporter) trace() func(line int, text string) {
	if !r.o.verbose {
		return nil
	}
	return func(line int, text string) { fmt.Fprintf(r.stdout, "  %4d  %s\n", line, text) }
}

// result prints what came of a case.
func (r *reporter) result(sim string, result play.Result) {
	if result.Absent() && r.o.sim == "" {
		r.absent[sim] = true
		fmt.Fprintf(r.stderr, "drill: %s is left out: %v\n", sim, result.Err)
		return
	}
	if result.Passed() {
		r.passed++
	} else {
		r.failed++
	}
	if r.o.json {
		r.object(sim, result)
		return
	}
	switch {
	case result.Passed():
		fmt.Fprintf(r.stdout, "pass  %-9s  %s  %d packets, %d cycles\n", sim, result.File, result.Packets, result.Cycles)
	case result.Failure != nil:
		fmt.Fprintf(r.stdout, "FAIL  %-9s  %s\n%s\n", sim, result.File, result.Failure)
	case result.Err.Error() == r.last: // such as a core that cannot be built
		fmt.Fprintf(r.stdout, "FAIL  %-9s  %s\nfor the same reason\n", sim, result.File)
	default:
		r.last = result.Err.Error()
		fmt.Fprintf(r.stdout, "FAIL  %-9s  %s\n%s\n", sim, result.File, r.last)
	}
}

// object is a result as JSON.
type object struct {
	File        string       `json:"file"`
	Sim         string       `json:"sim"`
	Seed        uint64       `json:"seed"`
	Verdict     string       `json:"verdict"` // pass, fail, error
	Packets     int          `json:"packets"`
	Cycles      uint64       `json:"cycles"`
	Line        int          `json:"line,omitempty"`
	Step        string       `json:"step,omitempty"`
	Expected    string       `json:"expected,omitempty"`
	Came        string       `json:"came,omitempty"`
	Differences []difference `json:"differences,omitempty"`
	Error       string       `json:"error,omitempty"`
}

type difference struct {
	Field    string `json:"field"`
	Expected string `json:"expected"`
	Came     string `json:"came"`
}

func (r *reporter) object(sim string, result play.Result) {
	o := object{File: result.File, Sim: sim, Seed: r.o.seed, Verdict: "pass", Packets: result.Packets, Cycles: result.Cycles}
	if f := result.Failure; f != nil {
		o.Verdict, o.Line, o.Step, o.Expected, o.Came = "fail", f.Line, f.Verb+f.Round, f.Expected, f.Came
		for _, d := range f.Differences {
			o.Differences = append(o.Differences, difference(d))
		}
	} else if result.Err != nil {
		o.Verdict, o.Error = "error", result.Err.Error()
	}
	b, err := json.Marshal(o)
	if err != nil {
		b = fmt.Appendf(nil, "{\"error\": %q}", err)
	}
	fmt.Fprintf(r.stdout, "%s\n", b)
}

// openPcap returns the tap that writes a capture file, if one is asked for, and what closes the file.
func openPcap(name string) (taps []wire.Tap, finish func() error, err error) {
	if name == "" {
		return nil, func() error { return nil }, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, nil, err
	}
	p, err := wire.NewPcap(file)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return []wire.Tap{p.Tap}, func() error { return errors.Join(p.Err(), file.Close()) }, nil
}
