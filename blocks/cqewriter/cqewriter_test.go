package cqewriter_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/cqewriter"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// eachWidth runs a test at the narrowest and the widest data, in all simulators.
func eachWidth(t *testing.T, test func(*testing.T, *sim.Sim, *cqewriter.IO, int)) {
	for _, width := range []int{64, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, cqewriter.Def(params(width)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) { test(t, s, io, width) }, verilator.Simulator)
		})
	}
}

// Queues are made, filled, drained and removed at random, some of them without
// memory: everything that is said, and all of memory, is the reference's.
func TestAgainstReference(t *testing.T) {
	eachWidth(t, func(t *testing.T, s *sim.Sim, io *cqewriter.IO, _ int) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 5))
		b := newBench(t, s, io, hdltest.Gaps(t, 30))
		b.writes.Latency = 40
		want := linktest.NewMemory()
		want.Fault(func(addr uint64) bool { return addr >= holes })
		ref := cqewriter.Reference{Write: want.Write}
		consumed := map[int]uint16{}
		for range 120 {
			if r.IntN(4) == 0 {
				remake(r, b, &ref, consumed)
			}
			updates(r, b, &ref, consumed)
			compare(t, b, &ref, some(r, b))
			for cq := range cqs {
				require.Equal(t, want.Peek(ringAt(cq), 4096), b.mem.Peek(ringAt(cq), 4096))
			}
		}
	})
}

func ringAt(cq int) uint64 { return 0x10_0000 + uint64(cq)*4096 }

// remake makes a queue or removes one.
func remake(r *rand.Rand, b *bench, ref *cqewriter.Reference, consumed map[int]uint16) {
	c := config{CQ: r.IntN(cqs), Exists: r.IntN(5) > 0, LogSize: 1 + r.IntN(4)}
	c.Base = ringAt(c.CQ)
	b.blind[c.CQ] = r.IntN(5) == 0
	if b.blind[c.CQ] {
		c.Base += holes
	}
	b.config.Send(c)
	b.settle()
	consumed[c.CQ] = 0
	if c.Exists {
		ref.Make(c.CQ, c.Base, c.LogSize)
	} else {
		ref.Remove(c.CQ)
	}
}

// updates rings doorbells, most of them good: but not of queues without memory, of which software has no CQE.
func updates(r *rand.Rand, b *bench, ref *cqewriter.Reference, consumed map[int]uint16) {
	var want []update
	for range r.IntN(6) {
		u := update{CQ: r.IntN(cqs), Arm: r.IntN(3)}
		u.Index = consumed[u.CQ] + uint16(r.IntN(6))
		if r.IntN(6) == 0 {
			u.Index = uint16(r.Uint32())
		}
		if b.blind[u.CQ] {
			continue
		}
		b.update.Send(u)
		if ref.Consume(u.CQ, u.Index) {
			consumed[u.CQ] = u.Index
			want = append(want, u)
		}
	}
	b.settle()
	require.Equal(b.t, want, sim.Received[update](b.seen))
}

// some sends completions, by one of the inputs.
func some(r *rand.Rand, b *bench) []completion {
	var all []completion
	from := r.IntN(inputs)
	for range r.IntN(12) {
		c := random(r)
		b.completions[from].Send(c)
		all = append(all, c)
	}
	b.settle()
	return all
}

func compare(t *testing.T, b *bench, ref *cqewriter.Reference, all []completion) {
	var wrote []written
	var failed []async
	lost := map[int]bool{}
	for _, c := range all {
		out, err := ref.Complete(c.CQ, c.cqe())
		require.NoError(t, err)
		if out.Written {
			wrote = append(wrote, written{c.CQ, out.Producer, c.Solicited})
			continue
		}
		lost[c.QP] = true
		if out.Event {
			failed = append(failed, async{format.EventCQErr, out.Vendor, uint32(c.CQ)})
		}
	}
	require.Equal(t, wrote, sim.Received[written](b.written))
	require.Equal(t, failed, sim.Received[async](b.async))
	require.Equal(t, lost, b.lost())
}

