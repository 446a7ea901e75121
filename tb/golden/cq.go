package golden

import "gornic/format"

// arming is what an armed CQ waits for.
type arming uint8

const (
	armNot arming = iota
	armNext
	armSolicited
)

// completionQueue is a ring of CQEs.
type completionQueue struct {
	number   uint32
	eqn      uint64
	page     uint32
	base     uint64
	logSize  uint64
	producer uint16 // of the next CQE
	consumer uint16 // of the next CQE that software reads
	armed    arming
	failed   bool // it lost a CQE, and takes no more

	// solicited counts the CQEs since software last said what it has seen, up
	// to and with the last solicited one.
	solicited uint16
}

const cqeBytes = 32

// cq returns a completion queue, nil if there is none.
func (n *NIC) cq(number uint64) *completionQueue {
	if number >= uint64(len(n.cqs)) {
		return nil
	}
	return n.cqs[number]
}

// consume moves the consumer index, false for an index that software cannot
// have reached.
func (c *completionQueue) consume(index uint16) bool {
	seen := index - c.consumer
	if seen > c.producer-c.consumer {
		return false
	}
	c.consumer = index
	c.solicited -= min(seen, c.solicited)
	return true
}

// fire raises the event of an armed CQ that has what it waits for. CQEs that
// software did not see when it armed the CQ count.
func (n *NIC) fire(c *completionQueue) {
	switch {
	case c.armed == armNext && c.producer != c.consumer:
	case c.armed == armSolicited && c.solicited != 0:
	default:
		return
	}
	c.armed = armNot
	n.raise(c.eqn, event{kind: format.EventCompletion, number: c.number})
}

// complete writes a CQE of queue pair q. Phase is filled in here. solicited says
// that a CQ armed for solicited CQEs has to fire.
//
// A CQ that cannot take it has failed for good: its event is CQ_ERR, and each QP
// that needs it goes to ERR with QP_FATAL (protocol section 3.6).
func (n *NIC) complete(q *queuePair, cqn uint64, cqe format.CQE[uint64], solicited bool) {
	c := n.cq(cqn)
	if !c.failed {
		vendor := n.writeCQE(c, cqe)
		if vendor == format.VendorNone {
			if solicited || format.Status(cqe.Status) != format.StatusSuccess {
				c.solicited = c.producer - c.consumer
			}
			n.fire(c)
			return
		}
		c.failed = true
		n.raise(asyncEQ, event{format.EventAsync, format.EventCQErr, vendor, c.number})
	}
	n.fatal(q, format.EventQPFatal, format.VendorCQOverflow)
}

func (n *NIC) writeCQE(c *completionQueue, cqe format.CQE[uint64]) format.VendorCode {
	if uint32(c.producer-c.consumer) == 1<<c.logSize {
		return format.VendorCQOverflow
	}
	cqe.Phase = phase(c.producer, c.logSize)
	if !writeHost(n, c.base+uint64(c.producer)&(1<<c.logSize-1)*cqeBytes, cqe) {
		return format.VendorBusWrite
	}
	c.producer++
	return format.VendorNone
}

// phase is the phase bit of entry index of a ring: 1 in its first lap.
func phase(index uint16, logSize uint64) uint64 {
	return 1 ^ uint64(index)>>logSize&1
}
