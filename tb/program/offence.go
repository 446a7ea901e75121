package program

import (
	"context"
	"fmt"

	"gornic/format"
	"gornic/verbs"
)

// Offence is what an end is refused in the end, for one reason.
type Offence struct {
	Reason  Reason
	Message Message
}

// Reason is why a message is refused.
type Reason uint8

// Reasons: the peer's, then its own device's.
const (
	NotGranted   Reason = iota // by the queue pair
	UnknownKey                 // with another tag
	NoRight                    // under the key
	OutOfRange                 // partly
	OtherDomain                // the key's
	NotAligned                 // an atomic
	NotRevocable               // LOCAL_INV of an ordinary region
	NotWritable                // the place that a READ brings to
	reasonCount
)

func (r Reason) String() string {
	return [...]string{
		"queue pair grants no right", "unknown key", "key without the right", "out of the key's range", "key of another domain",
		"atomic that is not aligned", "LOCAL_INV of an ordinary region", "READ to where nobody may write",
	}[r%reasonCount]
}

// refusal is how a message is refused.
type refusal struct {
	status verbs.WCStatus
	event  verbs.EventType // at the peer, unless it does not hear of it
	vendor verbs.VendorCode
}

// local tells that the peer does not hear of it.
func (r Reason) local() bool { return r >= NotRevocable }

func (r Reason) refusal() refusal {
	return [...]refusal{
		{verbs.StatusRemInvReq, verbs.EventQPReqErr, format.VendorAccess},
		{verbs.StatusRemAccess, verbs.EventQPAccessErr, format.VendorKeyUnknown},
		{verbs.StatusRemAccess, verbs.EventQPAccessErr, format.VendorKeyRights},
		{verbs.StatusRemAccess, verbs.EventQPAccessErr, format.VendorKeyRange},
		{verbs.StatusRemAccess, verbs.EventQPAccessErr, format.VendorKeyPD},
		{verbs.StatusRemInvReq, verbs.EventQPReqErr, format.VendorAlignment},
		{status: verbs.StatusLocQPOp, vendor: format.VendorKeyType},
		{status: verbs.StatusLocProt, vendor: format.VendorKeyRights},
	}[r%reasonCount]
}

// offence draws what an end is refused.
func (d *draft) offence(c *Connection, end int) {
	e, peer := &c.Ends[end], &c.Ends[1-end]
	o := Offence{Reason: Reason(d.r.IntN(int(reasonCount)))}
	ops := []verbs.Opcode{verbs.WRWrite, verbs.WRRead, verbs.WRFetchAdd}
	switch {
	case d.limits.Reads == 0:
		ops = ops[:1]
	case d.limits.NoAtomics:
		ops = ops[:2]
	}
	op := ops[d.r.IntN(len(ops))]
	switch {
	case o.Reason == NotGranted && peer.Access&needs(op) != 0, o.Reason == OtherDomain && d.hosts[1-end].PDs == 1:
		o.Reason = UnknownKey
	case d.limits.Reads == 0 && (o.Reason == NotAligned || o.Reason == NotWritable):
		o.Reason = OutOfRange
	case d.limits.NoAtomics && o.Reason == NotAligned, d.limits.NoKeyRequests && o.Reason == NotRevocable:
		o.Reason = UnknownKey
	}
	switch o.Reason {
	case NotAligned:
		op = verbs.WRFetchAdd
	case NotRevocable:
		op = verbs.WRLocalInv
	case NotWritable:
		op = verbs.WRRead
	}
	if o.Reason != NotGranted {
		peer.Access |= needs(op)
	}
	if hasResponse(op) {
		peer.MaxDestRD = max(peer.MaxDestRD, 1)
		e.MaxRD = min(max(e.MaxRD, 1), peer.MaxDestRD)
	}
	o.Message = d.refused(c, end, op, o.Reason)
	e.Offence = &o
}

// offenceBytes are those of the region that is named.
const offenceBytes = 4 * wordBytes

// refused is the message, whose every other detail is right.
func (d *draft) refused(c *Connection, end int, op verbs.Opcode, reason Reason) Message {
	e, peer := &c.Ends[end], &c.Ends[1-end]
	m := nothing(op)
	m.Signaled, m.Length = d.r.IntN(2) == 0, wordBytes // an error completes in either case
	rights := verbs.AccessLocalWrite | loanAccess
	pd, host := peer.PD, 1-end
	switch reason {
	case NoRight:
		rights &^= needs(op)
	case OtherDomain:
		pd = 1 - pd
	case NotRevocable:
		pd, host = e.PD, end
	}
	m.Sink = Piece{d.layouts[host].kept(Region{PD: pd, Length: offenceBytes, Access: rights}), wordBytes, wordBytes}
	switch reason {
	case OutOfRange:
		m.Sink.Offset = offenceBytes - wordBytes/2
		if isAtomic(op) {
			m.Sink.Offset = offenceBytes
		}
	case NotAligned:
		m.Sink.Offset += wordBytes / 2
	case NotRevocable:
		return m
	}
	switch {
	case reason == NotWritable:
		m.Source = []Piece{{d.layouts[end].kept(Region{PD: e.PD, Length: offenceBytes, Access: verbs.AccessRemoteRead}), 0, wordBytes}}
	case hasResponse(op):
		m.Source = d.room(end, e.PD, wordBytes, 1)
	default:
		m.Source = d.source(end, e.PD, wordBytes, 1, false)
	}
	return m
}

// offend posts what is refused.
func (e *end) offend(ctx context.Context) error {
	m := e.Offence.Message
	e.failed = true
	if !e.Offence.Reason.local() {
		e.peer.failed = true
	}
	wr := verbs.SendWR{WRID: lateID(e.late), Opcode: m.Op, Flags: e.flags(m)}
	e.late++
	if m.Op == verbs.WRLocalInv {
		wr.InvalidateRKey = e.side.areas[m.Sink.Region].mr.RKey()
		return e.qp.PostSend(ctx, wr)
	}
	sink := e.peer.side.list([]Piece{m.Sink})[0]
	wr.SGL, wr.RemoteAddr, wr.RKey = e.side.list(m.Source), sink.Addr, sink.LKey
	if e.Offence.Reason == UnknownKey {
		wr.RKey ^= 1 << (format.KeyTagBits - 1)
	}
	return e.qp.PostSend(ctx, wr)
}

// refusedSend is the completion of what is refused.
func (e *end) refusedSend() verbs.WC {
	r := e.Offence.Reason.refusal()
	want := verbs.WC{WRID: lateID(0), Status: r.status, Vendor: r.vendor, QPN: e.qp.QPN(), WQEIndex: uint16(len(e.Messages))}
	if !e.Offence.Reason.local() {
		want.Vendor = format.VendorNAK
	}
	return want
}

// takeRefusal takes the event that the peer of an end has that was refused something.
func (e *end) takeRefusal(event verbs.AsyncEvent) bool {
	if e.Offence == nil || e.Offence.Reason.local() || e.refused || event.QP != e.peer.qp {
		return false
	}
	r := e.Offence.Reason.refusal()
	e.refused = event.Type == r.event && event.Vendor == r.vendor
	return e.refused
}

// checkRefusal tells why a refusal is not what it should be.
func (e *end) checkRefusal() error {
	if e.Offence == nil || e.Offence.Reason.local() || e.refused {
		return nil
	}
	return fmt.Errorf("%v: refused for %v, and the peer has no event", e, e.Offence.Reason)
}
