package events_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/events"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

const (
	cqs   = 8
	qps   = 8
	eqs   = 4
	holes = 1 << 32 // rings from here on have no memory
)

func params(width int) events.Params {
	return events.Params{Sizes: link.Sizes{DataWidth: width, QPBits: 3, CQBits: 3, EQBits: 2}, Asyncs: 2}
}

type written struct {
	CQ        int
	Producer  uint16
	Solicited bool
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

type eqConfig struct {
	EQ      int
	Exists  bool
	Vector  int
	LogSize int
	Base    uint64
}

type eqUpdate struct {
	EQ    int
	Index uint16
}

type async struct {
	Code   format.AsyncEvent
	Vendor format.VendorCode
	Number uint32
}

// eventQueue is software's side of an event queue.
type eventQueue struct {
	base           uint64
	logSize        int
	read, consumed uint16
}

func (q *eventQueue) full() bool { return int(q.read-q.consumed) == 1<<q.logSize }

// bench is the block between its neighbours and host memory.
type bench struct {
	t                *testing.T
	s                *sim.Sim
	io               *events.IO
	mem              *linktest.Memory
	writes           *linktest.Writes
	written, update  *sim.Source
	config, eqConfig *sim.Source
	eqUpdate         *sim.Source
	asyncs           []*sim.Source
	message          *sim.Sink
	queues           [eqs]eventQueue

	now      int
	raised   [eqs][]int // when a vector had an interrupt
	answered int        // events that memory has answered
}

func newBench(t *testing.T, s *sim.Sim, io *events.IO, gaps sim.Pattern) *bench {
	b := &bench{
		t: t, s: s, io: io, mem: linktest.NewMemory(), written: sim.NewSource(s, io.Written, gaps), update: sim.NewSource(s, io.Update, gaps),
		config: sim.NewSource(s, io.Config, gaps), eqConfig: sim.NewSource(s, io.EQConfig, gaps),
		eqUpdate: sim.NewSource(s, io.EQUpdate, gaps), message: sim.NewSink(s, io.Message, gaps),
	}
	b.mem.Fault(func(addr uint64) bool { return addr >= holes })
	b.writes = linktest.NewWrites(s, io.Write, b.mem, gaps, hdltest.Seed(t))
	for _, a := range io.Asyncs {
		b.asyncs = append(b.asyncs, sim.NewSource(s, a, gaps))
	}
	s.Set(io.Moderation, 0)
	s.Reset(2)
	return b
}

func (b *bench) step(n int) {
	for range n {
		done := b.s.Get(b.io.Write.Done.Valid) & b.s.Get(b.io.Write.Done.Ready)
		b.s.Step()
		b.writes.Step()
		b.now++
		raise := b.s.Get(b.io.Raise)
		count := 0
		for v := range eqs {
			if raise>>v&1 == 1 {
				b.raised[v] = append(b.raised[v], b.now)
			}
			count += len(b.raised[v])
		}
		require.LessOrEqual(b.t, count, b.answered, "an interrupt before memory's answer to its event")
		b.answered += int(done)
	}
	require.NoError(b.t, b.writes.Broken)
}

// settle goes on until nothing happens any more.
func (b *bench) settle() {
	for range 1000 {
		b.step(20)
		pending := b.written.Pending() + b.update.Pending() + b.config.Pending() + b.eqConfig.Pending() + b.eqUpdate.Pending()
		for _, a := range b.asyncs {
			pending += a.Pending()
		}
		if pending == 0 {
			b.step(60)
			for !b.writes.Idle() {
				b.step(20)
			}
			b.step(60)
			return
		}
	}
	require.Fail(b.t, "the block does not come to rest")
}

// makeEQ makes an event queue, whose vector has its number.
func (b *bench) makeEQ(eq, logSize int, base uint64) {
	b.queues[eq] = eventQueue{base: base, logSize: logSize}
	b.mem.Poke(base, make([]byte, 16<<logSize))
	b.eqConfig.Send(eqConfig{EQ: eq, Exists: true, Vector: eq, LogSize: logSize, Base: base})
	b.settle()
}

func eqAt(eq int) uint64 { return 0x20_0000 + uint64(eq)*4096 }

// read takes the events that are in a ring and have not been read: by their phase.
func (b *bench) read(eq int) []events.Event {
	var all []events.Event
	q := &b.queues[eq]
	for !q.full() {
		place := int(q.read) % (1 << q.logSize)
		eqe, err := format.DecodeHost[format.EQE[uint64]](b.mem.Peek(q.base+uint64(place)*16, 16))
		require.NoError(b.t, err)
		if eqe.Phase != uint64(1^q.read>>q.logSize&1) {
			break
		}
		q.read++
		require.Zero(b.t, eqe.Low+eqe.High)
		all = append(all, events.Event{
			Kind: int(eqe.Kind), Code: format.AsyncEvent(eqe.Code), Vendor: format.VendorCode(eqe.Vendor), Number: int(eqe.Number),
		})
	}
	return all
}

// consume says that all events that were read have been seen.
func (b *bench) consume(eq int) {
	q := &b.queues[eq]
	q.consumed = q.read
	b.eqUpdate.Send(eqUpdate{eq, q.read})
}

// completed is a completion event.
func completed(cq int) events.Event { return events.Event{Kind: format.EventCompletion, Number: cq} }
