package golden

import "gornic/format"

// doorbell takes a doorbell at an offset behind format.DoorbellBase. One from a
// page that is not its object's, for no object or of no kind is refused and
// counted. One with an index that the ring cannot have reached changes nothing.
func (n *NIC) doorbell(offset, value uint32) {
	page, kind := offset/format.DoorbellPageBytes, offset%format.DoorbellPageBytes
	index, number := uint16(value>>16), uint32(value&0xFFFF)
	if !n.ring(page, kind, index, number) {
		n.count(format.CntBadDoorbell)
	}
}

func (n *NIC) ring(page, kind uint32, index uint16, number uint32) bool {
	if page >= uint32(n.config.Pages) {
		return false
	}
	switch kind {
	case format.DoorbellSQ, format.DoorbellRQ:
		return n.ringQP(page, kind, index, number)
	case format.DoorbellCQ, format.DoorbellArm, format.DoorbellArmSolicited:
		return n.ringCQ(page, kind, index, number)
	case format.DoorbellEQ:
		return page == 0 && n.ringEQ(index, number)
	}
	return false
}

// ringQP moves the producer index of a work queue. A QP in RESET has no queues.
func (n *NIC) ringQP(page, kind uint32, index uint16, number uint32) bool {
	q := n.qps[number&uint32(len(n.qps)-1)]
	if q == nil || q.number&0xFFFF != number || q.page != page {
		return false
	}
	switch {
	case q.state == format.QPReset:
	case kind == format.DoorbellSQ:
		q.sq.produce(index)
	default:
		q.rq.produce(index)
	}
	return true
}

func (n *NIC) ringCQ(page, kind uint32, index uint16, number uint32) bool {
	c := n.cq(uint64(number))
	if c == nil || c.page != page {
		return false
	}
	if !c.consume(index) {
		return true
	}
	switch {
	case kind == format.DoorbellArm:
		c.armed = armNext
	case kind == format.DoorbellArmSolicited && c.armed != armNext: // which includes the other
		c.armed = armSolicited
	}
	n.fire(c)
	return true
}

func (n *NIC) ringEQ(index uint16, number uint32) bool {
	e := n.eq(uint64(number))
	if e == nil {
		return false
	}
	e.consume(index)
	n.deliver(e)
	return true
}
