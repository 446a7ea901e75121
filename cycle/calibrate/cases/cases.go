// Package cases has the workloads that calibration plays, and what each is played on. Those of [Suite] are single operations between
// idle hosts: the times of blocks are fitted to them. Those of [Held] are load, which nothing is ever fitted to: they judge.
//
// A case is a workload file and an environment that the RTL and the model have alike: [Case.Record] plays it on the RTL, [Case.Model]
// on the model.
package cases

import (
	"context"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"gornic/configs"
	"gornic/cycle/calibrate/record"
	"gornic/cycle/model"
	"gornic/cycle/table"
	"gornic/tb/workload"
	"gornic/verbs"
)

//go:embed suite/*.yaml held/*.yaml
var files embed.FS

// Set is which cases.
type Set string

// Sets.
const (
	Suite Set = "suite"
	Held  Set = "held"
)

// Case is a workload in an environment.
type Case struct {
	Set     Set
	File    string // base name of the workload file, without its ending
	Config  string // configuration of both cores
	Latency int    // of the memory of both hosts, in cycles
	Timeout int    // of the queue pairs: an exponent of 4.096 us
}

// Name is unique: "suite/write_1/dc/100".
func (c Case) Name() string { return fmt.Sprintf("%s/%s/%s/%d", c.Set, c.File, c.Config, c.Latency) }

// Seed is that of all cases, of requests and of losses.
const Seed = 1

// Timeouts of queue pairs: one that never ends before its answer comes, and one that is worth waiting for.
const (
	patient   = 10
	impatient = 3
)

// waits are the files whose packets are only sent again when time is up.
var waits = []string{"timeout", "lost_ack", "lossy"}

// Waits tells that the case has packets sent again when time is up. A timer counts ticks of the core's, which begin anywhere in the
// workload: what comes behind it may be a tick off.
func (c Case) Waits() bool { return slices.Contains(waits, c.File) }

// Of returns the cases of a set on some configurations, with memory that answers at once and with slow memory.
func Of(set Set, configs ...string) ([]Case, error) {
	names, err := files.ReadDir(string(set))
	if err != nil {
		return nil, fmt.Errorf("cases: %w", err)
	}
	var all []Case
	for _, config := range configs {
		for _, latency := range []int{0, 100} {
			for _, n := range names {
				c := Case{Set: set, File: strings.TrimSuffix(n.Name(), ".yaml"), Config: config, Latency: latency, Timeout: patient}
				if c.Waits() {
					c.Timeout = impatient
				}
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// Workload reads the case's file.
func (c Case) Workload() (workload.Workload, error) {
	file := path.Join(string(c.Set), c.File+".yaml")
	text, err := files.ReadFile(file)
	if err != nil {
		return workload.Workload{}, fmt.Errorf("cases: %w", err)
	}
	return workload.Parse(file, text)
}

// Record plays the case on a core of its configuration.
func (c Case) Record(ctx context.Context, p *record.Prepared) (*record.Log, error) {
	w, err := c.Workload()
	if err != nil {
		return nil, err
	}
	l, err := p.Run(ctx, w, record.Options{
		Seed: Seed, Latency: c.Latency, NoChecks: true,
		Attr: func(a *verbs.QPAttr) { a.Timeout = uint8(c.Timeout) },
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name(), err)
	}
	return l, nil
}

// What play gives the queue pairs of every workload (package play).
const (
	rnrTimer = 1
	retries  = 7
)

// Model plays the case on the model with a table of latencies; nil is the one that comes with it.
func (c Case) Model(ctx context.Context, t *table.Table) (*model.Result, error) {
	w, err := c.Workload()
	if err != nil {
		return nil, err
	}
	nic, err := configs.Load(c.Config)
	if err != nil {
		return nil, err
	}
	config := model.Default(nic)
	config.Host.Latency = c.Latency
	config.Link.Whole, config.Link.Latency = true, record.WireCycles
	config.Retry = model.Retry{Timeout: c.Timeout, Count: retries, RNRTimer: rnrTimer, RNRCount: retries, Ready: true}
	r, err := model.Run(ctx, config, w, model.Options{Seed: Seed, Events: true, Table: t})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name(), err)
	}
	return r, nil
}
