package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"gornic/configs"
	"gornic/hdl/sim"
	"gornic/tb/coverage"
	"gornic/tb/rtl"
	"gornic/tb/walk"
	"gornic/tb/wire"
	"gornic/tb/workload"
)

// Scenario is one test of the core against its reference.
type Scenario struct {
	Name string
	What string // one line for people
	// Configs are those that it runs in unless others are asked for; nil: board and dc.
	Configs []string
	// Plays tells that it plays a workload between two hosts, and heeds the
	// Workload, Pcap and Waves of its Env.
	Plays bool
	// Replays tells that it replays a capture, and heeds the Capture of its Env.
	Replays bool
	// Writes tells that it heeds Pcap and Waves alone.
	Writes bool
	// Asked tells that it takes so long that it runs only where -run chooses it.
	Asked bool
	// Row tells that it is a row of a long table, of which -sample takes some.
	Row bool
	// Once tells that one simulator says enough, the fastest, unless -sim asks for another.
	Once bool
	// Run returns what went wrong, or an error that wraps ErrSkip.
	Run func(ctx context.Context, env *Env) error
}

// ErrSkip means that a scenario lacks something to run with.
var ErrSkip = errors.New("skipped")

// Env is what a scenario runs in.
type Env struct {
	Config    configs.Config
	Named     string // the configuration as -config takes it
	Seed      uint64
	Simulator sim.Simulator
	Built     *rtl.Cores         // cores that were elaborated, which all scenarios of a run share
	Workload  *workload.Workload // nil: the scenario's own
	Pcap      string             // file for what crosses the wire; empty: none
	Waves     string             // file of waves; empty: none
	Programs  int                // random programs; 0: the scenario's own number
	Cores     int                // processors that it may keep busy, at least 1
	Capture   string             // file to replay; empty: the scenario's own
	Coverage  *coverage.Table    // counts what cores send and receive; nil: nobody asked
	// Tap, where it is not nil, sees what crosses the wire of a pair.
	Tap wire.Tap
	// Progress tells how far the scenario is, from 0 to 1.
	Progress func(done float64)
	// Note fills the last column of the scenario's row: what was counted.
	Note func(format string, args ...any)
	// Walked tells what was seen in a walk.
	Walked func(walk.Result)

	open func(ctx context.Context) (Receiver, error)
}

// Options are those of every simulation of the scenario.
func (e *Env) Options() sim.Options { return sim.Options{Seed: e.Seed} }

// Receiver opens the receive side in the simulator of the scenario.
func (e *Env) Receiver(ctx context.Context) (Receiver, error) { return e.open(ctx) }

// writes tells that the run leaves a file.
func (e *Env) writes() bool { return e.Pcap != "" || e.Waves != "" }

// Fast tells that the simulator can run millions of cycles in seconds.
func (e *Env) Fast() bool { return e.Simulator.Name != sim.NativeSimulator.Name }

// result is a scenario's row of the table.
type result struct {
	scenario, simulator, config string
	replay                      string // the command that runs it again
	err                         error
	note                        string
	took                        time.Duration
	walk                        *walk.Result // nil: it is none
}

func (r result) word() string {
	switch {
	case r.err == nil:
		return "passed"
	case errors.Is(r.err, ErrSkip):
		return "skipped"
	}
	return "FAILED"
}

func listScenarios(w io.Writer, scenarios []Scenario) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range scenarios {
		fmt.Fprintf(t, "%s\t%s\n", s.Name, s.What)
	}
	t.Flush()
}

// errFailed ends a run with failures, which the table shows.
var errFailed = errors.New("scenarios failed")

// runScenarios runs every scenario that the options choose in every simulator
// and configuration that they allow.
func runScenarios(ctx context.Context, o options, stdout, stderr io.Writer, bench bench) error {
	jobs, err := jobsOf(o, bench)
	if err != nil {
		return err
	}
	results := runJobs(ctx, o, jobs, newProgress(stderr, len(jobs)))
	err = show(ctx, o, results, stdout, len(jobs))
	if o.table != nil {
		err = errors.Join(err, writeCoverage(o, results, stderr))
	}
	return err
}

