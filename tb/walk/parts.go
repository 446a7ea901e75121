package walk

import (
	"math/bits"

	"gornic/blocks/link"
	"gornic/format"
)

// start is before everything.
var start = Seen{}

// noTimeout is said with everything about the retry timer: what it hangs on is there, the
// oldest entry of the replay ring, but no time is counted yet.
const noTimeout = "the core counts no timeout yet"

// Kinds of message that B may be in the middle of, as responder.reassembly has them.
const (
	messageNone  = 0
	messageSend  = 1
	messageWrite = 2
)

// later is the later of two observations.
func later(a, b Seen) Seen {
	if a.order > b.order {
		return a
	}
	return b
}

// oneWQE is the one send work request of a play, and its one doorbell.
func (r *reading) oneWQE(opcode format.WROpcode) (wqe, bell Seen) {
	bytes := uint64(len(r.message))
	wqe = r.after(start, on(A, "posts send WQE").must(
		val("at", 0), val("opcode", opcode), val("sges", 1), val("addr0", r.regions["source"].addr), val("length0", bytes), val("lkey0", r.regions["source"].key)))
	r.count(start, r.end(), 1, on(A, "posts send WQE"))
	bell = r.after(wqe, on(A, "rings send queue").must(val("producer", 1), val("number", r.a.qpn&0xFFFF)))
	r.count(start, r.end(), 1, on(A, "rings send queue"))
	taken := r.after(bell, on(A, "doorbell.sq_doorbell").must(val("qp", r.a.qp), val("producer", 1)))
	r.count(start, r.end(), 1, on(A, "doorbell.sq_doorbell"))
	r.mark("doorbell", taken)
	return wqe, taken
}

// fetched is A's read of the WQE from host memory, and the lookup of its queue
// pair's context.
func (r *reading) fetched() (read, here, context Seen) {
	bell := r.marked("doorbell")
	asked := r.after(bell, on(A, "wqefetch_sq.wqes_asked").must(val("qp", r.a.qp), val("first", 0)))
	read = r.after(asked, on(A, "reads "+sendQueue).must(val("at", 0)))
	here = r.after(read, on(A, "wqefetch_sq.wqe_here").must(val("qp", r.a.qp), val("wqe", 0)))
	context = r.after(here, on(A, "qpcontext.looked_up").must(val("qp", r.a.qp), val("qpn", r.a.qpn), val("state", format.QPRTS)))
	r.order(context, r.after(bell, on(A, "requester.packet_made")))
	r.mark("context", context)
	return read, here, context
}

// gathered is packet i of A's message, from its PSN to its payload, which has come from host
// memory under the WQE's lkey before anything leaves.
func (r *reading) gathered(i int, psn uint64, opcode format.Opcode, bytes uint64) (made, key, whole Seen) {
	at := uint64(i) * PathMTU
	source := r.regions["source"]
	made = r.after(r.marked("made"), on(A, "requester.packet_made").must(
		val("qp", r.a.qp), val("wqe", 0), val("opcode", opcode), val("psn", psn), val("offset", at), val("bytes", bytes), val("status", 0)))
	segment := r.after(made, on(A, "requester.segment").must(val("lkey", source.key), val("va", source.addr+at), val("bytes", bytes)))
	asked, key := r.granted(A, later(segment, r.marked("asked")), source.key, 0, source.addr+at, bytes)
	whole = r.after(later(key, r.marked("whole")), on(A, "gather.payload_whole").must(val("fault", 0)))
	read := r.covers(key, whole, on(A, "reads source"), at, bytes)
	r.order(key, read, whole)
	r.mark("made", made)
	r.mark("asked", asked)
	r.mark("whole", whole)
	return made, key, whole
}

// granted is the next question for a key, which is for these rights and this range, and
// its answer, which comes a cycle later and grants them.
func (r *reading) granted(where Where, behind Seen, key, rights, va, bytes uint64) (asked, judged Seen) {
	asked = r.after(behind, on(where, "keycache.key_compared").must(
		val("key", key), val("rights", rights), val("va", va), val("bytes", bytes)))
	return asked, r.after(asked, on(where, "keycache.key_judged", val("client", asked.Get("client"))).in(asked.Cycle+1).must(val("fault", 0)))
}

// crossed is the next packet of A on the wire, with bytes of its message.
func (r *reading) crossed(behind Seen, opcode format.Opcode, psn, at, bytes uint64, more ...Value) Seen {
	info, _ := format.Lookup(opcode)
	s := r.after(behind, on(AToB, info.Name).must(
		append([]Value{flag("good", true), val("psn", psn), val("dest_qp", r.b.qpn), val("bytes", bytes)}, more...)...))
	if r.err == nil {
		r.same("the payload of "+info.Name, s.Data, r.message[at:at+bytes])
	}
	return s
}

