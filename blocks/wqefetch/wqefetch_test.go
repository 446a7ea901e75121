package wqefetch_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/wqefetch"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

const qps = 4

func params(width, slotBits int) wqefetch.Params {
	return wqefetch.Params{Sizes: link.Sizes{DataWidth: width, QPBits: 2, SlotBits: slotBits}}
}

// bench is the block between its doorbells, its memory and its user.
type bench struct {
	t     *testing.T
	s     *sim.Sim
	mem   *linktest.Memory
	reads *linktest.Reads
	ref   wqefetch.Reference

	bell, config, request, read, take *sim.Source
	ready, head, granule              *sim.Sink
	rings                             [qps]ring
}

type ring struct {
	base      uint64
	logSize   int
	logStride int
	producer  uint16
	head      uint16
}

type head struct {
	Here, Empty, Fault bool
	Index              uint16
	Slot               int
}

func newBench(t *testing.T, s *sim.Sim, io *wqefetch.IO, latency int) *bench {
	gaps := hdltest.Gaps(t, 20)
	b := &bench{t: t, s: s, mem: linktest.NewMemory()}
	b.reads = linktest.NewReads(s, io.Read, b.mem, gaps, hdltest.Seed(t))
	b.reads.Latency = latency
	b.ref.Read = b.mem.Read
	b.bell, b.config = sim.NewSource(s, io.Bell, gaps), sim.NewSource(s, io.Config, gaps)
	b.request, b.read, b.take = sim.NewSource(s, io.Queue.Request, gaps), sim.NewSource(s, io.Queue.Read, gaps), sim.NewSource(s, io.Queue.Take, gaps)
	b.ready, b.head, b.granule = sim.NewSink(s, io.Ready, gaps), sim.NewSink(s, io.Queue.Head, gaps), sim.NewSink(s, io.Queue.Granule, gaps)
	// Beats come when they come: no gap may stop what the block takes at once.
	s.Reset(2)
	s.Run(10)
	return b
}

func (b *bench) step() {
	b.s.Step()
	b.reads.Step()
	require.NoError(b.t, b.s.Err())
}

func (b *bench) run(n int) {
	for range n {
		b.step()
	}
}

// until steps until ok, for at most some cycles.
func (b *bench) until(what string, ok func() bool) {
	b.t.Helper()
	for range 2000 {
		if ok() {
			return
		}
		b.step()
	}
	b.t.Fatalf("in vain: %s", what)
}

func (b *bench) make(qp int, r ring) {
	b.rings[qp] = r
	b.ref.Config(qp, r.base, r.logSize, r.logStride)
	b.config.Send([]any{struct {
		QP                 int
		Keep               bool
		Base               uint64
		LogSize, LogStride int
	}{qp, false, r.base, r.logSize, r.logStride}}...)
	b.until("config", func() bool { return b.config.Pending() == 0 })
}

// post writes n WQEs of random bytes, those that fit, and rings.
func (b *bench) post(r *rand.Rand, qp, n int) {
	q := &b.rings[qp]
	for range n {
		if int(q.producer-q.head) == 1<<q.logSize {
			break
		}
		entry := make([]byte, 64<<q.logStride)
		for i := range entry {
			entry[i] = byte(r.Uint32())
		}
		slot := uint64(q.producer) & (1<<q.logSize - 1)
		b.mem.Poke(q.base+slot*uint64(len(entry)), entry)
		q.producer++
	}
	b.bell.Send(struct {
		QP    int
		Index uint16
	}{qp, q.producer})
	b.ref.Bell(qp, q.producer)
}

func (b *bench) ask(qp int, wait bool) head {
	b.request.Send(struct {
		QP   int
		Wait bool
	}{qp, wait})
	return b.answer()
}

// answer is the next head.
func (b *bench) answer() head {
	var got []head
	b.until("head", func() bool {
		got = sim.Received[head](b.head)
		return len(got) == 1
	})
	return got[0]
}

// consume takes the WQE at the head of a queue, and compares it.
func (b *bench) consume(r *rand.Rand, qp int) {
	q := &b.rings[qp]
	b.until("doorbells", func() bool { return b.bell.Pending() == 0 })
	want, some := b.ref.Head(qp)
	got := b.ask(qp, r.IntN(2) == 0 || some)
	require.Equal(b.t, !some, got.Empty)
	if !some {
		return
	}
	require.True(b.t, got.Here)
	require.Equal(b.t, want.Index, got.Index)
	require.Equal(b.t, want.Fault, got.Fault, "fault of WQE %d of QP %d", want.Index, qp)
	var entry []byte
	for g := range 4 << q.logStride {
		b.read.Send(struct{ QP, Slot, Granule int }{qp, got.Slot, g})
	}
	b.until("granules", func() bool {
		for _, g := range sim.Received[[]byte](b.granule) {
			entry = append(entry, g...)
		}
		return len(entry) == 64<<q.logStride
	})
	if !want.Fault {
		require.Equal(b.t, want.Bytes, entry, "WQE %d of QP %d", want.Index, qp)
	}
	b.take.Send(qp)
	b.until("take", func() bool { return b.take.Pending() == 0 })
	b.ref.Take(qp)
	q.head++
}

