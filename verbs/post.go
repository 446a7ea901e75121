package verbs

import (
	"context"
	"fmt"

	"gornic/format"
)

// encoder appends the i-th WQE of a list to b.
type encoder func(b []byte, i int) ([]byte, error)

// posting is a list of work requests for a queue.
type posting struct {
	queue  string // its name
	ring   *workRing
	state  func() error // whether the queue pair's state allows it
	n      int
	encode encoder
	posted func(i int) // what follows from the i-th being in the ring; nil: nothing
}

// post writes WQEs to a queue, as far as there is room and encode can make them,
// and rings its doorbell.
func (q *QP) post(ctx context.Context, p posting) error {
	q.pd.d.mu.Lock()
	defer q.pd.d.mu.Unlock()
	if p.n == 0 {
		return nil
	}
	err := q.alive()
	if err == nil {
		err = p.state()
	}
	if err != nil {
		return q.badWR(p.queue, 0, err)
	}
	slots, bad := p.ring.fill(p.n, p.encode)
	posted := len(slots) / p.ring.stride
	if posted > 0 {
		if err := p.ring.put(ctx, q.pd.d.bus, slots); err != nil {
			return q.badWR(p.queue, 0, err)
		}
		p.note(posted)
		if err := q.pd.d.doorbell(ctx, q.page, q.kind(p.ring), p.ring.head, q.qpn); err != nil {
			return fmt.Errorf("verbs: post %s to QP %#x: %w", p.queue, q.qpn, err)
		}
	}
	if bad != nil {
		return q.badWR(p.queue, posted, bad)
	}
	return nil
}

// note tells what was posted.
func (p posting) note(n int) {
	for i := 0; i < n && p.posted != nil; i++ {
		p.posted(i)
	}
}

// fill makes the slots of n WQEs. With an error they are those before the WQE that
// it belongs to.
func (r *workRing) fill(n int, encode encoder) ([]byte, error) {
	slots := make([]byte, 0, min(n, r.free())*r.stride)
	for i := range n {
		if i == r.free() {
			return slots, ErrFull
		}
		next, err := encode(slots, i)
		if err != nil {
			return slots, err
		}
		end := (i + 1) * r.stride
		if len(next) > end {
			return slots, invalid("%d bytes, the slot has %d", len(next)-len(slots), r.stride)
		}
		slots = append(next, make([]byte, end-len(next))...)
	}
	return slots, nil
}

// kind is the doorbell of one of the queues.
func (q *QP) kind(r *workRing) uint32 {
	if r == &q.rq {
		return format.DoorbellRQ
	}
	return format.DoorbellSQ
}

func (q *QP) badWR(queue string, index int, err error) error {
	return fmt.Errorf("verbs: post %s to QP %#x: %w", queue, q.qpn, &BadWR{Index: index, Err: err})
}