// Software reads CQEs by their phase, as soon as they are in memory, over many laps
// of a small ring, while both inputs complete: each CQE is there once, in order of its input.
func TestPhaseOverLaps(t *testing.T) {
	const cq, logSize, each = 1, 2, 60
	eachWidth(t, func(t *testing.T, s *sim.Sim, io *cqewriter.IO, _ int) {
		b := newBench(t, s, io, hdltest.Gaps(t, 20))
		b.writes.Latency = 30
		b.make(cq, logSize, ringAt(cq))
		var sent, posted, seen [inputs]int
		read, told, seq := 0, 0, uint16(0) // CQEs read; in Written; doorbells passed on
		for range 20000 {
			b.step(1)
			text := b.mem.Peek(ringAt(cq)+uint64(read%(1<<logSize)*32), 32)
			if phase := uint64(1 ^ read>>logSize&1); uint64(text[31]>>7) == phase {
				from, n := int(text[1]), int(text[0])
				require.Equal(t, seen[from], n, "CQE of input %d", from)
				require.Equal(t, numbered(cq, from, n).text(t, phase), text)
				seen[from]++
				read++
				b.update.Send(update{CQ: cq, Index: uint16(read)})
			}
			for _, w := range sim.Received[written](b.written) {
				told++
				require.Equal(t, written{cq, uint16(told), false}, w)
				require.LessOrEqual(t, told, read+1<<logSize)
			}
			for _, u := range sim.Received[update](b.seen) {
				seq = u.Index
			}
			// As many as the ring has room for, by what the block knows.
			for from := range inputs {
				if posted[0]+posted[1]-int(seq) < 1<<logSize && posted[from] < each {
					b.completions[from].Send(numbered(cq, from, sent[from]))
					sent[from]++
					posted[from]++
				}
			}
			if told == inputs*each {
				break
			}
		}
		b.settle()
		require.Equal(t, inputs*each, read)
		require.Equal(t, inputs*each, told)
		require.Empty(t, b.lost())
	})
}

func numbered(cq, from, n int) completion {
	return completion{CQ: cq, WRID: uint64(from)<<8 | uint64(n), QP: from, ByteLen: uint32(n) * 0x01010101}
}

// A ring that overflows keeps what it has, fails once, and stays so until it is made anew; others go on.
func TestOverflow(t *testing.T) {
	eachWidth(t, func(t *testing.T, s *sim.Sim, io *cqewriter.IO, _ int) {
		b := newBench(t, s, io, sim.Pattern{})
		b.make(0, 1, ringAt(0))
		b.make(1, 3, ringAt(1))
		for i := range 4 {
			b.completions[0].Send(completion{CQ: 0, WRID: uint64(i), QP: i})
		}
		b.completions[0].Send(completion{CQ: 1, QP: 5})
		b.settle()
		require.Equal(t, []written{{0, 1, false}, {0, 2, false}, {1, 1, false}}, sim.Received[written](b.written))
		require.Equal(t, []async{{format.EventCQErr, format.VendorCQOverflow, 0}}, sim.Received[async](b.async))
		require.Equal(t, map[int]bool{2: true, 3: true}, b.lost())
		require.Equal(t, completion{WRID: 1, QP: 1}.text(t, 1), b.mem.Peek(ringAt(0)+32, 32))

		// Room comes too late.
		b.update.Send(update{CQ: 0, Index: 2})
		b.settle()
		b.completions[1].Send(completion{CQ: 0, WRID: 9, QP: 6})
		b.settle()
		require.Empty(t, sim.Received[written](b.written))
		require.Empty(t, sim.Received[async](b.async))
		require.Equal(t, map[int]bool{6: true}, b.lost())
		require.Equal(t, completion{}.text(t, 1), b.mem.Peek(ringAt(0), 32))

		b.make(0, 1, ringAt(0))
		b.completions[1].Send(completion{CQ: 0, WRID: 7, QP: 6})
		b.settle()
		require.Equal(t, []written{{0, 1, false}}, sim.Received[written](b.written))
		require.Empty(t, b.lost())
	})
}

// While nobody takes faults, completions go on; each queue pair is told of once.
func TestFaultsDoNotStall(t *testing.T) {
	design, io := hdltest.Build(t, cqewriter.Def(params(512)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.make(1, 8, ringAt(1))
		b.fault.SetPattern(sim.Pattern{Kind: sim.Never})
		for i := range 100 {
			b.completions[0].Send(completion{CQ: 0, QP: i % 8}, completion{CQ: 1})
		}
		b.settle()
		require.Len(t, sim.Received[written](b.written), 100)
		b.fault.SetPattern(sim.Pattern{})
		b.step(100)
		require.LessOrEqual(t, b.fault.Count(), uint64(9))
		require.Len(t, b.lost(), 8)
		require.Empty(t, sim.Received[async](b.async), "of a completion queue that does not exist")
	}, verilator.Simulator)
}

