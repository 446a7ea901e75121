package walk

import (
	"math/bits"

	"gornic/blocks/link"
	"gornic/format"
)

// expected is B's check of a packet's PSN, which is the one that it expects.
func (r *reading) expected(behind Seen, psn uint64) Seen {
	return r.after(behind, on(B, "psncheck.psn_checked").must(
		val("qp", r.b.qp), val("psn", psn), val("expected", psn), val("kind", uint64(link.PSNExpected))))
}

// placed is the payload of a packet in memory of B, and the block that knows it.
func (r *reading) placed(from Seen, psn uint64, place string, at, bytes, messageAt uint64) Seen {
	written, _ := r.placedAt(B, r.b.qp, from, psn, place, at, bytes, messageAt)
	return written
}

// placedAt is that at either end; memory is when it has answered for all of it.
func (r *reading) placedAt(where Where, qp uint64, from Seen, psn uint64, place string, at, bytes, messageAt uint64) (written, memory Seen) {
	memory = r.after(from, on(where, "scatter.in_memory", val("psn", psn)).must(val("qp", qp), val("placed", 1), val("error", 0)))
	written = r.covers(from, memory, on(where, "writes "+place), at, bytes)
	if r.err == nil {
		r.same("what was written to "+place, written.Data, r.message[messageAt:messageAt+bytes])
	}
	return written, memory
}

// acknowledged is B's one answer: the ACK of a PSN, behind the payload, which leaves and
// crosses.
func (r *reading) acknowledged(psn, msn uint64) (leaves, ack Seen) {
	is := []Value{val("syndrome", uint64(format.SyndromeNoCredits)), val("psn", psn), val("msn", msn)}
	owed := r.after(r.marked("judged"), on(B, "ackqueue.ack_owed").must(append([]Value{val("qp", r.b.qp)}, is...)...))
	leaves = r.after(owed, on(B, "ackqueue.ack_leaves").must(append([]Value{val("qp", r.b.qp)}, is...)...))
	sent := r.after(leaves, on(B, "transmit.packet_leaves").must(val("qp", r.b.qp), val("opcode", format.OpAcknowledge), val("psn", psn)))
	ack = r.after(sent, on(BToA, "ACKNOWLEDGE").must(append([]Value{flag("good", true), val("dest_qp", r.a.qpn)}, is...)...))
	r.count(r.begin(), r.end(), 1, on(BToA, "ACKNOWLEDGE"))
	r.order(r.after(r.begin(), on(B, "scatter.in_memory", val("psn", psn))), owed)
	r.mark("ack", ack)
	return leaves, ack
}

// What a receive completion carries.
func nothing() []Value { return []Value{val("flags", 0)} }
func immediateOf(imm uint64) []Value {
	return []Value{val("flags", format.WCFlagWithImm), val("imm", immediate(imm))}
}
func invalidation(key uint64) []Value {
	return []Value{val("flags", format.WCFlagWithInv), val("imm", key)}
}

// received is B's receive completion, of its first WQE.
func (r *reading) received(behind Seen, opcode format.WCOpcode, bytes uint64, carries []Value) Seen {
	asked := r.after(behind, on(B, "ackqueue.recv_completes").must(val("qp", r.b.qp), val("wqe", 0), val("status", 0)))
	cqe := r.after(asked, on(B, "writes "+recvCQ).must(
		val("at", 0), val("bytes", cqeBytes), val("wr_id", uint64(recvID)), val("status", 0), val("opcode", opcode), val("byte_len", bytes),
		val("qpn", r.b.qpn), val("wqe", 0), val("queue", 1)).must(carries...))
	r.after(cqe, on(B, "cqewriter.cqe_in_memory").must(val("cq", r.b.recvCQ), val("producer", 1)))
	r.count(r.begin(), r.end(), 1, on(B, "writes "+recvCQ))
	return cqe
}

// armedOnly is the fact that a completion is an event if the CQ is armed, and only then.
func armedOnly(f *fact) {
	r := f.in(armed)
	arms := r.after(r.begin(), on(B, "arms CQ").must(val("number", r.b.recvCQ)))
	r.after(arms, on(B, "events.armed").must(val("cq", r.b.recvCQ)))
	written := r.after(r.begin(), on(B, "cqewriter.cqe_in_memory").must(val("cq", r.b.recvCQ)))
	told := r.after(written, on(B, "events.told").must(val("async", 0), val("source", r.b.recvCQ)))
	event := r.after(told, on(B, "writes "+eventQueue).must(val("kind", format.EventCompletion), val("number", r.b.recvCQ)))
	interrupt := r.after(event, on(B, "events.interrupt"))
	r.order(arms, written)
	r.count(r.begin(), r.end(), 1, on(B, "events.told"))
	r.saw(event, "armed: event of CQ %d in the event queue, behind its CQE", event.Get("number"))
	r.saw(interrupt, "armed: interrupt, vector %d", interrupt.Get("vector"))

	r = f.in(notArmed)
	cqe := r.after(r.begin(), on(B, "cqewriter.cqe_in_memory").must(val("cq", r.b.recvCQ)))
	r.never(r.begin(), r.end(), on(B, "arms CQ"), on(B, "events.armed"), on(B, "events.told"), on(B, "writes "+eventQueue), on(B, "events.interrupt"))
	r.saw(cqe, "not armed: the CQE is written, and there is no event and no interrupt")
}

// immediate turns an immediate as software has it into the number of its bytes in
// memory, which are in the order of the wire, and back.
func immediate(x uint64) uint64 { return uint64(bits.ReverseBytes32(uint32(x))) }
