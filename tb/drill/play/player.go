package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gornic/configs"
	"gornic/format"
	"gornic/tb/drill/script"
	"gornic/tb/host"
	"gornic/tb/wire"
	"gornic/verbs"
)

// player plays one case.
type player struct {
	bench  *Bench
	c      *script.Case
	config configs.Config
	m      *machine
	dev    *verbs.Device
	pds    map[string]*verbs.PD
	mrs    map[string]*region
	mws    map[string]*verbs.MW
	qps    map[string]*queuePair
	strays []*frame // for no queue pair of the peer

	moments  map[string]uint64   // cycle of labels
	frames   map[string][][]byte // that the peer sent under labels
	moment   uint64              // when the last step did or saw something
	taken    uint64              // when the packet came that the present step took; 0: it took none
	rounds   []int               // of the repeats around a step, innermost last
	counters map[format.Counter]uint32
}

// region is a region of the case.
type region struct {
	*script.MR
	addr   uint64 // on the bus
	mr     *verbs.MR
	fast   *verbs.FastMR
	shadow []byte // what it holds, as far as steps told
}

// Play plays a case.
func (b *Bench) Play(ctx context.Context, c *script.Case) (r Result) {
	r = Result{File: c.File, About: c.About}
	p := &player{
		bench: b, c: c, pds: map[string]*verbs.PD{}, mrs: map[string]*region{}, mws: map[string]*verbs.MW{}, qps: map[string]*queuePair{},
		moments: map[string]uint64{}, frames: map[string][][]byte{}, counters: map[format.Counter]uint32{},
	}
	err := p.play(ctx)
	if p.m != nil {
		r.Cycles, r.Packets = p.m.now(), p.m.frames
		if closing := p.m.device.Close(); err == nil && closing != nil {
			err = closing
		}
	}
	if f := (*Failure)(nil); errors.As(err, &f) {
		r.Failure = f
	} else {
		r.Err = err
	}
	return r
}

func (p *player) play(ctx context.Context) (err error) {
	seed := p.c.Seed
	if seed == 0 {
		seed = p.bench.o.Seed
	}
	if p.config, err = p.bench.ConfigOf(p.c); err != nil {
		return err
	}
	memory, err := host.New(host.Options{Seed: wire.Hash(seed)})
	if err != nil {
		return err
	}
	device, err := p.bench.open(ctx, p.config, memory, p.c, seed)
	if err != nil {
		return err
	}
	p.m = &machine{Memory: memory, device: device, taps: p.bench.o.Taps, tick: p.config.AckTick, sent: p.sort}
	if err := p.setUp(ctx); err != nil {
		return fmt.Errorf("%s: before the first step: %w", p.c.File, err)
	}
	if err := p.countFrom(ctx); err != nil {
		return err
	}
	p.mark()
	if err := p.steps(ctx, p.c.Steps); err != nil {
		return err
	}
	return p.end(ctx)
}

// setUp makes what is there before the first step.
func (p *player) setUp(ctx context.Context) (err error) {
	if p.dev, err = verbs.Open(ctx, p.m, verbs.Config{MAC: hostMAC}); err != nil {
		return err
	}
	for i := range p.c.MRs {
		if err := p.register(ctx, &p.c.MRs[i]); err != nil {
			return p.at(p.c.MRs[i].Line, "mrs", err)
		}
	}
	for _, w := range p.c.MWs {
		pd, err := p.pd(w.PD)
		if err != nil {
			return p.at(w.Line, "mws", err)
		}
		if p.mws[w.Name], err = pd.AllocMW(ctx, w.Type); err != nil {
			return p.at(w.Line, "mws", err)
		}
	}
	for i := range p.c.QPs {
		q := &queuePair{QP: &p.c.QPs[i]}
		p.qps[q.Name] = q
		if err := p.createQP(ctx, q); err != nil {
			return p.at(q.Line, "qps", err)
		}
	}
	return nil
}

