package atomic_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gornic/blocks/atomic"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

func params(width int) atomic.Params {
	return atomic.Params{Sizes: link.Sizes{DataWidth: width, QPBits: 2, ReadBits: 3}}
}

type command struct {
	QP, Slot, Kind int
	Cancel         bool
	Addr           uint64
}

type operands struct{ Swap, Compare uint64 }

type result struct {
	QP, Slot int
	Value    uint64
	Fault    format.VendorCode
}

// bench is the block in front of a memory.
type bench struct {
	t                 *testing.T
	s                 *sim.Sim
	command, operands *sim.Source
	result, done      *sim.Sink
	read              *linktest.Reads
	write             *linktest.Writes
}

// newBench has the block read one memory and write another, which may be the same.
func newBench(t *testing.T, s *sim.Sim, io *atomic.IO, from, to *linktest.Memory, g sim.Pattern) *bench {
	b := &bench{
		t: t, s: s, command: sim.NewSource(s, io.Command, g), operands: sim.NewSource(s, io.Operands, g),
		result: sim.NewSink(s, io.Result, g), done: sim.NewSink(s, io.Done, g),
		read: linktest.NewReads(s, io.Read, from, sim.Pattern{}, hdltest.Seed(t)), write: linktest.NewWrites(s, io.Write, to, g, hdltest.Seed(t)),
	}
	s.Reset(2)
	return b
}

// send queues an atomic of a queue pair.
func (b *bench) send(qp, slot int, o atomic.Op) {
	kind := link.ResourceFetchAdd
	if o.CompareSwap {
		kind = link.ResourceCompareSwap
	}
	b.command.Send(command{QP: qp, Slot: slot, Kind: kind, Addr: o.Addr})
	b.operands.Send(operands{o.Swap, o.Compare})
}

func (b *bench) run(cycles int) {
	for range cycles {
		b.s.Step()
		b.read.Step()
		b.write.Step()
	}
	require.NoError(b.t, b.s.Err())
	require.NoError(b.t, b.read.Broken)
	require.NoError(b.t, b.write.Broken)
}

// settle runs until n atomics are done.
func (b *bench) settle(n int) {
	for range 200 * (n + 1) {
		b.run(1)
		if int(b.done.Count()) == n {
			b.run(20)
			break
		}
	}
	require.EqualValues(b.t, n, b.done.Count(), "atomics done")
	require.Zero(b.t, b.command.Pending()+b.operands.Pending())
}

const (
	base  = 0x10_0000
	words = 40
	hole  = base + 8*words // no memory from here on
)

// memories returns two memories of the same random words.
func memories(r *rand.Rand) (a, b *linktest.Memory) {
	a, b = linktest.NewMemory(), linktest.NewMemory()
	for i := range uint64(words) {
		word := binary.LittleEndian.AppendUint64(nil, uint64(r.IntN(4)))
		a.Poke(base+8*i, word)
		b.Poke(base+8*i, word)
	}
	missing := func(addr uint64) bool { return addr >= hole }
	a.Fault(missing)
	b.Fault(missing)
	return a, b
}

// randomOp is an atomic on few addresses, whose compare often matches.
func randomOp(r *rand.Rand, places int) atomic.Op {
	o := atomic.Op{CompareSwap: r.IntN(2) == 0, Addr: base + 8*r.Uint64N(uint64(places)), Swap: uint64(r.IntN(4)), Compare: uint64(r.IntN(4))}
	switch r.IntN(12) {
	case 0:
		o.Addr = hole + 8*r.Uint64N(8)
	case 1:
		o.Swap, o.Compare = r.Uint64(), r.Uint64()
	}
	return o
}

