package cnp_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/cnp"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

func params(bits, tick int) cnp.Params {
	return cnp.Params{Sizes: link.Sizes{QPBits: bits}, Tick: tick}
}

// bench is the block with its neighbours.
type bench struct {
	t               *testing.T
	s               *sim.Sim
	marked, control *sim.Source
	out             *sim.Sink
	sent            []sending
}

// sending is a CNP that was taken.
type sending struct {
	qp    int
	cycle int64
}

func newBench(t *testing.T, s *sim.Sim, io *cnp.IO, gap, gaps uint32) *bench {
	b := &bench{
		t: t, s: s, marked: sim.NewSource(s, io.Marked, hdltest.Gaps(t, gaps)), control: sim.NewSource(s, io.Control, hdltest.Gaps(t, gaps)),
		out: sim.NewSink(s, io.CNP, hdltest.Gaps(t, gaps)),
	}
	s.Set(io.Gap, uint64(gap))
	s.Reset(2)
	return b
}

func (b *bench) run(n int) {
	for range n {
		b.s.Step()
		require.NoError(b.t, b.s.Err())
		for _, qp := range sim.Received[int](b.out) {
			b.sent = append(b.sent, sending{qp, int64(b.s.Cycle())})
		}
	}
}

// mark has a packet marked, and says whether that made a CNP within a time that is enough for it.
func (b *bench) mark(qp int) bool {
	before := len(b.sent)
	b.marked.Send(qp)
	b.run(20)
	for _, s := range b.sent[before:] {
		require.Equal(b.t, qp, s.qp)
	}
	require.LessOrEqual(b.t, len(b.sent), before+1)
	return len(b.sent) > before
}

// Marks that are so far apart that each is judged at once have a CNP where the reference sends one; in doubt is only what
// happens in the tick in which a gap ends.
func TestAgainstReference(t *testing.T) {
	const bits, tick, gap = 3, 64, 9
	design, io := hdltest.Build(t, cnp.Def(params(bits, tick)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
		b := newBench(t, s, io, gap, 0)
		b.run(20)
		ref := cnp.Reference{Gap: gap * tick}
		last := map[int]int64{}
		sure, silent := 0, 0
		for range 1500 {
			b.run(r.IntN(150))
			qp := r.IntN(1 << bits)
			if r.IntN(60) == 0 {
				b.control.Send(linktest.QPControl{QP: qp, Kind: r.IntN(4)}) // kinds other than 0 mean nothing
				b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
				b.run(40)
				ref.Clear(qp)
				delete(last, qp)
			}
			now := int64(s.Cycle())
			at, known := last[qp]
			doubt := known && now-at >= gap*tick-20 && now-at <= (gap+1)*tick+20
			got := b.mark(qp)
			if doubt { // the reference follows
				ref.Clear(qp)
				if !got {
					ref.Mark(qp, at)
				}
			}
			if !doubt {
				require.Equal(t, ref.Mark(qp, now), got, "queue pair %d, cycle %d, last at %d", qp, now, at)
				sure++
				if !got {
					silent++
				}
			}
			if got {
				last[qp] = b.sent[len(b.sent)-1].cycle
				ref.Clear(qp)
				ref.Mark(qp, last[qp])
			}
		}
		require.Greater(t, sure, 1000)
		require.Greater(t, silent, 200)
		require.Greater(t, sure-silent, 200)
	}, verilator.Simulator)
}

