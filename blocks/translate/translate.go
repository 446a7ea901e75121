package translate

import (
	"fmt"
	"math/bits"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// Params are the parameters of the block.
type Params struct {
	Sizes link.Sizes
	Lines int // lines of 8 pages that are held: a power of two from 2 to 64
}

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	switch p.Sizes.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("translate: data width of %d bits: not 64, 128, 256 or 512", p.Sizes.DataWidth)
	}
	if p.Lines < 2 || p.Lines > 64 || bits.OnesCount(uint(p.Lines)) != 1 {
		return fmt.Errorf("translate: %d lines held: not a power of two from 2 to 64", p.Lines)
	}
	return nil
}

// Numbers that follow from the formats.
const (
	lineBytes = 64
	logLine   = 6
	logEntry  = 3                        // log2 of the bytes of a page list's entry
	frameBits = 64 - format.PageShiftMin // of the bus address of a page
	pageBits  = format.PageShiftMax
	told      = 4 // Translated that wait for their taker
)

// ahead is how many segments wait for the answer of the key cache.
func (p Params) ahead() int { return p.Sizes.Ahead(8) }

// lineNumber is the width of a line's place in the cache.
func (p Params) lineNumber() int { return hdl.Log2(p.Lines) }

// beats is the number of beats of a line.
func (p Params) beats() int { return lineBytes * 8 / p.Sizes.DataWidth }

// IO is the ports of the block.
type IO struct {
	Segment    hdl.Stream[link.Segment]    `hdl:"in"`
	Key        link.KeyPort                `hdl:"out"`
	Read       link.ReadPort               `hdl:"out"`
	Piece      hdl.Stream[link.Piece]      `hdl:"out"`
	Translated hdl.Stream[link.Translated] `hdl:"out"`
	Flush      hdl.Bits                    `hdl:"in" w:"1"` // pulse
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("translate_%d_lines%d", s.DataWidth, p.Lines),
		Doc:  "Turns segments in virtual addresses into pieces in bus addresses, through a cache of page lists.",
		IO: IO{
			Segment: hdl.StreamOf(link.Segment{}), Key: s.KeyPort(), Read: s.ReadPort(),
			Piece: hdl.StreamOf(link.Piece{}), Translated: hdl.StreamOf(link.Translated{}),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.hold()
			b.walk()
			b.locate(b.index(b.answer(b.ask())))
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	has     hdl.Bits // there is work
	work    work
	leaves  hdl.Bits // the work is done in this cycle
	swallow hdl.Bits // the rest of the packet is dropped
	tail    tail

	st   *hdl.FSM[walking]
	line line
	beat hdl.Bits // number of the beat of a line that comes, where there are several
}

// kind is what is done with a segment.
type kind struct {
	Skip   hdl.Bits `w:"1"`
	Probe  hdl.Bits `w:"1"`
	Last   hdl.Bits `w:"1"`
	Probed hdl.Bits `w:"1"` // its packet has a tail: what becomes of it is told with that
	Tail   hdl.Bits `w:"1"` // it is the Probe behind a payload
}

// work is what is left of a segment.
type work struct {
	Len   hdl.Bits `w:"13"`
	Kind  kind
	Fault hdl.Bits `w:"5"`
	Paged hdl.Bits `w:"1"`
	Order hdl.Bits `w:"4"`  // pages of 4096 << Order bytes
	At    hdl.Bits `w:"64"` // bus address: of the bytes, or, if paged, of the entry of the page list
	In    hdl.Bits `w:"21"` // byte in the page, in as many low bits as a page has
}

// line is the cache's answer on the entry at work.At.
type line struct {
	held  hdl.Bits // in this cycle: it is held
	reads hdl.Bits // to be set: page is to be the entry in the next cycle
	page  hdl.Bits // a page's address without its low 12 bits

	wanted hdl.Bits // to be set: the line is to be read from host memory
	taken  hdl.Bits // that is asked for
	ended  hdl.Bits // the last beat of it comes
	bad    hdl.Bits // with that: the entry could not be read
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	return &block{
		m: m, p: p, io: io,
		has: m.Reg("has_work", 1, 0), work: hdl.NewReg(m, "work", work{}),
		leaves: m.Wire("leaves", 1), swallow: m.Reg("swallow", 1, 0),
		tail: newTail(m),
		line: line{
			held: m.Wire("line_held", 1), reads: m.Wire("line_reads", 1),
			wanted: m.Wire("line_wanted", 1), taken: m.Wire("line_taken", 1),
			ended: m.Wire("line_ended", 1), bad: m.Wire("line_bad", 1),
		},
	}
}
