package events

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/stream"
)

const (
	outstanding = 16 // events that have been written and not answered
	eqeBytes    = 16
	logEQE      = 4 // log2 of eqeBytes
	maxLogSize  = 15
)

// Params are the parameters of the block.
type Params struct {
	Sizes  link.Sizes
	Asyncs int // blocks that raise asynchronous events, at least 1
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	s := p.Sizes
	switch s.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("events: data width of %d bits: not 64, 128, 256 or 512", s.DataWidth)
	}
	if s.QPBits < 1 || s.QPBits > 16 || s.CQBits < 1 || s.CQBits > 16 || s.EQBits < 1 || s.EQBits > 5 {
		return fmt.Errorf("events: 2^%d queue pairs, 2^%d completion queues, 2^%d event queues: not 2^1 to 2^16, 2^1 to 2^16, 2^1 to 2^5", s.QPBits, s.CQBits, s.EQBits)
	}
	if p.Asyncs < 1 {
		return fmt.Errorf("events: %d blocks that raise events: not at least 1", p.Asyncs)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Written    hdl.Stream[link.Written]   `hdl:"in"`
	Update     hdl.Stream[link.CQUpdate]  `hdl:"in"`
	Config     hdl.Stream[link.CQConfig]  `hdl:"in"`
	EQConfig   hdl.Stream[link.EQConfig]  `hdl:"in"`
	EQUpdate   hdl.Stream[link.EQUpdate]  `hdl:"in"`
	Asyncs     []hdl.Stream[link.Async]   `hdl:"in"`
	Write      link.WritePort             `hdl:"out"`
	Moderation hdl.Bits                   `hdl:"in" w:"32"`
	Raise      hdl.Bits                   `hdl:"out"` // a bit for each vector: pulse
	Message    hdl.Stream[link.Interrupt] `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	io := IO{
		Written: hdl.StreamOf(s.Written()), Update: hdl.StreamOf(s.CQUpdate()), Config: hdl.StreamOf(s.CQConfig()),
		EQConfig: hdl.StreamOf(s.EQConfig()), EQUpdate: hdl.StreamOf(s.EQUpdate()), Write: s.WritePort(),
		Raise: hdl.W(1 << s.EQBits), Message: hdl.StreamOf(link.Interrupt{}),
	}
	for range p.Asyncs {
		io.Asyncs = append(io.Asyncs, hdl.StreamOf(link.Async{}))
	}
	return hdl.Def[IO]{
		Name: fmt.Sprintf("events_%d_qp%d_cq%d_eq%d_a%d", s.DataWidth, s.QPBits, s.CQBits, s.EQBits, p.Asyncs),
		Doc:  "Events of armed completion queues, asynchronous events, and interrupts with moderation.",
		IO:   io,
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.judge()
			b.configure()
			b.write()
			b.interrupt(b.retire())
			b.properties()
		},
	}
}

// queue is what is known of a completion queue. All indices are free-running.
type queue struct {
	Exists    hdl.Bits `w:"1"`
	EQ        hdl.Bits
	Arm       hdl.Bits `w:"2"`  // link.ArmNone and others
	Due       hdl.Bits `w:"1"`  // it has an event to tell
	Queued    hdl.Bits `w:"1"`  // and stands among those who have; or had, when it was removed
	Producer  hdl.Bits `w:"16"` // behind the last CQE in memory
	Consumer  hdl.Bits `w:"16"`
	Unseen    hdl.Bits `w:"1"`  // there is a solicited CQE behind Consumer,
	Solicited hdl.Bits `w:"16"` // and this is behind the last of them
}

func (p Params) queue() queue { return queue{EQ: hdl.W(p.Sizes.EQBits)} }

// source is what is known of a source of asynchronous events: the newest one.
type source struct {
	Live   hdl.Bits `w:"1"` // it is to be told
	Queued hdl.Bits `w:"1"` // the source stands among those who have an event
	Code   hdl.Bits `w:"8"`
	Vendor hdl.Bits `w:"5"`
	Number hdl.Bits `w:"24"`
}

// ring is where the events of an event queue go.
type ring struct {
	Exists  hdl.Bits `w:"1"`
	LogSize hdl.Bits `w:"4"`
	Vector  hdl.Bits
	Base    hdl.Bits `w:"60"` // in events
}

func (p Params) ring() ring { return ring{Vector: hdl.W(p.Sizes.EQBits)} }

// job is an event on its way to memory.
type job struct {
	At  hdl.Bits `w:"60"` // bus address in events
	EQE hdl.Bits `w:"128"`
}

// flight is what is to be done when an event has been written.
type flight struct {
	EQ     hdl.Bits
	Vector hdl.Bits
}

func (p Params) flight() flight {
	return flight{EQ: hdl.W(p.Sizes.EQBits), Vector: hdl.W(p.Sizes.EQBits)}
}

// sourceBits is the width of the number of a source of asynchronous events: a
// group and, in it, a completion queue or queue pair.
func (p Params) sourceBits() int { return max(p.Sizes.QPBits, p.Sizes.CQBits) + 2 }

// sources is how many may have an event to tell at once.
func (p Params) sources() int { return 1<<p.Sizes.CQBits + 1<<p.sourceBits() }

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	queues  *hdl.Memory // of each completion queue
	sources *hdl.Memory // of each source of asynchronous events

	rings, producers, consumers, failed *hdl.Memory // of each event queue

	sweep   hdl.Bits // counts what has been cleared after reset
	making  hdl.Bits // EQConfig is taken
	idle    hdl.Bits // nothing is being judged
	jobs    *stream.FIFOIO[job]
	flights *stream.FIFOIO[flight]
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	s := p.Sizes
	cqs, eqs := 1<<s.CQBits, 1<<s.EQBits
	b := &block{
		m: m, p: p, io: io,
		queues:    m.RAM("queues", cqs, hdl.WidthOf(p.queue()), hdl.Undefined),
		sources:   m.RAM("sources", 1<<p.sourceBits(), hdl.WidthOf(source{}), hdl.Undefined),
		rings:     m.LUTRAM("rings", eqs, hdl.WidthOf(p.ring())),
		producers: m.LUTRAM("producers", eqs, 16), consumers: m.LUTRAM("consumers", eqs, 16),
		failed:  m.LUTRAM("failed", eqs, 1),
		sweep:   m.Reg("sweep", max(p.sourceBits(), s.EQBits)+1, 0),
		making:  m.Wire("making", 1),
		idle:    m.Wire("idle", 1),
		jobs:    hdl.Instance(m, "u_jobs", stream.FIFODef(job{}, 2)),
		flights: hdl.Instance(m, "u_flights", stream.FIFODef(p.flight(), outstanding)),
	}
	m.Unused(b.jobs.Level, b.jobs.HighWater, b.flights.Level, b.flights.HighWater)
	m.If(b.swept().Not(), func() { b.sweep.Set(b.sweep.AddK(1)) })
	return b
}

func (b *block) swept() hdl.Bits { return b.sweep.MSB() }

// bitsOf is the bits of a number, from the lowest up.
func bitsOf(x hdl.Bits) []hdl.Bits {
	var all []hdl.Bits
	for i := range x.Width() {
		all = append(all, x.Bit(i))
	}
	return all
}
