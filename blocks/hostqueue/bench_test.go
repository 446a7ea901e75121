package hostqueue_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/hostqueue"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

const (
	buffer  = 2048
	vectors = 4
	page    = 4096
)

func params(width int) hostqueue.Params {
	return hostqueue.Params{Sizes: link.Sizes{DataWidth: width, EQBits: 2}, Buffer: buffer}
}

// Where things are in host memory: rings in pages of their own, and buffers of a page each behind.
const (
	ringRx  = 0x1_2345_0000
	ringTx  = 0x1_2355_0000
	buffers = 0x7_0000_0000
)

// bench is the block between the wire, software and host memory.
type bench struct {
	t      *testing.T
	s      *sim.Sim
	io     *hostqueue.IO
	r      *rand.Rand
	mem    *linktest.Memory
	reads  [2]*linktest.Reads
	writes [2]*linktest.Writes
	in     *sim.Source
	out    *sim.Sink
	frames *hdltest.Frames
	irq    *sim.Sink

	raised []int     // vectors
	open   [2][]bool // bursts that have no answer, of each write port: of an entry
	told   [2]int    // entries of each queue that memory has answered to
}

// inRing tells whether an address is in a ring.
func inRing(addr uint64) bool { return addr < buffers }

func newBench(t *testing.T, s *sim.Sim, io *hostqueue.IO, gaps sim.Pattern) *bench {
	b := &bench{t: t, s: s, io: io, r: rand.New(rand.NewPCG(hdltest.Seed(t), 21)), mem: linktest.NewMemory()}
	for i, port := range []link.ReadPort{io.ReceiveRead, io.SendRead} {
		b.reads[i] = linktest.NewReads(s, port, b.mem, gaps, hdltest.Seed(t)+uint64(i))
	}
	for i, port := range []link.WritePort{io.ReceiveWrite, io.SendWrite} {
		b.writes[i] = linktest.NewWrites(s, port, b.mem, gaps, hdltest.Seed(t)+uint64(i))
		b.writes[i].Wrote = func(addr uint64, _ byte) {
			if inRing(addr) {
				require.Len(t, b.open[i], 1, "an entry is written before memory has answered to its frame")
			}
		}
	}
	b.in, b.out = sim.NewSource(s, io.In, gaps), sim.NewSink(s, io.Out, gaps)
	b.frames, b.irq = hdltest.NewFrames(b.out), sim.NewSink(s, io.Message, gaps)
	s.Set(io.Registers.Write, 0)
	s.Set(io.Enabled, 1)
	s.Reset(2)
	return b
}

// latency is the most cycles that memory takes.
func (b *bench) latency(n int) {
	for i := range b.reads {
		b.reads[i].Latency, b.writes[i].Latency = n, n
	}
}

func (b *bench) step(n int) {
	for range n {
		b.watch()
		b.s.Step()
		require.NoError(b.t, b.s.Err())
		for i := range b.reads {
			b.reads[i].Step()
			b.writes[i].Step()
		}
		if raise := b.s.Get(b.io.Raise); raise != 0 {
			for v := range vectors {
				if raise>>v&1 == 1 {
					b.raised = append(b.raised, v)
				}
			}
		}
	}
	for i := range b.reads {
		require.NoError(b.t, b.reads[i].Broken)
		require.NoError(b.t, b.writes[i].Broken)
	}
}

// watch follows the bursts that are written.
func (b *bench) watch() {
	for i, port := range []link.WritePort{b.io.ReceiveWrite, b.io.SendWrite} {
		if b.s.Get(port.Burst.Valid)&b.s.Get(port.Burst.Ready) == 1 {
			b.open[i] = append(b.open[i], inRing(b.s.Get(port.Burst.Data.Addr)))
		}
		if b.s.Get(port.Done.Valid)&b.s.Get(port.Done.Ready) == 1 {
			if b.open[i][0] {
				b.told[i]++
			}
			b.open[i] = b.open[i][1:]
		}
	}
}

// write writes a register, and tells whether it could be written.
func (b *bench) write(offset, value uint32) bool {
	port := b.io.Registers
	b.s.Set(port.WriteAt, uint64(offset-format.RegHostReceive)/4)
	b.s.Set(port.Data, uint64(value))
	b.s.Set(port.Write, 1)
	takes := b.s.Get(port.Takes) == 1
	b.step(1)
	b.s.Set(port.Write, 0)
	return takes
}

// read reads a register, and tells whether there is one.
func (b *bench) read(offset uint32) (uint32, bool) {
	port := b.io.Registers
	b.s.Set(port.ReadAt, uint64(offset-format.RegHostReceive)/4)
	return uint32(b.s.Get(port.Value)), b.s.Get(port.There) == 1
}

// settle goes on until nothing has happened for a while.
func (b *bench) settle() {
	for n := 0; ; n++ {
		require.Less(b.t, n, 2000, "the block does not come to rest")
		before, rests := b.activity(), b.in.Pending() == 0 && b.idle()
		b.step(60)
		if rests && before == b.activity() && b.idle() {
			return
		}
	}
}

func (b *bench) idle() bool {
	return b.reads[0].Idle() && b.reads[1].Idle() && b.writes[0].Idle() && b.writes[1].Idle()
}

func (b *bench) activity() [6]uint64 {
	return [6]uint64{
		uint64(b.reads[0].Beats), uint64(b.reads[1].Beats), uint64(b.writes[0].Beats), uint64(b.writes[1].Beats), b.out.Count(), b.irq.Count(),
	}
}

// data is a frame of n bytes.
func (b *bench) data(n int) []byte {
	frame := make([]byte, n)
	for i := range frame {
		frame[i] = byte(1 + b.r.IntN(255))
	}
	return frame
}
