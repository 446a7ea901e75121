package dcqcn

import (
	"fmt"
	"math/bits"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// Widths of what is kept of a queue pair.
const (
	rateBits  = 18 // Mb/s
	alphaBits = 10 // 1/1024
	tickBits  = 20 // numbers of ticks
	epochBits = 16 // numbers of updates of alpha
	countBits = 28 // bytes sent
	stageBits = 4  // increases since the last cut, up to the largest number
)

// A period is the time that a byte takes: a number of cycles with a fraction, periodBits wide. Times of packets are in
// cycles with fractionBits of a fraction.
const (
	periodBits   = 32
	fractionBits = 6
	chargeBits   = 13 // bytes of a packet, with its headers
	headers      = 64 // bytes of a packet besides its payload: what Ethernet, IP, UDP, BTH, ICRC and FCS are together, nearly
)

// Params are the parameters of the block.
type Params struct {
	Sizes  link.Sizes
	Tick   int // cycles of a tick of 1.024 us, 1 to 65535
	Askers int // ports that ask who waits, at least 1
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("dcqcn: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	if p.Tick < 1 || p.Tick > 65535 {
		return fmt.Errorf("dcqcn: a tick of %d cycles: not 1 to 65535", p.Tick)
	}
	if p.Askers < 1 {
		return fmt.Errorf("dcqcn: %d ports that ask: not at least 1", p.Askers)
	}
	return nil
}

// wholeBits is the width of a period's cycles: 8 us of a byte at 1 Mb/s are 125/16 ticks.
func (p Params) wholeBits() int { return bits.Len(uint((125*p.Tick + 15) / 16)) }

// slowest is the period of 1 Mb/s.
func (p Params) slowest() uint64 { return 125 * uint64(p.Tick) << (periodBits - p.wholeBits()) >> 4 }

// costBits is the width of the time that a packet takes; timeBits that of times: a debt of two packets of the longest
// is far from half of their range.
func (p Params) costBits() int { return chargeBits + p.wholeBits() + fractionBits }
func (p Params) timeBits() int { return p.costBits() + 3 }

// slack is how many cycles of its rate a queue pair that was late may make up for: for those that pass until it is woken, and has its turn.
func (p Params) slack() int { return max(p.Tick, 4*slotCycles) }

// IO is the ports of the block.
type IO struct {
	Settings format.Congestion[hdl.Bits] `hdl:"in"`
	Sent     hdl.Stream[link.Sent]       `hdl:"in"`
	CNP      hdl.Stream[link.QPRef]      `hdl:"in"`
	Control  hdl.Stream[link.QPControl]  `hdl:"in"`
	Asks     []link.PacedPort            `hdl:"in"`
	Wake     hdl.Stream[link.QPRef]      `hdl:"out"`
	Cut      hdl.Bits                    `hdl:"out" w:"1"` // pulse: the rate of a queue pair has been cut
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	io := IO{
		Sent: hdl.StreamOf(s.Sent()), CNP: hdl.StreamOf(s.QPRef()), Control: hdl.StreamOf(s.QPControl()), Wake: hdl.StreamOf(s.QPRef()),
	}
	for range p.Askers {
		io.Asks = append(io.Asks, s.PacedPort())
	}
	return hdl.Def[IO]{
		Name: fmt.Sprintf("dcqcn_qp%d_t%d_a%d", s.QPBits, p.Tick, p.Askers),
		Doc:  "Lowers and raises the rate of queue pairs as congestion comes and goes, and makes them keep it.",
		IO:   io,
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.clocks()
			b.price()
			b.charge()
			b.wheel()
			b.enter()
			b.rates()
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	now   hdl.Bits // time, in cycles with a fraction
	tick  hdl.Bits // number of the present tick
	epoch hdl.Bits // number of updates of alpha

	priced hdl.Stream[charge] // packets of queue pairs that have been slowed down
	looks  hdl.Stream[look]   // what the rates ask of the paces
	looked hdl.Bits           // pulse: it has been done,
	count  hdl.Bits           // and these are the bytes sent
	waits  hdl.Stream[due]    // who has to wait from now on

	duesAsked hdl.Bits // the wheel asks for the time of a queue pair,
	duesQP    hdl.Bits // of this one,
	duesTaken hdl.Bits // is heard in this cycle,
	duesTime  hdl.Bits // and has the answer in the next

	follow struct{ enters, wakes, judges, qp hdl.Bits } // for properties: who enters the wheel, and who is woken

	turn   hdl.Stream[link.QPRef] // queue pairs with a CNP, or that begin anew
	begins hdl.Bits               // the one of Control is among them,
	begun  hdl.Bits               // and it has, in this cycle
	sets   setting                // a period that is written
}

// charge is a packet with its price.
type charge struct {
	QP    hdl.Bits
	Bytes hdl.Bits `w:"13"`
	Cost  hdl.Bits // of time
}

// look asks for the bytes that a queue pair has sent.
type look struct {
	QP     hdl.Bits
	Begins hdl.Bits `w:"1"` // from now on, and it may send at once
}

// setting is a period of a queue pair, for what it sends from now on; 0 is that of one that is not slowed down.
type setting struct{ en, qp, period hdl.Bits }

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	qp := hdl.W(p.Sizes.QPBits)
	return &block{
		m: m, p: p, io: io,
		looks:  hdl.NewStream(m, "look", look{QP: qp}),
		looked: m.Wire("looked", 1), count: m.Wire("count", countBits),
		waits:     hdl.NewStream(m, "waits", due{QP: qp, Slot: hdl.W(p.slotNumberBits())}),
		duesAsked: m.Wire("dues_asked", 1), duesQP: m.Wire("dues_qp", p.Sizes.QPBits), duesTaken: m.Wire("dues_taken", 1),
		duesTime: m.Wire("dues_time", p.timeBits()),
		begun:    m.Wire("begun", 1),
		sets:     setting{en: m.Wire("sets", 1), qp: m.Wire("sets_qp", p.Sizes.QPBits), period: m.Wire("sets_period", periodBits)},
	}
}

// clocks counts cycles, ticks, and updates of alpha.
func (b *block) clocks() {
	m, p := b.m, b.p
	cycles := m.Reg("cycles", p.timeBits()-fractionBits, 0)
	cycles.Set(cycles.AddK(1))
	b.now = hdl.Cat(cycles, hdl.K(fractionBits, 0))

	b.tick, b.epoch = m.Reg("tick", tickBits, 0), m.Reg("epoch", epochBits, 0)
	part := m.Reg("epoch_tick", b.io.Settings.AlphaTime.Width(), 1)
	counts := func() {
		b.tick.Set(b.tick.AddK(1))
		part.Set(part.AddK(1))
		m.If(part.Ge(b.io.Settings.AlphaTime), func() {
			part.SetK(1)
			b.epoch.Set(b.epoch.AddK(1))
		})
	}
	if p.Tick == 1 {
		counts()
		return
	}
	cycle := m.Reg("cycle", hdl.Log2(p.Tick), 0)
	ends := cycle.Is(uint64(p.Tick - 1))
	cycle.Set(hdl.Mux(ends, cycle.K(0), cycle.AddK(1)))
	m.If(ends, counts)
}
