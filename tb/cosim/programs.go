package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	nic "gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
	"gornic/tb/program"
	"gornic/tb/rtl"
)

// programScenarios have two hosts do random programs, of the seed and those after it.
func programScenarios() []Scenario {
	var all []Scenario
	for _, sides := range [][2]rtl.Kind{{rtl.Core, rtl.Core}, {rtl.Core, rtl.Reference}, {rtl.Reference, rtl.Core}} {
		all = append(all, programsOf(sides))
	}
	return all
}

func programsOf(sides [2]rtl.Kind) Scenario {
	return Scenario{
		Name:    fmt.Sprintf("programs/%v-%v", sides[0], sides[1]),
		What:    fmt.Sprintf("random verbs programs on %v and %v, as their hosts expect them and as between references", sides[0], sides[1]),
		Configs: []string{"tiny", "board"},
		Writes:  true,
		Run: func(ctx context.Context, env *Env) error {
			return runPrograms(ctx, env, sides)
		},
	}
}

// programsFew is how many programs are run unless -programs says; a simulator that
// is not fast runs one in programsSlow of them. From programsMany on, the properties of
// the core are left out: its bugs show in what it does, twice as many programs an hour.
const (
	programsFew  = 10
	programsSlow = 50
	programsMany = 300
)

// programs are random programs in one simulator and configuration.
type programs struct {
	env    *Env
	sides  [2]rtl.Kind
	design *hdl.Design
	io     *nic.IO
	limits program.Limits
	count  int

	mu     sync.Mutex
	next   int
	done   score
	failed []failedProgram
}

// score is what programs did.
type score struct {
	programs, messages, completions int
	cycles                          uint64
}

func runPrograms(ctx context.Context, env *Env, sides [2]rtl.Kind) error {
	p := &programs{env: env, sides: sides, limits: program.LimitsOf(env.Config), count: env.Programs}
	if p.count == 0 {
		p.count = programsFew
	}
	if !env.Fast() {
		p.count = max(1, p.count/programsSlow)
	}
	if p.count > 1 && env.writes() {
		return errors.New("-pcap and -waves want one program: -programs 1, and its -seed")
	}
	p.env.Config = roomFor(env.Config, p.limits.Connections)
	var err error
	if p.design, p.io, err = env.Built.Build(p.env.Config); err != nil {
		return err
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	p.env.Note("%d programs, %d messages, %d completions; %d cycles each",
		p.done.programs, p.done.messages, p.done.completions, p.done.cycles/uint64(max(p.done.programs, 1)))
	return p.failure(ctx)
}

// many tells that there is no time for the properties.
func (p *programs) many() bool { return p.count >= programsMany }

// run runs all programs, on as many processors as there are for them.
func (p *programs) run(ctx context.Context) error {
	var workers sync.WaitGroup
	for range max(1, p.env.Cores) {
		workers.Go(func() {
			for p.one(ctx) {
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}

// one runs the next program, and tells whether there may be another.
func (p *programs) one(ctx context.Context) bool {
	p.mu.Lock()
	i := p.next
	p.next++
	stop := i >= p.count || len(p.failed) >= programFailures || ctx.Err() != nil
	p.mu.Unlock()
	if stop {
		return false
	}
	work := program.Random(p.env.Seed+uint64(i), p.limits)
	t, err := p.compare(ctx, work)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && ctx.Err() == nil {
		p.failed = append(p.failed, failedProgram{work, err})
	}
	p.done.programs++
	p.done.messages += t.messages
	p.done.completions += t.completions
	p.done.cycles += t.cycles
	p.env.Progress(float64(p.done.programs) / float64(p.count))
	return true
}

// roomFor is a configuration whose receive buffer has room for all packets that
// so many queue pairs of a program can have on their way at once.
func roomFor(c configs.Config, queuePairs int) configs.Config {
	return withRoom(c, queuePairs*(c.Replay+c.Reads*program.MostResponses))
}
