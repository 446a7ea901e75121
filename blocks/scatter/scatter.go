package scatter

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/blocks/pieces"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct{ Sizes link.Sizes }

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	switch p.Sizes.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("scatter: data width of %d bits: not 64, 128, 256 or 512", p.Sizes.DataWidth)
	}
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("scatter: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	if p.Sizes.CQBits < 1 || p.Sizes.CQBits > 16 {
		return fmt.Errorf("scatter: 2^%d completion queues: not 2^1 to 2^16", p.Sizes.CQBits)
	}
	return nil
}

// outstanding is how many bursts may wait for their answer, and how many commits for theirs.
const outstanding = 64

// bytes is the number of bytes of a beat.
func (p Params) bytes() int { return p.Sizes.DataWidth / 8 }

// indexBits is the width of a byte's index in a beat.
func (p Params) indexBits() int { return pieces.IndexBits(p.Sizes.DataWidth) }

// IO is the ports of the block.
type IO struct {
	Piece   hdl.Stream[link.Piece]  `hdl:"in"`
	Payload stream.Frame            `hdl:"in"`
	Commit  hdl.Stream[link.Commit] `hdl:"in"`
	Write   link.WritePort          `hdl:"out"`
	Placed  hdl.Stream[link.Placed] `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("scatter_%d_qp%d_cq%d", s.DataWidth, s.QPBits, s.CQBits),
		Doc:  "Writes the payload of received packets to host memory, any number of pieces at any address, and reports packets when memory has answered.",
		IO: IO{
			Piece: hdl.StreamOf(link.Piece{}), Payload: stream.FrameOf(s.DataWidth), Commit: hdl.StreamOf(s.Commit()),
			Write: s.WritePort(), Placed: hdl.StreamOf(s.Placed()),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.step()
			b.front()
			b.announce()
			b.turn()
			b.report(b.settle())
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	plan     hdl.Stream[plan] // the burst that is worked on
	beat     hdl.Bits         // the beat of payload whose bytes are due,
	has      hdl.Bits         // it is here,
	final    hdl.Bits         // it is the last of its frame
	draining hdl.Bits         // the rest of a frame is dropped

	now     present
	bursts  hdl.Stream[link.WriteBurst]
	tickets hdl.Stream[ticket]
	free    hdl.Bits // the rotator takes a beat
	moves   hdl.Bits // a beat of memory is made
	skips   hdl.Bits // a packet's rest is given up
}

// ticket is a burst that waits for its answer, or a packet's end without one.
type ticket struct {
	Burst hdl.Bits `w:"1"`
	Last  hdl.Bits `w:"1"` // of its packet
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	return &block{
		m: m, p: p, io: io,
		plan: makePlan(m, p, io.Piece),
		beat: m.RegN("front", p.Sizes.DataWidth), has: m.Reg("front_valid", 1, 0), final: m.RegN("front_last", 1),
		draining: m.Reg("draining", 1, 0),
		bursts:   hdl.NewStream(m, "announced", link.WriteBurst{}),
		tickets:  hdl.NewStream(m, "issued", ticket{}),
		free:     m.Wire("rotator_free", 1),
	}
}