// Random posting and taking on four queue pairs with slots of both sizes: every
// WQE comes once, in order, as it is in memory, and nothing else is read.
func TestAgainstReference(t *testing.T) {
	for _, c := range []struct{ width, slotBits, latency int }{{64, 3, 40}, {128, 1, 0}, {256, 2, 9}, {512, 2, 60}} {
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			design, io := hdltest.Build(t, wqefetch.Def(withCredits(params(c.width, c.slotBits))))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				r := rand.New(rand.NewPCG(hdltest.Seed(t), 4))
				b := newBench(t, s, io, c.latency)
				for round := range 3 {
					for qp := range qps {
						b.make(qp, ring{base: uint64(qp+1)<<40 | uint64(round)<<20 | 0x3000, logSize: r.IntN(9), logStride: r.IntN(2)})
					}
					bad := b.rings[1].base + 64
					b.mem.Fault(func(addr uint64) bool { return addr>>6 == bad>>6 })
					for range 150 {
						qp := r.IntN(qps)
						if r.IntN(3) == 0 {
							b.post(r, qp, 1+r.IntN(40))
						}
						for range r.IntN(4) {
							b.consume(r, qp)
						}
					}
					for qp := range qps {
						s.Set(io.Peek.QP, uint64(qp))
						b.run(link.PeekCycles)
						require.EqualValues(t, b.rings[qp].head, s.Get(io.Peek.Value))
						b.credit(io, qp)
						for b.rings[qp].head != b.rings[qp].producer {
							b.consume(r, qp)
						}
					}
				}
			}, linktest.Others(c.width)...)
		})
	}
}

func withCredits(p wqefetch.Params) wqefetch.Params {
	p.Credits = 1
	return p
}

// credit asks for the credits of a queue pair.
func (b *bench) credit(io *wqefetch.IO, qp int) {
	b.s.Set(io.Credits[0].QP, uint64(qp))
	b.run(2)
	require.EqualValues(b.t, b.ref.Credit(qp), b.s.Get(io.Credits[0].Code))
}

// Credits of every number of WQEs that a ring may have.
func TestCredits(t *testing.T) {
	design, io := hdltest.Build(t, wqefetch.Def(withCredits(params(64, 1))))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 0)
		b.make(2, ring{base: 1 << 32, logSize: 15})
		var all []uint16
		for i := range 15 {
			all = append(all, 1<<i-1, 1<<i, 1<<i+1, 3<<i>>1-1, 3<<i>>1)
		}
		all = append(all, 1<<15-1, 1<<15)
		slices.Sort(all)
		codes := map[int]bool{}
		for _, n := range all {
			b.bell.Send(struct{ QP, Index int }{2, int(n)})
			b.until("bell", func() bool { return b.bell.Pending() == 0 })
			b.run(3)
			b.ref.Bell(2, n)
			b.credit(io, 2)
			codes[b.ref.Credit(2)] = true
		}
		require.Len(t, codes, 31)
	}, verilator.Simulator)
}

// Several WQEs come in one burst, none past the producer.
func TestBursts(t *testing.T) {
	design, io := hdltest.Build(t, wqefetch.Def(params(64, 3)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 5))
		b := newBench(t, s, io, 0)
		b.make(0, ring{base: 1 << 32, logSize: 6})
		b.post(r, 0, 5)
		b.run(200)
		require.Equal(t, 1, b.reads.Bursts)
		require.Equal(t, 5*8, b.reads.Beats)
		b.post(r, 0, 40)
		b.run(1000)
		require.Equal(t, 16*8, b.reads.Beats, "16 slots of 64 bytes, and no more")
		got := b.ask(0, false)
		require.True(t, got.Here)
	}, verilator.Simulator)
}

// No more bursts are on their way than keep the memory port busy: at 64 bits they take 8 beats a WQE, and payload
// waits behind them.
func TestBurstsOnTheirWay(t *testing.T) {
	for width, most := range map[int]int{64: 2, 512: 4} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, wqefetch.Def(params(width, 2)))
			r := rand.New(rand.NewPCG(hdltest.Seed(t), 7))
			b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{}), io, 0)
			b.reads.Hold = true
			for qp := range qps {
				b.make(qp, ring{base: uint64(qp+1) << 32, logSize: 4})
			}
			for range 2 {
				for qp := range qps {
					b.post(r, qp, 8)
				}
				b.run(200)
				require.Equal(t, most, b.reads.Bursts)
			}
			b.reads.Hold = false
			b.run(1000)
			require.Equal(t, qps*8*512/width, b.reads.Beats, "all that fit, in the end")
		})
	}
}

// A question without waiting is answered while the WQE is on its way; one with
// waiting is answered when it has come.
func TestOnItsWay(t *testing.T) {
	design, io := hdltest.Build(t, wqefetch.Def(params(512, 2)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 6))
		b := newBench(t, s, io, 0)
		b.make(2, ring{base: 1 << 33, logSize: 4, logStride: 1})
		require.True(t, b.ask(2, true).Empty)
		b.mem.Fault(nil)
		b.reads.Hold = true
		b.post(r, 2, 1)
		b.run(60)
		got := b.ask(2, false)
		require.False(t, got.Here)
		require.False(t, got.Empty)
		require.Zero(t, b.ready.Count())
		b.request.Send(struct {
			QP   int
			Wait bool
		}{2, true})
		b.run(100)
		require.Empty(t, sim.Received[head](b.head))
		b.reads.Hold = false
		require.True(t, b.answer().Here)
		b.until("ready", func() bool { return b.ready.Count() == 1 })
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(64, 1).Validate())
	require.Error(t, params(96, 1).Validate())
	require.Error(t, params(64, 0).Validate())
	require.Error(t, wqefetch.Params{Sizes: link.Sizes{DataWidth: 64, SlotBits: 1}}.Validate())
}
