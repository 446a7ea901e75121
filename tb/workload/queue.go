package workload

import "gornic/tb/wire"

// Queue yields the requests of one host and queue pair, one after the other: those that
// [Workload.Requests] has of them.
type Queue struct {
	s       *stream
	number  int // of the next request
	streams int
}

// Queue returns the requests of a queue pair at a host that sends.
func (w Workload) Queue(seed uint64, from Side, qp int) *Queue {
	number := 0
	for _, side := range w.Direction.Senders() {
		if side == from {
			break
		}
		number += w.Connections()
	}
	return &Queue{s: newStream(w, seed, from, qp), number: number + qp, streams: len(w.Direction.Senders()) * w.Connections()}
}

// Next returns the next request, false behind the last one.
func (q *Queue) Next() (Request, bool) {
	if q.s.made == q.s.w.Messages {
		return Request{}, false
	}
	r := q.s.next()
	r.Number = q.number
	q.number += q.streams
	return r, true
}

// FirstPSN is the first PSN from one end of a connection, near the end of the numbers in half of the
// cases.
func FirstPSN(seed uint64, from Side, qp int) uint32 {
	h := wire.Hash(seed, uint64(from), uint64(qp))
	if h>>63 == 0 {
		return uint32(h & 0xFFFFFF)
	}
	return uint32(0xFFFFFF - h&31)
}
