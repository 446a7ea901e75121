package cqewriter_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/cqewriter"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

const (
	inputs = 2
	cqs    = 4
	holes  = 1 << 32 // rings from here on have no memory
)

func params(width int) cqewriter.Params {
	return cqewriter.Params{Sizes: link.Sizes{DataWidth: width, QPBits: 3, CQBits: 2, EQBits: 1}, Inputs: inputs}
}

type completion struct {
	CQ           int
	WRID         uint64
	ByteLen, Imm uint32
	QP           int
	QPN          uint32
	Status       int
	WQEIndex     uint16
	Opcode       int
	Flags        int
	Vendor       int
	Queue        int
	Solicited    bool
}

func (c completion) cqe() format.CQE[uint64] {
	return format.CQE[uint64]{
		WRID: c.WRID, ByteLen: uint64(c.ByteLen), Imm: uint64(c.Imm), QPN: uint64(c.QPN), Status: uint64(c.Status),
		WQEIndex: uint64(c.WQEIndex), Opcode: uint64(c.Opcode), Flags: uint64(c.Flags), Vendor: uint64(c.Vendor), Queue: uint64(c.Queue),
	}
}

// text is the CQE as it is in memory.
func (c completion) text(t *testing.T, phase uint64) []byte {
	cqe := c.cqe()
	cqe.Phase = phase
	b, err := format.AppendHost(nil, cqe)
	require.NoError(t, err)
	return b
}

func random(r *rand.Rand) completion {
	return completion{
		CQ: r.IntN(cqs), WRID: r.Uint64(), ByteLen: r.Uint32(), Imm: r.Uint32(), QP: r.IntN(8), QPN: r.Uint32N(1 << 24),
		Status: r.IntN(256), WQEIndex: uint16(r.Uint32()), Opcode: r.IntN(256), Flags: r.IntN(16), Vendor: r.IntN(32),
		Queue: r.IntN(2), Solicited: r.IntN(2) == 0,
	}
}

type update struct {
	CQ    int
	Index uint16
	Arm   int
}

type config struct {
	CQ      int
	Keep    bool
	Exists  bool
	EQ      int
	LogSize int
	Base    uint64
}

type written struct {
	CQ        int
	Producer  uint16
	Solicited bool
}

type fault struct {
	QP       int
	HasEvent bool
	Event    format.AsyncEvent
	Vendor   format.VendorCode
}

type async struct {
	Code   format.AsyncEvent
	Vendor format.VendorCode
	Number uint32
}

// bench is the block between its neighbours and host memory.
type bench struct {
	t              *testing.T
	s              *sim.Sim
	mem            *linktest.Memory
	writes         *linktest.Writes
	completions    []*sim.Source
	update, config *sim.Source
	written, seen  *sim.Sink
	fault, async   *sim.Sink
	blind          [cqs]bool // the queue has no memory
}

func newBench(t *testing.T, s *sim.Sim, io *cqewriter.IO, gaps sim.Pattern) *bench {
	b := &bench{
		t: t, s: s, mem: linktest.NewMemory(), update: sim.NewSource(s, io.Update, gaps), config: sim.NewSource(s, io.Config, gaps),
		written: sim.NewSink(s, io.Written, gaps), seen: sim.NewSink(s, io.Seen, gaps),
		fault: sim.NewSink(s, io.Fault, gaps), async: sim.NewSink(s, io.Async, gaps),
	}
	b.mem.Fault(func(addr uint64) bool { return addr >= holes })
	b.writes = linktest.NewWrites(s, io.Write, b.mem, gaps, hdltest.Seed(t))
	for _, c := range io.Completions {
		b.completions = append(b.completions, sim.NewSource(s, c, gaps))
	}
	s.Reset(2)
	return b
}

func (b *bench) step(n int) {
	for range n {
		b.s.Step()
		b.writes.Step()
	}
	require.NoError(b.t, b.writes.Broken)
}

// settle goes on until nothing happens any more.
func (b *bench) settle() {
	for range 1000 {
		b.step(20)
		pending := b.update.Pending() + b.config.Pending()
		for _, c := range b.completions {
			pending += c.Pending()
		}
		if pending == 0 && b.writes.Idle() {
			b.step(60)
			return
		}
	}
	require.Fail(b.t, "the block does not come to rest")
}

// make makes a completion queue.
func (b *bench) make(cq, logSize int, base uint64) {
	b.config.Send(config{CQ: cq, Exists: true, LogSize: logSize, Base: base})
	b.settle()
}

// lost is the queue pairs that were told of a lost CQE.
func (b *bench) lost() map[int]bool {
	all := map[int]bool{}
	for _, f := range sim.Received[fault](b.fault) {
		require.Equal(b.t, fault{f.QP, true, format.EventQPFatal, format.VendorCQOverflow}, f)
		all[f.QP] = true
	}
	return all
}
