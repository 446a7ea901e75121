package golden

// PresetMSN sets the MSN of a queue pair, which would take 2^24 messages.
func (n *NIC) PresetMSN(qpn uint64, msn uint32) { n.qp(qpn).resp.msn = msn }
