package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	nic "gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
	"gornic/tb/program"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/tb/workload"
	"gornic/verbs"
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
// is not fast runs one in programsSlow of them.
const (
	programsFew  = 10
	programsSlow = 50
)

// programs are random programs in one simulator and configuration.
type programs struct {
	env    *Env
	sides  [2]rtl.Kind
	opens  sim.Simulator
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

type failedProgram struct {
	seed uint64
	err  error
}

// programFailures is how many programs may fail before no more are run.
const programFailures = 5

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
	if p.design, p.io, err = rtl.Build(p.env.Config); err != nil {
		return err
	}
	if err := p.prepare(ctx); err != nil {
		return err
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	p.env.Note("%d programs, %d messages, %d completions; %d cycles each",
		p.done.programs, p.done.messages, p.done.completions, p.done.cycles/uint64(max(p.done.programs, 1)))
	return p.failure()
}

// prepare has the core compiled once for all programs.
func (p *programs) prepare(ctx context.Context) error {
	p.opens = p.env.Simulator
	if p.opens.Name != verilator.Simulator.Name {
		return nil
	}
	prepared, err := verilator.Prepare(ctx, p.design, sim.Options{Waves: p.env.Waves})
	if err == nil {
		p.opens.Open = prepared.Open
	}
	return err
}

// run runs all programs, on two processors where there are two.
func (p *programs) run(ctx context.Context) error {
	var workers sync.WaitGroup
	for range min(2, runtime.GOMAXPROCS(0)) {
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
	seed := p.env.Seed + uint64(i)
	t, err := p.compare(ctx, program.Random(seed, p.limits))
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && ctx.Err() == nil {
		p.failed = append(p.failed, failedProgram{seed, err})
	}
	p.done.programs++
	p.done.messages += t.messages
	p.done.completions += t.completions
	p.done.cycles += t.cycles
	p.env.Progress(float64(p.done.programs) / float64(p.count))
	return true
}

// failure is the failed program with the lowest seed, with the command that runs it
// alone, and the seeds of the others.
func (p *programs) failure() error {
	if len(p.failed) == 0 {
		return nil
	}
	slices.SortFunc(p.failed, func(a, b failedProgram) int { return int(a.seed) - int(b.seed) })
	var others []string
	for _, f := range p.failed[1:] {
		others = append(others, fmt.Sprint(f.seed))
	}
	first := p.failed[0]
	text := ""
	if len(others) > 0 {
		text = "; programs that failed, too: " + strings.Join(others, ", ")
	}
	return fmt.Errorf("%w%s\nalone: go run ./tb/cosim -run '^programs/%v-%v$' -sim %s -config '%s' -seed %d -programs 1",
		first.err, text, p.sides[0], p.sides[1], p.env.Simulator.Name, p.env.Config.Name, first.seed)
}

// compare does a program on the sides, and again between references, and compares
// what came of it.
func (p *programs) compare(ctx context.Context, work program.Program) (score, error) {
	var t score
	got, cycles, err := p.do(ctx, work, p.sides, rtl.NICOptions{Simulator: p.opens, Waves: p.env.Waves})
	t.cycles = cycles
	if err != nil {
		return t, err
	}
	for _, a := range work.Acts {
		t.messages += a.Messages()
	}
	t.completions = got.Completions()
	want, _, err := p.do(ctx, work, [2]rtl.Kind{rtl.Reference, rtl.Reference}, rtl.NICOptions{Simulator: sim.NativeSimulator})
	if err != nil {
		return t, fmt.Errorf("between references: %w", err)
	}
	if err := got.Difference(want); err != nil {
		return t, fmt.Errorf("program %d, against references: %w", work.Seed, err)
	}
	return t, nil
}

// do does a program once, and returns how many cycles it took.
func (p *programs) do(ctx context.Context, work program.Program, sides [2]rtl.Kind, o rtl.NICOptions) (_ *program.Trace, cycles uint64, err error) {
	watch := monitor.New()
	l, capture, err := p.lab(work, sides, o, watch)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		cycles = l.Cycle()
		err = errors.Join(closing(err, l.Close), capture.close())
	}()
	var hosts [2]program.Host
	for i, h := range []*rtl.Host{l.A, l.B} {
		d, err := verbs.Open(ctx, h, verbs.Config{MAC: h.MAC, Events: work.Timing.Events, Moderation: work.Timing.Moderation})
		if err != nil {
			return nil, 0, fmt.Errorf("host %v: %w", workload.Side(i), err)
		}
		hosts[i] = program.Host{Device: d, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6, Retries: sides[i] == rtl.Reference}
	}
	trace, err := program.Run(ctx, work, hosts, program.Options{Watch: watch})
	if err != nil {
		return trace, 0, fmt.Errorf("cycle %d: %w%s", l.Cycle(), err, counters(ctx, l))
	}
	for i, h := range hosts {
		if err := h.Device.Close(ctx); err != nil {
			return trace, 0, fmt.Errorf("host %v: %w", workload.Side(i), err)
		}
	}
	if err := l.Run(settle); err != nil {
		return trace, 0, err
	}
	return trace, 0, errors.Join(watch.Finish(), l.CheckGuards())
}

// lab is two hosts with the timing of a program.
func (p *programs) lab(work program.Program, sides [2]rtl.Kind, o rtl.NICOptions, watch *monitor.Monitor) (*rtl.Lab, *capture, error) {
	t := work.Timing
	o.Pauses, o.Wire = t.RegisterPauses, t.WirePauses
	o.AXI = axi.Options{
		LatencyMin: t.LatencyMin, LatencyMax: t.LatencyMax, Reorder: t.Reorder, Interleave: t.Interleave, Pauses: t.MemoryPauses, Strict: t.Strict,
	}
	taps := []wire.Tap{watch.Tap}
	var c *capture
	if p.env.Pcap != "" && slices.Contains(sides[:], rtl.Core) {
		var err error
		if c, err = newCapture(p.env.Pcap); err != nil {
			return nil, nil, err
		}
		taps = append(taps, c.Tap)
	}
	l, err := rtl.NewLab(p.design, p.io, rtl.Options{
		Config: p.env.Config, Sides: sides, NIC: o, Seed: work.Seed, Taps: taps, Slice: t.Slice, Wait: t.Wait,
	})
	if err != nil {
		return nil, nil, errors.Join(err, c.close())
	}
	return l, c, nil
}

// roomFor is a configuration whose receive buffer has room for all packets that
// so many queue pairs can have on their way at once.
func roomFor(c configs.Config, queuePairs int) configs.Config {
	return lossless(c, workload.Workload{QueuePairs: []workload.QueuePairs{{Count: queuePairs}}})
}
