package golden

import "gornic/format"

// requester is the half of a queue pair that makes requests.
//
// PSNs from oldest to next are on their way, those of responses to READs among
// them. cursor is the PSN of the packet that is sent next: next, or one before it
// after a restart, and then packets are made again from their WQE.
type requester struct {
	started              []*request // oldest first
	oldest, cursor, next uint32
	retry                retry
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
	return requester{oldest: psn, cursor: psn, next: psn}
}

// stop forgets what was started.
func (r *requester) stop() {
	r.started, r.retry = nil, retry{}
	r.oldest, r.cursor = r.next, r.next
}

// unacknowledged is how many PSNs are on their way.
func (r *requester) unacknowledged() int { return psnDiff(r.next, r.oldest) }

// inFlight is how many packets are on their way. A READ is one.
func (r *requester) inFlight() int {
	total := 0
	for _, w := range r.started {
		from, to := w.due(r.oldest), psnAdd(w.last, 1)
		if psnDiff(to, r.next) > 0 {
			to = r.next
		}
		switch count := psnDiff(to, from); {
		case w.form.kind == localRequest || count <= 0:
		case w.form.answered():
			total++
		default:
			total += count
		}
	}
	return total
}

// reads is how many READs and atomics are on their way.
func (r *requester) reads() int {
	total := 0
	for _, w := range r.started {
		if w.form.answered() {
			total++
		}
	}
	return total
}

// due is the first PSN of a request that the peer has not acknowledged, where all
// before oldest are.
func (w *request) due(oldest uint32) uint32 {
	if psnDiff(oldest, w.first) > 0 {
		return oldest
	}
	return w.first
}

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
// in trouble, or sends a packet, the first of the next WQE among them, or executes a
// WQE that makes none.
func (n *NIC) request(q *queuePair) bool {
	r := &q.req
	if len(r.started) > 0 && r.started[0].trouble != nil {
		n.endSend(q, *r.started[0].trouble)
		return true
	}
	full := r.cursor == r.next && r.inFlight() >= n.config.Replay
	if full || len(n.frames) > 0 || r.retry.waiting(n.now) {
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
	case w.form.kind != localRequest:
		n.sendRequest(q, w)
	}
	return true
}

// start takes the next WQE from the send queue, if there is one, and gives it its
// PSNs. One that makes no sense ends its QP, but only when those before it are
// done. One that has to wait for those before it is not taken.
func (n *NIC) start(q *queuePair) *request {
	if q.state != format.QPRTS || q.sq.empty() {
		return nil
	}
	r := &q.req
	wqe, status, vendor := n.readSendWQE(q, q.sq.taken)
	w := &request{sendWQE: wqe, first: r.cursor, last: r.cursor, asked: map[uint32]bool{}}
	if status == format.StatusSuccess {
		w.form, _ = n.requestOf(wqe.Opcode)
		if q.holdsBack(w) {
			return nil
		}
		w.last = psnAdd(w.first, uint32(packets(wqe.length(), q.mtu())-1))
	}
	q.sq.take()
	r.started = append(r.started, w)
	switch {
	case status != format.StatusSuccess:
		w.fails(r.cursor, status, vendor)
	case w.form.kind == localRequest:
		n.executeLocal(q, w)
	}
	return w
}

// holdsBack tells whether a WQE has to wait for those before it (protocol sections
// 4.1 and 4.7).
func (q *queuePair) holdsBack(w *request) bool {
	r := &q.req
	switch {
	case w.Flags&format.WRFlagFence != 0 && r.reads() > 0,
		format.WROpcode(w.Opcode) == format.WRLocalInv && len(r.started) > 0,
		w.form.answered() && uint64(r.reads()) >= q.attr.MaxRD:
		return true
	}
	return uint64(r.unacknowledged())+packets(w.length(), q.mtu()) >= maxWindow && r.unacknowledged() > 0
}

