package cqewriter

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/blocks/scheduler"
	"gornic/hdl"
	"gornic/hdl/stream"
)

const (
	outstanding = 32 // CQEs that have been judged and not retired
	cqeBytes    = 32
	logCQE      = 5 // log2 of cqeBytes
	maxLogSize  = 15
)

// Params are the parameters of the block.
type Params struct {
	Sizes  link.Sizes
	Inputs int // blocks that complete, at least 1
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	s := p.Sizes
	switch s.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("cqewriter: data width of %d bits: not 64, 128, 256 or 512", s.DataWidth)
	}
	if s.QPBits < 1 || s.QPBits > 16 || s.CQBits < 1 || s.CQBits > 16 || s.EQBits < 1 || s.EQBits > 16 {
		return fmt.Errorf("cqewriter: 2^%d queue pairs, 2^%d completion queues, 2^%d event queues: not 2^1 to 2^16", s.QPBits, s.CQBits, s.EQBits)
	}
	if p.Inputs < 1 {
		return fmt.Errorf("cqewriter: %d blocks that complete: not at least 1", p.Inputs)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Completions []hdl.Stream[link.Completion] `hdl:"in"`
	Update      hdl.Stream[link.CQUpdate]     `hdl:"in"`
	Config      hdl.Stream[link.CQConfig]     `hdl:"in"`
	Write       link.WritePort                `hdl:"out"`
	Written     hdl.Stream[link.Written]      `hdl:"out"`
	Seen        hdl.Stream[link.CQUpdate]     `hdl:"out"`
	Fault       hdl.Stream[link.QPFault]      `hdl:"out"`
	Async       hdl.Stream[link.Async]        `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	io := IO{
		Update: hdl.StreamOf(s.CQUpdate()), Config: hdl.StreamOf(s.CQConfig()), Write: s.WritePort(),
		Written: hdl.StreamOf(s.Written()), Seen: hdl.StreamOf(s.CQUpdate()), Fault: hdl.StreamOf(s.QPFault()),
		Async: hdl.StreamOf(link.Async{}),
	}
	for range p.Inputs {
		io.Completions = append(io.Completions, hdl.StreamOf(s.Completion()))
	}
	return hdl.Def[IO]{
		Name: fmt.Sprintf("cqewriter_%d_qp%d_cq%d_eq%d_i%d", s.DataWidth, s.QPBits, s.CQBits, s.EQBits, p.Inputs),
		Doc:  "Writes completions to rings in host memory, never over one that software has not seen.",
		IO:   io,
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.judge()
			b.write()
			b.retire()
			b.properties()
		},
	}
}

// ring is where the CQEs of a completion queue are.
type ring struct {
	Exists  hdl.Bits `w:"1"`
	LogSize hdl.Bits `w:"4"`
	Base    hdl.Bits `w:"59"` // in CQEs
}

// fill is how far a ring has been filled.
type fill struct {
	Producer hdl.Bits `w:"16"`
	Over     hdl.Bits `w:"1"` // a CQE has found no room
}

// job is a CQE on its way to memory.
type job struct {
	At  hdl.Bits `w:"59"` // bus address in CQEs
	CQE hdl.Bits `w:"256"`
}

// flight is what is to be said of a CQE when it has been written, or was lost.
type flight struct {
	CQ        hdl.Bits
	QP        hdl.Bits
	Producer  hdl.Bits `w:"16"` // index behind it
	Solicited hdl.Bits `w:"1"`
	Lost      hdl.Bits `w:"1"` // it was not written
	Nowhere   hdl.Bits `w:"1"` // as its completion queue does not exist
}

func (p Params) flight() flight { return flight{CQ: hdl.W(p.Sizes.CQBits), QP: hdl.W(p.Sizes.QPBits)} }

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	rings     *hdl.Memory
	fills     *hdl.Memory
	consumers *hdl.Memory
	failed    *hdl.Memory // a bit of each completion queue

	sweep   hdl.Bits // counts the rings that have been cleared after reset
	making  hdl.Bits // Config is taken
	jobs    *stream.FIFOIO[job]
	flights *stream.FIFOIO[flight]
	retires hdl.Bits // the effects of a flight are on their way
	faults  *scheduler.IO
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	cqs, s := 1<<p.Sizes.CQBits, p.Sizes
	b := &block{
		m: m, p: p, io: io,
		rings:     m.RAM("rings", cqs, hdl.WidthOf(ring{}), hdl.Undefined),
		fills:     m.RAM("fills", cqs, hdl.WidthOf(fill{}), hdl.Undefined),
		consumers: m.RAM("consumers", cqs, 16, hdl.Undefined),
		failed:    m.LUTRAM("failed", cqs, 1),
		sweep:     m.Reg("sweep", s.CQBits+1, 0),
		making:    m.Wire("making", 1),
		jobs:      hdl.Instance(m, "u_jobs", stream.FIFODef(job{}, s.Ahead(2))),
		flights:   hdl.Instance(m, "u_flights", stream.FIFODef(p.flight(), outstanding)),
		retires:   m.Reg("retires", 1, 0),
		faults:    hdl.Instance(m, "u_faults", scheduler.Def(scheduler.Params{Sizes: s, Wakes: 1})),
	}
	m.Unused(b.jobs.Level, b.jobs.HighWater, b.flights.Level, b.flights.HighWater)
	m.If(b.swept().Not(), func() { b.sweep.Set(b.sweep.AddK(1)) })
	c := io.Config.Data
	made := ring{Exists: c.Exists.And(b.swept()), LogSize: c.LogSize, Base: c.Base.Slice(63, logCQE)}
	at := hdl.Mux(b.swept(), c.CQ, b.sweep.Trunc(s.CQBits))
	b.rings.Write(at, b.making.Or(b.swept().Not()), hdl.Pack(made))
	m.Unused(c.EQ, c.Base.Slice(logCQE-1, 0))
	return b
}

func (b *block) swept() hdl.Bits { return b.sweep.MSB() }

// set gives the memory of a completion queue's state its one writer: Config, which
// makes it zero, or another, which acts at another time.
func (b *block) set(mem *hdl.Memory, cq, en, value hdl.Bits) {
	mem.Write(hdl.Mux(b.making, b.io.Config.Data.CQ, cq), b.making.Or(en), hdl.Mux(b.making, value.K(0), value))
}