// Random atomics of several queue pairs, on one word, few and many: results and memory are the reference's.
func TestAgainstReference(t *testing.T) {
	for _, width := range []int{64, 512} {
		design, io := hdltest.Build(t, atomic.Def(params(width)))
		hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
			r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
			mem, ref := memories(r)
			b := newBench(t, s, io, mem, mem, hdltest.Gaps(t, 25))
			sent := 0
			for _, places := range []int{1, 3, words} {
				b.read.Latency, b.write.Latency = r.IntN(30), r.IntN(30)
				var want []result
				var dones []int
				for i := range 200 {
					qp, o := r.IntN(4), randomOp(r, places)
					dones = append(dones, qp)
					if r.IntN(20) == 0 {
						b.command.Send(command{QP: qp, Slot: 1, Kind: link.ResourceFetchAdd, Cancel: true, Addr: o.Addr})
						b.operands.Send(operands{o.Swap, o.Compare})
						continue
					}
					b.send(qp, i%8, o)
					was, fault, err := atomic.Reference(ref, o)
					require.NoError(t, err)
					want = append(want, result{QP: qp, Slot: i % 8, Value: was, Fault: fault})
				}
				sent += len(dones)
				b.settle(sent)
				got := sim.Received[result](b.result)
				for i := range got {
					if i < len(want) && want[i].Fault == format.VendorBusRead {
						got[i].Value = 0 // it means nothing
					}
				}
				require.Equal(t, want, got)
				require.Equal(t, dones, sim.Received[int](b.done))
				require.Equal(t, ref.Peek(base, 8*words+64), mem.Peek(base, 8*words+64))
			}
		}, linktest.Others(width)...)
	}
}

// A write that memory refuses is told of, and what was read is the value all the same.
func TestWriteFault(t *testing.T) {
	design, io := hdltest.Build(t, atomic.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		from, to := linktest.NewMemory(), linktest.NewMemory()
		from.Poke(base, []byte{7})
		to.Fault(func(addr uint64) bool { return addr < base+8 })
		b := newBench(t, s, io, from, to, sim.Pattern{})
		b.send(2, 1, atomic.Op{Addr: base, Swap: 1})
		b.send(2, 2, atomic.Op{CompareSwap: true, Addr: base, Swap: 1, Compare: 8}) // writes nothing: no fault
		b.send(2, 3, atomic.Op{Addr: base + 8, Swap: 5})
		b.settle(3)
		require.Equal(t, []result{
			{QP: 2, Slot: 1, Value: 7, Fault: format.VendorBusWrite}, {QP: 2, Slot: 2, Value: 7}, {QP: 2, Slot: 3},
		}, sim.Received[result](b.result))
		require.Equal(t, []byte{5}, to.Peek(base+8, 1))
		require.Equal(t, 2, b.write.Bursts)
	}, linktest.Others(64)...)
}

// Where the read fails nothing is written.
func TestReadFault(t *testing.T) {
	design, io := hdltest.Build(t, atomic.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		from, to := linktest.NewMemory(), linktest.NewMemory()
		from.Fault(func(addr uint64) bool { return addr < base+8 })
		b := newBench(t, s, io, from, to, sim.Pattern{})
		b.send(0, 1, atomic.Op{Addr: base, Swap: 1})
		b.send(0, 2, atomic.Op{Addr: base + 8, Swap: 1})
		b.settle(2)
		got := sim.Received[result](b.result)
		require.Equal(t, format.VendorBusRead, got[0].Fault)
		require.Equal(t, result{Slot: 2}, got[1])
		require.Equal(t, 1, b.write.Bursts)
	}, linktest.Others(64)...)
}

// Little-endian in memory, at every place in a beat, and the bytes beside it stay.
func TestBytesOfAWord(t *testing.T) {
	for _, width := range []int{64, 512} {
		design, io := hdltest.Build(t, atomic.Def(params(width)))
		hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
			mem := linktest.NewMemory()
			b := newBench(t, s, io, mem, mem, sim.Pattern{})
			for i := range uint64(words) {
				mem.Poke(base+8*i, []byte{0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, byte(i)})
			}
			for i := range 8 {
				b.send(0, i, atomic.Op{Addr: base + 16*uint64(i), Swap: 8})
			}
			b.settle(8)
			for i := range uint64(8) {
				assert.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, byte(2*i + 1)}, mem.Peek(base+16*i, 8))
				assert.Equal(t, []byte{0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, byte(2*i + 1)}, mem.Peek(base+16*i+8, 8))
			}
		}, linktest.Others(width)...)
	}
}

