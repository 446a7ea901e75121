package walk

import (
	"gornic/blocks/link"
	"gornic/format"
)

// oneWQE is a send work request that names a buffer of A for the whole message, and its one
// doorbell.
func (r *reading) oneWQE(opcode format.WROpcode, buffer string) (wqe, bell Seen) {
	local := r.regions[buffer]
	wqe = r.after(r.begin(), on(A, "posts send WQE").must(
		val("at", r.wqe*slotBytes), val("opcode", opcode), val("sges", 1),
		val("addr0", local.addr), val("length0", len(r.message)), val("lkey0", local.key)))
	r.count(r.begin(), r.end(), 1, on(A, "posts send WQE"))
	bell = r.after(wqe, on(A, "rings send queue").must(val("producer", r.wqe+1), val("number", r.a.qpn&0xFFFF)))
	r.count(r.begin(), r.end(), 1, on(A, "rings send queue"))
	taken := r.after(bell, on(A, "doorbell.sq_doorbell").must(val("qp", r.a.qp), val("producer", r.wqe+1)))
	r.count(r.begin(), r.end(), 1, on(A, "doorbell.sq_doorbell"))
	r.mark("doorbell", taken)
	return wqe, taken
}

// fetched is A's read of the WQE from host memory, and the lookup of its queue
// pair's context.
func (r *reading) fetched() (read, here, context Seen) {
	bell := r.marked("doorbell")
	asked := r.after(bell, on(A, "wqefetch_sq.wqes_asked").must(val("qp", r.a.qp), val("first", r.wqe)))
	read = r.after(asked, on(A, "reads "+sendQueue).must(val("at", r.wqe*slotBytes)))
	here = r.after(read, on(A, "wqefetch_sq.wqe_here").must(val("qp", r.a.qp), val("wqe", r.wqe)))
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
	made = r.after(later(r.begin(), r.marked("made")), on(A, "requester.packet_made").must(
		val("qp", r.a.qp), val("wqe", r.wqe), val("opcode", opcode), val("psn", psn), val("last_psn", psn), val("offset", at), val("bytes", bytes), val("status", 0)))
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
func (r *reading) recorded(kind, psn uint64, oldest bool) Seen {
	s := r.after(later(r.begin(), r.marked("recorded")), on(A, "replay.recorded").must(
		val("qp", r.a.qp), val("kind", kind), val("psn", psn), val("wqe", r.wqe), flag("oldest", oldest)))
	return r.mark("recorded", s)
}

// retired is what the ACK does at A: the entries of its PSN and those before retire, in
// order, and with the last one the ring is empty.
func (r *reading) retired(first, last uint64) (response, gone Seen) {
	response = r.after(r.marked("ack"), on(A, "psncheck.response").must(val("qp", r.a.qp), val("psn", last), val("syndrome", uint64(format.SyndromeNoCredits))))
	gone = response
	for psn := first; psn <= last; psn++ {
		gone = r.after(gone, on(A, "completer.entry_retired").must(
			val("qp", r.a.qp), val("kind", uint64(link.EntryRequest)), val("psn", psn), val("wqe", r.wqe), flag("last", psn == last), val("status", 0)))
	}
	n := int(last - first + 1)
	r.count(r.begin(), r.end(), n, on(A, "completer.entry_retired"))
	r.never(r.begin(), response, on(A, "replay.removed"))
	r.count(response, r.end(), n, on(A, "replay.removed"))
	r.count(response, r.end(), 1, on(A, "replay.removed", val("empty", 1)))
	r.mark("retired", gone)
	return response, r.after(response, on(A, "replay.removed", val("empty", 1)).must(val("qp", r.a.qp)))
}

// completes is the send completion of a signaled work request, the first one of A.
func (r *reading) completes(opcode format.WCOpcode, bytes uint64) Seen {
	asked := r.after(r.marked("ack"), on(A, "completer.send_completes").must(val("qp", r.a.qp), val("wqe", r.wqe), val("status", 0)))
	cqe := r.after(asked, on(A, "writes "+sendCQ).must(
		val("at", 0), val("bytes", cqeBytes), val("wr_id", uint64(sendID)), val("status", 0), val("opcode", opcode),
		val("byte_len", bytes), val("qpn", r.a.qpn), val("wqe", r.wqe), val("queue", 0)))
	r.after(cqe, on(A, "cqewriter.cqe_in_memory").must(val("cq", r.a.sendCQ), val("producer", 1)))
	r.count(r.begin(), r.end(), 1, on(A, "writes "+sendCQ))
	return cqe
}

// silent is an unsignaled work request: it retires, and no completion is written.
func (r *reading) silent(psn uint64) Seen {
	gone := r.after(r.begin(), on(A, "completer.entry_retired", val("last", 1)).must(val("qp", r.a.qp), val("psn", psn), val("status", 0)))
	r.never(r.begin(), r.end(), on(A, "completer.send_completes"), on(A, "cqewriter.cqe_leaves"), on(A, "writes "+sendCQ))
	return gone
}

// signaledOnly is the fact that a send completion is written if signaled, and only then: that of
// A's work request of an index, whose last replay entry is that of a PSN. bytes is the byte count in
// the completion: 0 but for a READ.
func signaledOnly(f *fact, wqe int, opcode format.WCOpcode, last, bytes uint64) {
	r := f.in(signaled).turn(wqe)
	post := r.after(r.begin(), on(A, "posts send WQE").must(val("flags", uint64(format.WRFlagSignaled))))
	cqe := r.completes(opcode, bytes)
	r.order(post, cqe)
	r.saw(cqe, "signaled: CQE %d in the send CQ, wr_id %#x, %v", cqe.Get("at")/cqeBytes, cqe.Get("wr_id"), format.Status(cqe.Get("status")))

	r = f.in(unsignaled).turn(wqe)
	r.after(r.begin(), on(A, "posts send WQE").must(val("flags", 0)))
	gone := r.silent(last)
	r.saw(gone, "unsignaled: PSN %d retires the WQE, and no CQE is written to the send CQ", gone.Get("psn"))
}
