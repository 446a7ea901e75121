package golden

import "gornic/format"

// packet is a received packet of the transport.
type packet struct {
	format.RxDescriptor[uint64]
	opcode  format.Opcode
	info    format.OpInfo
	payload []byte
}

// psn is the packet's PSN.
func (p packet) psn() uint32 { return uint32(p.PSN) }

// lengthFits tells whether the payload is as long as the opcode's row of
// protocol section 1.5 says, and the pad fills its last word.
func (p packet) lengthFits(mtu uint64) bool {
	if p.PadCnt != -p.PayloadLen&3 {
		return false
	}
	switch p.info.Payload {
	case format.PayloadFull:
		return p.PayloadLen == mtu
	case format.PayloadSome:
		return p.PayloadLen >= 1 && p.PayloadLen <= mtu
	case format.PayloadAny:
		return p.PayloadLen <= mtu
	}
	return p.PayloadLen == 0
}

func (p packet) hasImm() bool {
	_, ok := p.info.ExtOffset(format.ExtImmDt)
	return ok
}

// revokes returns the key that the packet ends, if it ends one.
func (p packet) revokes() (uint32, bool) {
	h, ok := format.ExtHeaderOf[format.IETH[uint64]](p.Ext, p.opcode, format.ExtIETH)
	return uint32(h.RKey), ok
}

// imm is the immediate as it stands in a CQE: its bytes in the order of the wire.
func (p packet) imm() uint64 {
	h, _ := format.ExtHeaderOf[format.ImmDt[uint64]](p.Ext, p.opcode, format.ExtImmDt)
	return swap32(h.Imm)
}

// isResponse tells whether the packet answers a request.
func (p packet) isResponse() bool {
	return p.opcode >= format.OpReadResponseFirst && p.opcode <= format.OpAtomicAck
}

// packet takes a packet that the receive side accepted to its queue pair
// (protocol section 2). What fits none is counted, and that is all.
func (n *NIC) packet(d format.RxDescriptor[uint64], payload []byte) {
	p := packet{RxDescriptor: d, opcode: format.Opcode(d.Opcode), payload: payload}
	p.info, _ = format.Lookup(p.opcode)
	q := n.qp(d.DestQP)
	switch {
	case q == nil:
		n.count(format.CntRxBadQP)
	case q.hasPeer() && !q.talksTo(d):
		n.count(format.CntRxBadAddress)
	case !q.takes(p):
		n.count(format.CntRxBadState)
	case p.opcode == format.OpCNP:
		n.notified(q)
	default:
		if d.TrafficClass&ecnMark == ecnMark {
			n.marked(q)
		}
		n.half(q, p)
	}
}

// ecnMark is the mark of congestion in a traffic class: CE (protocol section 1.8).
const ecnMark = 3

// half gives a packet to the half of the queue pair that it is for.
func (n *NIC) half(q *queuePair, p packet) {
	switch {
	case p.isResponse():
		n.response(q, p)
	default:
		n.requested(q, p)
	}
}

// hasPeer tells that the QP has an address of its peer.
func (q *queuePair) hasPeer() bool { return q.state != format.QPReset && q.state != format.QPInit }

// talksTo tells whether a packet came from the QP's peer to the QP's own address.
func (q *queuePair) talksTo(d format.RxDescriptor[uint64]) bool {
	v := q.attr.AV
	return v.IPv6 == d.IPv6 && v.SrcHi == d.DstHi && v.SrcLo == d.DstLo && v.DstHi == d.SrcHi && v.DstLo == d.SrcLo
}

// takes tells whether the QP's state lets the packet in.
func (q *queuePair) takes(p packet) bool {
	switch q.state {
	case format.QPRTR:
		return !p.isResponse()
	case format.QPRTS, format.QPSQD:
		return true
	}
	return false
}
