package cqewriter

import (
	"gornic/format"
)

// Reference is the completion queues in plain Go, without time: memory answers
// before the next completion comes.
type Reference struct {
	Write func(addr uint64, b []byte) error // host memory

	queues map[int]*queue
}

type queue struct {
	base               uint64
	size               int
	producer, consumer uint16
	failed             bool
}

// Outcome is what became of a completion.
type Outcome struct {
	Written  bool
	Producer uint16 // with Written: the index behind it

	// Without Written, the queue pair goes to ERR.
	Event  bool // and the completion queue has failed just now,
	Vendor format.VendorCode
}

// Make makes completion queue cq, empty, with a ring of 1 << logSize CQEs at base.
func (r *Reference) Make(cq int, base uint64, logSize int) {
	if r.queues == nil {
		r.queues = map[int]*queue{}
	}
	r.queues[cq] = &queue{base: base, size: 1 << logSize}
}

// Remove removes a completion queue.
func (r *Reference) Remove(cq int) { delete(r.queues, cq) }

// Consume takes the index up to which software has seen CQEs. It reports whether
// software can have got there.
func (r *Reference) Consume(cq int, index uint16) bool {
	q := r.queues[cq]
	if q == nil || index-q.consumer > q.producer-q.consumer {
		return false
	}
	q.consumer = index
	return true
}

// Complete writes a CQE; its phase is filled in here.
func (r *Reference) Complete(cq int, cqe format.CQE[uint64]) (Outcome, error) {
	q := r.queues[cq]
	switch {
	case q == nil || q.failed:
		return Outcome{}, nil
	case int(q.producer-q.consumer) == q.size:
		return q.fail(format.VendorCQOverflow), nil
	}
	lap, place := int(q.producer)/q.size, int(q.producer)%q.size
	cqe.Phase = uint64(1 - lap%2)
	text, err := format.AppendHost(nil, cqe)
	if err != nil {
		return Outcome{}, err
	}
	if r.Write(q.base+uint64(place*len(text)), text) != nil {
		return q.fail(format.VendorBusWrite), nil
	}
	q.producer++
	return Outcome{Written: true, Producer: q.producer}, nil
}

func (q *queue) fail(why format.VendorCode) Outcome {
	q.failed = true
	return Outcome{Event: true, Vendor: why}
}
