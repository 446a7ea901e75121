package walk

import (
	"context"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/verbs"
)

// S1 is a SEND of one packet.
var S1 = Walk{
	Name:  "S1",
	Title: "SEND, one packet (4 KiB), PSN 1000",
	plays: []script{
		{name: signaled, psn: s1PSN, run: s1Send(2, verbs.SendSignaled)},
		{name: unsignaled, psn: s1PSN, run: s1Send(2, 0)},
		{name: gap, psn: s1PSN, skips: 1, run: s1Send(2, 0)},
		{name: emptyQueue, psn: s1PSN, run: s1Send(0, 0)},
	},
	steps: []step{
		{1, "B posted a receive WQE before anything was sent", recvPosted},
		{2, "The SEND WQE names no remote address", s1Posted},
		{3, "Gathered under the lkey; next PSN stamped", s1Gathered},
		{4, "SEND_ONLY is BTH + payload; PSN compared with the expected one", s1Compared},
		{5, "Neither NAK happens (their own scenarios: PSN gap draws NAK sequence error; empty queue draws RNR NAK)", s1NoNAK},
		{6, "Payload lands in the receive WQE at the head of the queue", s1Placed},
		{7, "B: receive completion written; the ACK does not wait for it", sendCompleted},
		{8, "A: ACK for 1000 retires the entry, disarms the timer", oneRetired},
		{9, "MSN 1; send completion only if signaled", s1Completed},
	},
}

const s1PSN = 1000

// Names of plays.
const (
	gap        = "PSN gap"
	emptyQueue = "empty queue"
)

// sends makes what a SEND needs: A's source and receive WQEs at B.
func (c *scene) sends(ctx context.Context, recvs int) (verbs.SendWR, error) {
	sge, err := c.source(ctx, PathMTU)
	if err == nil && recvs > 0 {
		err = c.receive(ctx, recvs)
	}
	return verbs.SendWR{WRID: sendID, Opcode: verbs.WRSend, SGL: []verbs.SGE{sge}}, err
}

func s1Send(recvs int, flags verbs.SendFlags) func(context.Context, *scene) error {
	return func(ctx context.Context, c *scene) error {
		wr, err := c.sends(ctx, recvs)
		if err != nil {
			return err
		}
		wr.Flags = flags
		return c.send(ctx, wr)
	}
}

// recvPosted is step "B posted a receive WQE naming a buffer, before anything was sent".
func recvPosted(f *fact) {
	r := f.in(signaled)
	buffer := r.regions["receive buffer 0"]
	wqe := r.after(start, on(B, "posts receive WQE").must(
		val("at", 0), val("sges", 1), val("addr0", buffer.addr), val("length0", buffer.size), val("lkey0", buffer.key)))
	bell := r.after(wqe, on(B, "doorbell.rq_doorbell").must(val("qp", r.b.qp), val("producer", 2)))
	here := r.after(bell, on(B, "wqefetch_rq.wqe_here").must(val("qp", r.b.qp), val("wqe", 0)))
	first := r.after(start, on(A, "posts send WQE"))
	r.order(here, first)
	r.never(start, here, on(AToB, "SEND_ONLY"))
	r.mark("receive WQE", wqe)
	r.saw(wqe, "receive WQE 0 names %d bytes at %#x, lkey %#x; a second one names another buffer", buffer.size, buffer.addr, buffer.key)
	r.saw(bell, "doorbell of the receive queue: producer index %d", bell.Get("producer"))
	r.saw(first, "only then is a SEND posted")
}

func s1Posted(f *fact) {
	r := f.in(signaled)
	wqe, bell := r.oneWQE(format.WRSend, "source")
	r.after(start, on(A, "posts send WQE").must(val("remote_addr", 0), val("rkey", 0)))
	r.saw(wqe, "WQE 0: %v of %d bytes; remote address and rkey are 0", format.WROpcode(wqe.Get("opcode")), wqe.Get("length0"))
	r.saw(bell, "doorbell: producer index %d", bell.Get("producer"))
}

func s1Gathered(f *fact) {
	r := f.in(signaled)
	made, key, whole := r.gathered(0, s1PSN, format.OpSendOnly, PathMTU)
	r.saw(made, "PSN %d, the next one of the queue pair, is stamped", made.Get("psn"))
	r.saw(key, "lkey %#x granted for %d bytes", r.regions["source"].key, PathMTU)
	r.saw(whole, "%d bytes of the source gathered", PathMTU)
}

func s1Compared(f *fact) {
	oneLeaves(f, s1PSN, format.OpSendOnly, val("headers", 0))
	r := f.in(signaled)
	psn := r.expected(r.marked("packet"), s1PSN)
	r.mark("judged", psn)
	r.saw(psn, "PSN %d is the expected one", psn.Get("psn"))
}

