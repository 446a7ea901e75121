package golden

import "gornic/format"

// doorbell takes a doorbell at an offset behind format.DoorbellBase. One from a
// page that is not its object's, for no object, of no kind, or with an index that
// the ring cannot have, changes nothing and is counted.
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
	if q == nil || q.number&0xFFFF != number || q.page != page || q.state == format.QPReset {
		return false
	}
	if kind == format.DoorbellSQ {
		return q.sq.produce(index)
	}
	return q.rq.produce(index)
}

func (n *NIC) ringCQ(page, kind uint32, index uint16, number uint32) bool {
	c := n.cq(uint64(number))
	if c == nil || c.page != page || !c.consume(index) {
		return false
	}
	switch kind {
	case format.DoorbellArm:
		c.armed = armNext
	case format.DoorbellArmSolicited:
		c.armed = armSolicited
	}
	n.fire(c)
	return true
}

func (n *NIC) ringEQ(index uint16, number uint32) bool {
	e := n.eq(uint64(number))
	if e == nil || !e.consume(index) {
		return false
	}
	n.deliver(e)
	return true
}