// executeLocal does the work of a WQE that makes no packet, and has no PSN. It
// completes when those before it have.
func (n *NIC) executeLocal(q *queuePair, w *request) {
	if vendor := w.form.local(n, q, w.sendWQE); vendor != format.VendorNone {
		w.fails(w.first, w.form.failure, vendor)
		return
	}
	w.last = psnAdd(w.first, psnMask)
	n.retire(q)
}

func (w *request) fails(psn uint32, status format.Status, vendor format.VendorCode) {
	w.trouble = &outcome{wrid: w.WRID, status: status, vendor: vendor}
	w.troubleAt = psn
}

// sendRequest sends the packet at the cursor.
func (n *NIC) sendRequest(q *queuePair, w *request) {
	r := &q.req
	psn, end := r.cursor, psnAdd(r.cursor, 1)
	offset := uint64(psnDiff(psn, w.first)) * q.mtu()
	var payload []byte
	var vendor format.VendorCode
	if w.form.answered() {
		end = psnAdd(w.last, 1)
		vendor = n.allows(q, w.list, format.AccessLocalWrite)
	} else {
		payload, vendor = n.payload(q, w, offset, min(q.mtu(), w.length()-offset))
	}
	if vendor != format.VendorNone {
		w.fails(psn, format.StatusLocProt, vendor)
		return
	}
	again := psnDiff(psn, r.next) < 0
	if again {
		n.count(format.CntTxResent)
	}
	if again || r.unacknowledged() == 0 {
		r.retry.timer = n.now
	}
	n.transmit(n.requestHeader(q, w, psn, offset), payload)
	r.cursor = end
	if psnDiff(end, r.next) > 0 {
		r.next = end
	}
}

// payload reads a piece of the message: from the WQE, or from where it points.
func (n *NIC) payload(q *queuePair, w *request, offset, length uint64) ([]byte, format.VendorCode) {
	if w.inline != nil {
		return w.inline[offset : offset+length], format.VendorNone
	}
	return n.gather(q, w.list, offset, length)
}

// requestHeader is the header of the packet of a request that begins at offset. A
// packet that is sent again has the same; a READ asks for what is left of it (protocol
// section 4.5).
func (n *NIC) requestHeader(q *queuePair, w *request, psn uint32, offset uint64) format.TxDescriptor[uint64] {
	first, last := psn == w.first, psn == w.last || w.form.answered()
	d := q.header(w.form.opcode(first, last), psn)
	w.extend(&d, offset)
	if last && w.form.solicits && w.Flags&format.WRFlagSolicited != 0 {
		d.SE = 1
	}
	if last || n.asks(q, w, psn) {
		d.AckReq = 1
	}
	return d
}

// extend fills in the extension headers of a packet that begins at offset.
func (w *request) extend(d *format.TxDescriptor[uint64], offset uint64) {
	info, _ := format.Lookup(format.Opcode(d.Opcode))
	put := func(h format.ExtHeader, words ...uint64) {
		if at, ok := info.ExtOffset(h); ok {
			copy(d.Ext[at/4:], words)
		}
	}
	const low = 0xFFFFFFFF
	va, operands := w.RemoteAddr+offset, format.AtomicOperands[uint64]{}
	if w.form.kind == atomicRequest {
		operands = w.atomic()
	}
	put(format.ExtRETH, va>>32, va&low, w.RKey, w.length()-offset)
	put(format.ExtAtomicETH, va>>32, va&low, w.RKey,
		operands.SwapOrAdd>>32, operands.SwapOrAdd&low, operands.Compare>>32, operands.Compare&low)
	put(format.ExtImmDt, swap32(w.Imm))
	put(format.ExtIETH, w.Imm)
}

// asks tells whether a packet before the last asks for an acknowledgement: one
// of so many does, and one that leaves the QP no room for another.
func (n *NIC) asks(q *queuePair, w *request, psn uint32) bool {
	r := &q.req
	if psn == r.next {
		every := (psnDiff(psn, w.first)+1)%n.config.AckEvery == 0
		if every || r.inFlight() == n.config.Replay-1 {
			w.asked[psn] = true
		}
	}
	return w.asked[psn]
}
