package program

import (
	"context"
	"fmt"

	"gornic/format"
	"gornic/tb/host"
	"gornic/verbs"
)

// Broken is memory that answers a device with errors in a round: all that one message takes from, or goes to, at one host.
type Broken struct {
	End     int // whose message it is
	Message int
	Remote  bool // at its peer
}

// around is how many bytes of a region of its own lie on either side of what is broken: a bus reads no more of them with it.
const around = 64

// breaks has the memory of a message be broken, in a round that is drawn.
func (d *draft) breaks(r *Round) {
	b := Broken{End: d.r.IntN(2), Remote: d.r.IntN(2) == 0}
	user := &r.Ends[b.End]
	if len(user.Messages) == 0 {
		return
	}
	b.Message = d.r.IntN(len(user.Messages))
	m := &user.Messages[b.Message]
	at := b.End
	if b.Remote {
		at = 1 - at
	}
	access := verbs.AccessLocalWrite
	if b.Remote && !isSend(m.Op) {
		access |= needs(m.Op)
	}
	n := (m.Length + wordBytes - 1) &^ (wordBytes - 1)
	p := Piece{d.layouts[at].kept(Region{PD: r.Ends[at].PD, Length: n + 2*around, Access: access}), around, m.Length}
	switch {
	case !b.Remote:
		m.Source = []Piece{p}
	case isSend(m.Op):
		r.Ends[at].Receives[m.Receive].Pieces = []Piece{p}
	default:
		m.Sink = p
	}
	r.Broken = &b
}

// kinds are the accesses that fail.
func (b Broken) kinds(m Message) host.Kinds {
	switch {
	case isAtomic(m.Op) && b.Remote:
		return host.Reads | host.Writes
	case hasResponse(m.Op) == b.Remote:
		return host.Reads
	}
	return host.Writes
}

// piece is what is broken, and the end at whose host it is.
func (b Broken) piece(r *tried) (Piece, *triedEnd) {
	m := r.Ends[b.End].Messages[b.Message]
	switch peer := r.ends[1-b.End]; {
	case !b.Remote:
		return m.Source[0], r.ends[b.End]
	case isSend(m.Op):
		return peer.Receives[m.Receive].Pieces[0], peer
	default:
		return m.Sink, peer
	}
}

// breakMemory breaks what is to be broken in a round.
func (r *tried) breakMemory() error {
	b := r.Broken
	if b == nil {
		return nil
	}
	if b.Message >= len(r.Ends[b.End].Messages) { // it is one of those that were taken away
		r.Broken = nil
		return nil
	}
	p, e := b.piece(r)
	a := e.side.areas[p.Region]
	return a.each(a.lead+p.Offset, p.Length, func(part part, at uint64, from, to int) error {
		mend := e.side.Break(part.buf.Addr()+at, uint64(to-from), b.kinds(r.Ends[b.End].Messages[b.Message]))
		r.mend = append(r.mend, mend)
		return nil
	})
}

// status is how the message fails whose memory is broken, unless its queue pair has failed before, or the NAK is lost.
func (b Broken) status(m Message) (verbs.WCStatus, format.VendorCode) {
	switch {
	case b.Remote:
		return verbs.StatusRemOp, format.VendorNAK
	case hasResponse(m.Op):
		return verbs.StatusLocProt, format.VendorBusWrite
	}
	return verbs.StatusLocProt, format.VendorBusRead
}

func (b Broken) String() string {
	where := "its own memory"
	if b.Remote {
		where = "the memory of its peer"
	}
	return fmt.Sprintf(", message %d of host %s meets errors in %s", b.Message, "ab"[b.End:b.End+1], where)
}

// of tells that a message is the one whose memory is broken; nil: none is.
func (b *Broken) of(from, message int) bool {
	return b != nil && b.End == from && b.Message == message
}

// mayFail tells that a completion is that of a message whose memory is broken, or a queue pair was flushed whose memory a message of its
// peer found broken.
func (b *Broken) mayFail(r *tried, from, message int, c verbs.WC) bool {
	if b == nil {
		return false
	}
	status, vendor := b.status(r.Ends[b.End].Messages[b.Message])
	return b.of(from, message) && c.Status == status && c.Vendor == vendor ||
		b.Remote && b.End != from && c.Status == verbs.StatusFlush && c.Vendor == format.VendorNone
}

func (b *Broken) mayNotSucceed(from, message int) error {
	if b.of(from, message) {
		return fmt.Errorf("message %d succeeds, and memory that it needs is broken", message)
	}
	return nil
}

// unsent tells that nothing is sent of a message, nor of those behind it: its payload cannot be had.
func (b *Broken) unsent(r *tried, from, message int) bool {
	return b != nil && b.End == from && !b.Remote && message >= b.Message && !hasResponse(r.Ends[from].Messages[b.Message].Op)
}

// reach is how far messages get.
type reach struct {
	message int  // the first for which its peer has no memory; one that there is not, if it has for all
	answer  bool // it is a READ or atomic
}

// reach tells how far those of an end get.
func (b *Broken) reach(r *tried, from int) reach {
	if b != nil && b.End == from && b.Remote {
		return reach{b.Message, hasResponse(r.Ends[from].Messages[b.Message].Op)}
	}
	return reach{message: trialDepth}
}

// blur takes out of a stream what the message whose memory is broken writes, all or some of which may be there.
func (b *Broken) blur(ctx context.Context, stream []packet, from int) error {
	for i := range stream {
		if !b.of(from, stream[i].message) {
			continue
		}
		if err := settle(ctx, stream[i:i+1]); err != nil {
			return err
		}
		stream[i].writes = nil
	}
	return nil
}

// takeEvent takes the event of a queue pair that found its memory broken.
func (t *trials) takeEvent(s *side, e verbs.AsyncEvent) bool {
	for _, x := range t.all {
		for _, r := range x.rounds {
			b := r.Broken
			if b == nil || !b.Remote {
				continue
			}
			owner := r.ends[1-b.End]
			fits := e.Type == verbs.EventQPFatal && (e.Vendor == format.VendorBusRead || e.Vendor == format.VendorBusWrite)
			of := e.QP == owner.qp || e.QP == nil && e.Number == owner.qp.QPN() // it was read when there was no such queue pair any more
			if s == owner.side && of && fits && len(owner.events) == 0 {
				owner.events = append(owner.events, e)
				return true
			}
		}
	}
	return false
}