// pd is the domain of a name.
func (p *player) pd(name string) (*verbs.PD, error) {
	if p.pds[name] == nil {
		pd, err := p.dev.AllocPD()
		if err != nil {
			return nil, err
		}
		p.pds[name] = pd
	}
	return p.pds[name], nil
}

// register makes a region with its contents.
func (p *player) register(ctx context.Context, def *script.MR) (err error) {
	r := &region{MR: def, shadow: make([]byte, def.Length)}
	p.mrs[def.Name] = r
	contents, err := def.Contents.Eval(p.env(nil))
	if err != nil {
		return err
	}
	if len(contents) > def.Length {
		return fmt.Errorf("contents of %d bytes do not fit %d", len(contents), def.Length)
	}
	copy(r.shadow, contents)
	if r.addr, err = p.m.Alloc(uint64(def.Length), 64); err != nil {
		return err
	}
	if err := p.m.Write(r.addr, r.shadow); err != nil {
		return err
	}
	pd, err := p.pd(def.PD)
	if err != nil {
		return err
	}
	if !def.Fast {
		r.mr, err = pd.CreateMR(ctx, verbs.MRInitAttr{Addr: def.VA, Length: uint64(def.Length), Access: def.Access, Bus: r.addr})
		return err
	}
	if r.fast, err = pd.AllocFastMR(ctx, 0); err != nil {
		return err
	}
	r.mr = r.fast.MR
	return r.fast.Map(ctx, verbs.MRMapping{Addr: def.VA, Length: uint64(def.Length), Bus: r.addr})
}

// steps plays steps in order.
func (p *player) steps(ctx context.Context, all []script.Step) error {
	for _, s := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.taken = 0
		if err := p.step(ctx, s); err != nil {
			return p.located(s, err)
		}
		if s.Label != "" {
			p.moments[s.Label] = cmp.Or(p.taken, p.moment)
		}
	}
	return nil
}

// located says at which step something went wrong.
func (p *player) located(s script.Step, err error) error {
	if f := (*Failure)(nil); errors.As(err, &f) {
		if f.Line == 0 {
			f.File, f.Line, f.Verb, f.Round = p.c.File, s.Line, s.Verb, p.round()
		}
		return f
	}
	return p.at(s.Line, s.Verb, err)
}

// at says at which line an error was met, unless it says so.
func (p *player) at(line int, verb string, err error) error {
	if located := (*stepError)(nil); errors.As(err, &located) {
		return err
	}
	return &stepError{p.c.File, line, verb + p.round(), err}
}

// round says in which rounds of repeats a step is.
func (p *player) round() string {
	text := ""
	for _, i := range p.rounds {
		text += fmt.Sprintf(" (i = %d)", i)
	}
	return text
}

// mark notes that something happened now.
func (p *player) mark() { p.moment = p.m.now() }

// tracing tells that somebody wants to know what steps see.
func (p *player) tracing() bool { return p.bench.o.Trace != nil }

// trace tells what a step saw.
func (p *player) trace(line int, text string, args ...any) {
	if p.tracing() {
		p.bench.o.Trace(line, fmt.Sprintf(text, args...))
	}
}

// repeat plays steps several times.
func (p *player) repeat(ctx context.Context, a script.Repeat) error {
	p.rounds = append(p.rounds, 0)
	for i := range a.Times {
		p.rounds[len(p.rounds)-1] = i
		if err := p.steps(ctx, a.Steps); err != nil {
			return err
		}
	}
	p.rounds = p.rounds[:len(p.rounds)-1]
	return nil
}

// sort puts a packet where steps look for it.
func (p *player) sort(f *frame) {
	if f.err == nil {
		for _, q := range p.pairs() {
			if uint64(q.DestQPN) == f.BTH.DestQP {
				s := streamOf(format.Opcode(f.BTH.Opcode))
				q.sent[s] = append(q.sent[s], f)
				return
			}
		}
	}
	p.strays = append(p.strays, f)
}
