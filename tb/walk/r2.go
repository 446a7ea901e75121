package walk

import (
	"gornic/format"
	"gornic/verbs"
)

// R2 is an RDMA READ, block by block.
var R2 = Walk{
	Name:  "R2",
	Title: "RDMA READ, block by block (8 KiB), PSN 2000",
	plays: []script{
		{name: signaled, psn: readPSN, run: reads(1, verbs.SendSignaled)},
		{name: unsignaled, psn: readPSN, run: reads(1, 0)},
	},
	steps: []step{
		{1, "A: READ WQE posted, doorbell", r1Posted},
		{2, "A: WQE read, QP context looked up", oneFetched},
		{3, "A: lkey checked for local write; no payload read; BTH + RETH, PSN 2000, 2001 reserved; replay entry; request leaves", r2Leaves},
		{4, "B: PSN, rkey for remote read over 8 KiB, slot taken", r2Taken},
		{5, "B's DMA reads B's memory", r2Memory},
		{6, "B's packet build emits READ_RESPONSE_FIRST, PSN 2000, AETH, 4096 bytes", r2Built},
		{7, "A matches PSN 2000 to its outstanding READ, writes 4096 bytes to its own WQE's buffer", r2Matched},
		{8, "Last 4096 bytes behind the first; its AETH acknowledges; entry retired; no separate ACK on the wire", readLast},
		{9, "A: CQE only if signaled", func(f *fact) { signaledOnly(f, 0, format.WCRead, readPSN, readBytes) }},
	},
}

func r2Leaves(f *fact) {
	r := f.in(signaled)
	sink := r.regions["sink"]
	made := r.mark("made", r.readMade(r.marked("doorbell"), 0, readPSN))
	_, key := r.granted(A, r.marked("context"), sink.key, uint64(format.AccessLocalWrite), sink.addr, readBytes)
	issued := r.after(start, on(A, "readmatch.read_issued").must(val("qp", r.a.qp), val("psn", readPSN), val("wqe", 0), val("bytes", readBytes)))
	leaves := r.after(later(key, issued), on(A, "transmit.packet_leaves").must(
		val("qp", r.a.qp), val("opcode", format.OpReadRequest), val("psn", readPSN), val("bytes", 0)))
	packet := r.mark("packet", r.readCrosses(leaves, readPSN))
	r.order(made, leaves)
	r.count(start, packet, 1, on(A, "keycache.key_compared"))
	r.never(start, r.end(), on(A, "reads sink"), on(A, "gather.payload_whole"))
	r.saw(key, "lkey %#x granted for local write of all %d bytes, before the request leaves", sink.key, readBytes)
	r.noted("no payload is read at A")
	r.saw(made, "PSN %d to %d are the READ's", made.Get("psn"), made.Get("last_psn"))
	readRecorded(r)
	r.saw(issued, "where its data goes is known at %d, before the request leaves", issued.Cycle)
	r.saw(packet, "READ_REQUEST, PSN %d: BTH, RETH with address %#x, rkey %#x, length %d, and no payload",
		packet.Get("psn"), packet.Get("va"), packet.Get("rkey"), packet.Get("length"))
}

func r2Taken(f *fact) {
	readChecked(f)
	r := f.in(signaled)
	taken := r.mark("slot", r.slot(r.marked("granted"), readPSN, agreedReads))
	r.saw(taken, "%d slot taken by the READ of %d bytes", taken.Get("used"), taken.Get("bytes"))
}

func r2Memory(f *fact) {
	r := f.in(signaled)
	read := r.bothRead()
	r.never(start, r.marked("slot"), on(B, "reads target"))
	r.saw(read, "B's NIC has read all %d bytes of B's memory", readBytes)
}

func r2Built(f *fact) {
	r := f.in(signaled)
	made := r.after(r.marked("slot"), on(B, "resources.response_made").must(
		val("qp", r.b.qp), val("psn", readPSN), val("opcode", format.OpReadResponseFirst), val("bytes", PathMTU)))
	leaves := r.after(r.marked("whole at B first"), on(B, "transmit.packet_leaves").must(
		val("qp", r.b.qp), val("opcode", format.OpReadResponseFirst), val("psn", readPSN), val("bytes", PathMTU)))
	sent := r.after(leaves, on(B, "core.frame_sent"))
	packet := r.responds(sent, format.OpReadResponseFirst, readPSN, 0)
	r.order(made, leaves)
	r.saw(leaves, "READ_RESPONSE_FIRST, PSN %d, %d bytes, leaves B's transmit behind its payload", leaves.Get("psn"), leaves.Get("bytes"))
	r.saw(packet, "on the wire: AETH with syndrome %#x and MSN %d, and the bytes that B has", packet.Get("syndrome"), packet.Get("msn"))
}

func r2Matched(f *fact) {
	r := f.in(signaled)
	_, written := r.readFirst()
	matched := r.marked("matched")
	r.saw(matched, "PSN %d is the next one that the oldest READ waits for", matched.Get("psn"))
	r.saw(written, "bytes 0 to %d of the buffer that WQE 0 named hold the payload", PathMTU-1)
}
