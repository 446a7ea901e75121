package walk

import (
	"context"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/verbs"
)

// W2 is an RDMA WRITE of one packet, block by block, then with immediate.
var W2 = Walk{
	Name:  "W2",
	Title: "RDMA WRITE, block by block, then with immediate (4 KiB), first PSN 1000",
	plays: []script{
		{name: signaled, psn: w2PSN, run: w2Plain(verbs.SendSignaled)},
		{name: unsignaled, psn: w2PSN, run: w2Plain(0)},
		{name: armed, psn: w2PSN, run: w2Immediate(true)},
		{name: notArmed, psn: w2PSN, run: w2Immediate(false)},
	},
	steps: []step{
		{1, "A: WQE names local source, remote address, rkey; doorbell rung", w2Posted},
		{2, "A reads the WQE from host memory and looks up the QP context", oneFetched},
		{3, "A: key cache checks the lkey; DMA reads the 4 KiB payload", w2Gathered},
		{4, "A: BTH + RETH before the payload; replay entry recorded; packet leaves", w2Leaves},
		{5, "B: PSN checked, then the rkey: remote write over all 4096 bytes", w2Checked},
		{6, "B: DMA writes straight to the RETH address; the receive queue is never read", w2Written},
		{7, "B: ACK leaves; no completion, no event", w2ACK},
		{8, "A: the ACK matches the replay buffer, retires the entry, disarms the timer", oneRetired},
		{9, "A: send CQE only if signaled", func(f *fact) { signaledOnly(f, 0, format.WCWrite, w2PSN, 0) }},
		{10, "B's receive queue and completion queue untouched (indices and memory unchanged)", w2Untouched},
		{11, "With immediate: payload at the RETH address; one receive WQE consumed, only its wr_id used, its scatter list ignored", w2WithImmediate},
		{12, "B: receive CQE with the immediate value and byte count, after the payload write", w2Completed},
		{13, "B: completion event only if the CQ is armed", armedOnly},
	},
}

const (
	w2PSN = 1000
	w2Imm = 0x12345678
)

// Names of plays.
const (
	armed    = "armed"
	notArmed = "not armed"
)

// w2Plain is the WRITE of W1, of one packet, with B's CQ armed: it stays silent all the same.
func w2Plain(flags verbs.SendFlags) func(context.Context, *scene) error {
	return func(ctx context.Context, c *scene) error {
		wr, err := c.write(ctx, PathMTU)
		if err != nil {
			return err
		}
		if err := c.arm(ctx); err != nil {
			return err
		}
		if err := c.snapshot(ctx); err != nil {
			return err
		}
		wr.Flags = flags
		if err := c.send(ctx, wr); err != nil {
			return err
		}
		return c.snapshot(ctx)
	}
}

// w2Immediate is a WRITE with immediate, for which B has a receive WQE with a buffer.
func w2Immediate(arms bool) func(context.Context, *scene) error {
	return func(ctx context.Context, c *scene) error {
		wr, err := c.write(ctx, PathMTU)
		if err != nil {
			return err
		}
		if arms {
			if err := c.arm(ctx); err != nil {
				return err
			}
		}
		c.hosts[1].holds("receive buffer 0")
		wr.Opcode, wr.Imm = verbs.WRWriteImm, w2Imm
		if err := c.send(ctx, wr); err != nil {
			return err
		}
		c.hosts[1].holds("receive buffer 0")
		return nil
	}
}

func w2Posted(f *fact) {
	r := f.in(signaled)
	target := r.regions["target"]
	wqe, bell := r.oneWQE(format.WRWrite, "source")
	r.after(start, on(A, "posts send WQE").must(val("remote_addr", target.addr), val("rkey", target.key)))
	r.saw(wqe, "WQE 0: %v, source %#x of %d bytes, lkey %#x, remote address %#x, rkey %#x",
		format.WROpcode(wqe.Get("opcode")), wqe.Get("addr0"), wqe.Get("length0"), wqe.Get("lkey0"), wqe.Get("remote_addr"), wqe.Get("rkey"))
	r.saw(bell, "doorbell: producer index %d", bell.Get("producer"))
}

// oneFetched is step "A reads the WQE from host memory and looks up the QP context".
func oneFetched(f *fact) { fetchedFrom(f.in(signaled)) }

