package retry_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/retry"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

func params(qpBits, tick, slots int) retry.Params {
	return retry.Params{Sizes: link.Sizes{QPBits: qpBits}, Tick: tick, Slots: slots}
}

// ports are those of the block; the replay ring's answer is a bit of each queue pair.
type ports struct {
	Heard       hdl.Stream[link.Heard]       `hdl:"in"`
	Started     hdl.Stream[link.QPRef]       `hdl:"in"`
	Marked      hdl.Stream[link.QPRef]       `hdl:"in"`
	Resent      hdl.Stream[link.Resent]      `hdl:"in"`
	ResendFault hdl.Stream[link.ResendFault] `hdl:"in"`
	Control     hdl.Stream[link.QPControl]   `hdl:"in"`
	Mark        hdl.Stream[link.QPRef]       `hdl:"out"`
	Resend      hdl.Stream[link.Resend]      `hdl:"out"`
	Failure     hdl.Stream[link.SendFailure] `hdl:"out"`
	Wake        hdl.Stream[link.QPRef]       `hdl:"out"`
	Held        link.HeldPort                `hdl:"in"`
	Present     hdl.Bits                     `hdl:"in"`
	Timeout     hdl.Bits                     `hdl:"out" w:"1"`
	Timeouts    hdl.Bits                     `hdl:"out" w:"16"` // so far
}

func harness(p retry.Params) hdl.Def[ports] {
	def := retry.Def(p)
	return hdl.Def[ports]{
		Name: "bench_of_" + def.Name, Doc: "The block with a replay ring that is a bit of each queue pair.",
		IO: ports{
			Heard: def.IO.Heard, Started: def.IO.Started, Marked: def.IO.Marked, Resent: def.IO.Resent, ResendFault: def.IO.ResendFault,
			Control: def.IO.Control, Mark: def.IO.Mark, Resend: def.IO.Resend, Failure: def.IO.Failure, Wake: def.IO.Wake, Held: def.IO.Held,
			Present: hdl.W(1 << p.Sizes.QPBits),
		},
		Body: func(m *hdl.Module, io *ports) {
			u := hdl.Instance(m, "u_retry", def)
			hdl.Connect(u.Heard, io.Heard)
			hdl.Connect(u.Started, io.Started)
			hdl.Connect(u.Marked, io.Marked)
			hdl.Connect(u.Resent, io.Resent)
			hdl.Connect(u.ResendFault, io.ResendFault)
			hdl.Connect(u.Control, io.Control)
			hdl.Connect(io.Mark, u.Mark)
			hdl.Connect(io.Resend, u.Resend)
			hdl.Connect(io.Failure, u.Failure)
			hdl.Connect(io.Wake, u.Wake)
			hdl.Connect(u.Held, io.Held)
			u.Waits.Waits.Set(io.Present.Shr(u.Waits.QP).Bit(0))
			io.Timeout.Set(u.Timeout)
			n := m.Reg("count", 16, 0)
			m.If(u.Timeout, func() { n.Set(n.AddK(1)) })
			io.Timeouts.Set(n)
		},
	}
}

// bench is the block with its neighbours.
type bench struct {
	t    *testing.T
	s    *sim.Sim
	io   *ports
	tick int

	heard, started, marked, resent, fault, control *sim.Source
	mark, resend, failure, wake                    *sim.Sink

	present  []uint64
	timeouts uint64
}

// patterns of gaps: of what comes in, and what goes out.
type patterns struct{ in, out sim.Pattern }

func newBench(t *testing.T, s *sim.Sim, io *ports, p retry.Params, g patterns) *bench {
	b := &bench{
		t: t, s: s, io: io, tick: p.Tick,
		heard: sim.NewSource(s, io.Heard, g.in), started: sim.NewSource(s, io.Started, g.in), marked: sim.NewSource(s, io.Marked, g.in),
		resent: sim.NewSource(s, io.Resent, g.in), fault: sim.NewSource(s, io.ResendFault, g.in), control: sim.NewSource(s, io.Control, g.in),
		mark: sim.NewSink(s, io.Mark, g.out), resend: sim.NewSink(s, io.Resend, g.out),
		failure: sim.NewSink(s, io.Failure, g.out), wake: sim.NewSink(s, io.Wake, g.out),
		present: make([]uint64, (1<<p.Sizes.QPBits+63)/64),
	}
	s.Reset(2)
	b.s.SetWords(io.Present, b.present)
	s.Run(max(1<<p.Sizes.QPBits, p.Slots) + 4) // memories are cleared
	return b
}

