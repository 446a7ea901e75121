package stream

import (
	"fmt"
	"math/bits"

	"gornic/hdl"
)

// RealignOptions are the parameters of a realigner.
type RealignOptions struct {
	Width      int // of a beat's data in bits, 8 times a power of two from 16
	LengthBits int // of Skip and Length, more than log2 of a beat's bytes

	// Granule and Phase say what is known of the distance that bytes move:
	// To - Skip is Phase modulo Granule, a power of two that is at most a
	// beat's bytes. The rotator has log2(bytes/Granule) levels. A Granule of
	// zero means one: nothing is known.
	Granule, Phase int
}

// Move says which bytes of a frame to take and where to put them.
type Move struct {
	Skip   hdl.Bits // the first byte to take
	Length hdl.Bits // how many bytes to take; 0: the frame is dropped and nothing leaves
	To     hdl.Bits // where in the first beat of Out the first one comes, log2(bytes of a beat) bits
}

// Cut says which bytes of a frame to take.
type Cut struct {
	Skip   hdl.Bits // the first byte to take
	Length hdl.Bits // how many bytes to take; 0: the frame is dropped and nothing leaves
}

// RealignIO is the ports of a realigner.
type RealignIO struct {
	In   Frame            `hdl:"in"`
	Move hdl.Stream[Move] `hdl:"in"` // one for each frame of In; taken before the frame
	Out  Frame            `hdl:"out"`
}

// ExtractIO is the ports of a realigner to byte 0.
type ExtractIO struct {
	In  Frame           `hdl:"in"`
	Cut hdl.Stream[Cut] `hdl:"in"` // one for each frame of In; taken before the frame
	Out Frame           `hdl:"out"`
}

// RealignDef moves bytes of frames from any offset to any offset: a frame
// leaves as To zero bytes, and behind them Length bytes of what came in, from
// byte Skip on. A frame that ends too early leaves with Err; so does one with
// Err, wherever its taken bytes end: the last beat waits for the end of the
// frame. What the last beat of a frame with Err has in it is not defined.
//
// Each frame with a Length leaves as one frame, in order. Latency: a cycle from
// the beat of In that completes a beat of Out, and one for each stage of the
// rotator behind the first; a stage has three levels. In takes a beat every
// cycle as long as frames leave with no more beats than they came with; the
// move of a frame is taken at the end of the one before. Cost: one register of
// a beat for each stage and one more, and a rotator of log2(bytes/Granule)
// levels.
func RealignDef(o RealignOptions) hdl.Def[RealignIO] {
	return hdl.Def[RealignIO]{
		Name: o.name("realign"),
		Doc:  "Realigner: bytes of frames from any offset to any offset.",
		IO: RealignIO{
			In: FrameOf(o.Width), Out: FrameOf(o.Width),
			Move: hdl.StreamOf(Move{hdl.W(o.LengthBits), hdl.W(o.LengthBits), hdl.W(o.indexBits())}),
		},
		Body: func(m *hdl.Module, io *RealignIO) {
			a := newAligner(m, o, io.In, io.Out)
			a.zeroBefore = true
			a.build(io.Move)
		},
	}
}

// ExtractDef is [RealignDef] with To zero: the bytes that are taken come to
// byte 0. It has no gates for the zero bytes.
func ExtractDef(o RealignOptions) hdl.Def[ExtractIO] {
	return hdl.Def[ExtractIO]{
		Name: o.name("extract"),
		Doc:  "Realigner: bytes of frames from any offset to byte 0.",
		IO: ExtractIO{
			In: FrameOf(o.Width), Out: FrameOf(o.Width),
			Cut: hdl.StreamOf(Cut{hdl.W(o.LengthBits), hdl.W(o.LengthBits)}),
		},
		Body: func(m *hdl.Module, io *ExtractIO) {
			newAligner(m, o, io.In, io.Out).build(Map(io.Cut, func(c Cut) Move {
				return Move{c.Skip, c.Length, hdl.K(o.indexBits(), 0)}
			}))
		},
	}
}

// Realign puts a [RealignDef] behind in and move and returns its output.
func Realign(m *hdl.Module, name string, in Frame, move hdl.Stream[Move], o RealignOptions) Frame {
	r := hdl.Instance(m, name, RealignDef(o))
	hdl.Connect(r.In, in)
	hdl.Connect(r.Move, move)
	return r.Out
}

// Extract puts an [ExtractDef] behind in and cut and returns its output.
func Extract(m *hdl.Module, name string, in Frame, cut hdl.Stream[Cut], o RealignOptions) Frame {
	r := hdl.Instance(m, name, ExtractDef(o))
	hdl.Connect(r.In, in)
	hdl.Connect(r.Cut, cut)
	return r.Out
}

func (o RealignOptions) bytes() int { return o.Width / 8 }

func (o RealignOptions) indexBits() int { return max(1, bits.Len(uint(o.bytes()))-1) }

// granule returns Granule, at least 1, and its log2.
func (o RealignOptions) granule() (int, int) {
	g := max(o.Granule, 1)
	return g, bits.Len(uint(g)) - 1
}

func (o RealignOptions) name(part string) string {
	name := fmt.Sprintf("%s_%d_x%d", part, o.Width, o.LengthBits)
	if g, _ := o.granule(); g > 1 {
		name += fmt.Sprintf("_%dmod%d", o.Phase, g)
	}
	return name
}

// check rejects a realigner that cannot be.
func (o RealignOptions) check(m *hdl.Module) {
	n, g := o.bytes(), max(o.Granule, 1)
	switch {
	case n < 2 || !powerOfTwo(n) || o.Width != 8*n:
		m.Reject("beats of %d bits: 8 times a power of two from 16", o.Width)
	case o.LengthBits <= o.indexBits():
		m.Reject("lengths of %d bits: more than %d", o.LengthBits, o.indexBits())
	case !powerOfTwo(g) || g > n:
		m.Reject("a granule of %d: a power of two, at most %d", g, n)
	case o.Phase < 0 || o.Phase >= g:
		m.Reject("a phase of %d: less than the granule of %d", o.Phase, g)
	}
}
