package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gornic/configs"
)

// usualConfigs are those of a scenario that names none.
var usualConfigs = []string{"board", "dc"}

// jobsOf returns every scenario that the options choose, in each simulator and
// configuration that they allow.
func jobsOf(o options, bench bench) ([]job, error) {
	var jobs []job
	rows := 0
	for _, s := range bench.scenarios {
		if !o.match.MatchString(s.Name) || !o.suits(s) || s.Asked && o.match.String() == "" {
			continue
		}
		if s.Row {
			if rows++; (rows-1)%o.sample != 0 {
				continue
			}
		}
		more, err := jobsOfScenario(o, bench, s)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, more...)
	}
	switch {
	case len(jobs) == 0 && o.plays():
		return nil, fmt.Errorf("no scenario that plays a workload matches %q", o.match)
	case len(jobs) == 0 && o.capture != "":
		return nil, fmt.Errorf("no scenario that replays a capture matches %q", o.match)
	case len(jobs) == 0:
		return nil, fmt.Errorf("no scenario matches %q", o.match)
	case len(jobs) > 1 && o.writes():
		return nil, errors.New("-pcap and -waves want one scenario: choose it with -run")
	}
	return jobs, nil
}

func jobsOfScenario(o options, bench bench, s Scenario) ([]job, error) {
	var jobs []job
	for _, name := range configsOf(o, s) {
		c, err := configs.Load(name)
		if err != nil {
			return nil, err
		}
		for i, simulator := range bench.simulators {
			usual := !s.Once || i == len(bench.simulators)-1
			if o.sim == simulator.Name || o.sim == "" && usual {
				jobs = append(jobs, job{s, simulator, c, name})
			}
		}
	}
	return jobs, nil
}

func configsOf(o options, s Scenario) []string {
	switch {
	case o.config != "":
		return []string{o.config}
	case s.Configs != nil:
		return s.Configs
	}
	return usualConfigs
}

// replay is the command that runs the job again, and it alone.
func (j job) replay(o options) string {
	words := []string{
		"go run ./tb/cosim", "-run", quote("^" + regexp.QuoteMeta(j.scenario.Name) + "$"), "-sim", j.simulator.Name,
		"-config", quote(j.named), "-seed", fmt.Sprint(o.seed),
	}
	if o.programs != 0 {
		words = append(words, "-programs", fmt.Sprint(o.programs))
	}
	if o.workload != nil {
		words = append(words, "-workload", quote(o.work))
	}
	if o.capture != "" {
		words = append(words, "-capture", quote(o.capture))
	}
	return strings.Join(words, " ")
}

// quote quotes a word for a shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
