package transmit

import (
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
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

// countBits is enough for the answers on their way to Job.
const countBits = 8

// servedBehind is what the responder's half is told when a number of answers have left.
type servedBehind struct {
	Served link.Served
	Behind hdl.Bits `w:"8"` // answers, counted freely
}

// served passes Served on when the answers that were given away before it have left, for which
// leaves is a pulse: so an acknowledgement that waited for them, and overtakes all jobs, does not overtake them.
func (b *block) served(leaves hdl.Bits) {
	m, io := b.m, b.io
	given, left := m.Reg("answers_given", countBits, 0), m.Reg("answers_left", countBits, 0)
	ahead := given.Add(io.Given.ZExt(countBits))
	given.Set(ahead)
	m.If(leaves, func() { left.Set(left.AddK(1)) })
	waiting := stream.FIFO(m, "u_served", stream.Map(io.Served, func(s link.Served) servedBehind {
		return servedBehind{Served: s, Behind: ahead}
	}), 4)
	open := stream.Gate(m, "served_open", waiting, left.Sub(waiting.Data.Behind).MSB().Not())
	b.told.Set(waiting.Valid.Not())
	hdl.Connect(io.Left, stream.Map(open, func(s servedBehind) link.Served {
		m.Unused(s.Behind)
		return s.Served
	}))
	m.Assume("answers_are_given", given.Sub(left).LeK(1<<(countBits-1)-1))
}
