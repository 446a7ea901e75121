package walk

import (
	"context"

	"gornic/format"
	"gornic/verbs"
)

// C1 is a SEND of two packets that goes to two buffers.
var C1 = Walk{
	Name:  "C1",
	Title: "Scatter of a two-packet SEND over two buffers, PSN 100 and 101",
	plays: []script{{name: "scatter", psn: c1PSN, run: c1Send}},
	steps: []step{
		{1, "SEND_FIRST, PSN 100, 4096 bytes", c1FirstCrosses},
		{2, "100 is expected: only then may the payload be placed", c1Expected},
		{3, "The next receive WQE: 2 KiB in region 3, then 8 KiB in region 4", c1WQE},
		{4, "SGE 0's lkey translated, with a local-write check", c1SGE0},
		{5, "SGE 0 filled: 2048 bytes", c1Filled},
		{6, "SGE 1 translated; the packet's second half lands at its start", c1SGE1},
		{7, "SEND_LAST, PSN 101: the same WQE, the cursor where packet 1 left it", c1LastCrosses},
		{8, "All 3584 bytes at offset 2048 of SGE 1", c1Rest},
		{9, "Receive CQE: byte count 7680; the last 2560 bytes of SGE 1 untouched", c1Completed},
	},
}

// Numbers of the walk, in bytes.
const (
	c1PSN   = 100
	c1Sent  = 7680
	c1Small = 2 << 10           // SGE 0
	c1Large = 8 << 10           // SGE 1
	c1Half  = PathMTU - c1Small // of packet 1, in SGE 1
	c1Last  = c1Sent - PathMTU  // packet 2
	c1Free  = c1Large - c1Half - c1Last
)

// Names of the buffers: key 3 and key 4 of the key table.
const (
	region3 = "region 3"
	region4 = "region 4"
)

func c1Send(ctx context.Context, c *scene) error {
	sge, err := c.source(ctx, c1Sent)
	if err != nil {
		return err
	}
	small, err := c.region(ctx, 1, region3, c1Small, verbs.AccessLocalWrite, 3<<format.KeyTagBits)
	if err != nil {
		return err
	}
	large, err := c.region(ctx, 1, region4, c1Large, verbs.AccessLocalWrite, 4<<format.KeyTagBits)
	if err != nil {
		return err
	}
	c.hosts[1].holds(region4)
	if err := c.post(ctx, verbs.RecvWR{WRID: recvID, SGL: []verbs.SGE{small.SGE(0, c1Small), large.SGE(0, c1Large)}}); err != nil {
		return err
	}
	if err := c.send(ctx, verbs.SendWR{WRID: sendID, Opcode: verbs.WRSend, Flags: verbs.SendSignaled, SGL: []verbs.SGE{sge}}); err != nil {
		return err
	}
	c.hosts[1].holds(region4)
	return nil
}

func c1FirstCrosses(f *fact) {
	r := f.in("scatter")
	s := r.mark("first", r.crossed(start, format.OpSendFirst, c1PSN, 0, PathMTU, val("headers", 0)))
	accepted := r.after(s, on(B, "rxpath.packet_accepted").must(val("opcode", format.OpSendFirst), val("psn", c1PSN), val("bytes", PathMTU)))
	r.mark("accepted", accepted)
	r.saw(s, "SEND_FIRST, PSN %d, %d bytes of payload", s.Get("psn"), s.Get("bytes"))
	r.saw(accepted, "B has it whole, its ICRC is good")
}

func c1Expected(f *fact) {
	r := f.in("scatter")
	psn := r.mark("checked", r.expected(r.marked("accepted"), c1PSN))
	here := r.after(start, on(B, "wqefetch_rq.wqe_here"))
	r.order(here, psn)
	r.never(here, psn, on(B, "dma.write"), on(B, "writes "+region3), on(B, "writes "+region4), on(B, "responder.segment"))
	r.saw(psn, "PSN %d is the expected one; until then nothing is written", psn.Get("psn"))
}

func c1WQE(f *fact) {
	r := f.in("scatter")
	wqe := r.after(start, on(B, "posts receive WQE").must(
		val("at", 0), val("sges", 2), val("wr_id", uint64(recvID)),
		val("addr0", r.regions[region3].addr), val("length0", c1Small), val("lkey0", 3<<format.KeyTagBits),
		val("addr1", r.regions[region4].addr), val("length1", c1Large), val("lkey1", 4<<format.KeyTagBits)))
	head := r.after(r.marked("checked"), on(B, "wqefetch_rq.head").must(val("qp", r.b.qp), val("wqe", 0), val("here", 1)))
	r.mark("head", head)
	r.saw(wqe, "receive WQE 0: %d bytes under lkey %#x, then %d under %#x", c1Small, wqe.Get("lkey0"), c1Large, wqe.Get("lkey1"))
	r.saw(head, "WQE %d is at the head of the queue", head.Get("wqe"))
}

