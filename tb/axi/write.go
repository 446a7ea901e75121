package axi

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"gornic/blocks/link"
	"gornic/hdl/sim"
)

// writer is the writing half: addresses whose beats have not come, beats whose
// address has not come, and bursts that are complete and wait for their response.
type writer struct {
	*Memory
	idWidth   int
	size      int // bytes of a beat
	announced []announcement
	early     []sim.Beat
	waiting   []*burst
	ends      uint64 // beats with WLAST that were looked at
}

// announcement is a burst whose beats are to come.
type announcement struct {
	*burst
	cycle uint64 // that took its address
}

// stored is a beat that will be written.
type stored struct {
	addr   uint64
	data   [64]byte
	strobe uint64
}

func newWriter(m *Memory, port link.AXI) writer {
	return writer{Memory: m, idWidth: port.AWID.Width(), size: port.WData.Width() / 8}
}

// take takes addresses and beats that have come.
func (w *writer) take() error {
	if n := w.writeAddress.Count(); n != w.writeAddress.seen {
		w.writeAddress.seen = n
		for _, beat := range w.writeAddress.Take() {
			b, err := burstOf("AW", beat, w.idWidth, w.size)
			if err != nil {
				return err
			}
			w.announced = append(w.announced, announcement{b, beat.Cycle})
			w.counters.Writes.begin()
		}
	}
	if n := w.beats.Count(); n != w.beats.seen {
		w.beats.seen = n
		w.early = append(w.early, w.beats.Take()...)
	}
	for len(w.early) > 0 && len(w.announced) > 0 {
		beat := w.early[0]
		w.early = w.early[1:]
		if err := w.beat(w.announced[0], beat); err != nil {
			return err
		}
	}
	return nil
}

// beat is the next beat of the first burst announced.
func (w *writer) beat(a announcement, beat sim.Beat) error {
	s := stored{addr: a.addr}
	for i := range w.size / 8 {
		binary.LittleEndian.PutUint64(s.data[8*i:], beat.Words[i])
	}
	at := w.size / 8
	s.strobe = beat.Words[at] & (1<<w.size - 1)
	last := beat.Words[at+w.size/64] >> (w.size % 64) & 1
	w.counters.Writes.Beats++
	w.counters.Writes.Bytes += uint64(bits.OnesCount64(s.strobe))
	a.stored = append(a.stored, s)
	a.addr += uint64(w.size)
	a.beats--
	if (last == 1) != (a.beats == 0) {
		return &ProtocolError{Channel: "W", Cycle: beat.Cycle, What: fmt.Sprintf("WLAST is %d with %d beats of the burst left", last, a.beats)}
	}
	if last == 1 {
		w.ends++
		a.due = w.due(max(a.cycle, beat.Cycle))
		w.waiting = append(w.waiting, a.burst)
		w.announced = w.announced[1:]
	}
	return nil
}

// answer writes what is due to memory and queues its response.
func (w *writer) answer() {
	for len(w.waiting) > 0 {
		i := w.pick(w.waiting, w.o.Reorder)
		if i < 0 {
			return
		}
		b := w.waiting[i]
		w.waiting = append(w.waiting[:i], w.waiting[i+1:]...)
		resp := uint64(okay)
		for k := range b.stored {
			s := &b.stored[k]
			resp = max(resp, response(w.target.DeviceWriteBeat(s.addr, s.data[:w.size], s.strobe)))
		}
		if resp != okay {
			w.counters.Writes.Errors++
		}
		w.responses.SendWords([]uint64{b.id | resp<<w.idWidth})
		w.counters.Writes.end()
	}
}

// next is in how many cycles there is something to do, at least 1.
func (w *writer) next() uint64 { return max(w.wait(w.waiting, w.o.Reorder), 1) }

// lacksAddress tells whether beats wait for the address of their burst.
func (w *writer) lacksAddress() bool { return len(w.early) > 0 }
