package walk

import (
	"context"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/verbs"
)

// R1 is an RDMA READ of two response packets.
var R1 = Walk{
	Name:  "R1",
	Title: "RDMA READ (8 KiB, path MTU 4096), PSN 2000",
	plays: []script{
		{name: signaled, psn: readPSN, run: reads(1, verbs.SendSignaled)},
		{name: unsignaled, psn: readPSN, run: reads(1, 0)},
		{name: twoReads, psn: readPSN, reads: 2, run: reads(2, 0)},
		{name: oneAtATime, psn: readPSN, reads: 1, run: reads(2, 0)},
	},
	steps: []step{
		{1, "READ WQE: remote address and rkey, local buffer and lkey", r1Posted},
		{2, "The request takes PSN 2000 and reserves 2001; the next request on the QP starts at 2002", r1PSNs},
		{3, "Replay entry recorded; timer armed on 2000", r1Recorded},
		{4, "B: PSN, then rkey for remote read over all 8 KiB", readChecked},
		{5, "One outstanding-read slot taken, under the agreed ceiling", r1Slot},
		{6, "B's DMA reads the 8 KiB with no software of B involved", readMemory},
		{7, "READ_RESPONSE_FIRST, PSN 2000, AETH; placed in the buffer A's own WQE named", r1First},
		{8, "READ_RESPONSE_LAST closes the message and is the acknowledgement: replay entry retired, timer disarmed", readLast},
		{9, "Completion only if signaled, and only after the data is in local memory", r1Completed},
	},
}

// Numbers of a READ.
const (
	readPSN   = 2000
	readBytes = 2 * PathMTU
	rethBytes = 16
	aethBytes = 4
)

// Names of plays.
const (
	twoReads   = "two READs"
	oneAtATime = "two READs, one at a time"
)

// reads is a play of some READs, posted at once, of what B has.
func reads(n int, flags verbs.SendFlags) func(context.Context, *scene) error {
	return func(ctx context.Context, c *scene) error {
		wr, err := c.read(ctx)
		if err != nil {
			return err
		}
		if err := c.agreed(ctx); err != nil {
			return err
		}
		wr.Flags = flags
		wrs := make([]verbs.SendWR, n)
		for i := range wrs {
			wrs[i] = wr
		}
		return c.send(ctx, wrs...)
	}
}

// read makes what a READ needs: B's words, A's buffer for them, and a receive WQE at B, which a READ
// does not take.
func (c *scene) read(ctx context.Context) (verbs.SendWR, error) {
	words := c.words(readBytes)
	from, err := c.region(ctx, 1, "target", readBytes, verbs.AccessRemoteRead, 0)
	if err != nil {
		return verbs.SendWR{}, err
	}
	if err := c.hosts[1].Write(from.Addr(), words); err != nil {
		return verbs.SendWR{}, err
	}
	to, err := c.region(ctx, 0, "sink", readBytes, verbs.AccessLocalWrite, 0)
	if err != nil {
		return verbs.SendWR{}, err
	}
	return verbs.SendWR{
		WRID: sendID, Opcode: verbs.WRRead, SGL: []verbs.SGE{to.SGE(0, readBytes)}, RemoteAddr: from.Addr(), RKey: from.RKey(),
	}, c.receive(ctx, 1)
}

// agreed notes how many READs A may have outstanding, and how many B takes.
func (c *scene) agreed(ctx context.Context) error {
	a, err := c.ends[0].qp.Query(ctx)
	if err != nil {
		return err
	}
	b, err := c.ends[1].qp.Query(ctx)
	if err != nil {
		return err
	}
	c.hosts[0].note("queries attributes", val("reads", a.MaxRDAtomic))
	c.hosts[1].note("queries attributes", val("reads", b.MaxDestRDAtomic))
	return nil
}

