package golden

import (
	"time"

	"gornic/format"
)

// requester is the half of a queue pair that makes requests.
//
// PSNs from oldest to next are on their way. cursor is the PSN of the packet
// that is sent next: next, or one before it after a restart, and then packets
// are made again from their WQE.
type requester struct {
	started              []*request // oldest first
	oldest, cursor, next uint32

	retries    uint64        // restarts that are left (protocol section 4.6)
	rnrRetries uint64        // and waits for a receiver that was not ready
	rnrUntil   time.Duration // no request before this time
	progress   time.Duration // of the last thing that restarted the timer
}

// request is a send WQE that the requester has started on.
type request struct {
	sendWQE
	form        requestForm
	first, last uint32          // PSNs
	asked       map[uint32]bool // PSNs before the last whose packets ask for an acknowledgement
	trouble     *outcome        // what ends it when it is the oldest
	troubleAt   uint32          // PSN of the packet that cannot be sent
}

func newRequester(a modify) requester {
	psn := uint32(a.SQPSN)
	return requester{oldest: psn, cursor: psn, next: psn, retries: a.RetryCnt, rnrRetries: a.RNRRetry}
}

// stop forgets what was started.
func (r *requester) stop() {
	r.started, r.rnrUntil = nil, 0
	r.oldest, r.cursor = r.next, r.next
}

// unacknowledged is how many packets are on their way.
func (r *requester) unacknowledged() int { return psnDiff(r.next, r.oldest) }

// waits tells that the peer's receiver was not ready, and the wait for it is not
// over.
func (r *requester) waits(now time.Duration) bool { return now < r.rnrUntil }

// at returns the request that packet psn belongs to, nil if none does yet.
func (r *requester) at(psn uint32) *request {
	for _, w := range r.started {
		if psnDiff(psn, w.first) >= 0 && psnDiff(psn, w.last) <= 0 {
			return w
		}
	}
	return nil
}

// request does one unit of a requester's work: it ends the oldest WQE if that is
// in trouble, or sends a packet, the first of the next WQE among them.
func (n *NIC) request(q *queuePair) bool {
	r := &q.req
	if len(r.started) > 0 && r.started[0].trouble != nil {
		n.endSend(q, *r.started[0].trouble)
		return true
	}
	full := r.cursor == r.next && r.unacknowledged() >= n.config.Replay
	if full || len(n.frames) > 0 || r.waits(n.now) {
		return false
	}
	w, fresh := r.at(r.cursor), false
	if w == nil {
		w, fresh = n.start(q), true
	}
	switch {
	case w == nil:
		return false
	case w.trouble != nil && w.troubleAt == r.cursor:
		return fresh // it waits for those before it
	}
	n.sendRequest(q, w)
	return true
}

// start takes the next WQE from the send queue, if there is one, and gives it its
// PSNs. One that makes no sense ends its QP, but only when those before it are
// done.
func (n *NIC) start(q *queuePair) *request {
	if q.state != format.QPRTS || q.sq.empty() {
		return nil
	}
	r := &q.req
	wqe, status, vendor := n.readSendWQE(q, q.sq.take())
	w := &request{sendWQE: wqe, first: r.cursor, last: r.cursor, asked: map[uint32]bool{}}
	if status == format.StatusSuccess {
		w.form, _ = requestOf(wqe.Opcode)
		w.last = psnAdd(w.first, uint32(packets(wqe.length(), q.mtu())-1))
	} else {
		w.fails(r.cursor, status, vendor)
	}
	r.started = append(r.started, w)
	return w
}

func (w *request) fails(psn uint32, status format.Status, vendor format.VendorCode) {
	w.trouble = &outcome{wrid: w.WRID, status: status, vendor: vendor}
	w.troubleAt = psn
}

// sendRequest sends the packet at the cursor.
func (n *NIC) sendRequest(q *queuePair, w *request) {
	r := &q.req
	psn := r.cursor
	offset := uint64(psnDiff(psn, w.first)) * q.mtu()
	payload, vendor := n.payload(q, w, offset, min(q.mtu(), w.length()-offset))
	if vendor != format.VendorNone {
		w.fails(psn, format.StatusLocProt, vendor)
		return
	}
	if r.unacknowledged() == 0 {
		r.progress = n.now
	}
	n.transmit(n.requestHeader(q, w, psn), payload)
	r.cursor = psnAdd(psn, 1)
	if psn == r.next {
		r.next = r.cursor
	}
}

// payload reads a piece of the message: from the WQE, or from where it points.
func (n *NIC) payload(q *queuePair, w *request, offset, length uint64) ([]byte, format.VendorCode) {
	if w.inline != nil {
		return w.inline[offset : offset+length], format.VendorNone
	}
	return n.gather(q, w.list, offset, length)
}

// requestHeader is the header of a packet of a request. A packet that is sent
// again has the same.
func (n *NIC) requestHeader(q *queuePair, w *request, psn uint32) format.TxDescriptor[uint64] {
	first, last := psn == w.first, psn == w.last
	d := q.header(w.form.opcode(first, last), psn)
	info, _ := format.Lookup(format.Opcode(d.Opcode))
	if at, ok := info.ExtOffset(format.ExtRETH); ok {
		d.Ext[at/4], d.Ext[at/4+1] = w.RemoteAddr>>32, w.RemoteAddr&0xFFFFFFFF
		d.Ext[at/4+2], d.Ext[at/4+3] = w.RKey, w.length()
	}
	if at, ok := info.ExtOffset(format.ExtImmDt); ok {
		d.Ext[at/4] = swap32(w.Imm)
	}
	if last && w.form.solicits && w.Flags&format.WRFlagSolicited != 0 {
		d.SE = 1
	}
	if last || n.asks(q, w, psn) {
		d.AckReq = 1
	}
	return d
}

// asks tells whether a packet before the last asks for an acknowledgement: one
// of so many does, and one that leaves the QP no room for another.
func (n *NIC) asks(q *queuePair, w *request, psn uint32) bool {
	r := &q.req
	if psn == r.next {
		every := (psnDiff(psn, w.first)+1)%n.config.AckEvery == 0
		if every || r.unacknowledged() == n.config.Replay-1 {
			w.asked[psn] = true
		}
	}
	return w.asked[psn]
}