// recorded is the replay entry of a packet, made before the packet has left whole; it
// is the one that the timer watches if it is the oldest.
func (r *reading) recorded(psn uint64, oldest bool) Seen {
	s := r.after(r.marked("recorded"), on(A, "replay.recorded").must(val("qp", r.a.qp), val("psn", psn), val("wqe", 0), flag("oldest", oldest)))
	return r.mark("recorded", s)
}

// expected is B's check of a packet's PSN, which is the one that it expects.
func (r *reading) expected(behind Seen, psn uint64) Seen {
	return r.after(behind, on(B, "psncheck.psn_checked").must(
		val("qp", r.b.qp), val("psn", psn), val("expected", psn), val("kind", uint64(link.PSNExpected))))
}

// placed is the payload of a packet in memory of B, and the block that knows it.
func (r *reading) placed(from Seen, psn uint64, place string, at, bytes, messageAt uint64) Seen {
	memory := r.after(from, on(B, "scatter.in_memory", val("psn", psn)).must(val("qp", r.b.qp), val("placed", 1), val("error", 0)))
	written := r.covers(from, memory, on(B, "writes "+place), at, bytes)
	if r.err == nil {
		r.same("what was written to "+place, written.Data, r.message[messageAt:messageAt+bytes])
	}
	return written
}

// acknowledged is B's one answer: the ACK of a PSN, behind the payload, which leaves and
// crosses.
func (r *reading) acknowledged(psn, msn uint64) (leaves, ack Seen) {
	is := []Value{val("syndrome", uint64(format.SyndromeNoCredits)), val("psn", psn), val("msn", msn)}
	owed := r.after(r.marked("judged"), on(B, "ackqueue.ack_owed").must(append([]Value{val("qp", r.b.qp)}, is...)...))
	leaves = r.after(owed, on(B, "ackqueue.ack_leaves").must(append([]Value{val("qp", r.b.qp)}, is...)...))
	sent := r.after(leaves, on(B, "transmit.packet_leaves").must(val("qp", r.b.qp), val("opcode", format.OpAcknowledge), val("psn", psn)))
	ack = r.after(sent, on(BToA, "ACKNOWLEDGE").must(append([]Value{flag("good", true), val("dest_qp", r.a.qpn)}, is...)...))
	r.count(start, r.end(), 1, on(BToA, "ACKNOWLEDGE"))
	r.order(r.after(start, on(B, "scatter.in_memory", val("psn", psn))), owed)
	r.mark("ack", ack)
	return leaves, ack
}

// retired is what the ACK does at A: the entries of its PSN and those before retire, in
// order, and with the last one the ring is empty.
func (r *reading) retired(first, last uint64) (response, gone Seen) {
	response = r.after(r.marked("ack"), on(A, "psncheck.response").must(val("qp", r.a.qp), val("psn", last), val("syndrome", uint64(format.SyndromeNoCredits))))
	gone = response
	for psn := first; psn <= last; psn++ {
		gone = r.after(gone, on(A, "completer.entry_retired").must(
			val("qp", r.a.qp), val("psn", psn), val("wqe", 0), flag("last", psn == last), val("status", 0)))
	}
	n := int(last - first + 1)
	r.count(start, r.end(), n, on(A, "completer.entry_retired"))
	r.never(start, response, on(A, "replay.removed"))
	r.count(response, r.end(), n, on(A, "replay.removed"))
	r.count(response, r.end(), 1, on(A, "replay.removed", val("empty", 1)))
	r.mark("retired", gone)
	return response, r.after(response, on(A, "replay.removed", val("empty", 1)).must(val("qp", r.a.qp)))
}

// completes is the send completion of a signaled work request.
func (r *reading) completes(opcode format.WCOpcode) Seen {
	asked := r.after(r.marked("ack"), on(A, "completer.send_completes").must(val("qp", r.a.qp), val("wqe", 0), val("status", 0)))
	cqe := r.after(asked, on(A, "writes "+sendCQ).must(
		val("at", 0), val("bytes", cqeBytes), val("wr_id", uint64(sendID)), val("status", 0), val("opcode", opcode), val("qpn", r.a.qpn), val("wqe", 0), val("queue", 0)))
	r.after(cqe, on(A, "cqewriter.cqe_in_memory").must(val("cq", r.a.sendCQ), val("producer", 1)))
	r.count(start, r.end(), 1, on(A, "writes "+sendCQ))
	return cqe
}

