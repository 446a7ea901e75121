package walk

import (
	"context"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/verbs"
)

// W1 is an RDMA WRITE of 12 KiB in three packets.
var W1 = Walk{
	Name:  "W1",
	Title: "RDMA WRITE in three packets (12 KiB, path MTU 4096), first PSN 1000",
	plays: []script{
		{name: signaled, psn: w1PSN, run: w1Write(verbs.SendSignaled)},
		{name: unsignaled, psn: w1PSN, run: w1Write(0)},
	},
	steps: []step{
		{1, "One 12 KiB work request in the send ring; one doorbell", w1Posted},
		{2, "Source bytes gathered under the WQE's lkey, cut at 4096: three packets; only the first carries a RETH", w1Gathered},
		{3, "Three replay entries, PSN 1000..1002; the retry timer watches PSN 1000 only", w1Recorded},
		{4, "WRITE_FIRST's RETH: address, rkey, and length 12288 (the whole message)", w1RETH},
		{5, "B checks PSN 1000, then the rkey, once, over all 12 KiB", w1Checked},
		{6, "First 4096 bytes land at the RETH address; B keeps the next address and the 8192 bytes left", w1First},
		{7, "WRITE_MIDDLE is BTH + payload; it lands where the reassembly context points, and the context advances", w1Middle},
		{8, "WRITE_LAST brings the count to zero and closes the context; no receive WQE consumed, no CQE at B", w1Last},
		{9, "One ACK, PSN 1002: retires all three replay entries, disarms the timer", w1ACK},
		{10, "MSN 1; the WQE retires; a send completion only if signaled", w1Completed},
	},
}

const w1PSN = 1000

// write makes what a WRITE needs: A's source, B's target, and a receive WQE with a buffer at B, which a plain WRITE
// does not take.
func (c *scene) write(ctx context.Context, size int) (verbs.SendWR, error) {
	sge, err := c.source(ctx, size)
	if err != nil {
		return verbs.SendWR{}, err
	}
	target, err := c.region(ctx, 1, "target", uint64(size), verbs.AccessLocalWrite|verbs.AccessRemoteWrite, 0)
	if err != nil {
		return verbs.SendWR{}, err
	}
	return verbs.SendWR{
		WRID: sendID, Opcode: verbs.WRWrite, SGL: []verbs.SGE{sge}, RemoteAddr: target.Addr(), RKey: target.RKey(),
	}, c.receive(ctx, 1)
}

func w1Write(flags verbs.SendFlags) func(context.Context, *scene) error {
	return func(ctx context.Context, c *scene) error {
		wr, err := c.write(ctx, 3*PathMTU)
		if err != nil {
			return err
		}
		wr.Flags = flags
		return c.send(ctx, wr)
	}
}

func w1Posted(f *fact) {
	r := f.in(signaled)
	wqe, bell := r.oneWQE(format.WRWrite, "source")
	r.saw(wqe, "WQE 0: %v of %d bytes, lkey %#x, in the send ring", format.WROpcode(wqe.Get("opcode")), wqe.Get("length0"), wqe.Get("lkey0"))
	r.saw(bell, "one doorbell: producer index %d", bell.Get("producer"))
}

// w1Opcodes are those of the packets.
var w1Opcodes = [3]format.Opcode{format.OpWriteFirst, format.OpWriteMiddle, format.OpWriteLast}

func w1Gathered(f *fact) {
	r := f.in(signaled)
	headers := [3]uint64{16, 0, 0}
	var crossed Seen
	for i, opcode := range w1Opcodes {
		psn := w1PSN + uint64(i)
		_, key, whole := r.gathered(i, psn, opcode, PathMTU)
		crossed = r.crossed(later(whole, crossed), opcode, psn, uint64(i)*PathMTU, PathMTU, val("headers", headers[i]))
		r.saw(key, "lkey %#x granted for bytes %d to %d", r.regions["source"].key, i*PathMTU, (i+1)*PathMTU-1)
		r.saw(crossed, "%v, PSN %d: BTH, %d bytes of further headers, %d bytes of payload", opcode, psn, headers[i], crossed.Get("bytes"))
	}
	r.count(start, r.end(), 3, on(A, "requester.packet_made"))
	r.count(start, r.end(), 3, on(A, "transmit.packet_leaves"))
}

