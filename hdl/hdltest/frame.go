package hdltest

import (
	"gornic/hdl/sim"
)

// Frame is a whole frame from a stream of beats (package stream: Data, Keep,
// Last, Err).
type Frame struct {
	Data        []byte
	Err         bool   // Err of the last beat
	First, Last uint64 // cycles of the first and last beat
}

// SendFrame queues the beats of one frame on a stream of data, keep, last and
// err. A frame has at least one byte.
func SendFrame(src *sim.Source, data []byte) { src.SendWords(PackFrame(src, data, false)) }

// SendBadFrame is SendFrame with Err set on the last beat.
func SendBadFrame(src *sim.Source, data []byte) { src.SendWords(PackFrame(src, data, true)) }

// beat has the fields of stream.Beat.
type beat struct {
	Data, Keep []byte
	Last, Err  bool
}

// PackFrame returns the packed beats of a frame, for Source.SendWords.
func PackFrame(src *sim.Source, data []byte, bad bool) []uint64 {
	size := src.Ports().Data[0].Width / 8
	var words []uint64
	for {
		n := min(size, len(data))
		last := n == len(data)
		words = append(words, src.Pack(beat{Data: data[:n], Keep: keep(n), Last: last, Err: bad && last})...)
		data = data[n:]
		if last {
			return words
		}
	}
}

// keep returns a bit vector of n ones.
func keep(n int) []byte {
	out := make([]byte, (n+7)/8)
	for i := range n {
		out[i/8] |= 1 << (i % 8)
	}
	return out
}

// Frames puts the beats of a stream of frames together, across calls of Take:
// the beginning of a frame whose end has not arrived is kept.
type Frames struct {
	sink *sim.Sink
	part *Frame
}

// NewFrames returns a reader of whole frames.
func NewFrames(sink *sim.Sink) *Frames { return &Frames{sink: sink} }

// Take returns the frames that have ended since the last call.
func (f *Frames) Take() []Frame {
	var done []Frame
	ports := f.sink.Ports()
	for _, b := range f.sink.Take() {
		if f.part == nil {
			f.part = &Frame{First: b.Cycle}
		}
		f.part.Data = append(f.part.Data, keptBytes(ports.Field(b, 0), ports.Field(b, 1), ports.Data[1].Width)...)
		if ports.Field(b, 2)[0] == 1 {
			f.part.Last = b.Cycle
			f.part.Err = len(ports.Data) > 3 && ports.Field(b, 3)[0] == 1
			done = append(done, *f.part)
			f.part = nil
		}
	}
	return done
}

// TakeFrames returns the whole frames that a sink has taken; beats of an
// unfinished one are lost.
func TakeFrames(sink *sim.Sink) []Frame { return NewFrames(sink).Take() }

func keptBytes(data, keep []uint64, size int) []byte {
	out := make([]byte, 0, size)
	for i := range size {
		if keep[i/64]>>(i%64)&1 == 1 {
			out = append(out, byte(data[i/8]>>(i%8*8)))
		}
	}
	return out
}
