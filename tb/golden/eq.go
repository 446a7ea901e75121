package golden

import (
	"slices"

	"gornic/format"
)

// eventQueue is a ring of EQEs. It never drops: what it has no room for stays
// pending at its source, once for each thing that there is to say.
type eventQueue struct {
	number   uint32
	vector   uint32
	base     uint64
	logSize  uint64
	producer uint16
	consumer uint16
	pending  []event
	failed   bool // an EQE could not be written: there is nobody left to tell
}

const eqeBytes = 16

// event is something that software is to be told.
type event struct {
	kind   uint64 // format.EventCompletion or EventAsync
	code   format.AsyncEvent
	vendor format.VendorCode
	number uint32 // CQN or QPN
}

// source is what has the pending bit: events of one source are told once.
func (e event) source() event {
	e.vendor = 0
	return e
}

// about tells whether the event is a CQ's (cq) or QP's of that number.
func (e event) about(cq bool, number uint32) bool {
	ofCQ := e.kind == format.EventCompletion || e.code == format.EventCQErr
	return ofCQ == cq && e.number == number
}

// eq returns an event queue, nil if there is none.
func (n *NIC) eq(number uint64) *eventQueue {
	if number >= uint64(len(n.eqs)) {
		return nil
	}
	return n.eqs[number]
}

// consume moves the consumer index, unless software cannot have got there.
func (e *eventQueue) consume(index uint16) {
	if index-e.consumer <= e.producer-e.consumer {
		e.consumer = index
	}
}

// raise reports an event to an event queue.
func (n *NIC) raise(eqn uint64, ev event) {
	e := n.eq(eqn)
	if e == nil {
		return
	}
	known := slices.ContainsFunc(e.pending, func(p event) bool { return p.source() == ev.source() })
	if !known {
		e.pending = append(e.pending, ev)
	}
	n.deliver(e)
}

// asyncEQ is the event queue of asynchronous events.
const asyncEQ = 0

// raiseQP reports an asynchronous event of a queue pair.
func (n *NIC) raiseQP(q *queuePair, code format.AsyncEvent, vendor format.VendorCode) {
	n.raise(asyncEQ, event{format.EventAsync, code, vendor, q.number})
}

// deliver writes pending events while there is room.
func (n *NIC) deliver(e *eventQueue) {
	for len(e.pending) > 0 && !e.failed && uint32(e.producer-e.consumer) < 1<<e.logSize {
		ev := e.pending[0]
		e.pending = e.pending[1:]
		eqe := format.EQE[uint64]{
			Kind: ev.kind, Code: uint64(ev.code), Vendor: uint64(ev.vendor), Number: uint64(ev.number),
			Phase: phase(e.producer, e.logSize),
		}
		if !writeHost(n, e.base+uint64(e.producer)&(1<<e.logSize-1)*eqeBytes, eqe) {
			e.failed = true
			return
		}
		e.producer++
		n.port.irqPending |= 1 << e.vector
	}
}

// forget drops the pending events of a CQ (cq) or QP that is destroyed.
func (n *NIC) forget(cq bool, number uint32) {
	for _, e := range n.eqs {
		if e != nil {
			e.pending = slices.DeleteFunc(e.pending, func(ev event) bool { return ev.about(cq, number) })
		}
	}
}