// show prints the results as the options say.
func show(ctx context.Context, o options, results []result, stdout io.Writer, jobs int) error {
	if o.json {
		return reportJSON(ctx, stdout, results)
	}
	if o.verbose {
		for _, r := range results {
			printWalk(stdout, r)
		}
	}
	return report(ctx, stdout, results, jobs)
}

// cores is how many processors the scenarios share.
const cores = 2

// runJobs runs jobs side by side, one on each core. The results are those of the jobs
// that have run, in their order.
func runJobs(ctx context.Context, o options, jobs []job, bar *progress) []result {
	workers := min(cores, len(jobs))
	results := make([]*result, len(jobs))
	built := &rtl.Cores{}
	next := make(chan int)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := range next {
				j := jobs[i]
				show := func(done float64) {
					bar.at(i, done, fmt.Sprintf("%s, %s, %s", j.scenario.Name, j.simulator.Name, j.config.Name))
				}
				show(0)
				r := j.run(ctx, o, built, cores/workers, show)
				show(1)
				results[i] = &r
			}
		})
	}
	for i := range jobs {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
	bar.end()
	var ran []result
	for _, r := range results {
		if r != nil {
			ran = append(ran, *r)
		}
	}
	return ran
}

// A job is a scenario in one simulator and configuration.
type job struct {
	scenario  Scenario
	simulator simulator
	config    configs.Config
	named     string // the configuration as -config takes it
}

func (j job) run(ctx context.Context, o options, built *rtl.Cores, cores int, progress func(float64)) result {
	r := result{scenario: j.scenario.Name, simulator: j.simulator.Name, config: j.config.Name, replay: j.replay(o)}
	env := &Env{
		Config:    j.config,
		Named:     j.named,
		Seed:      o.seed,
		Simulator: j.simulator.Simulator,
		Built:     built,
		Workload:  o.workload,
		Pcap:      o.pcap,
		Waves:     o.waves,
		Programs:  o.programs,
		Cores:     cores,
		Capture:   o.capture,
		Coverage:  o.table,
		Progress:  progress,
		Note:      func(f string, args ...any) { r.note = fmt.Sprintf(f, args...) },
		Walked:    func(w walk.Result) { r.walk = &w },
	}
	env.open = func(ctx context.Context) (Receiver, error) {
		return j.simulator.receiver(ctx, j.simulator.Simulator, j.config, env.Options())
	}
	start := time.Now()
	r.err = j.scenario.Run(ctx, env)
	if absent := j.simulator.Absent; absent != nil && errors.Is(r.err, absent) {
		r.err = fmt.Errorf("%w: %w", ErrSkip, r.err)
	}
	r.took = time.Since(start)
	return r
}

// report prints what failed in full, the table and the last line.
func report(ctx context.Context, w io.Writer, results []result, jobs int) error {
	count := map[string]int{}
	for _, r := range results {
		if r.word() == "FAILED" {
			fmt.Fprintf(w, "%s, %s, %s: %v\nagain: %s\n", r.scenario, r.simulator, r.config, r.err, r.replay)
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "scenario\tsimulator\tconfig\tresult\tseconds\tnote")
	for _, r := range results {
		note := r.note
		if r.err != nil {
			note, _, _ = strings.Cut(r.err.Error(), "\n")
		}
		count[r.word()]++
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.1f\t%s\n", r.scenario, r.simulator, r.config, r.word(), r.took.Seconds(), note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if n := count["skipped"]; n > 0 {
		fmt.Fprintf(w, "%d skipped\n", n)
	}
	if n := jobs - len(results); n > 0 {
		fmt.Fprintf(w, "%d not run: interrupted\n", n)
	}
	fmt.Fprintf(w, "%d passed, %d failed\n", count["passed"], count["FAILED"])
	return outcome(ctx, results)
}

// outcome is the error of a run: that it was interrupted, or that something failed.
func outcome(ctx context.Context, results []result) error {
	failed := func(r result) bool { return r.word() == "FAILED" }
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case slices.ContainsFunc(results, failed):
		return errFailed
	}
	return nil
}
