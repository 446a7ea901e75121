package play

import (
	"context"
	"encoding/binary"
	"fmt"

	"gornic/format"
	"gornic/tb/workload"
	"gornic/verbs"
)

const wordBytes = 8 // of an atomic

// fetch fills in what a READ or atomic has that others have not.
func (e *end) fetch(q workload.Request, wr *verbs.SendWR) {
	for _, p := range q.Into {
		wr.SGL = append(wr.SGL, e.landing.sge(e.landingSlot()+p.Offset, p.Length))
	}
	if q.Op == format.WRRead {
		wr.RemoteAddr, wr.RKey = e.peer.source.mr.Addr()+uint64(q.Origin), e.peer.source.mr.RKey()
		return
	}
	wr.RemoteAddr, wr.RKey = e.peer.words.mr.Addr()+uint64(q.Word), e.peer.words.mr.RKey()
	wr.CompareAdd, wr.Swap = e.operands(q)
}

// landingSlot is the offset of the slot of the work request that is posted next. The one that had it
// before has completed.
func (e *end) landingSlot() int { return e.wqes % e.c.Depth * e.slotBytes }

// operands are the CompareAdd and Swap of an atomic.
func (e *end) operands(q workload.Request) (compareAdd, swap uint64) {
	if q.Op == format.WRFetchAdd {
		return q.Operand, 0
	}
	compare := binary.LittleEndian.Uint64(e.peer.wordsImage[q.Word:])
	if !q.Matches {
		compare = ^compare
	}
	return compare, q.Operand
}

// willBring notes what a READ or atomic brings, and what an atomic leaves.
func (e *end) willBring(ctx context.Context, q workload.Request) error {
	b := brought{request: e.posted, wqe: e.wqes, slot: e.landingSlot()}
	if q.Op == format.WRRead {
		var err error
		if b.data, err = e.peer.source.read(ctx, q.Origin, q.Length); err != nil {
			return err
		}
	} else {
		word := e.peer.wordsImage[q.Word:][:wordBytes]
		old := binary.LittleEndian.Uint64(word)
		b.data = append(b.data, word...)
		compareAdd, swap := e.operands(q)
		switch {
		case q.Op == format.WRFetchAdd:
			binary.LittleEndian.PutUint64(word, old+compareAdd)
		case old == compareAdd:
			binary.LittleEndian.PutUint64(word, swap)
		}
	}
	e.brought = append(e.brought, b)
	data := b.data
	for _, p := range q.Into {
		data = data[copy(e.landingImage[b.slot+p.Offset:][:p.Length], data):]
	}
	return nil
}

// checkBrought compares what READs and atomics up to a work request have brought.
func (e *end) checkBrought(ctx context.Context, wqe int) error {
	for len(e.brought) > 0 && e.brought[0].wqe <= wqe {
		b := e.brought[0]
		e.brought = e.brought[1:]
		q, want := e.sends[b.request], b.data
		for _, p := range q.Into {
			got, err := e.landing.read(ctx, b.slot+p.Offset, p.Length)
			if err != nil {
				return err
			}
			if i := firstDifference(got, want[:p.Length]); i >= 0 {
				return fmt.Errorf("request %d, %v of %d bytes: byte %d is %#02x, expected %#02x", q.Number, q.Op, q.Length, len(b.data)-len(want)+i, got[i], want[i])
			}
			want = want[p.Length:]
		}
	}
	return nil
}