func w1Recorded(f *fact) {
	r := f.in(signaled)
	var sent Seen
	for i := range w1Opcodes {
		psn := w1PSN + uint64(i)
		entry := r.recorded(link.EntryRequest, psn, i == 0)
		sent = r.after(sent, on(A, "core.frame_sent"))
		r.order(entry, sent)
		r.saw(entry, "replay entry of PSN %d, before its frame has left", psn)
	}
	r.count(start, r.end(), 3, on(A, "replay.recorded"))
	r.never(start, r.marked("recorded"), on(A, "replay.removed"))
	r.noted("PSN 1000 entered an empty ring and stayed its oldest entry while the others came: the one that the retry timer watches (%s)", noTimeout)
}

func w1RETH(f *fact) {
	r := f.in(signaled)
	target := r.regions["target"]
	s := r.crossed(start, format.OpWriteFirst, w1PSN, 0, PathMTU,
		val("va", target.addr), val("rkey", target.key), val("length", 3*PathMTU))
	r.mark("first", s)
	r.saw(s, "WRITE_FIRST, PSN %d, RETH: address %#x, rkey %#x, length %d", s.Get("psn"), s.Get("va"), s.Get("rkey"), s.Get("length"))
}

func w1Checked(f *fact) {
	r := f.in(signaled)
	target := r.regions["target"]
	psn := r.expected(r.marked("first"), w1PSN)
	asked, key := r.granted(B, psn, target.key, uint64(format.AccessRemoteWrite), target.addr, 3*PathMTU)
	r.never(start, key, on(B, "writes target"))
	r.count(start, r.end(), 1, on(B, "keycache.key_compared", val("bytes", 3*PathMTU)))
	r.mark("checked", psn)
	r.mark("granted", key)
	r.saw(psn, "PSN %d is the expected one", psn.Get("psn"))
	r.saw(key, "rkey %#x grants remote write to all %d bytes from %#x on; nothing written before", target.key, 3*PathMTU, target.addr)
	for i := 1; i < 3; i++ {
		next, again := r.granted(B, asked, target.key, uint64(format.AccessRemoteWrite), target.addr+uint64(i)*PathMTU, uint64(3-i)*PathMTU)
		r.saw(again, "with PSN %d the key is looked up again, for the %d bytes left: it might have died", w1PSN+i, (3-i)*PathMTU)
		asked = next
	}
}

// reassembled is the reassembly context behind a packet.
func (r *reading) reassembled(behind Seen, left uint64) Seen {
	target := r.regions["target"]
	kind := messageWrite
	if left == 0 {
		kind = messageNone
	}
	return r.after(behind, on(B, "responder.reassembly").must(
		val("qp", r.b.qp), val("kind", kind), val("va", target.addr+target.size-left), val("left", left)))
}

func w1First(f *fact) {
	r := f.in(signaled)
	written := r.placed(r.marked("granted"), w1PSN, "target", 0, PathMTU, 0)
	context := r.reassembled(r.marked("granted"), 2*PathMTU)
	r.mark("context", context)
	r.saw(context, "reassembly context: next address %#x, %d bytes left", context.Get("va"), context.Get("left"))
	r.saw(written, "bytes 0 to 4095 of the target hold the first 4096 of the source")
}

