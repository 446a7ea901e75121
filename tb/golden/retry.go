package golden

import (
	"time"

	"gornic/format"
)

// rnrForever is the RNR retry count that never runs out.
const rnrForever = 7

// peerMissed is NAK 0x60: the packets from psn on are sent again, but not before
// the end of a wait for the receiver (protocol section 4.6).
func (n *NIC) peerMissed(q *queuePair, psn uint32) {
	q.req.rnrRetries = q.attr.RNRRetry
	if n.settle(q, psn) && !q.req.waits(n.now) {
		n.restart(q)
	}
}

// askAgain restarts at a READ or atomic that has lost a response, once until something
// comes of it (protocol sections 4.3 and 4.4).
func (n *NIC) askAgain(q *queuePair) {
	r := &q.req
	if r.again {
		return
	}
	r.again = true
	if !r.waits(n.now) {
		n.restart(q)
	}
}

// restart goes back to the oldest unacknowledged packet, if a retry is left.
func (n *NIC) restart(q *queuePair) {
	r := &q.req
	if r.retries == 0 {
		n.endSend(q, outcome{wrid: r.started[0].WRID, status: format.StatusRetryExceeded})
		return
	}
	r.retries--
	r.cursor, r.progress = r.oldest, n.now
}

// peerNotReady is an RNR NAK: after a while the packets from psn on are sent
// again.
func (n *NIC) peerNotReady(q *queuePair, psn uint32, code uint64) {
	r := &q.req
	if !n.settle(q, psn) || r.waits(n.now) {
		return
	}
	switch r.rnrRetries {
	case rnrForever:
	case 0:
		n.endSend(q, outcome{wrid: r.started[0].WRID, status: format.StatusRNRExceeded})
		return
	default:
		r.rnrRetries--
	}
	r.cursor = r.oldest
	r.rnrUntil = n.now + rnrWait(code)
	r.progress = r.rnrUntil
}

// retryAfterTimeout restarts a QP whose timer has run out. The timer runs while
// packets are on their way and no receiver is waited for.
func (n *NIC) retryAfterTimeout(q *queuePair) bool {
	r := &q.req
	if q.attr.Timeout == 0 || r.unacknowledged() == 0 || n.now < r.progress+4096*time.Nanosecond<<q.attr.Timeout {
		return false
	}
	n.restart(q)
	return true
}

// rnrWait is the least wait of an RNR timer code (protocol section 1.6).
func rnrWait(code uint64) time.Duration {
	units := [32]time.Duration{
		65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
	}
	return units[code&31] * 10 * time.Microsecond
}
