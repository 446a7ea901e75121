package walk

import (
	"gornic/blocks/link"
	"gornic/format"
)

// readPosted is A's READ work request, and its doorbell.
func (r *reading) readPosted() (wqe, bell Seen) {
	target := r.regions["target"]
	wqe, bell = r.oneWQE(format.WRRead, "sink")
	return r.after(r.begin(), on(A, "posts send WQE").must(val("remote_addr", target.addr), val("rkey", target.key))), bell
}

// readMade is the request of a READ, which takes as many PSNs as its responses have.
func (r *reading) readMade(behind Seen, wqe int, psn uint64) Seen {
	return r.after(behind, on(A, "requester.packet_made").must(
		val("qp", r.a.qp), val("wqe", wqe), val("opcode", format.OpReadRequest), val("psn", psn), val("last_psn", psn+1), val("bytes", 0), val("status", 0)))
}

// readCrosses is that request on the wire.
func (r *reading) readCrosses(behind Seen, psn uint64) Seen {
	target := r.regions["target"]
	return r.crossed(behind, format.OpReadRequest, psn, 0, 0,
		val("headers", rethBytes), val("va", target.addr), val("rkey", target.key), val("length", readBytes))
}

// readRecorded is step "replay entry recorded, timer armed".
func readRecorded(r *reading) {
	entry := r.recorded(link.EntryRead, readPSN, true)
	sent := r.after(r.marked("made"), on(A, "core.frame_sent"))
	r.order(entry, sent)
	r.count(start, r.end(), 1, on(A, "replay.recorded"))
	r.never(start, sent, on(A, "replay.removed"))
	r.saw(entry, "replay entry of PSN %d, before the frame has left: the oldest, which the retry timer watches (%s)", entry.Get("psn"), noTimeout)
}

// readChecked is step "PSN, then the rkey for remote read over all 8 KiB".
func readChecked(f *fact) {
	r := f.in(signaled)
	target := r.regions["target"]
	psn := r.expected(r.marked("packet"), readPSN)
	_, key := r.granted(B, psn, target.key, uint64(format.AccessRemoteRead), target.addr, readBytes)
	r.never(start, key, on(B, "reads target"))
	r.mark("judged", psn)
	r.mark("granted", key)
	r.saw(psn, "PSN %d is the expected one", psn.Get("psn"))
	r.saw(key, "rkey %#x grants remote read of all %d bytes from %#x on; nothing read before", target.key, readBytes, target.addr)
}

// slot is a responder resource of B that a READ takes, of so many as were agreed.
func (r *reading) slot(behind Seen, psn, agreed uint64) Seen {
	taken := r.after(behind, on(B, "resources.resource_taken").must(
		val("qp", r.b.qp), val("psn", psn), val("kind", uint64(link.ResourceRead)), val("bytes", readBytes)))
	if used := taken.Get("used"); r.err == nil && (used == 0 || used > agreed) {
		r.fail("%s%v: %d slots taken of %d", r.label(), taken, used, agreed)
	}
	return taken
}

// readMemory is step "B's DMA reads the 8 KiB with no software of B involved".
func readMemory(f *fact) {
	r := f.in(signaled)
	read := r.bothRead()
	r.saw(read, "B's NIC has read all %d bytes", readBytes)
	first := r.after(start, on(A, "posts send WQE"))
	for _, what := range software {
		r.never(first, r.end(), on(B, what))
	}
	r.noted("from the READ's posting on, B's software posts nothing, rings no doorbell and gives no command")
	r.untouched()
}

// bothRead is B's memory read for both packets, each under a key that is looked at again.
func (r *reading) bothRead() (last Seen) {
	target := r.regions["target"]
	behind := r.marked("granted")
	for i := range uint64(2) {
		at := i * PathMTU
		made := r.after(behind, on(B, "resources.response_made").must(
			val("qp", r.b.qp), val("psn", readPSN+i), val("va", target.addr+at), val("bytes", PathMTU)))
		asked, key := r.granted(B, later(made, r.marked("asked at B")), target.key, uint64(format.AccessRemoteRead), target.addr+at, PathMTU)
		whole := r.after(later(key, last), on(B, "gather.payload_whole").must(val("fault", 0)))
		last = r.covers(key, whole, on(B, "reads target"), at, PathMTU)
		r.mark("asked at B", asked)
		behind, last = made, later(last, whole)
		r.mark("made at B "+[]string{"first", "last"}[i], made)
		r.mark("whole at B "+[]string{"first", "last"}[i], whole)
	}
	return last
}