func fetchedFrom(r *reading) {
	read, here, context := r.fetched()
	r.saw(read, "%d bytes of the send queue read from host memory", read.Get("bytes"))
	r.saw(here, "WQE %d is here", here.Get("wqe"))
	r.saw(context, "context of QP %#x looked up, state %v", context.Get("qpn"), format.QPState(context.Get("state")))
}

func w2Gathered(f *fact) { oneGathered(f, w2PSN, format.OpWriteOnly) }

// oneGathered is step "the key cache checks the lkey, then the DMA engine reads 4 KiB".
func oneGathered(f *fact, psn uint64, opcode format.Opcode) {
	r := f.in(signaled)
	made, key, whole := r.gathered(0, psn, opcode, PathMTU)
	r.order(r.marked("context"), made)
	r.saw(key, "lkey %#x granted for %d bytes", r.regions["source"].key, PathMTU)
	r.saw(whole, "%d bytes of the source read from host memory", PathMTU)
}

func w2Leaves(f *fact) {
	target := f.in(signaled).regions["target"]
	oneLeaves(f, w2PSN, format.OpWriteOnly,
		val("headers", 16), val("va", target.addr), val("rkey", target.key), val("length", PathMTU))
}

// oneLeaves is step "headers before the payload, a replay entry recorded, the packet leaves".
func oneLeaves(f *fact, psn uint64, opcode format.Opcode, headers ...Value) {
	leavesWith(f.in(signaled), psn, opcode, headers...)
}

func leavesWith(r *reading, psn uint64, opcode format.Opcode, headers ...Value) {
	leaves := r.after(r.marked("whole"), on(A, "transmit.packet_leaves").must(val("qp", r.a.qp), val("opcode", opcode), val("psn", psn), val("bytes", PathMTU)))
	entry := r.recorded(link.EntryRequest, psn, true)
	sent := r.after(leaves, on(A, "core.frame_sent"))
	packet := r.crossed(sent, opcode, psn, 0, PathMTU, headers...)
	r.order(entry, sent, packet)
	r.mark("packet", packet)
	r.saw(entry, "replay entry of PSN %d: the oldest, which the retry timer watches (%s)", psn, noTimeout)
	r.saw(packet, "%v, PSN %d: BTH, %d bytes of further headers, %d bytes of payload, as in the source", opcode, psn, packet.Get("headers"), packet.Get("bytes"))
	if length := packet.Get("length"); length != 0 {
		r.saw(packet, "RETH: address %#x, rkey %#x, length %d", packet.Get("va"), packet.Get("rkey"), length)
	}
}

func w2Checked(f *fact) {
	r := f.in(signaled)
	target := r.regions["target"]
	psn := r.expected(r.marked("packet"), w2PSN)
	_, key := r.granted(B, psn, target.key, uint64(format.AccessRemoteWrite), target.addr, PathMTU)
	r.count(start, r.end(), 1, on(B, "keycache.key_compared"))
	r.mark("judged", psn)
	r.mark("granted", key)
	r.saw(psn, "PSN %d is the expected one", psn.Get("psn"))
	r.saw(key, "rkey %#x grants remote write to all %d bytes from %#x on", target.key, PathMTU, target.addr)
}

func w2Written(f *fact) {
	r := f.in(signaled)
	r.never(start, r.marked("granted"), on(B, "writes target"))
	written := r.placed(r.marked("granted"), w2PSN, "target", 0, PathMTU, 0)
	r.mark("written", written)
	r.saw(written, "the target holds the %d bytes of the source", PathMTU)
	r.untouched()
}

func w2ACK(f *fact) {
	r := f.in(signaled)
	arms := r.after(start, on(B, "events.armed").must(val("cq", r.b.recvCQ)))
	leaves, ack := r.acknowledged(w2PSN, 1)
	r.order(arms, r.marked("written"), leaves, ack)
	r.never(start, r.end(), on(B, "ackqueue.recv_completes"), on(B, "cqewriter.cqe_leaves"), on(B, "writes "+recvCQ),
		on(B, "events.told"), on(B, "writes "+eventQueue), on(B, "events.interrupt"))
	r.saw(leaves, "the ACK of PSN %d leaves, behind the payload's last write", leaves.Get("psn"))
	r.noted("B makes no CQE, no event and no interrupt, although its CQ is armed since cycle %d", arms.Cycle)
}