func w1Middle(f *fact) {
	r := f.in(signaled)
	s := r.crossed(r.marked("first"), format.OpWriteMiddle, w1PSN+1, PathMTU, PathMTU, val("headers", 0))
	psn := r.expected(later(s, r.marked("checked")), w1PSN+1)
	r.goesOn(psn, 1)
	written := r.placed(psn, w1PSN+1, "target", PathMTU, PathMTU, PathMTU)
	context := r.reassembled(later(psn, r.marked("context")), PathMTU)
	r.mark("checked", psn)
	r.mark("context", context)
	r.saw(s, "WRITE_MIDDLE, PSN %d: BTH and %d bytes of payload, no further header", s.Get("psn"), s.Get("bytes"))
	r.saw(context, "reassembly context: next address %#x, %d bytes left", context.Get("va"), context.Get("left"))
	r.saw(written, "bytes 4096 to 8191 of the target hold the next 4096 of the source")
}

// goesOn is packet i of the message: it goes where the context behind the packet before it
// points.
func (r *reading) goesOn(behind Seen, i uint64) {
	if at := r.marked("context").Get("va"); at != r.regions["target"].addr+i*PathMTU {
		r.fail("%sthe context points to %#x", r.label(), at)
	}
	r.after(behind, on(B, "responder.segment").must(
		val("qp", r.b.qp), val("va", r.regions["target"].addr+i*PathMTU), val("bytes", PathMTU), val("skip", 0)))
}

func w1Last(f *fact) {
	r := f.in(signaled)
	s := r.crossed(r.marked("first"), format.OpWriteLast, w1PSN+2, 2*PathMTU, PathMTU, val("headers", 0))
	psn := r.expected(later(s, r.marked("checked")), w1PSN+2)
	r.goesOn(psn, 2)
	written := r.placed(psn, w1PSN+2, "target", 2*PathMTU, PathMTU, 2*PathMTU)
	context := r.reassembled(later(psn, r.marked("context")), 0)
	r.mark("judged", psn)
	r.saw(context, "reassembly context closed: %d bytes left", context.Get("left"))
	r.saw(written, "bytes 8192 to 12287 of the target hold the last 4096 of the source")
	r.untouched()
}

// untouched is what a plain WRITE leaves alone at B.
func (r *reading) untouched() {
	here := r.after(start, on(B, "wqefetch_rq.wqe_here").must(val("qp", r.b.qp), val("wqe", 0)))
	r.order(here, r.after(start, on(A, "posts send WQE")))
	r.never(here, r.end(),
		on(B, "wqefetch_rq.wqe_taken"), on(B, "wqefetch_rq.head"), on(B, "reads "+recvQueue),
		on(B, "ackqueue.recv_completes"), on(B, "cqewriter.cqe_leaves"), on(B, "writes "+recvCQ), on(B, "writes "+sendCQ))
	r.noted("B's receive WQE, there since cycle %d, is neither looked at nor taken; no CQE is made or written at B", here.Cycle)
}

func w1ACK(f *fact) {
	r := f.in(signaled)
	leaves, ack := r.acknowledged(w1PSN+2, 1)
	response, empty := r.retired(w1PSN, w1PSN+2)
	r.order(leaves, ack, response, empty)
	r.saw(ack, "one ACKNOWLEDGE, PSN %d, for all three packets", ack.Get("psn"))
	r.saw(r.marked("retired"), "entries of PSN 1000, 1001, 1002 retired, in this order, by that ACK")
	r.saw(empty, "the replay ring is empty: the retry timer has nothing to watch (%s)", noTimeout)
}

func w1Completed(f *fact) {
	r := f.in(signaled)
	ack := r.after(start, on(BToA, "ACKNOWLEDGE").must(val("msn", 1)))
	last := r.after(ack, on(A, "completer.entry_retired", val("last", 1)).must(val("wqe", 0), val("psn", w1PSN+2)))
	r.saw(ack, "MSN %d", ack.Get("msn"))
	r.saw(last, "PSN %d, the last of WQE %d, retires it", last.Get("psn"), last.Get("wqe"))
	signaledOnly(f, 0, format.WCWrite, w1PSN+2, 0)
}
