package ackqueue

import (
	"gornic/blocks/link"
	"gornic/format"
)

// Reference is the block for one queue pair in plain Go, without time.
type Reference struct {
	MSN        uint32
	Accepted   int // READs and atomics passed on
	Duplicates int // and those that came again

	failed bool
	ended  bool
	index  uint16

	answered, repeated int // how far READs and atomics have been answered; duplicates that this takes into account
	owed               *Answer
	behind             int // READs and atomics are before it
}

// Request is what of a commit matters.
type Request struct {
	BusErr     bool
	Reply      int // link.ReplyNone and others
	PSN        uint32
	RequestPSN uint32
	Syndrome   uint8
	Message    bool
	Fatal      bool
	HasEvent   bool
	Event      format.AsyncEvent
	Complete   bool
	Open       bool
	Resource   bool // a READ or atomic
	Duplicate  bool // which came before
	WQEIndex   uint16
	Status     format.Status
	Vendor     format.VendorCode
	Solicited  bool
}

// Effect is what becomes of it at once. Each is nil where there is none.
type Effect struct {
	Done     *Done
	Fault    *Fault
	Resource *Resource
	Refused  uint8 // the syndrome that refuses it, 0 if none does: an RNR NAK or a fatal one
}

// Resource is a READ or atomic that is passed on.
type Resource struct {
	Cancel bool
	MSN    uint32
}

// Answer is an acknowledgement.
type Answer struct {
	Syndrome uint8
	PSN, MSN uint32
}

// Done is how a receive WQE completed.
type Done struct {
	Status    format.Status
	Vendor    format.VendorCode
	Solicited bool
}

// Fault takes the queue pair to ERR.
type Fault struct {
	HasEvent bool
	Event    format.AsyncEvent
	Vendor   format.VendorCode
}

// Commit commits a request.
func (r *Reference) Commit(q Request) Effect {
	switch {
	case r.failed:
		return r.flush(q)
	case q.BusErr:
		return r.busError(q)
	}
	var e Effect
	if q.Message {
		r.MSN = (r.MSN + 1) & 0xFFFFFF
	}
	switch {
	case q.Reply == link.ReplyACK && r.owed != nil && r.owed.Syndrome != format.SyndromeNoCredits && before(q.PSN, r.owed.PSN):
		// A duplicate: the NAK acknowledges it.
	case q.Reply == link.ReplyACK:
		r.owe(format.SyndromeNoCredits, q.PSN)
	case q.Reply == link.ReplyNAK:
		r.owe(q.Syndrome, q.PSN)
		if q.Syndrome != format.SyndromeNAK {
			e.Refused = q.Syndrome
		}
	case q.Resource && q.Duplicate:
		r.Duplicates++
		e.Resource = &Resource{MSN: r.MSN}
	case q.Resource:
		r.Accepted++
		e.Resource = &Resource{MSN: r.MSN}
		r.owed = nil // the response acknowledges; and what a NAK asked for has come
	}
	if q.Complete {
		e.Done = &Done{q.Status, q.Vendor, q.Solicited || q.Status != format.StatusSuccess}
	}
	if q.Fatal {
		e.Fault = &Fault{q.HasEvent, q.Event, q.Vendor}
		r.failed, r.ended, r.index = true, q.Complete, q.WQEIndex
	}
	return e
}

// before tells whether a PSN is before another (protocol section 3.2).
func before(a, b uint32) bool { return (a-b)&0xFFFFFF >= 1<<23 }

func (r *Reference) owe(syndrome uint8, psn uint32) {
	r.owed, r.behind = &Answer{syndrome, psn, r.MSN}, r.Accepted
}

// Serve hears that all READs and atomics before a number have been answered, and how many
// duplicates this takes into account.
func (r *Reference) Serve(next, duplicates int) { r.answered, r.repeated = next, duplicates }

// Leave returns the answer that leaves, if one is owed and stands behind nothing.
func (r *Reference) Leave() *Answer {
	if r.owed == nil || r.answered < r.behind || r.repeated != r.Duplicates {
		return nil
	}
	a := r.owed
	r.owed = nil
	return a
}

func (r *Reference) flush(q Request) Effect {
	if q.Resource && !q.Duplicate {
		return Effect{Resource: &Resource{Cancel: true, MSN: r.MSN}}
	}
	if !q.Complete || r.ended && q.WQEIndex == r.index {
		return Effect{}
	}
	return Effect{Done: &Done{format.StatusFlush, q.Vendor, true}}
}

func (r *Reference) busError(q Request) Effect {
	r.owe(format.SyndromeNAKOp, q.RequestPSN)
	e := Effect{Fault: &Fault{HasEvent: true, Event: format.EventQPFatal, Vendor: format.VendorBusWrite}, Refused: format.SyndromeNAKOp}
	r.failed, r.ended, r.index = true, q.Complete || q.Open, q.WQEIndex
	if r.ended {
		e.Done = &Done{format.StatusLocProt, format.VendorBusWrite, true}
		e.Fault.HasEvent = false
	}
	return e
}
