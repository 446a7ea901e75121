package golden

import "gornic/format"

type modify = format.ModifyQP[uint64]

// queuePair is a queue pair: its queues, its attributes, and its two halves.
type queuePair struct {
	number         uint32
	pd             uint64
	page           uint32
	sigAll         bool
	congestion     bool // it has congestion control
	sendCQ, recvCQ uint64
	sq, rq         workQueue

	state    format.QPState
	attr     modify // attributes in force
	draining bool   // in SQD, with WQEs that had begun before
	notify   bool   // and somebody wants to know when they are done

	req   requester
	resp  responder
	asked bool // the requester had the last turn
	notifications
}

func newQueuePair(a format.CreateQP[uint64]) *queuePair {
	return &queuePair{
		number:     uint32(a.QPN),
		pd:         a.PD,
		page:       uint32(a.Page),
		sigAll:     a.SigAll != 0,
		congestion: a.Congestion != 0,
		sendCQ:     a.SendCQ,
		recvCQ:     a.RecvCQ,
		sq:         workQueue{base: a.SQBase, logSize: a.SQLogSize, logStride: a.SQLogStride},
		rq:         workQueue{base: a.RQBase, logSize: a.RQLogSize, logStride: a.RQLogStride},
	}
}

// qp returns the queue pair of all 24 bits of a number, nil if there is none.
func (n *NIC) qp(number uint64) *queuePair {
	q := n.qps[number&uint64(len(n.qps)-1)]
	if q == nil || uint64(q.number) != number {
		return nil
	}
	return q
}

// mtu is the path MTU in bytes.
func (q *queuePair) mtu() uint64 { return 128 << q.attr.PathMTU }

// set takes over the attributes whose bits are in a.Mask.
func (q *queuePair) set(a modify) {
	for attribute, field := range map[uint64]struct{ to, from *uint64 }{
		format.AttrAccess:    {&q.attr.Access, &a.Access},
		format.AttrPathMTU:   {&q.attr.PathMTU, &a.PathMTU},
		format.AttrTimeout:   {&q.attr.Timeout, &a.Timeout},
		format.AttrRetryCnt:  {&q.attr.RetryCnt, &a.RetryCnt},
		format.AttrRNRRetry:  {&q.attr.RNRRetry, &a.RNRRetry},
		format.AttrRQPSN:     {&q.attr.RQPSN, &a.RQPSN},
		format.AttrMaxRD:     {&q.attr.MaxRD, &a.MaxRD},
		format.AttrMinRNR:    {&q.attr.MinRNR, &a.MinRNR},
		format.AttrSQPSN:     {&q.attr.SQPSN, &a.SQPSN},
		format.AttrMaxDestRD: {&q.attr.MaxDestRD, &a.MaxDestRD},
		format.AttrDestQPN:   {&q.attr.DestQPN, &a.DestQPN},
	} {
		if a.Mask&attribute != 0 {
			*field.to = *field.from
		}
	}
	if a.Mask&format.AttrAV != 0 {
		q.attr.AV = a.AV
	}
}

// enter makes a change of state that the table allows.
func (n *NIC) enter(q *queuePair, to format.QPState) {
	from := q.state
	switch {
	case to == format.QPReset:
		q.reset()
	case to == format.QPError:
		q.fail()
	case from == format.QPInit && to == format.QPRTR:
		q.resp = responder{expected: uint32(q.attr.RQPSN)}
	case from == format.QPRTR && to == format.QPRTS:
		q.req = newRequester(q.attr)
	case from == format.QPRTS && to == format.QPSQD:
		q.draining = true
	case to == format.QPRTS:
		q.draining = false
	}
	q.state = to
}

// reset forgets all work, without completions (protocol section 5.2).
func (q *queuePair) reset() {
	q.sq.restart()
	q.rq.restart()
	q.attr, q.draining, q.notify = modify{}, false, false
	q.req, q.resp, q.notifications = requester{}, responder{}, notifications{}
}

// fail ends all work. What is in the rings is flushed from the oldest WQE that
// is not done with, those that were started among them.
func (q *queuePair) fail() {
	q.state, q.draining, q.notify = format.QPError, false, false
	q.sq.taken, q.rq.taken = q.sq.consumer, q.rq.consumer
	q.req.stop()
	q.resp.stop()
}

// fatal moves a QP to ERR for something that no WQE can report.
func (n *NIC) fatal(q *queuePair, code format.AsyncEvent, vendor format.VendorCode) {
	if q.state != format.QPError {
		q.fail()
		n.raiseQP(q, code, vendor)
	}
}

// work does one unit of a queue pair's work, false if it has none.
func (n *NIC) work(q *queuePair) bool {
	switch q.state {
	case format.QPRTR:
		return n.answer(q)
	case format.QPError: // what was accepted before is answered, and then perhaps a NAK
		return n.answer(q) || n.flush(q)
	case format.QPRTS, format.QPSQD:
		return n.drained(q) || n.retryAfterTimeout(q) || n.packetInTurn(q)
	}
	return false
}

// packetInTurn does one unit of either half, each in its turn: a long READ does not
// hold up the queue pair's own requests, nor the other way round.
func (n *NIC) packetInTurn(q *queuePair) bool {
	if q.asked = !q.asked; q.asked {
		return n.request(q) || n.answer(q)
	}
	return n.answer(q) || n.request(q)
}

// drained reports a QP in SQD whose started WQEs are done.
func (n *NIC) drained(q *queuePair) bool {
	if !q.draining || len(q.req.started) > 0 {
		return false
	}
	q.draining = false
	if q.notify {
		q.notify = false
		n.raiseQP(q, format.EventSQDrained, format.VendorNone)
	}
	return true
}

// flush completes the oldest WQE of a QP in ERR.
func (n *NIC) flush(q *queuePair) bool {
	switch {
	case !q.sq.empty():
		control, ok := readHost[format.SendControl[uint64]](n, q.sq.slot(q.sq.take()))
		n.completeSend(q, flushed(control.WRID, ok))
	case !q.rq.empty():
		control, ok := readHost[format.RecvControl[uint64]](n, q.rq.slot(q.rq.take()))
		n.completeRecv(q, flushed(control.WRID, ok), false)
	default:
		return false
	}
	return true
}

// flushed is the outcome of a WQE that is flushed; read tells whether it could
// be read, without which nobody knows its wr_id.
func flushed(wrid uint64, read bool) outcome {
	o := outcome{wrid: wrid, status: format.StatusFlush}
	if !read {
		o.wrid = 0
	}
	return o
}