// silent is an unsignaled work request: it retires, and no completion is written.
func (r *reading) silent(psn uint64) Seen {
	gone := r.after(start, on(A, "completer.entry_retired", val("last", 1)).must(val("qp", r.a.qp), val("psn", psn), val("status", 0)))
	r.never(start, r.end(), on(A, "completer.send_completes"), on(A, "cqewriter.cqe_leaves"), on(A, "writes "+sendCQ))
	return gone
}

// signaledOnly is the fact that a send completion is written if signaled, and only then.
func signaledOnly(f *fact, opcode format.WCOpcode, last uint64) {
	r := f.in(signaled)
	post := r.after(start, on(A, "posts send WQE").must(val("flags", uint64(format.WRFlagSignaled))))
	cqe := r.completes(opcode)
	r.order(post, cqe)
	r.saw(cqe, "signaled: CQE %d in the send CQ, wr_id %#x, %v", cqe.Get("at")/cqeBytes, cqe.Get("wr_id"), format.Status(cqe.Get("status")))

	r = f.in(unsignaled)
	r.after(start, on(A, "posts send WQE").must(val("flags", 0)))
	gone := r.silent(last)
	r.saw(gone, "unsignaled: PSN %d retires the WQE, and no CQE is written to the send CQ", gone.Get("psn"))
}

const cqeBytes = 32

// received is B's receive completion, of its first WQE; imm 0: it has no immediate, and
// the field means nothing.
func (r *reading) received(behind Seen, opcode format.WCOpcode, bytes, imm uint64) Seen {
	asked := r.after(behind, on(B, "ackqueue.recv_completes").must(val("qp", r.b.qp), val("wqe", 0), val("status", 0)))
	with := []Value{val("flags", 0)}
	if imm != 0 {
		with = []Value{val("flags", format.WCFlagWithImm), val("imm", immediate(imm))}
	}
	cqe := r.after(asked, on(B, "writes "+recvCQ).must(
		val("at", 0), val("bytes", cqeBytes), val("wr_id", uint64(recvID)), val("status", 0), val("opcode", opcode), val("byte_len", bytes),
		val("qpn", r.b.qpn), val("wqe", 0), val("queue", 1)).must(with...))
	r.after(cqe, on(B, "cqewriter.cqe_in_memory").must(val("cq", r.b.recvCQ), val("producer", 1)))
	r.count(start, r.end(), 1, on(B, "writes "+recvCQ))
	return cqe
}

// immediate turns an immediate as software has it into the number of its bytes in
// memory, which are in the order of the wire, and back.
func immediate(x uint64) uint64 { return uint64(bits.ReverseBytes32(uint32(x))) }

// armedOnly is the fact that a completion is an event if the CQ is armed, and only then.
func armedOnly(f *fact) {
	r := f.in(armed)
	arms := r.after(start, on(B, "arms CQ").must(val("number", r.b.recvCQ)))
	r.after(arms, on(B, "events.armed").must(val("cq", r.b.recvCQ)))
	written := r.after(start, on(B, "cqewriter.cqe_in_memory").must(val("cq", r.b.recvCQ)))
	told := r.after(written, on(B, "events.told").must(val("async", 0), val("source", r.b.recvCQ)))
	event := r.after(told, on(B, "writes "+eventQueue).must(val("kind", format.EventCompletion), val("number", r.b.recvCQ)))
	interrupt := r.after(event, on(B, "events.interrupt"))
	r.order(arms, written)
	r.count(start, r.end(), 1, on(B, "events.told"))
	r.saw(event, "armed: event of CQ %d in the event queue, behind its CQE", event.Get("number"))
	r.saw(interrupt, "armed: interrupt, vector %d", interrupt.Get("vector"))

	r = f.in(notArmed)
	cqe := r.after(start, on(B, "cqewriter.cqe_in_memory").must(val("cq", r.b.recvCQ)))
	r.never(start, r.end(), on(B, "arms CQ"), on(B, "events.armed"), on(B, "events.told"), on(B, "writes "+eventQueue), on(B, "events.interrupt"))
	r.saw(cqe, "not armed: the CQE is written, and there is no event and no interrupt")
}

// Names of plays.
const (
	signaled   = "signaled"
	unsignaled = "unsignaled"
)

// IDs of work requests.
const (
	sendID = 0x5E4D
	recvID = 0x2EC0
)
