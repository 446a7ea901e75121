package main

import (
	"context"
	"fmt"
	"path/filepath"

	"gornic/blocks/rxpath"
	"gornic/format"
	"gornic/hdl/sim"
	"gornic/tb/frames"
	"gornic/tools/toolset"
)

// receiveScenarios test the receive side as a whole.
func receiveScenarios() []Scenario {
	return []Scenario{
		{Name: "captures", What: "frames that other RoCEv2 implementations sent, from ../shared", Run: captures},
		{Name: "mixed", What: "random good, damaged and foreign frames, back to back", Run: mixed},
		{Name: "stalls", What: "the same with gaps in what comes in and pauses of all takers", Run: stalls},
		{Name: "overflow", What: "takers that take nothing: whole frames are dropped, the rest stays right", Run: overflow},
		{Name: "line-rate", What: "shortest frames, then those of a whole MTU, back to back: a beat every cycle", Run: lineRate},
	}
}

// captures judges every frame of the captures that lie beside the repository.
func captures(ctx context.Context, env *Env) (err error) {
	paths, err := captureFiles()
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("%w: no captured frames in ../shared", ErrSkip)
	}
	receiver, err := env.Receiver(ctx)
	if err != nil {
		return err
	}
	defer func() { err = closing(err, receiver.Close) }()
	var counts tally
	for i, path := range paths {
		data, err := load(path)
		if err != nil {
			return err
		}
		outcomes, err := receiver.Receive(ctx, data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for k, o := range outcomes {
			if err := differ(o, expect(data[k], false, roomOf(env.Config))); err != nil {
				return fmt.Errorf("%s: frame %d: %w", path, k+1, err)
			}
			counts.add(o.Reason)
		}
		env.Progress(float64(i+1) / float64(len(paths)))
	}
	env.Note("%v", &counts)
	return nil
}

