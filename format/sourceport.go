package format

// SourcePort returns the default UDP source port of a connection between the
// 24-bit queue pairs lqpn and rqpn: 0xC000 to 0xFFFF, the same at both ends, so
// that the network never reorders one connection (protocol section 1.2). It is
// rdma_calc_flow_label followed by ibv_flow_label_to_udp_sport.
func SourcePort(lqpn, rqpn uint32) uint16 {
	return FlowLabelPort(QPFlowLabel(lqpn, rqpn))
}

// QPFlowLabel returns the default 20-bit flow label of a connection.
func QPFlowLabel(lqpn, rqpn uint32) uint32 {
	v := uint64(lqpn) * uint64(rqpn)
	v ^= v >> 20
	v ^= v >> 40
	return uint32(v & 0xFFFFF)
}

// FlowLabelPort folds a 20-bit flow label into a UDP source port.
func FlowLabelPort(label uint32) uint16 {
	return uint16((label&0x3FFF)^(label&0xFC000)>>14) | 0xC000
}
