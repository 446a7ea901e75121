package transmit

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// refuse makes a NAK of an answer that cannot be had (protocol section 3.8): an acknowledgement in its place,
// with its PSN. From then on the queue pair is silent.
func (b *block) refuse(does hdl.Bits) {
	b.refuses.Set(does)
	b.owes.fault.Set(does)
	b.m.If(does, func() {
		syndrome := hdl.Mux(b.keyFault(), hdl.K(8, format.SyndromeNAKAccess), hdl.K(8, format.SyndromeNAKOp))
		b.isAck.SetK(1)
		hdl.Set(b.ack, link.Ack{QP: b.job.QP, Syndrome: syndrome, PSN: b.job.Entry.PSN, MSN: b.job.MSN})
	})
}

// keyFault returns one bit: the payload could not be had for its key's sake, not for memory's.
func (b *block) keyFault() hdl.Bits {
	return b.fault.Any().And(b.fault.LeK(uint64(format.VendorKeyRange)))
}

// refusal is the fault of a queue pair that cannot answer.
func (b *block) refusal() link.QPFault {
	event := hdl.Mux(b.keyFault(), hdl.K(8, uint64(format.EventQPAccessErr)), hdl.K(8, uint64(format.EventQPFatal)))
	vendor := hdl.Mux(b.fault.Any(), b.fault, b.job.Entry.Vendor)
	return link.QPFault{QP: b.job.QP, HasEvent: hdl.K(1, 1), Event: event, Vendor: vendor}
}
