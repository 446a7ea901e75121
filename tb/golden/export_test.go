package golden

// PresetMSN sets the MSN of a queue pair, which would take 2^24 messages.
func (n *NIC) PresetMSN(qpn uint64, msn uint32) { n.qp(qpn).resp.msn = msn }

// SkipWrite pretends that so many packets of the WRITE in progress were sent and
// acknowledged.
func (n *NIC) SkipWrite(qpn uint64, packets uint32) {
	r := &n.qp(qpn).req
	r.oldest = psnAdd(r.oldest, packets)
	r.cursor, r.next = r.oldest, r.oldest
}

// SkipWritten pretends that they were received.
func (n *NIC) SkipWritten(qpn uint64, packets uint32) {
	q := n.qp(qpn)
	bytes := uint64(packets) * q.mtu()
	q.resp.expected = psnAdd(q.resp.expected, packets)
	q.resp.write.va, q.resp.write.left = q.resp.write.va+bytes, q.resp.write.left-bytes
}
