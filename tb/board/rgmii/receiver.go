package rgmii

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Received is a frame that a MAC has sent.
type Received struct {
	Data  []byte // with pad, without FCS
	Start uint64 // cycle of the first byte of its preamble
	End   uint64 // cycle behind its last byte
	Gap   int    // idle cycles before it; -1: it is the first one
	Abort bool   // its FCS is wrong on purpose, or its control pins say that it failed
}

// ErrRules is wrapped by the error of what no MAC may send.
var ErrRules = errors.New("rgmii: against the rules")

// Receiver takes the pins of a MAC, cycle by cycle; those between frames may be left out.
// A frame whose FCS is wrong is one that was aborted; all else that is wrong is an error.
type Receiver struct {
	// Cut is while the MAC is held in reset: a frame that ends meanwhile was cut off, and is forgotten.
	Cut bool

	bytes  []byte
	failed bool
	start  uint64
	next   uint64 // cycle behind the last one of the frame under way
	end    uint64 // of the frame before
	any    bool   // there was one
	frames []Received
}

// Take takes the pins in a cycle. Cycles come in order.
func (r *Receiver) Take(s Symbol, cycle uint64) error {
	if len(r.bytes) > 0 && (cycle != r.next || !s.inFrame()) {
		if err := r.finish(); err != nil {
			return err
		}
	}
	switch {
	case !s.inFrame() && s.failed():
		return fmt.Errorf("%w: cycle %d: error outside a frame", ErrRules, cycle)
	case !s.inFrame():
		return nil
	}
	if len(r.bytes) == 0 {
		r.start = cycle
	}
	r.bytes = append(r.bytes, byte(s))
	r.failed = r.failed || s.failed()
	r.next = cycle + 1
	return nil
}

// Idle ends a frame that is under way, if its last cycle was before.
func (r *Receiver) Idle(cycle uint64) error {
	if len(r.bytes) > 0 && cycle > r.next {
		return r.finish()
	}
	return nil
}

// Frames returns those that have come since the last call.
func (r *Receiver) Frames() []Received {
	all := r.frames
	r.frames = nil
	return all
}

// finish judges the frame that has ended.
func (r *Receiver) finish() error {
	b, f := r.bytes, Received{Start: r.start, End: r.next, Gap: -1, Abort: r.failed}
	if r.any {
		f.Gap = int(r.start - r.end)
	}
	r.bytes, r.failed, r.any, r.end = nil, false, !r.Cut, r.next
	if r.Cut {
		return nil
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: frame from cycle %d: %s", ErrRules, f.Start, fmt.Sprintf(format, args...))
	}
	for i := range PreambleBytes + 1 {
		want := byte(preambleByte)
		if i == PreambleBytes {
			want = startOfFrame
		}
		if i >= len(b) || b[i] != want {
			return wrong("no preamble of %d bytes and a delimiter", PreambleBytes)
		}
	}
	b = b[PreambleBytes+1:]
	if f.Gap >= 0 && f.Gap < Gap {
		return wrong("only %d cycles behind the one before", f.Gap)
	}
	if len(b) < MinBytes+fcsBytes {
		return wrong("only %d bytes", len(b))
	}
	n := len(b) - fcsBytes
	f.Data = b[:n]
	if binary.LittleEndian.Uint32(b[n:]) != crc32.ChecksumIEEE(f.Data) {
		f.Abort = true
	}
	r.frames = append(r.frames, f)
	return nil
}