// A flood of marks with pauses everywhere: each queue pair has its CNPs, as many as the gap lets through, none too early.
func TestFlood(t *testing.T) {
	const bits, tick, gap, cycles = 2, 4, 20, 20000
	design, io := hdltest.Build(t, cnp.Def(params(bits, tick)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 2))
		b := newBench(t, s, io, gap, 30)
		for range cycles {
			if b.marked.Pending() < 4 {
				b.marked.Send(r.IntN(1 << bits))
			}
			b.run(1)
		}
		count, last := map[int]int{}, map[int]int64{}
		for _, x := range b.sent {
			if at, ok := last[x.qp]; ok {
				require.GreaterOrEqual(t, x.cycle-at, int64(gap*tick))
			}
			last[x.qp] = x.cycle
			count[x.qp]++
		}
		for qp := range 1 << bits {
			require.Greater(t, count[qp], cycles/(gap*tick)*7/10, "queue pair %d", qp)
		}
	}, verilator.Simulator)
}

// Marks of a queue pair that come while one waits are one; those that come while a CNP may not be sent are none.
func TestMarksAreNotKept(t *testing.T) {
	design, io := hdltest.Build(t, cnp.Def(params(2, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 100, 0)
		b.run(20)
		b.out.SetPattern(sim.Pattern{Kind: sim.Never})
		for range 10 {
			b.marked.Send(0, 1, 2, 1)
		}
		b.run(100)
		require.Zero(t, b.marked.Pending(), "marks wait for transmit")
		b.out.SetPattern(sim.Pattern{})
		b.run(2000)
		require.Len(t, b.sent, 3)
	}, verilator.Simulator)
}

// Gap 0: every mark. A gap of 4095 is the longest; that the number of a tick comes round makes no difference.
func TestGaps(t *testing.T) {
	design, io := hdltest.Build(t, cnp.Def(params(1, 1)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 0, 0)
		b.run(20)
		for range 20 {
			require.True(t, b.mark(1))
		}
		s.Set(io.Gap, 4095)
		b.run(5000)
		for range 4 { // more than twice round
			require.True(t, b.mark(0))
			for range 190 {
				require.False(t, b.mark(0))
			}
			b.run(330)
		}
		for wait := 8000; wait < 8400; wait += 13 { // where an old CNP would look like one of just now
			require.True(t, b.mark(0), "%d", wait)
			b.run(wait)
		}
	}, verilator.Simulator)
}

// What begins anew has no past, and no mark of what it was makes a CNP.
func TestClear(t *testing.T) {
	design, io := hdltest.Build(t, cnp.Def(params(2, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 1000, 0)
		b.run(20)
		clear := linktest.QPControl{QP: 2, Kind: link.ControlClear}
		require.True(t, b.mark(2))
		require.False(t, b.mark(2))
		b.control.Send(clear)
		b.run(40)
		require.True(t, b.mark(2))
		require.True(t, b.mark(0))
		require.False(t, b.mark(0))

		// A mark stands behind one that cannot leave, and is cleared there.
		b.control.Send(clear)
		b.run(40)
		b.out.SetPattern(sim.Pattern{Kind: sim.Never})
		b.marked.Send(3, 2)
		b.run(30)
		b.control.Send(clear)
		b.run(30)
		before := len(b.sent)
		b.out.SetPattern(sim.Pattern{})
		b.run(100)
		require.Len(t, b.sent, before+1)
		require.Equal(t, 3, b.sent[before].qp)
		require.True(t, b.mark(2))
	}, verilator.Simulator)
}

// A mark and its CNP take no more cycles than a packet may.
func TestCycles(t *testing.T) {
	const bits = 4
	design, io := hdltest.Build(t, cnp.Def(params(bits, 256)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 0, 0)
		b.run(20)
		for range 100 {
			for qp := range 1 << bits {
				b.marked.Send(qp)
			}
			b.run(7 * 1 << bits)
		}
		require.Zero(t, b.marked.Pending())
		require.GreaterOrEqual(t, len(b.sent), 1590, "7 cycles a CNP")
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(16, 65535).Validate())
	require.NoError(t, params(1, 1).Validate())
	require.Error(t, params(0, 1).Validate())
	require.Error(t, params(17, 1).Validate())
	require.Error(t, params(4, 0).Validate())
	require.Error(t, params(4, 65536).Validate())
}
