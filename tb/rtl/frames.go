package rtl

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"gornic/blocks/core"
	"gornic/hdl"
	"gornic/hdl/sim"
)

// framePorts is an AXI4-Stream of frames. Data comes first, so that it is whole
// words of a packed beat.
func framePorts(s *sim.Sim, a core.AXIS) sim.StreamPorts {
	return sim.Ports(s, a.TValid, a.TReady, struct{ Data, Keep, Last, Err hdl.Bits }{a.TData, a.TKeep, a.TLast, a.TUser})
}

// frameSource sends frames into the core.
type frameSource struct {
	*sim.Source
	size   int // bytes of a beat
	packed []uint64
}

func newFrameSource(s *sim.Sim, a core.AXIS, p sim.Pattern) *frameSource {
	return &frameSource{Source: sim.NewSourceOf(s, framePorts(s, a), p), size: a.TData.Width() / 8}
}

// send queues a frame. One of no bytes is none.
func (f *frameSource) send(frame []byte) {
	f.packed = f.packed[:0]
	for len(frame) > 0 {
		n := min(f.size, len(frame))
		f.beat(frame[:n], n == len(frame))
		frame = frame[n:]
	}
	if len(f.packed) > 0 {
		f.SendWords(f.packed)
	}
}

func (f *frameSource) beat(data []byte, last bool) {
	var padded [64]byte
	copy(padded[:], data)
	for at := 0; at < f.size; at += 8 {
		f.packed = append(f.packed, binary.LittleEndian.Uint64(padded[at:]))
	}
	flags := uint64(0)
	if last {
		flags = 1
	}
	keep := uint64(1)<<len(data) - 1
	if f.size == 64 {
		f.packed = append(f.packed, keep, flags)
	} else {
		f.packed = append(f.packed, keep|flags<<f.size)
	}
}

// frameSink puts frames together that the core sends.
type frameSink struct {
	*sim.Sink
	size   int // bytes of a beat
	seen   uint64
	part   []byte
	begun  bool
	next   uint64 // cycle in which the next beat of the frame is expected
	pauses uint64 // cycles in a frame without a beat
	frames [][]byte
}

func newFrameSink(s *sim.Sim, a core.AXIS, p sim.Pattern) *frameSink {
	return &frameSink{Sink: sim.NewSinkOf(s, framePorts(s, a), p, sim.SinkOptions{}), size: a.TData.Width() / 8}
}

// collect takes the beats that have come.
func (f *frameSink) collect() error {
	n := f.Count()
	if n == f.seen {
		return nil
	}
	f.seen = n
	for _, b := range f.Take() {
		if err := f.beat(b); err != nil {
			return fmt.Errorf("%s, cycle %d: %w", f.Ports().Name(), b.Cycle, err)
		}
	}
	return nil
}

func (f *frameSink) beat(b sim.Beat) error {
	words := f.size / 8
	keep, flags := b.Words[words], uint64(0)
	if f.size == 64 {
		flags = b.Words[words+1]
	} else {
		keep, flags = keep&(1<<f.size-1), keep>>f.size
	}
	last, bad := flags&1 == 1, flags&2 == 2
	n := bits.OnesCount64(keep)
	switch {
	case n == 0 || keep != ^uint64(0)>>(64-n):
		return fmt.Errorf("tkeep is %#x: not from the first byte on", keep)
	case !last && n < f.size:
		return fmt.Errorf("a beat of %d bytes that is not the last of its frame", n)
	case last && bad:
		return fmt.Errorf("a frame of %d bytes that is marked bad", len(f.part)+n)
	}
	if f.begun {
		f.pauses += b.Cycle - f.next
	}
	f.begun, f.next = !last, b.Cycle+1
	for i := range words {
		f.part = binary.LittleEndian.AppendUint64(f.part, b.Words[i])
	}
	f.part = f.part[:len(f.part)-f.size+n]
	if last {
		f.frames = append(f.frames, f.part)
		f.part = nil
	}
	return nil
}

// take returns the first frame that is whole.
func (f *frameSink) take() ([]byte, bool) {
	if len(f.frames) == 0 {
		return nil, false
	}
	frame := f.frames[0]
	f.frames = f.frames[1:]
	return frame, true
}
