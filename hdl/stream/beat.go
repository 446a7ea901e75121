package stream

import "gornic/hdl"

// Beat is one word of a frame.
type Beat struct {
	Data hdl.Bits // the first byte in the lowest eight bits
	Keep hdl.Bits // one bit a byte of Data: contiguous from byte 0, all ones but on the last beat, never zero
	Last hdl.Bits `w:"1"` // the frame ends with this beat
	Err  hdl.Bits `w:"1"` // on the last beat: the frame is bad and its taker drops it whole
}

// IsLast returns Last: it makes Beat, and payloads that embed it, [Framed].
func (b Beat) IsLast() hdl.Bits { return b.Last }

// Framed is a payload that comes in frames; IsLast, one bit, is one on the last
// payload of each.
type Framed interface{ IsLast() hdl.Bits }

// lastOf returns whether a payload ends its frame; a payload without frames is
// a frame of its own.
func lastOf[T any](data T) hdl.Bits {
	if f, ok := any(data).(Framed); ok {
		return f.IsLast()
	}
	return hdl.K(1, 1)
}

// Frame is a stream of beats that make up frames, as AXI4-Stream carries them:
// Err is its tuser.
type Frame = hdl.Stream[Beat]

// BeatOf returns the prototype of a beat of width bits, a multiple of 8.
func BeatOf(width int) Beat {
	return Beat{Data: hdl.W(width), Keep: hdl.W(width / 8), Last: hdl.W(1), Err: hdl.W(1)}
}

// FrameOf returns the prototype of a stream of frames in beats of width bits.
func FrameOf(width int) Frame { return hdl.StreamOf(BeatOf(width)) }