// onBlock runs a test on the block in the native simulator and others.
func onBlock(t *testing.T, p retry.Params, gaps uint32, test func(b *bench), others ...sim.Simulator) {
	design, io := hdltest.Build(t, harness(p))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		var g patterns
		if gaps > 0 {
			g = patterns{in: hdltest.Gaps(t, gaps), out: hdltest.Gaps(t, gaps)}
		}
		test(newBench(t, s, io, p, g))
	}, others...)
}

// waits says whether packets of a queue pair are in its replay ring.
func (b *bench) waits(qp int) bool { return b.present[qp/64]>>(qp%64)&1 == 1 }

func (b *bench) setWaits(qp int, on bool) {
	b.present[qp/64] &^= 1 << (qp % 64)
	if on {
		b.present[qp/64] |= 1 << (qp % 64)
	}
	b.s.SetWords(b.io.Present, b.present)
}

func (b *bench) held(qp int) bool {
	b.s.Set(b.io.Held.QP, uint64(qp))
	return b.s.Get(b.io.Held.Held) == 1
}

// begin has a queue pair begin a life, with a first packet that waits from now on.
func (b *bench) begin(qp int, psn uint32, timers retry.Timers) {
	b.clear(qp)
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlSendPSN, PSN: psn})
	b.timers(qp, timers)
	b.start(qp)
	b.settle()
}

func (b *bench) clear(qp int) {
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear, PSN: 0xFFFFFF})
}

func (b *bench) timers(qp int, t retry.Timers) {
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlTimers, PSN: uint32(t.Timeout<<6 | t.RetryCnt<<3 | t.RNRRetry)})
}

// start records a packet in a ring that has none.
func (b *bench) start(qp int) {
	b.setWaits(qp, true)
	b.started.Send(qp)
}

func (b *bench) progress(qp int, psn uint32) {
	b.heard.Send(linktest.Heard{QP: qp, Kind: link.HeardProgress, PSN: psn})
}

func (b *bench) missing(qp int, psn uint32, cause int) {
	b.heard.Send(linktest.Heard{QP: qp, Kind: link.HeardRestart, PSN: psn, Cause: cause})
}

func (b *bench) notReady(qp int, psn uint32, code int) {
	b.heard.Send(linktest.Heard{QP: qp, Kind: link.HeardRNR, PSN: psn, Code: code})
}

// few cycles are enough for an event and what follows from it.
const few = 40

// settle runs until what was sent has been taken, and told of.
func (b *bench) settle() {
	b.s.Run(few)
	require.NoError(b.t, b.s.Err())
	for _, s := range []*sim.Source{b.heard, b.started, b.marked, b.resent, b.fault, b.control} {
		require.Zero(b.t, s.Pending(), s.Ports())
	}
}

// ticks is the number of ticks since reset.
func (b *bench) ticks() int64 { return int64(b.s.Peek("u_retry.tick")) }

// nextTick runs into the next tick, and lets the wheel work.
func (b *bench) nextTick() {
	b.s.Run(b.tick - int(b.s.Peek("u_retry.cycle")) + 1)
	b.settle()
}

// told takes what has been told since the last time, in the order of queue pairs.
func (b *bench) told() []retry.Told {
	var told []retry.Told
	for _, qp := range sim.Received[int](b.mark) {
		told = append(told, retry.Told{What: "mark", QP: qp})
	}
	for _, r := range sim.Received[linktest.Resend](b.resend) {
		what := "resend"
		if r.Stop {
			what = "stop"
		}
		told = append(told, retry.Told{What: what, QP: r.QP, Number: r.Number, PSN: r.PSN})
	}
	for _, f := range sim.Received[linktest.SendFailure](b.failure) {
		told = append(told, retry.Told{What: "failure", QP: f.QP, PSN: f.PSN, Status: f.Status, Vendor: f.Vendor})
	}
	for _, qp := range sim.Received[int](b.wake) {
		told = append(told, retry.Told{What: "wake", QP: qp})
	}
	return told
}

// expect settles and compares what has been told since the last time, in any order.
func (b *bench) expect(want ...retry.Told) {
	b.t.Helper()
	b.settle()
	var got, wanted []string
	for _, x := range b.told() {
		got = append(got, fmt.Sprint(x))
	}
	for _, x := range want {
		wanted = append(wanted, fmt.Sprint(x))
	}
	slices.Sort(got)
	slices.Sort(wanted)
	require.Equal(b.t, wanted, got)
}

// expectTimeouts compares how many ACK timeouts have been counted since the last time.
func (b *bench) expectTimeouts(n int) {
	b.t.Helper()
	now := b.s.Get(b.io.Timeouts)
	require.EqualValues(b.t, n, now-b.timeouts)
	b.timeouts = now
}

var (
	never  = sim.Pattern{Kind: sim.Never}
	always = sim.Pattern{}
)
