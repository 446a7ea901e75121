package dcqcn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/dcqcn"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// sent is a link.Sent.
type sent struct{ QP, Bytes int }

// flow is what the last event said of a queue pair.
type flow struct {
	slowed              bool
	rate, target, alpha uint64
}

// bench is the block with its neighbours.
type bench struct {
	t                  *testing.T
	s                  *sim.Sim
	io                 *dcqcn.IO
	tick               int
	start              uint64 // the cycle of tick 0
	sent, cnp, control *sim.Source
	wake               *sim.Sink
	flows              map[int]flow
	woken              []int
	cuts               int
	settings           format.Congestion[uint64]
}

func newBench(t *testing.T, s *sim.Sim, io *dcqcn.IO, p dcqcn.Params, gaps uint32, c format.Congestion[uint64]) *bench {
	g := hdltest.Gaps(t, gaps)
	b := &bench{
		t: t, s: s, io: io, tick: p.Tick, sent: sim.NewSource(s, io.Sent, g), cnp: sim.NewSource(s, io.CNP, g), control: sim.NewSource(s, io.Control, g),
		wake: sim.NewSink(s, io.Wake, g), flows: map[int]flow{},
	}
	b.set(c)
	s.Reset(2)
	b.start = s.Cycle()
	b.run(4 << p.Sizes.QPBits)
	return b
}

// set gives the block its settings.
func (b *bench) set(c format.Congestion[uint64]) {
	b.settings = c
	p := b.io.Settings
	b.s.Set(p.CNPGap, c.CNPGap)
	b.s.Set(p.LineRate, c.LineRate)
	b.s.Set(p.MinRate, c.MinRate)
	b.s.Set(p.FirstRate, c.FirstRate)
	b.s.Set(p.AIRate, c.AIRate)
	b.s.Set(p.HAIRate, c.HAIRate)
	b.s.Set(p.ByteReset, c.ByteReset)
	b.s.Set(p.TimeReset, c.TimeReset)
	b.s.Set(p.AlphaTime, c.AlphaTime)
	b.s.Set(p.Monitor, c.Monitor)
	b.s.Set(p.G, c.G)
	b.s.Set(p.InitialAlpha, c.InitialAlpha)
	b.s.Set(p.GD, c.GD)
	b.s.Set(p.MinKeep, c.MinKeep)
	b.s.Set(p.Threshold, c.Threshold)
	b.s.Set(p.Clamp, c.Clamp)
	b.s.Set(p.ClampTime, c.ClampTime)
}

// fixed has the next CNP of a queue pair give it a rate that it keeps.
func (b *bench) fixed(rate uint64) {
	b.set(format.Congestion[uint64]{LineRate: 1<<18 - 1, MinRate: 1, FirstRate: rate, AlphaTime: 1, G: 1019, GD: 11, MinKeep: 255, Threshold: 1})
}

func (b *bench) run(n int) {
	b.s.Run(n)
	require.NoError(b.t, b.s.Err())
	b.woken = append(b.woken, sim.Received[int](b.wake)...)
	for _, e := range b.s.Events() {
		get := func(name string) uint64 {
			v, ok := e.Get(name)
			require.True(b.t, ok, name)
			return v
		}
		switch e.Name {
		case "cut":
			b.cuts++
		case "rate":
			b.flows[int(get("qp"))] = flow{get("slowed") == 1, get("rate"), get("target"), get("alpha")}
		}
	}
}

// now is the present tick, and the cycle in it.
func (b *bench) now() (tick int64, phase int) {
	n := int64(b.s.Cycle() - b.start)
	return n / int64(b.tick), int(n % int64(b.tick))
}

// until runs to a cycle of a tick: of this one, or of the next.
func (b *bench) until(phase int) {
	_, at := b.now()
	b.run((phase - at + b.tick) % b.tick)
}

// waits asks, at one port or the other.
func (b *bench) waits(qp int) bool {
	ask := b.io.Asks[qp%2]
	b.s.Set(ask.QP, uint64(qp))
	return b.s.Get(ask.Waits) == 1
}

func (b *bench) clear(qp int) {
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
}
