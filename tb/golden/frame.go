package golden

import (
	"math/bits"

	"gornic/format"
	"gornic/tb/golden/roce"
)

// header is what all packets of a queue pair to its peer have in common.
func (q *queuePair) header(opcode format.Opcode, psn uint32) format.TxDescriptor[uint64] {
	v := q.attr.AV
	return format.TxDescriptor[uint64]{
		DstMAC: v.DstMAC, VLAN: v.VLAN, TCI: v.TCI,
		IPv6: v.IPv6, TrafficClass: v.TrafficClass, HopLimit: v.HopLimit, FlowLabel: v.FlowLabel, DF: 1,
		SrcHi: v.SrcHi, SrcLo: v.SrcLo, DstHi: v.DstHi, DstLo: v.DstLo, SrcPort: v.SrcPort,
		Opcode: uint64(opcode), PKey: format.PKeyDefault, DestQP: q.attr.DestQPN, PSN: uint64(psn),
	}
}

// transmit builds a packet and puts it in line for the wire.
func (n *NIC) transmit(d format.TxDescriptor[uint64], payload []byte) {
	n.count(format.CntTxPackets)
	d.SrcMAC = n.port.mac
	d.PadCnt = uint64(-len(payload)) & 3
	d.PayloadLen = uint64(len(payload))
	frame, err := roce.Build(d, payload)
	if err != nil {
		return // cannot be: each field comes from one of its width, and payload is at most an MTU
	}
	n.frames = append(n.frames, frame)
}

// swap32 turns the four bytes of a word around.
func swap32(x uint64) uint64 { return uint64(bits.ReverseBytes32(uint32(x))) }