// captureFiles returns the captures that lie beside the repository.
func captureFiles() ([]string, error) {
	root, err := toolset.ModuleRoot()
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, pattern := range []string{"rxe/*.pcap", "vectors/*.hex"} {
		found, err := filepath.Glob(filepath.Join(root, "..", "shared", pattern))
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	return paths, nil
}

func load(path string) ([][]byte, error) {
	all, err := frames.Load(path)
	var data [][]byte
	for _, f := range all {
		data = append(data, f.Data)
	}
	return data, err
}

// closing is the first of a scenario's error and that of ending its simulation.
func closing(err error, end func() error) error {
	if closeErr := end(); err == nil {
		return closeErr
	}
	return err
}

// A tally counts frames by verdict.
type tally struct {
	frames, full int
	verdicts     [3]int
}

func (t *tally) add(r format.Reason) {
	t.frames++
	t.verdicts[r.Verdict()]++
	if r == format.ReasonBufferFull {
		t.full++
	}
}

func (t *tally) String() string {
	return fmt.Sprintf("%d frames: %d accepted, %d passed, %d dropped (%d for lack of room)", t.frames,
		t.verdicts[format.Accepted], t.verdicts[format.Passed], t.verdicts[format.Dropped], t.full)
}

// mixed sends random frames without a gap: a million at 512 bits in a fast
// simulator.
func mixed(ctx context.Context, env *Env) error {
	n := 2000
	switch {
	case env.Fast() && env.Config.DataWidth == 512:
		n = 1000000
	case env.Fast():
		n = 100000
	}
	return soak(ctx, env, n, rxpath.Patterns{})
}

// stalls sends random frames with gaps, to takers that pause.
func stalls(ctx context.Context, env *Env) error {
	n := 1000
	if env.Fast() {
		n = 50000
	}
	pause := func(kind sim.PatternKind, percent, seed uint64) sim.Pattern {
		return sim.Pattern{Kind: kind, Percent: uint32(percent), On: 30, Off: 60, Seed: env.Seed + seed}
	}
	return soak(ctx, env, n, rxpath.Patterns{
		In:      pause(sim.Random, 70, 1),
		Header:  pause(sim.Burst, 0, 2),
		Payload: pause(sim.Random, 60, 3),
		Raw:     pause(sim.Burst, 0, 4),
	})
}

// soak sends n random frames in batches.
func soak(ctx context.Context, env *Env, n int, p rxpath.Patterns) (err error) {
	path, err := openReceivePath(env.Simulator, env.Config, env.Options())
	if err != nil {
		return err
	}
	defer func() { err = closing(err, path.sim.Close) }()
	rx := rxpath.NewReceiver(path.sim, path.io, p)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	paused := p != rxpath.Patterns{}
	var counts tally
	for b := range randomBatches(ctx, env, n) {
		outcomes, err := receive(ctx, rx, b.frames)
		if err != nil {
			return fmt.Errorf("after %d frames: %w", counts.frames, err)
		}
		for i, o := range outcomes {
			if err := b.check(i, o, paused); err != nil {
				return fmt.Errorf("frame %d: %w\n%x, marked bad: %v", counts.frames+1, err, b.frames[i].Data, b.frames[i].Bad)
			}
			counts.add(o.Reason)
		}
		env.Progress(float64(counts.frames) / float64(n))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	env.Note("%v", &counts)
	return nil
}

// A batch is frames with what the reference expects of each. They follow each
// other without waiting; the core is empty before and after.
type batch struct {
	frames []rxpath.Frame
	want   []Outcome
}

// check compares frame i with what is expected of it. If the takers pause, a
// frame may be lost for lack of room where others wait before it.
func (b batch) check(i int, got Outcome, paused bool) error {
	want := b.want[i]
	lost := got.Reason == format.ReasonBufferFull && want.Reason.Verdict() != format.Dropped && got.ICRC == want.ICRC
	if lost && paused && len(b.frames) > 1 {
		return nil
	}
	return differ(got, want)
}

// batchSize is how many frames follow each other at most.
const batchSize = 200

// randomBatches makes n random frames, while the simulator works on those before
// them. A frame that takes half of a buffer is a batch of its own, and every
// batch is followed by one of a single good frame. Now and then the MAC marks one
// of several frames bad.
func randomBatches(ctx context.Context, env *Env, n int) <-chan batch {
	g := frames.NewGenerator(env.Seed)
	r := roomOf(env.Config)
	out := make(chan batch, 8)
	made := 0
	send := func(data ...[]byte) bool {
		b := batch{frames: fromMAC(data)}
		for i := range b.frames {
			f := &b.frames[i]
			f.Bad = i%37 == 36
			b.want = append(b.want, expect(f.Data, f.Bad, r))
		}
		made += len(data)
		select {
		case out <- b:
			return len(data) > 0
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(out)
		for made < n {
			var run [][]byte
			next := g.Next().Data
			for len(run) < batchSize && 2*len(next) < min(env.Config.RxBuffer, env.Config.RawBuffer) {
				run = append(run, next)
				next = g.Next().Data
			}
			ok := len(run) == 0 || send(run...)
			if !ok || !send(next) || !send(g.Good().Data) {
				return
			}
		}
	}()
	return out
}

// lineRate measures the cycles of frames that follow each other without a gap.
func lineRate(ctx context.Context, env *Env) (err error) {
	path, err := openReceivePath(env.Simulator, env.Config, env.Options())
	if err != nil {
		return err
	}
	defer func() { err = closing(err, path.sim.Close) }()
	rx := rxpath.NewReceiver(path.sim, path.io, rxpath.Patterns{})
	note := ""
	for _, c := range []struct {
		name  string
		op    format.Opcode
		bytes int
		count int
	}{
		{"shortest", format.OpSendOnly, 0, 1000},
		{"MTU", format.OpSendMiddle, env.Config.PathMTU, 50},
	} {
		cycles, beats, err := rate(ctx, env, path, rx, c.op, c.bytes, c.count)
		if err != nil {
			return fmt.Errorf("%s frames: %w", c.name, err)
		}
		note += fmt.Sprintf("%d %s frames: %d beats in %d cycles; ", c.count, c.name, beats, cycles)
	}
	env.Note("%s", note[:len(note)-2])
	return nil
}

// latency is more than the cycles from a packet's last beat in to its last beat
// out: those of the shortest way, and the packet itself, which is stored whole.
const latency = 60

func rate(ctx context.Context, env *Env, path receivePath, rx *rxpath.Receiver, op format.Opcode, bytes, count int) (cycles, beats int, err error) {
	frame, err := frames.Build(format.TxDescriptor[uint64]{
		Opcode: uint64(op), PKey: format.PKeyDefault, DestQP: 0x12, SrcPort: 0xC000,
	}, make([]byte, bytes))
	if err != nil {
		return 0, 0, err
	}
	r := roomOf(env.Config)
	all := make([]rxpath.Frame, count)
	for i := range all {
		all[i].Data = frame
	}
	start := path.sim.Cycle()
	outcomes, err := receive(ctx, rx, all)
	if err != nil {
		return 0, 0, err
	}
	cycles, beats = int(path.sim.Cycle()-start), count*r.beats(frame)
	want := expect(frame, false, r)
	for i, o := range outcomes {
		if err := differ(o, want); err != nil {
			return cycles, beats, fmt.Errorf("frame %d: %w", i+1, err)
		}
	}
	if limit := beats + r.beats(frame) + latency; cycles > limit {
		return cycles, beats, fmt.Errorf("%d beats took %d cycles, more than %d", beats, cycles, limit)
	}
	return cycles, beats, nil
}
