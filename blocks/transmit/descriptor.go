package transmit

import (
	"gornic/format"
	"gornic/hdl"
)

// descriptor is what the builder makes a frame of.
func (b *block) descriptor() format.TxDescriptor[hdl.Bits] {
	m, j, a, c := b.m, b.job, b.to.Address, b.to.Context
	hdl.UnusedBut(m, c, c.DestQPN)
	length := hdl.Mux(b.isAck, hdl.Mux(b.isCNP, j.PayloadLen.K(cnpBytes), j.PayloadLen.K(0)), j.PayloadLen)
	pad := length.Trunc(2).Not().AddK(1)
	request := b.isAck.Not()
	one, zero := hdl.K(1, 1), hdl.K(1, 0)
	return format.TxDescriptor[hdl.Bits]{
		DstMAC: a.DstMAC, SrcMAC: b.io.MAC, VLAN: a.VLAN, TCI: a.TCI, IPv6: a.IPv6,
		TrafficClass: hdl.Cat(hdl.Mux(b.isCNP, hdl.K(6, cnpClass>>2), a.TrafficClass.Slice(7, 2)), a.TrafficClass.Slice(1, 0)), HopLimit: a.HopLimit, IPID: hdl.K(16, 0), DF: one, FlowLabel: a.FlowLabel,
		SrcHi: a.SrcHi, SrcLo: a.SrcLo, DstHi: a.DstHi, DstLo: a.DstLo, SrcPort: a.SrcPort, UDPChecksum: hdl.K(16, 0),
		Opcode: hdl.Mux(b.isAck, hdl.Mux(b.isCNP, hdl.K(8, uint64(format.OpCNP)), hdl.K(8, uint64(format.OpAcknowledge))), j.Opcode),
		SE:     request.And(j.SE), MigReq: zero, PadCnt: pad, PKey: hdl.K(16, format.PKeyDefault), FECN: zero, BECN: b.isCNP,
		DestQP: c.DestQPN, AckReq: request.And(j.AckReq), PSN: hdl.Mux(b.isAck, b.ack.PSN, j.Entry.PSN),
		Ext: b.extension(), PayloadLen: length,
	}
}

// extension is the words behind the BTH: those of the opcode's headers, and what the builder does not look at.
func (b *block) extension() format.ExtWords[hdl.Bits] {
	j := b.job
	addressed := b.opcode(format.OpWriteFirst, format.OpWriteOnly, format.OpWriteOnlyImm, format.OpReadRequest, format.OpCmpSwap, format.OpFetchAdd)
	atomic := b.opcode(format.OpCmpSwap, format.OpFetchAdd)
	aeth := hdl.Mux(b.isAck, hdl.Cat(b.ack.Syndrome, b.ack.MSN), hdl.Cat(b.credit(), j.MSN))
	first := hdl.Mux(addressed, j.VA.Slice(63, 32), j.Imm)
	high, low := j.Swap.Slice(63, 32), j.Swap.Slice(31, 0)
	return format.ExtWords[hdl.Bits]{
		hdl.Mux(b.isAck.Or(b.isAnswer), aeth, first),
		hdl.Mux(b.isAnswer, high, j.VA.Slice(31, 0)),
		hdl.Mux(b.isAnswer, low, j.RKey),
		hdl.Mux(atomic, high, j.DMALen),
		hdl.Mux(atomic, low, j.Imm),
		j.Compare.Slice(63, 32), j.Compare.Slice(31, 0),
	}
}

// credit is the syndrome of an answer: the receive WQEs that its queue pair has, or that this does not say.
func (b *block) credit() hdl.Bits {
	syndrome := hdl.K(8, format.SyndromeNoCredits)
	for _, c := range b.io.Credits {
		c.QP.Set(b.job.QP) // for some cycles: its context is looked up
		syndrome = c.Code.ZExt(8)
	}
	return syndrome
}

// opcode returns one bit: the job's is one of these.
func (b *block) opcode(ops ...format.Opcode) hdl.Bits {
	var is []hdl.Bits
	for _, op := range ops {
		is = append(is, b.job.Opcode.Is(uint64(op)))
	}
	return hdl.OrAll(is...)
}
