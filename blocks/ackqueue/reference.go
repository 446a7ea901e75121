package ackqueue

import (
	"gornic/blocks/link"
	"gornic/format"
)

// Reference is the block for one queue pair in plain Go, without time.
type Reference struct {
	MSN    uint32
	failed bool
	ended  bool
	index  uint16
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
	WQEIndex   uint16
	Status     format.Status
	Vendor     format.VendorCode
	Solicited  bool
}

// Effect is what becomes of it. Answer, Done and Fault are nil where there is
// none.
type Effect struct {
	Answer *Answer
	Done   *Done
	Fault  *Fault
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
	switch q.Reply {
	case link.ReplyACK:
		e.Answer = &Answer{format.SyndromeNoCredits, q.PSN, r.MSN}
	case link.ReplyNAK:
		e.Answer = &Answer{q.Syndrome, q.PSN, r.MSN}
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

func (r *Reference) flush(q Request) Effect {
	if !q.Complete || r.ended && q.WQEIndex == r.index {
		return Effect{}
	}
	return Effect{Done: &Done{format.StatusFlush, q.Vendor, true}}
}

func (r *Reference) busError(q Request) Effect {
	e := Effect{
		Answer: &Answer{format.SyndromeNAKOp, q.RequestPSN, r.MSN},
		Fault:  &Fault{HasEvent: true, Event: format.EventQPFatal, Vendor: format.VendorBusWrite},
	}
	r.failed, r.ended, r.index = true, q.Complete || q.Open, q.WQEIndex
	if r.ended {
		e.Done = &Done{format.StatusLocProt, format.VendorBusWrite, true}
		e.Fault.HasEvent = false
	}
	return e
}