// The CQE whose write fails is lost, and so are those behind it that are on their way.
func TestBusError(t *testing.T) {
	eachWidth(t, func(t *testing.T, s *sim.Sim, io *cqewriter.IO, _ int) {
		b := newBench(t, s, io, sim.Pattern{})
		b.writes.Latency = 30
		gap := ringAt(0) + 2*32
		b.mem.Fault(func(addr uint64) bool { return addr >= gap && addr < gap+32 })
		b.make(0, 4, ringAt(0))
		for i := range 6 {
			b.completions[0].Send(completion{CQ: 0, WRID: uint64(i), QP: i})
		}
		b.settle()
		require.Equal(t, []written{{0, 1, false}, {0, 2, false}}, sim.Received[written](b.written))
		require.Equal(t, []async{{format.EventCQErr, format.VendorBusWrite, 0}}, sim.Received[async](b.async))
		require.Equal(t, map[int]bool{2: true, 3: true, 4: true, 5: true}, b.lost())

		bursts := b.writes.Bursts
		b.completions[1].Send(completion{CQ: 0, QP: 6})
		b.settle()
		require.Equal(t, bursts, b.writes.Bursts, "nothing goes to a queue that has failed")
		require.Equal(t, map[int]bool{6: true}, b.lost())
	})
}

// Config waits for what is on its way.
func TestConfigWaits(t *testing.T) {
	design, io := hdltest.Build(t, cqewriter.Def(params(512)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.writes.Latency = 100
		b.make(0, 4, ringAt(0))
		const n = 10
		for i := range n {
			b.completions[0].Send(completion{CQ: 0, WRID: uint64(i)})
		}
		for b.completions[0].Pending() > 0 {
			b.step(1)
		}
		b.config.Send(config{CQ: 0, Exists: true, LogSize: 4, Base: ringAt(0)})
		for b.config.Pending() > 0 {
			b.step(1)
		}
		require.Equal(t, uint64(n), b.written.Count())
	}, verilator.Simulator)
}

// Config with Keep waits for what is on its way, too, and changes nothing: the next CQE has the next place.
func TestKeepWaits(t *testing.T) {
	design, io := hdltest.Build(t, cqewriter.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.writes.Latency = 100
		b.make(0, 4, ringAt(0))
		const n = 6
		for round := range 2 {
			for i := range n {
				b.completions[i%inputs].Send(completion{CQ: 0, WRID: uint64(n*round + i)})
			}
			for b.completions[0].Pending()+b.completions[1].Pending() > 0 {
				b.step(1)
			}
			b.config.Send(config{CQ: 1, Keep: true})
			for b.config.Pending() > 0 {
				b.step(1)
			}
			require.Equal(t, uint64(n*(round+1)), b.written.Count())
		}
	}, verilator.Simulator)
}

// Cycles: of a CQE when many wait, with a doorbell for each and without; of the
// first one to its burst.
func TestCycles(t *testing.T) {
	const n = 30
	eachWidth(t, func(t *testing.T, s *sim.Sim, io *cqewriter.IO, width int) {
		b := newBench(t, s, io, sim.Pattern{})
		b.make(0, 6, ringAt(0))
		cycles := func(doorbells bool) int {
			before := b.written.Count()
			for range n / inputs {
				for _, c := range b.completions {
					c.Send(completion{CQ: 0})
					if doorbells {
						b.update.Send(update{CQ: 0})
					}
				}
			}
			took := 0
			for b.written.Count() < before+n {
				b.step(1)
				took++
				require.Less(t, took, 1000)
			}
			return took
		}
		period := map[int]int{64: 5, 512: 3}[width]
		const latency = 12 // of the first, with the memory of this test
		require.LessOrEqual(t, cycles(false), period*n+latency)
		require.LessOrEqual(t, cycles(true), 6*n+latency)
	})
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(128).Validate())
	wrong := map[string]func(*cqewriter.Params){
		"data width of 96 bits":  func(p *cqewriter.Params) { p.Sizes.DataWidth = 96 },
		"2^0 queue pairs":        func(p *cqewriter.Params) { p.Sizes.QPBits = 0 },
		"2^17 completion queues": func(p *cqewriter.Params) { p.Sizes.CQBits = 17 },
		"2^0 event queues":       func(p *cqewriter.Params) { p.Sizes.EQBits = 0 },
		"0 blocks that complete": func(p *cqewriter.Params) { p.Inputs = 0 },
	}
	for message, change := range wrong {
		p := params(64)
		change(&p)
		require.ErrorContains(t, p.Validate(), message)
	}
}