func r1Posted(f *fact) {
	r := f.in(signaled)
	wqe, bell := r.readPosted()
	r.saw(wqe, "WQE 0: %v, remote address %#x, rkey %#x; local buffer %#x of %d bytes, lkey %#x",
		format.WROpcode(wqe.Get("opcode")), wqe.Get("remote_addr"), wqe.Get("rkey"), wqe.Get("addr0"), wqe.Get("length0"), wqe.Get("lkey0"))
	r.saw(bell, "doorbell: producer index %d", bell.Get("producer"))
}

func r1PSNs(f *fact) {
	r := f.in(signaled)
	made := r.readMade(r.marked("doorbell"), 0, readPSN)
	packet := r.readCrosses(made, readPSN)
	r.count(start, r.end(), 1, on(A, "requester.packet_made"))
	r.mark("made", made)
	r.mark("packet", packet)
	r.saw(made, "the READ takes PSN %d to %d", made.Get("psn"), made.Get("last_psn"))
	r.saw(packet, "READ_REQUEST, PSN %d: the one packet of A that asks for both", packet.Get("psn"))

	r = f.in(twoReads)
	first := r.readMade(start, 0, readPSN)
	next := r.readMade(first, 1, readPSN+2)
	packet = r.readCrosses(first, readPSN)
	expected := r.expected(packet, readPSN)
	packet = r.readCrosses(packet, readPSN+2)
	expected = r.expected(later(packet, expected), readPSN+2)
	r.order(next, packet)
	r.never(start, packet, on(A, "completer.entry_retired"))
	r.saw(packet, "the next READ of the queue pair has PSN %d, while the first is on its way", packet.Get("psn"))
	r.saw(expected, "it is the PSN that B expects then")
}

func r1Recorded(f *fact) { readRecorded(f.in(signaled)) }

func r1Slot(f *fact) {
	for _, c := range []struct {
		play    string
		ceiling uint64
		reads   int
	}{{signaled, agreedReads, 1}, {twoReads, 2, 2}, {oneAtATime, 1, 2}} {
		r := f.in(c.play)
		a := r.after(start, on(A, "queries attributes").must(val("reads", c.ceiling)))
		b := r.after(a, on(B, "queries attributes").must(val("reads", c.ceiling)))
		taken := r.slot(r.expected(b, readPSN), readPSN, c.ceiling)
		r.never(start, taken, on(B, "reads target"))
		if c.reads == 2 {
			taken = r.slot(taken, readPSN+2, c.ceiling)
		}
		r.count(start, r.end(), c.reads, on(B, "resources.resource_taken"))
		r.saw(taken, "%d of %d slots taken", taken.Get("used"), b.Get("reads"))
	}
	r := f.in(oneAtATime)
	gone := r.after(start, on(A, "completer.entry_retired").must(val("psn", readPSN), val("kind", uint64(link.EntryRead))))
	second := r.after(start, on(A, "requester.packet_made", val("wqe", 1)))
	r.order(gone, second)
	r.saw(second, "the second READ begins when the first has retired, at %d", gone.Cycle)
}

func r1First(f *fact) {
	r := f.in(signaled)
	packet, placed := r.readFirst()
	r.saw(packet, "READ_RESPONSE_FIRST, PSN %d: AETH with syndrome %#x, MSN %d, and %d bytes of payload, as B has them",
		packet.Get("psn"), packet.Get("syndrome"), packet.Get("msn"), packet.Get("bytes"))
	r.saw(placed, "bytes 0 to %d of the buffer that WQE 0 named hold them", PathMTU-1)
}

// r1Completed is the step that the completion is written only if signaled, behind the data.
func r1Completed(f *fact) {
	r := f.in(signaled)
	memory := r.marked("in memory")
	cqe := r.after(start, on(A, "writes "+sendCQ).must(val("byte_len", readBytes)))
	r.order(memory, r.after(start, on(A, "completer.send_completes")), cqe)
	r.saw(memory, "memory has answered for all %d bytes; the CQE is written behind that", readBytes)
	signaledOnly(f, 0, format.WCRead, readPSN, readBytes)
}