// A cancelled atomic is done when those before it are in memory, has no result, and takes its operands.
func TestCancel(t *testing.T) {
	design, io := hdltest.Build(t, atomic.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		mem := linktest.NewMemory()
		b := newBench(t, s, io, mem, mem, sim.Pattern{})
		b.write.Hold = true
		b.send(1, 0, atomic.Op{Addr: base, Swap: 1})
		b.command.Send(command{QP: 2, Kind: link.ResourceFetchAdd, Cancel: true, Addr: base})
		b.operands.Send(operands{Swap: 1000})
		b.send(3, 0, atomic.Op{Addr: base, Swap: 20})
		b.run(100)
		require.Zero(t, b.done.Count())
		b.write.Hold = false
		b.settle(3)
		require.Equal(t, []int{1, 2, 3}, sim.Received[int](b.done))
		require.Equal(t, []result{{QP: 1}, {QP: 3, Value: 1}}, sim.Received[result](b.result))
		require.Equal(t, []byte{21}, mem.Peek(base, 1))
	}, linktest.Others(64)...)
}

// While memory is silent eight atomics are under way, and eight more wait inside: who sends them does not.
// One to a word that is under way is not read.
func TestUnderWay(t *testing.T) {
	design, io := hdltest.Build(t, atomic.Def(params(512)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		mem := linktest.NewMemory()
		b := newBench(t, s, io, mem, mem, sim.Pattern{})
		b.write.Hold = true
		for i := range 16 {
			b.send(i%4, i/4, atomic.Op{Addr: base + 8*uint64(i), Swap: 1})
		}
		b.run(200)
		require.Equal(t, 8, b.read.Bursts)
		require.Zero(t, b.command.Pending()+b.operands.Pending())
		b.write.Hold = false
		b.settle(16)

		b.write.Hold = true
		b.send(0, 0, atomic.Op{Addr: base, Swap: 1})
		b.send(1, 0, atomic.Op{Addr: base + 8, Swap: 1})
		b.send(2, 0, atomic.Op{Addr: base + 8, Swap: 1})
		b.run(200)
		require.Equal(t, 16+2, b.read.Bursts)
		b.write.Hold = false
		b.settle(19)
		require.Equal(t, []byte{3}, mem.Peek(base+8, 1))
	}, linktest.Others(512)...)
}

// An atomic every 2 cycles to different addresses, where memory answers at once (two at a time at 64 bits: every 5); every
// 9 to one address.
func TestCycles(t *testing.T) {
	for width, most := range map[int]float64{64: 5, 512: 2.1} {
		design, io := hdltest.Build(t, atomic.Def(params(width)))
		s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t), Events: true})
		mem := linktest.NewMemory()
		b := newBench(t, s, io, mem, mem, sim.Pattern{})
		per := func(stride uint64) float64 {
			for i := range uint64(64) {
				b.send(int(i%4), 0, atomic.Op{Addr: base + stride*i, Swap: 1})
			}
			b.run(64 * 20)
			var at []uint64
			for _, e := range s.Events() {
				if e.Name == "atomic_done" {
					at = append(at, e.Cycle)
				}
			}
			require.Len(t, at, 64)
			return float64(at[63]-at[0]) / 63
		}
		apart, same := per(8), per(0)
		t.Logf("%d bits: %.2f cycles an atomic, %.2f to one address", width, apart, same)
		assert.LessOrEqual(t, apart, most)
		assert.LessOrEqual(t, same, 9.1)
	}
}

func TestReferenceRefuses(t *testing.T) {
	_, _, err := atomic.Reference(linktest.NewMemory(), atomic.Op{Addr: base + 4})
	require.ErrorContains(t, err, "no multiple of 8")
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(64).Validate())
	for _, change := range []func(*link.Sizes){
		func(s *link.Sizes) { s.DataWidth = 32 }, func(s *link.Sizes) { s.QPBits = 0 }, func(s *link.Sizes) { s.QPBits = 17 },
		func(s *link.Sizes) { s.ReadBits = 0 }, func(s *link.Sizes) { s.ReadBits = 7 },
	} {
		p := params(64)
		change(&p.Sizes)
		require.Error(t, p.Validate())
	}
}