// software is all that software may do.
var software = []string{"posts send WQE", "posts receive WQE", "rings send queue", "rings receive queue", "arms CQ", "gives command"}

// responds is a response of B on the wire, with payload from an offset of the message on.
func (r *reading) responds(behind Seen, opcode format.Opcode, psn, at uint64) Seen {
	info, _ := format.Lookup(opcode)
	s := r.after(behind, on(BToA, info.Name).must(
		flag("good", true), val("psn", psn), val("dest_qp", r.a.qpn), val("headers", aethBytes), val("bytes", PathMTU),
		val("syndrome", uint64(format.SyndromeNoCredits)), val("msn", 1)))
	if r.err == nil {
		r.same("the payload of "+info.Name, s.Data, r.message[at:at+PathMTU])
	}
	return s
}

// readPlaced is a response at A: it is matched, its place is that of the WQE, the lkey is looked
// at, and its payload goes there.
func (r *reading) readPlaced(packet Seen, psn, at uint64, opcode format.Opcode, match uint64) (matched, written, memory Seen) {
	sink := r.regions["sink"]
	matched = r.after(later(packet, r.marked("matched")), on(A, "readmatch.response").must(
		val("qp", r.a.qp), val("opcode", opcode), val("psn", psn), val("match", match)))
	place := r.after(matched, on(A, "readmatch.read_data").must(
		val("qp", r.a.qp), val("psn", psn), val("wqe", 0), val("sge", 0), val("va", sink.addr+at), val("bytes", PathMTU)))
	_, key := r.granted(A, place, sink.key, uint64(format.AccessLocalWrite), sink.addr+at, PathMTU)
	written, memory = r.placedAt(A, r.a.qp, key, psn, "sink", at, PathMTU, at)
	r.never(start, r.marked("packet"), on(A, "writes sink"))
	r.mark("matched", matched)
	return matched, written, memory
}

// readFirst is the first response on the wire, and its data at A.
func (r *reading) readFirst() (packet, written Seen) {
	packet = r.responds(r.marked("whole at B first"), format.OpReadResponseFirst, readPSN, 0)
	_, written, _ = r.readPlaced(packet, readPSN, 0, format.OpReadResponseFirst, link.MatchData)
	r.mark("first", packet)
	r.mark("first written", written)
	return packet, written
}

// readLast is step "the last response closes the message and acknowledges it".
func readLast(f *fact) {
	r := f.in(signaled)
	packet := r.responds(later(r.marked("whole at B last"), r.marked("first")), format.OpReadResponseLast, readPSN+1, PathMTU)
	_, written, memory := r.readPlaced(packet, readPSN+1, PathMTU, format.OpReadResponseLast, link.MatchDone)
	gone := r.after(memory, on(A, "completer.entry_retired").must(
		val("qp", r.a.qp), val("kind", uint64(link.EntryRead)), val("psn", readPSN), val("wqe", 0), flag("last", true), val("status", 0)))
	empty := r.after(memory, on(A, "replay.removed").must(val("qp", r.a.qp), val("empty", 1)))
	r.never(start, memory, on(A, "completer.entry_retired"), on(A, "replay.removed"))
	r.count(start, r.end(), 1, on(A, "replay.removed"))
	r.never(start, r.end(), on(BToA, "ACKNOWLEDGE"), on(B, "ackqueue.ack_owed"), on(B, "ackqueue.ack_leaves"))
	r.order(r.marked("first written"), written)
	r.mark("ack", packet)
	r.mark("in memory", memory)
	r.saw(packet, "READ_RESPONSE_LAST, PSN %d: AETH with syndrome %#x, and the last %d bytes", packet.Get("psn"), packet.Get("syndrome"), packet.Get("bytes"))
	r.saw(written, "they stand behind the first: the buffer holds all %d bytes that B has", readBytes)
	r.saw(gone, "it acknowledges: the entry of PSN %d retires, and there is no ACKNOWLEDGE on the wire", gone.Get("psn"))
	r.saw(empty, "the replay ring is empty: the retry timer has nothing to watch (%s)", noTimeout)
}
