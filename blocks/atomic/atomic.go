package atomic

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/hdl"
)

// places is how many atomics are under way at most. At 64 bits there are two: each place compares its address, and
// what waits costs as much as at 512.
func (p Params) places() int {
	if p.Sizes.DataWidth == 64 {
		return 2
	}
	return 8
}

// depth is how many of them wait between two steps.
func (p Params) depth() int { return p.Sizes.Ahead(p.places()) }

// wordBytes is what an atomic works on.
const wordBytes = 8

// Params are the parameters of the block.
type Params struct{ Sizes link.Sizes }

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	s := p.Sizes
	if s.QPBits < 1 || s.QPBits > 16 {
		return fmt.Errorf("atomic: 2^%d queue pairs: not 2^1 to 2^16", s.QPBits)
	}
	if s.ReadBits < 1 || s.ReadBits > 6 {
		return fmt.Errorf("atomic: 2^%d resources a queue pair: not 2^1 to 2^6", s.ReadBits)
	}
	switch s.DataWidth {
	case 64, 128, 256, 512:
		return nil
	}
	return fmt.Errorf("atomic: beats of %d bits: not 64, 128, 256 or 512", s.DataWidth)
}

// lanes is how many words a beat has.
func (p Params) lanes() int { return p.Sizes.DataWidth / (8 * wordBytes) }

// laneBits is the width of a number of lanes, where there are several.
func (p Params) laneBits() int { return hdl.Log2(p.lanes()) }

// IO is the ports of the block.
type IO struct {
	Command  hdl.Stream[link.AtomicCommand] `hdl:"in"`
	Operands hdl.Stream[link.Operands]      `hdl:"in"`
	Result   hdl.Stream[link.AtomicResult]  `hdl:"out"`
	Done     hdl.Stream[link.QPRef]         `hdl:"out"`
	Read     link.ReadPort                  `hdl:"out"`
	Write    link.WritePort                 `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("atomic_%d_qp%d_rd%d", s.DataWidth, s.QPBits, s.ReadBits),
		Doc:  "Compare-and-swap and fetch-and-add on host memory, several at once, to different addresses.",
		IO: IO{
			Command: hdl.StreamOf(s.AtomicCommand()), Operands: hdl.StreamOf(link.Operands{}),
			Result: hdl.StreamOf(s.AtomicResult()), Done: hdl.StreamOf(s.QPRef()), Read: s.ReadPort(), Write: s.WritePort(),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.issue()
			b.modify()
			b.finish()
			b.properties()
		},
	}
}

// op is an atomic that is being read.
type op struct {
	QP      hdl.Bits
	Slot    hdl.Bits
	Swap    hdl.Bits `w:"1"`  // compare-and-swap, not fetch-and-add
	Addr    hdl.Bits `w:"61"` // of the word
	Operand link.Operands
}

// outcome is an atomic that has been executed, and may wait for the answer to its write.
type outcome struct {
	QP     hdl.Bits
	Slot   hdl.Bits
	Value  hdl.Bits `w:"64"`
	Failed hdl.Bits `w:"1"` // it could not be read
	Writes hdl.Bits `w:"1"`
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	addrs    []hdl.Bits // of the words under way, by place
	under    []hdl.Bits // one bit each: the place is taken
	compared hdl.Bits   // the oldest command has been compared with them
	ends     hdl.Bits   // the oldest one is in memory
	oldest   hdl.Bits   // its place
	ops      hdl.Stream[op]
	outcomes hdl.Stream[outcome]
	cancels  hdl.Stream[link.QPRef] // cancelled ones, which are done
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	s := p.Sizes
	b := &block{
		m: m, p: p, io: io,
		ends: m.Wire("ends", 1), oldest: m.Reg("oldest", hdl.Log2(p.places()), 0),
		ops:      hdl.NewStream(m, "op", op{QP: hdl.W(s.QPBits), Slot: hdl.W(s.ReadBits)}),
		outcomes: hdl.NewStream(m, "outcome", outcome{QP: hdl.W(s.QPBits), Slot: hdl.W(s.ReadBits)}),
		cancels:  hdl.NewStream(m, "cancelled", s.QPRef()),
	}
	for i := range p.places() {
		b.addrs = append(b.addrs, m.RegN(fmt.Sprintf("addr_%d", i), 61))
		b.under = append(b.under, m.Reg(fmt.Sprintf("under_way_%d", i), 1, 0))
	}
	return b
}
