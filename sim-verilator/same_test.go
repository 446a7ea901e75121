package verilator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
	verilator "gornic/sim-verilator"
	"gornic/tools/toolset"
)

// streams finds the streams among the ports of a design: NAME_valid, NAME_ready and what else begins with NAME.
func streams(d *hdl.Design) (in, out []sim.StreamPorts) {
	byName := map[string]*ir.Signal{}
	for _, s := range d.Top.Signals {
		if s.Kind == ir.Input || s.Kind == ir.Output {
			byName[s.Name] = s
		}
	}
	for _, valid := range d.Top.Signals {
		name, ok := strings.CutSuffix(valid.Name, "_valid")
		if !ok || byName[valid.Name] == nil {
			continue
		}
		p := sim.StreamPorts{Clock: d.Top.Clocks[0], Valid: valid, Ready: byName[name+"_ready"], Last: byName[name+"_last"]}
		for _, s := range d.Top.Signals {
			if strings.HasPrefix(s.Name, name+"_") && s != valid && s != p.Ready && byName[s.Name] != nil && s.Kind == valid.Kind {
				p.Data = append(p.Data, s)
			}
		}
		if valid.Kind == ir.Input {
			in = append(in, p)
		} else {
			out = append(out, p)
		}
	}
	return in, out
}

// A trace is what a run shows.
type trace struct {
	beats    []string
	time     uint64
	cycle    uint64
	covers   []uint64
	coverage string
	failure  string
}

// runStreams feeds every input stream of a design with the same random beats, lets every output flow, and notes everything.
func runStreams(t *testing.T, open sim.Open, d *hdl.Design, seed uint64) trace {
	t.Helper()
	b, err := open(d, sim.Options{Seed: seed, Coverage: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	in, out := streams(d)
	state := seed
	var sources []sim.SourceModel
	for i, p := range in {
		s := b.AddSource(p, sim.Pattern{Kind: sim.Random, Percent: 70, Seed: seed + uint64(i)})
		for range 200 {
			s.Push(randomBeat(p, &state))
		}
		sources = append(sources, s)
	}
	var sinks []sim.SinkModel
	for i, p := range out {
		pattern := sim.Pattern{Kind: sim.PatternKind(int(seed)+i) % 5, Percent: 50, On: 4, Off: 3, Seed: seed ^ uint64(i)<<32}
		if pattern.Kind == sim.Never {
			pattern.Kind = sim.Always
		}
		sinks = append(sinks, b.AddSink(p, pattern, sim.SinkOptions{WaitValid: i%2 == 1}))
	}
	clock := d.Top.Clocks[0]
	b.Run(sim.RunRequest{Clock: clock, Edges: 3})
	b.SetReset(clock, false)
	b.Run(sim.RunRequest{Clock: clock, Edges: 500})
	sources[0].SetPattern(sim.Pattern{Kind: sim.Periodic, On: 2, Off: 1})
	b.SetReset(clock, true) // in the middle
	b.Run(sim.RunRequest{Clock: clock, Edges: 2})
	b.SetReset(clock, false)
	b.Run(sim.RunRequest{Until: b.Time() + 5_000_000})

	tr := trace{time: b.Time(), cycle: b.Cycle(clock), covers: b.CoverCounts()}
	for i, s := range sinks {
		words, cycles := s.Take()
		n := out[i].BeatWords()
		for k, c := range cycles {
			tr.beats = append(tr.beats, fmt.Sprintf("%s %d %x", out[i].Valid.Name, c, words[k*n:(k+1)*n]))
		}
	}
	if c := b.Coverage(); c != nil {
		for _, a := range c.Arms() {
			tr.coverage += fmt.Sprintf("%s:%d %s %d\n", a.File, a.Line, a.Kind, c.Count(a))
		}
	}
	if f := b.Failure(); f != nil {
		tr.failure = f.Error()
	}
	return tr
}

// randomBeat is a beat that obeys the rules of frames: keep is contiguous, and all ones before the last beat.
func randomBeat(p sim.StreamPorts, state *uint64) []uint64 {
	words := make([]uint64, p.BeatWords())
	last := sim.SplitMix64(state)%4 == 0
	offset := 0
	for _, s := range p.Data {
		for bit := range s.Width {
			var one bool
			switch {
			case s == p.Last:
				one = last
			case strings.HasSuffix(s.Name, "_err"):
				one = false
			case strings.HasSuffix(s.Name, "_keep"):
				one = !last || bit == 0
			default:
				one = sim.SplitMix64(state)&1 == 1
			}
			if one {
				words[(offset+bit)/64] |= 1 << ((offset + bit) % 64)
			}
		}
		offset += s.Width
	}
	return words
}

func needVerilator(t testing.TB) {
	t.Helper()
	toolset.Need(t, toolset.Verilator)
	toolset.Need(t, toolset.CXX)
}

// Both simulators must give the same beats in the same cycles, and count the same. Tests of package stream do this for every
// part; here are a few with memories, frames, arbitration and wide values.
func TestSameCyclesAsNative(t *testing.T) {
	needVerilator(t)
	designs := map[string]func() (*hdl.Design, error){"frame_fifo_512": wideFIFO}
	for _, p := range stream.Proofs() {
		switch p.Name {
		case "frame_fifo_drop_16_x4", "round_robin_beat_8_1_x3", "widen_16_32", "join_pair_2_3":
			designs[p.Name] = p.Build
		}
	}
	require.Len(t, designs, 5)
	for name, build := range designs {
		t.Run(name, func(t *testing.T) {
			d, err := build()
			require.NoError(t, err)
			want := runStreams(t, sim.Native, d, 5)
			require.NotEmpty(t, want.beats)
			require.Equal(t, want, runStreams(t, verilator.Open, d, 5))
		})
	}
}

func wideFIFO() (*hdl.Design, error) {
	d, _, err := hdl.Build(stream.FrameFIFODef(stream.FrameFIFOOptions{Width: 512, Depth: 16}))
	return d, err
}
