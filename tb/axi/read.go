package axi

import (
	"encoding/binary"

	"gornic/blocks/link"
)

// reader is the reading half: bursts that wait for their answer, in the order of
// their addresses.
type reader struct {
	*Memory
	idWidth int
	size    int // bytes of a beat
	waiting []*burst
	packed  []uint64 // beats on their way to the source
	bytes   []byte   // of a beat
}

func newReader(m *Memory, port link.AXI) reader {
	size := port.RData.Width() / 8
	return reader{Memory: m, idWidth: port.ARID.Width(), size: size, bytes: make([]byte, size)}
}

// take takes the addresses that have come.
func (r *reader) take() error {
	n := r.address.Count()
	if n == r.address.seen {
		return nil
	}
	r.address.seen = n
	for _, beat := range r.address.Take() {
		b, err := burstOf("AR", beat, r.idWidth, r.size)
		if err != nil {
			return err
		}
		b.due = r.due(beat.Cycle)
		r.waiting = append(r.waiting, b)
		r.counters.Reads.begin()
	}
	return nil
}

// answer queues beats of bursts that are due, unless the last queued beat has not
// even been offered: the memory is read when its answer leaves.
func (r *reader) answer() {
	for r.answers.Pending() <= 1 && len(r.waiting) > 0 {
		i := r.pick(r.waiting, r.reorders())
		if i < 0 {
			return
		}
		b := r.waiting[i]
		n := b.beats
		if r.o.Interleave {
			n = 1 + r.below(n)
		}
		r.queue(b, n)
		if b.beats == 0 {
			r.waiting = append(r.waiting[:i], r.waiting[i+1:]...)
			r.counters.Reads.end()
		}
	}
}

func (r *reader) reorders() bool { return r.o.Reorder || r.o.Interleave }

// queue reads n beats of a burst and queues them.
func (r *reader) queue(b *burst, n int) {
	r.packed = r.packed[:0]
	for range n {
		resp := response(r.target.DeviceRead(b.addr, r.bytes))
		if resp != okay {
			r.counters.Reads.Errors++
		}
		for at := 0; at < r.size; at += 8 {
			r.packed = append(r.packed, binary.LittleEndian.Uint64(r.bytes[at:]))
		}
		b.addr += uint64(r.size)
		b.beats--
		last := uint64(0)
		if b.beats == 0 {
			last = 1
		}
		r.packed = append(r.packed, b.id|resp<<r.idWidth|last<<(r.idWidth+2))
	}
	r.answers.SendWords(r.packed)
	r.counters.Reads.Beats += uint64(n)
	r.counters.Reads.Bytes += uint64(n * r.size)
}

// next is in how many cycles there is something to do, at least 1.
func (r *reader) next() uint64 {
	return max(r.wait(r.waiting, r.reorders()), uint64(max(r.answers.Pending(), 1)-1), 1)
}
