package wqefetch

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/blocks/scheduler"
	"gornic/format"
	"gornic/hdl"
)

// Params are the parameters of the block.
type Params struct {
	Sizes   link.Sizes
	Credits int // how many ask for credits
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	s := p.Sizes
	switch s.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("wqefetch: data width of %d bits: not 64, 128, 256 or 512", s.DataWidth)
	}
	if s.QPBits < 1 || s.QPBits > 16 {
		return fmt.Errorf("wqefetch: 2^%d queue pairs: not 2^1 to 2^16", s.QPBits)
	}
	if p.Credits < 0 || p.Credits > 4 {
		return fmt.Errorf("wqefetch: %d ask for credits: not 0 to 4", p.Credits)
	}
	if s.SlotBits < 1 || s.SlotBits > 5 {
		return fmt.Errorf("wqefetch: 2^%d WQEs of each queue: not 2^1 to 2^5", s.SlotBits)
	}
	return nil
}

// Numbers that follow from the parameters.
const (
	granuleBits = 128 // of a granule
	logPage     = 6   // log2 of the slots of 64 bytes in 4 KiB
)

// outstanding is how many bursts are on their way at most. At 64 bits, where a WQE takes 8 beats, two keep the
// memory port as busy as four at 512; with more, payload would wait behind WQEs whose turn is far away.
func (p Params) outstanding() int {
	if p.Sizes.DataWidth == 64 {
		return 2
	}
	return 4
}

// slotBits is log2 of the slots of 64 bytes of a queue pair.
func (p Params) slotBits() int { return p.Sizes.SlotBits + 1 }

// burstSlots is the most slots of 64 bytes in one burst: half of a queue pair's.
func (p Params) burstSlots() int { return 1 << p.Sizes.SlotBits }

// beatsPerSlot is the number of beats in 64 bytes.
func (p Params) beatsPerSlot() int { return format.WQEBytesMin * 8 / p.Sizes.DataWidth }

// IO is the ports of the block.
type IO struct {
	Bell   hdl.Stream[link.RingUpdate] `hdl:"in"`
	Config hdl.Stream[link.RingConfig] `hdl:"in"`
	Read   link.ReadPort               `hdl:"out"`
	Ready  hdl.Stream[link.QPRef]      `hdl:"out"`
	Queue  link.QueuePort              `hdl:"in"`
	Peek   link.Peek                   `hdl:"in"` // the head

	Credits []link.CreditPort `hdl:"in"` // Params.Credits
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	var credits []link.CreditPort
	for range p.Credits {
		credits = append(credits, s.CreditPort())
	}
	name := fmt.Sprintf("wqefetch_%d_qp%d_slots%d", s.DataWidth, s.QPBits, s.SlotBits)
	if p.Credits > 0 {
		name += fmt.Sprintf("_credits%d", p.Credits)
	}
	return hdl.Def[IO]{
		Name: name,
		Doc:  "Reads work queue entries ahead of their use, several in a burst, never past the producer.",
		IO: IO{
			Bell: hdl.StreamOf(s.RingUpdate()), Config: hdl.StreamOf(s.RingConfig()),
			Read: s.ReadPort(), Ready: hdl.StreamOf(s.QPRef()), Queue: s.QueuePort(), Peek: s.Peek(16),
			Credits: credits,
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.post()
			b.fetch()
			b.arrive()
			b.answer()
			b.credit()
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	rings                         *hdl.Memory // ring of each queue pair
	producer, fetched, here, head *hdl.Memory // indices
	store                         *hdl.Memory // granules
	faults                        *hdl.Memory // a bit of each slot

	due     *scheduler.IO          // queue pairs that may have something to fetch
	again   hdl.Stream[link.QPRef] // one that has more than its burst took
	making  hdl.Bits               // Config is taken
	toMake  hdl.Bits               // its queue pair
	idle    hdl.Bits               // no burst is being made up
	flights hdl.Stream[flight]     // bursts that have been asked for
	landed  hdl.Bits               // the oldest of them is in the store
}

// ring is where the WQEs of a queue pair are.
type ring struct {
	Page      hdl.Bits `w:"52"` // of 4 KiB
	LogSize   hdl.Bits `w:"4"`
	LogStride hdl.Bits `w:"1"`
}

// flight is a burst on its way.
type flight struct {
	QP        hdl.Bits
	Index     hdl.Bits `w:"16"` // of its first WQE
	Last      hdl.Bits `w:"16"` // and of its last
	LogStride hdl.Bits `w:"1"`
}

func (p Params) flight() flight { return flight{QP: hdl.W(p.Sizes.QPBits)} }

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	qps, s := 1<<p.Sizes.QPBits, p.Sizes
	index := func(name string) *hdl.Memory { return m.LUTRAM(name, qps, 16) }
	granules := qps << p.slotBits() * (format.WQEBytesMin / format.GranuleBytes)
	b := &block{
		m: m, p: p, io: io,
		rings:    m.LUTRAM("rings", qps, hdl.WidthOf(ring{})),
		producer: index("producers"), fetched: index("fetched_to"), here: index("here_to"), head: index("heads"),
		store:  m.RAM("store", granules, granuleBits, hdl.Undefined),
		faults: m.LUTRAM("faults", qps<<p.slotBits(), 1),
		due:    hdl.Instance(m, "u_due", scheduler.Def(scheduler.Params{Sizes: s, Wakes: 3})),
		again:  hdl.NewWire(m, "again", hdl.StreamOf(s.QPRef())),
		idle:   m.Wire("idle", 1),
		landed: m.Wire("landed", 1),
	}
	b.making, b.toMake = io.Config.Fire(), io.Config.Data.QP
	b.rings.Write(b.toMake, b.making.And(io.Config.Data.Keep.Not()), hdl.Pack(ring{
		Page: io.Config.Data.Base.Slice(63, 12), LogSize: io.Config.Data.LogSize, LogStride: io.Config.Data.LogStride,
	}))
	m.Unused(io.Config.Data.Base.Slice(11, 0))
	return b
}

// index gives an index memory its one writer: Config, which makes it zero, or
// another, which waits for Config.
func (b *block) index(mem *hdl.Memory, qp, en, value hdl.Bits) {
	mem.Write(hdl.Mux(b.making, b.toMake, qp), b.making.Or(en), hdl.Mux(b.making, value.K(0), value))
}

// post takes doorbells, and heads that move on: both make a queue pair due.
func (b *block) post() {
	bell, take := b.io.Bell, b.io.Queue.Take
	rung, taken := b.due.Wakes[0], b.due.Wakes[1]

	rung.Valid.Set(bell.Valid)
	rung.Data.QP.Set(bell.Data.QP)
	bell.Ready.Set(rung.Ready)
	b.index(b.producer, bell.Data.QP, bell.Fire(), bell.Data.Index)

	taken.Valid.Set(take.Valid)
	taken.Data.QP.Set(take.Data.QP)
	take.Ready.Set(taken.Ready)
	index := b.head.At(take.Data.QP)
	b.index(b.head, take.Data.QP, take.Fire(), index.AddK(1))
	b.m.Event("wqe_taken", take.Fire(), hdl.Field("qp", take.Data.QP), hdl.Field("wqe", index))

	hdl.Connect(b.due.Wakes[2], b.again)
}

// slotOf is the slot of 64 bytes at which a WQE begins.
func (b *block) slotOf(index, logStride hdl.Bits) hdl.Bits {
	n := b.p.slotBits()
	return hdl.Mux(logStride, hdl.Cat(index.Trunc(n-1), hdl.K(1, 0)), index.Trunc(n))
}