// sge is a piece of a packet for an SGE: what the responder asks for, what the key cache
// grants for local write, and the bus address.
func (r *reading) sge(behind Seen, number int, name string, at, bytes uint64) (segment, key, piece Seen) {
	region := r.regions[name]
	segment = r.after(behind, on(B, "responder.segment").must(
		val("qp", r.b.qp), val("sge", number), val("key", region.key), val("va", region.addr+at), val("bytes", bytes), val("skip", 0)))
	asked, key := r.granted(B, later(segment, r.marked("asked")), region.key, uint64(format.AccessLocalWrite), region.addr+at, bytes)
	piece = r.after(later(key, r.marked("piece")), on(B, "translate_rx.piece").must(val("addr", region.addr+at), val("bytes", bytes), val("skip", 0)))
	r.mark("asked", asked)
	r.mark("piece", piece)
	return segment, key, piece
}

func c1SGE0(f *fact) {
	r := f.in("scatter")
	segment, key, piece := r.sge(r.marked("head"), 0, region3, 0, c1Small)
	r.mark("segment", segment)
	r.mark("piece 0", piece)
	r.saw(key, "SGE 0, lkey %#x: local write granted for %d bytes", r.regions[region3].key, c1Small)
	r.saw(piece, "translated to bus address %#x", piece.Get("addr"))
}

func c1Filled(f *fact) {
	r := f.in("scatter")
	written := r.placed(r.marked("piece 0"), c1PSN, region3, 0, c1Small, 0)
	r.saw(written, "SGE 0 is full: its %d bytes are the first of the message", c1Small)
}

func c1SGE1(f *fact) {
	r := f.in("scatter")
	segment, key, piece := r.sge(r.marked("segment"), 1, region4, 0, c1Half)
	written := r.placed(piece, c1PSN, region4, 0, c1Half, c1Small)
	cursor := r.after(segment, on(B, "responder.reassembly").must(val("qp", r.b.qp), val("kind", messageSend), val("sge", 1), val("at", c1Half), val("done", PathMTU)))
	r.mark("segment", segment)
	r.mark("cursor", cursor)
	r.saw(key, "SGE 1, lkey %#x: local write granted for %d bytes", r.regions[region4].key, c1Half)
	r.saw(written, "its first %d bytes are the second half of the packet", c1Half)
	r.saw(cursor, "cursor: byte %d of SGE %d, %d bytes of the message done", cursor.Get("at"), cursor.Get("sge"), cursor.Get("done"))
}

func c1LastCrosses(f *fact) {
	r := f.in("scatter")
	s := r.crossed(r.marked("first"), format.OpSendLast, c1PSN+1, PathMTU, c1Last, val("headers", 0))
	psn := r.expected(later(s, r.marked("checked")), c1PSN+1)
	head := r.after(psn, on(B, "wqefetch_rq.head").must(val("qp", r.b.qp), val("wqe", 0), val("here", 1)))
	cursor := r.marked("cursor")
	segment := r.after(head, on(B, "responder.segment").must(
		val("sge", cursor.Get("sge")), val("va", r.regions[region4].addr+cursor.Get("at"))))
	r.never(start, segment, on(B, "wqefetch_rq.wqe_taken"))
	r.order(cursor, segment)
	r.mark("judged", psn)
	r.mark("last head", head)
	r.saw(s, "SEND_LAST, PSN %d, %d bytes of payload", s.Get("psn"), s.Get("bytes"))
	r.saw(segment, "receive WQE %d still, from byte %d of SGE %d on", head.Get("wqe"), cursor.Get("at"), segment.Get("sge"))
}

func c1Rest(f *fact) {
	r := f.in("scatter")
	_, key, piece := r.sge(r.marked("last head"), 1, region4, c1Half, c1Last)
	written := r.placed(piece, c1PSN+1, region4, c1Half, c1Last, PathMTU)
	r.mark("written", written)
	r.saw(key, "SGE 1, lkey %#x: local write granted for %d bytes at offset %d", r.regions[region4].key, c1Last, c1Half)
	r.saw(written, "bytes %d to %d of SGE 1 are the %d of the packet", c1Half, c1Half+c1Last-1, c1Last)
}

func c1Completed(f *fact) {
	r := f.in("scatter")
	taken := r.after(r.marked("judged"), on(B, "wqefetch_rq.wqe_taken").must(val("qp", r.b.qp), val("wqe", 0)))
	cqe := r.received(taken, format.WCRecv, c1Sent, nothing())
	r.order(r.marked("written"), cqe)
	before := r.after(start, on(B, "holds "+region4))
	after := r.after(cqe, on(B, "holds "+region4))
	for _, s := range r.between(start, r.end(), on(B, "writes "+region4)) {
		if s.Get("at")+s.Get("bytes") > c1Large-c1Free {
			r.fail("%v: beyond the message", s)
		}
	}
	if r.err == nil {
		r.same("the end of SGE 1", after.Data[c1Large-c1Free:], before.Data[c1Large-c1Free:])
	}
	r.saw(cqe, "receive CQE: wr_id %#x, %d bytes", cqe.Get("wr_id"), cqe.Get("byte_len"))
	r.saw(after, "the last %d bytes of SGE 1 are as they were at %d", c1Free, before.Cycle)
}