// oneRetired is step "the ACK retires the entry and disarms the timer".
func oneRetired(f *fact) { retiresOne(f.in(signaled)) }

func retiresOne(r *reading) {
	psn := r.marked("packet").Get("psn")
	response, empty := r.retired(psn, psn)
	r.saw(response, "ACK of PSN %d", response.Get("psn"))
	r.saw(r.marked("retired"), "it matches the oldest entry, which retires")
	r.saw(empty, "the replay ring is empty: the retry timer has nothing to watch (%s)", noTimeout)
}

func w2Untouched(f *fact) {
	r := f.in(signaled)
	for _, what := range []string{recvQueue, recvCQ} {
		before := r.after(start, on(B, "holds "+what))
		after := r.after(r.marked("packet"), on(B, "holds "+what))
		r.order(before, r.marked("packet"))
		r.same("what B's "+what+" holds", after.Data, before.Data)
		r.saw(after, "the %d bytes of the %s are as they were at %d", len(after.Data), what, before.Cycle)
	}
	before := r.after(start, on(B, "queries QP"))
	after := r.after(r.marked("packet"), on(B, "queries QP").must(val("rq_consumer", before.Get("rq_consumer"))))
	r.saw(after, "consumer index of the receive queue %d, as before", after.Get("rq_consumer"))
	r.never(start, r.end(), on(B, "writes "+recvQueue), on(B, "wqefetch_rq.wqe_taken"), on(B, "writes "+recvCQ), on(B, "cqewriter.cqe_leaves"))
	r.noted("no CQE takes a place in the completion queue: its producer index stays 0")
}

func w2WithImmediate(f *fact) {
	r := f.in(armed)
	target := r.regions["target"]
	wqe := r.after(start, on(B, "posts receive WQE").must(val("sges", 1), val("addr0", r.regions["receive buffer 0"].addr)))
	packet := r.crossed(start, format.OpWriteOnlyImm, w2PSN, 0, PathMTU,
		val("headers", 20), val("va", target.addr), val("rkey", target.key), val("imm", w2Imm))
	psn := r.expected(packet, w2PSN)
	_, key := r.granted(B, psn, target.key, uint64(format.AccessRemoteWrite), target.addr, PathMTU)
	written := r.placed(key, w2PSN, "target", 0, PathMTU, 0)
	taken := r.after(psn, on(B, "wqefetch_rq.wqe_taken").must(val("qp", r.b.qp), val("wqe", 0)))
	cqe := r.after(taken, on(B, "writes "+recvCQ).must(val("wr_id", wqe.Get("wr_id")), val("wqe", 0)))
	r.count(start, r.end(), 1, on(B, "wqefetch_rq.wqe_taken"))
	r.count(start, r.end(), 1, on(B, "keycache.key_compared"))
	r.never(start, r.end(), on(B, "writes receive buffer 0"))
	before := r.after(start, on(B, "holds receive buffer 0"))
	after := r.after(cqe, on(B, "holds receive buffer 0"))
	r.same("the receive WQE's buffer", after.Data, before.Data)
	r.mark("written", written)
	r.mark("taken", taken)
	r.saw(packet, "%v, PSN %d, immediate %#x", format.OpWriteOnlyImm, w2PSN, packet.Get("imm"))
	r.saw(written, "the target, at the RETH address, holds the %d bytes of the source", PathMTU)
	r.saw(taken, "receive WQE %d consumed, the only one", taken.Get("wqe"))
	r.saw(cqe, "its wr_id %#x is in the CQE", cqe.Get("wr_id"))
	r.saw(after, "the buffer that its scatter list names: lkey not looked up, nothing written, %d bytes as they were", len(after.Data))
}

func w2Completed(f *fact) {
	r := f.in(armed)
	cqe := r.received(r.marked("taken"), format.WCRecvWriteI, PathMTU, immediateOf(w2Imm))
	memory := r.after(start, on(B, "scatter.in_memory", val("psn", w2PSN)))
	r.order(r.marked("written"), memory, r.after(start, on(B, "ackqueue.recv_completes")), cqe)
	r.saw(cqe, "receive CQE: %v, immediate %#x, %d bytes; the payload was written at %d",
		format.WCOpcode(cqe.Get("opcode")), immediate(cqe.Get("imm")), cqe.Get("byte_len"), r.marked("written").Cycle)
}
