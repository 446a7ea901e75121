package events

import (
	"fmt"
	"slices"

	"gornic/blocks/link"
	"gornic/format"
)

// Reference says which events are owed, in plain Go and without time: the order in
// which they are told is free.
type Reference struct {
	QPBits int // low bits of a QPN that are the queue pair; those above tell its predecessors from it

	queues map[int]*cq
	owed   map[int][]Event // of each event queue
}

// Event is what an event queue entry says.
type Event struct {
	Kind   int // format.EventCompletion or EventAsync
	Code   format.AsyncEvent
	Vendor format.VendorCode
	Number int
}

type cq struct {
	eq       int
	arm      int
	consumer uint16
	unseen   []bool // CQEs in memory behind the consumer index: solicited or not
	told     uint16 // index behind the last CQE in memory
	early    int    // CQEs that software has seen before we heard of them
}

// Make makes a completion queue, empty, whose events go to event queue eq.
func (r *Reference) Make(n, eq int) {
	if r.queues == nil {
		r.queues = map[int]*cq{}
	}
	r.Remove(n)
	r.queues[n] = &cq{eq: eq}
}

// Remove removes a completion queue, and what is owed of it.
func (r *Reference) Remove(n int) {
	delete(r.queues, n)
	for eq := range r.owed {
		r.owed[eq] = slices.DeleteFunc(r.owed[eq], func(e Event) bool {
			return e.Number == n && (e.Kind == format.EventCompletion || e.Code == format.EventCQErr)
		})
	}
}

// Written hears of one more CQE in memory.
func (r *Reference) Written(n int, solicited bool) {
	q := r.queues[n]
	if q == nil {
		return
	}
	q.told++
	if q.early > 0 {
		q.early--
		return
	}
	q.unseen = append(q.unseen, solicited)
	r.fire(n, q)
}

// Update hears that software has seen all CQEs before index, and arms.
func (r *Reference) Update(n int, index uint16, arm int) {
	q := r.queues[n]
	if q == nil {
		return
	}
	for ; q.consumer != index; q.consumer++ {
		if len(q.unseen) > 0 {
			q.unseen = q.unseen[1:]
		} else {
			q.early++
		}
	}
	if arm != link.ArmNone && q.arm != link.ArmNext { // which includes the other
		q.arm = arm
	}
	r.fire(n, q)
}

func (r *Reference) fire(n int, q *cq) {
	next := q.arm == link.ArmNext && len(q.unseen) > 0
	solicited := q.arm == link.ArmSolicited && slices.Contains(q.unseen, true)
	if next || solicited {
		q.arm = link.ArmNone
		r.owe(q.eq, Event{Kind: format.EventCompletion, Number: n})
	}
}

// Async hears of an asynchronous event.
func (r *Reference) Async(code format.AsyncEvent, vendor format.VendorCode, number int) {
	r.owe(0, Event{format.EventAsync, code, vendor, number})
}

// owe notes an event, in place of an older one of the same source.
func (r *Reference) owe(eq int, e Event) {
	if r.owed == nil {
		r.owed = map[int][]Event{}
	}
	r.owed[eq] = slices.DeleteFunc(r.owed[eq], func(o Event) bool {
		return o.Kind == e.Kind && r.object(o) == r.object(e) && (o.Code == e.Code || isError(o.Code) && isError(e.Code))
	})
	r.owed[eq] = append(r.owed[eq], e)
}

// object is the index of the queue that an event is about.
func (r *Reference) object(e Event) int {
	if e.Kind == format.EventCompletion || e.Code == format.EventCQErr {
		return e.Number
	}
	return e.Number & (1<<r.QPBits - 1)
}

// isError tells whether a code is an error of a queue pair, of which it has one.
func isError(c format.AsyncEvent) bool {
	return c == format.EventQPFatal || c == format.EventQPReqErr || c == format.EventQPAccessErr
}

// Told takes an event off what is owed to an event queue.
func (r *Reference) Told(eq int, e Event) error {
	i := slices.Index(r.owed[eq], e)
	if i < 0 {
		return fmt.Errorf("event %+v is not owed to event queue %d, but %+v", e, eq, r.owed[eq])
	}
	r.owed[eq] = slices.Delete(r.owed[eq], i, i+1)
	return nil
}

// Owes is how many events are owed to an event queue.
func (r *Reference) Owes(eq int) int { return len(r.owed[eq]) }