func s1NoNAK(f *fact) {
	r := f.in(signaled)
	head := r.after(r.marked("judged"), on(B, "wqefetch_rq.head").must(val("qp", r.b.qp), val("here", 1), val("wqe", 0)))
	r.count(start, r.end(), 1, on(BToA, "ACKNOWLEDGE"))
	ack := r.after(head, on(BToA, "ACKNOWLEDGE").must(val("syndrome", uint64(format.SyndromeNoCredits))))
	r.saw(ack, "the one answer is an ACK: the PSN was expected, and receive WQE %d at the head is there", head.Get("wqe"))

	r = f.in(gap)
	checked := r.after(start, on(B, "psncheck.psn_checked").must(val("psn", s1PSN+1), val("expected", s1PSN), val("kind", uint64(link.PSNAhead))))
	nak := r.refused(checked, uint64(format.SyndromeNAK))
	r.saw(nak, "PSN %d comes, %d is expected: NAK sequence error, syndrome %#x, PSN %d", checked.Get("psn"), s1PSN, nak.Get("syndrome"), nak.Get("psn"))

	r = f.in(emptyQueue)
	checked = r.expected(start, s1PSN)
	r.after(checked, on(B, "wqefetch_rq.head").must(val("qp", r.b.qp), val("here", 0), val("empty", 1)))
	nak = r.refused(checked, uint64(format.SyndromeRNR)|rnrTimer)
	r.saw(nak, "no receive WQE: RNR NAK, syndrome %#x, PSN %d", nak.Get("syndrome"), nak.Get("psn"))
}

// refused is B's one answer to a packet that it does not take: nothing else becomes of it.
func (r *reading) refused(checked Seen, syndrome uint64) Seen {
	owed := r.after(checked, on(B, "ackqueue.ack_owed").must(val("qp", r.b.qp), val("syndrome", syndrome), val("psn", s1PSN), val("msn", 0)))
	nak := r.after(owed, on(BToA, "ACKNOWLEDGE").must(flag("good", true), val("syndrome", syndrome), val("psn", s1PSN), val("msn", 0)))
	r.count(start, r.end(), 1, on(BToA, "ACKNOWLEDGE"))
	r.never(checked, r.end(), on(B, "wqefetch_rq.wqe_taken"), on(B, "dma.write"), on(B, "cqewriter.cqe_leaves"))
	return nak
}

// landed is the payload of a SEND in the buffer of the WQE at the head, and in no other.
func (r *reading) landed() (head, written Seen) {
	psn := r.marked("judged")
	buffer := r.regions["receive buffer 0"]
	head = r.after(psn, on(B, "wqefetch_rq.head").must(val("qp", r.b.qp), val("wqe", 0), val("here", 1)))
	segment := r.after(head, on(B, "responder.segment").must(
		val("qp", r.b.qp), val("key", buffer.key), val("va", buffer.addr), val("bytes", PathMTU), val("sge", 0), val("skip", 0)))
	_, key := r.granted(B, segment, buffer.key, uint64(format.AccessLocalWrite), buffer.addr, PathMTU)
	r.never(r.begin(), key, on(B, "writes receive buffer 0"))
	written = r.placed(key, psn.Get("psn"), "receive buffer 0", 0, PathMTU, 0)
	r.never(r.begin(), r.end(), on(B, "writes receive buffer 1"))
	r.mark("key", key)
	r.mark("written", written)
	return head, written
}

func s1Placed(f *fact) {
	r := f.in(signaled)
	head, written := r.landed()
	r.saw(head, "receive WQE %d is at the head of the queue", head.Get("wqe"))
	r.saw(written, "its buffer holds the %d bytes of the source; that of WQE 1 is not written to", PathMTU)
}

// sendCompleted is step "the receive completion is written, and the ACK does not wait for it".
func sendCompleted(f *fact) { sendCompletes(f.in(signaled), s1PSN, 1, nothing()) }

func sendCompletes(r *reading, psn, msn uint64, carries []Value) (cqe, ack Seen) {
	taken := r.after(r.marked("judged"), on(B, "wqefetch_rq.wqe_taken").must(val("qp", r.b.qp), val("wqe", 0)))
	r.count(r.begin(), r.end(), 1, on(B, "wqefetch_rq.wqe_taken"))
	cqe = r.received(taken, format.WCRecv, PathMTU, carries)
	leaves, ack := r.acknowledged(psn, msn)
	memory := r.after(cqe, on(B, "cqewriter.cqe_in_memory"))
	r.order(r.marked("written"), cqe)
	r.order(leaves, ack, memory)
	r.saw(cqe, "receive CQE: wr_id %#x, %v, %d bytes", cqe.Get("wr_id"), format.WCOpcode(cqe.Get("opcode")), cqe.Get("byte_len"))
	r.saw(ack, "the ACK of PSN %d is on the wire; memory answers for the CQE at %d", ack.Get("psn"), memory.Cycle)
	return cqe, ack
}

func s1Completed(f *fact) {
	r := f.in(signaled)
	ack := r.after(start, on(BToA, "ACKNOWLEDGE").must(val("msn", 1)))
	r.saw(ack, "MSN %d", ack.Get("msn"))
	signaledOnly(f, 0, format.WCSend, s1PSN, 0)
}
