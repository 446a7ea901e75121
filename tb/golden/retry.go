package golden

import (
	"time"

	"gornic/format"
)

// retry is what a requester knows of sending again (protocol section 4.6). What it
// counts, it counts since the last progress: something that was on its way has been
// acknowledged, or data of a READ has come.
type retry struct {
	restarts uint64        // and no more than retry_cnt of them
	waits    uint64        // for a receiver that was not ready, and no more than rnr_retry
	once     bool          // a restart was made: what a response says is missing is on its way again
	until    time.Duration // no request before this time: the peer's receiver was not ready
	timer    time.Duration // the ACK timeout counts from here
}

// rnrForever is the RNR retry count that never runs out.
const rnrForever = 7

// waiting tells that the peer's receiver was not ready, and the wait for it is not over.
func (r *retry) waiting(now time.Duration) bool { return now < r.until }

// progress gives the retries back, and restarts the timer: of a wait, behind it.
func (r *retry) progress(now time.Duration) {
	r.restarts, r.waits, r.once, r.timer = 0, 0, false, max(now, r.until)
}

// somethingMissing restarts for a response that says so: NAK 0x60, an answer behind a READ or
// atomic that has none, data behind what is due of a READ. It does so once until there is
// progress, and not in a wait, behind which all is sent again anyway.
func (n *NIC) somethingMissing(q *queuePair) {
	if r := &q.req.retry; !r.once && !r.waiting(n.now) {
		n.restart(q)
	}
}

// restart goes back to the oldest unacknowledged packet, if a retry is left.
func (n *NIC) restart(q *queuePair) {
	r := &q.req
	if r.retry.restarts >= q.attr.RetryCnt {
		n.count(format.CntRetriesExceeded)
		n.endSend(q, outcome{wrid: r.started[0].WRID, status: format.StatusRetryExceeded})
		return
	}
	r.retry.restarts++
	r.retry.once, r.retry.timer = true, n.now
	r.cursor = r.oldest
}

// peerMissed is NAK 0x60: the packets from psn on are sent again.
func (n *NIC) peerMissed(q *queuePair, psn uint32) {
	if n.settle(q, psn) {
		n.count(format.CntSequenceNAKs)
		n.somethingMissing(q)
	}
}

// peerNotReady is an RNR NAK: after a while the packets from psn on are sent
// again. In that while a second one changes nothing.
func (n *NIC) peerNotReady(q *queuePair, psn uint32, code uint64) {
	r := &q.req
	if !n.settle(q, psn) {
		return
	}
	n.count(format.CntRNRNAKs)
	if r.retry.waiting(n.now) {
		return
	}
	if q.attr.RNRRetry != rnrForever {
		if r.retry.waits >= q.attr.RNRRetry {
			n.count(format.CntRNRExceeded)
			n.endSend(q, outcome{wrid: r.started[0].WRID, status: format.StatusRNRExceeded})
			return
		}
		r.retry.waits++
	}
	r.cursor = r.oldest
	r.retry.until = n.now + n.config.rnrWait(code)
	r.retry.timer = r.retry.until
}

// retryAfterTimeout restarts a QP whose timer has run out. The timer runs while
// packets are on their way and no receiver is waited for: from the last one on that is sent again.
func (n *NIC) retryAfterTimeout(q *queuePair) bool {
	r := &q.req
	if q.attr.Timeout == 0 || r.unacknowledged() == 0 || r.resending() || n.now < r.retry.timer+n.config.Tick<<q.attr.Timeout {
		return false
	}
	n.count(format.CntTimeouts)
	n.restart(q)
	return true
}

// resending tells that packets that were on their way have yet to be sent again. One that cannot be is not waited for.
func (r *requester) resending() bool {
	if r.cursor == r.next {
		return false
	}
	w := r.at(r.cursor)
	return w.trouble == nil || w.troubleAt != r.cursor
}

// rnrWait is the least wait of an RNR timer code (protocol section 1.6), where
// Tick is as long as 4.096 us are there.
func (c Config) rnrWait(code uint64) time.Duration {
	units := [32]time.Duration{
		65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
	}
	const unit = 10 * time.Microsecond
	return (units[code&31]*unit*c.Tick + DefaultTick - 1) / DefaultTick
}
