package walk

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gornic/format"
	"gornic/verbs"
)

// S2 is a SEND, block by block, then with immediate.
var S2 = Walk{
	Name:  "S2",
	Title: "SEND, block by block, then with immediate (4 KiB), PSN 1000",
	plays: []script{
		{name: signaled, psn: s2PSN, run: s2Send(verbs.WRSend, verbs.SendSignaled, false)},
		{name: unsignaled, psn: s2PSN, run: s2Send(verbs.WRSend, 0, false)},
		{name: armed, psn: s2PSN, run: s2Send(verbs.WRSend, verbs.SendSignaled, true)},
		{name: notArmed, psn: s2PSN, run: s2Send(verbs.WRSend, verbs.SendSignaled, false)},
		{name: withImmediate, psn: s2PSN, run: s2Send(verbs.WRSendImm, verbs.SendSignaled, false)},
	},
	steps: []step{
		{1, "B: receive WQE posted naming a buffer", recvPosted},
		{2, "A: SEND WQE, one doorbell MMIO write", s1Posted},
		{3, "A: WQE read, QP context looked up", oneFetched},
		{4, "A: lkey checked, 4 KiB read", s2Gathered},
		{5, "A: BTH and nothing else; replay entry; packet leaves", s2Leaves},
		{6, "B: PSN checked; no rkey looked up", s2Checked},
		{7, "B: receive WQE at the head taken, in order, read over the host bus unless already held", s2Taken},
		{8, "B: the receive WQE's lkey checked for local write; payload written", s2Written},
		{9, "B: receive completion, and the ACK leaves without waiting for it", sendCompleted},
		{10, "B: event only if armed", armedOnly},
		{11, "A: ACK retires the entry, disarms the timer", oneRetired},
		{12, "A: send CQE only if signaled", func(f *fact) { signaledOnly(f, 0, format.WCSend, s2PSN, 0) }},
		{13, "With immediate: the same path; only the receive CQE differs, and it carries the 32 bits", s2WithImmediate},
	},
}

const (
	s2PSN = 1000
	s2Imm = 0xCAFEF00D

	withImmediate = "with immediate" // a play
)

func s2Send(opcode verbs.Opcode, flags verbs.SendFlags, arms bool) func(context.Context, *scene) error {
	return func(ctx context.Context, c *scene) error {
		wr, err := c.sends(ctx, 2)
		if err != nil {
			return err
		}
		if arms {
			if err := c.arm(ctx); err != nil {
				return err
			}
		}
		wr.Opcode, wr.Flags, wr.Imm = opcode, flags, s2Imm
		return c.send(ctx, wr)
	}
}

func s2Gathered(f *fact) { oneGathered(f, s2PSN, format.OpSendOnly) }

func s2Leaves(f *fact) { oneLeaves(f, s2PSN, format.OpSendOnly, val("headers", 0)) }

func s2Checked(f *fact) {
	r := f.in(signaled)
	psn := r.expected(r.marked("packet"), s2PSN)
	r.mark("judged", psn)
	for _, rights := range []uint64{format.AccessRemoteWrite, format.AccessRemoteRead, format.AccessRemoteAtomic} {
		r.never(start, r.end(), on(B, "keycache.key_compared", val("rights", rights)))
	}
	r.count(start, r.end(), 1, on(B, "keycache.key_compared"))
	only := r.after(psn, on(B, "keycache.key_compared").must(val("rights", uint64(format.AccessLocalWrite))))
	r.saw(psn, "PSN %d is the expected one", psn.Get("psn"))
	r.saw(only, "the one key that B looks up is its own, for local write; none for a remote right")
}

func s2Taken(f *fact) {
	r := f.in(signaled)
	bell := r.after(start, on(B, "doorbell.rq_doorbell").must(val("qp", r.b.qp)))
	read := r.after(bell, on(B, "reads "+recvQueue).must(val("at", 0)))
	here := r.after(read, on(B, "wqefetch_rq.wqe_here").must(val("qp", r.b.qp), val("wqe", 0)))
	head := r.after(r.marked("judged"), on(B, "wqefetch_rq.head").must(val("qp", r.b.qp), val("wqe", 0), val("here", 1)))
	taken := r.after(head, on(B, "wqefetch_rq.wqe_taken").must(val("qp", r.b.qp), val("wqe", 0)))
	r.count(start, r.end(), 1, on(B, "wqefetch_rq.wqe_taken"))
	r.order(here, r.after(start, on(A, "posts send WQE")), head)
	r.saw(read, "receive queue read over the host bus when it was posted to, %d bytes", read.Get("bytes"))
	r.saw(head, "WQE %d is at the head, held since cycle %d", head.Get("wqe"), here.Cycle)
	r.saw(taken, "WQE %d taken, the first of two", taken.Get("wqe"))
}

func s2Written(f *fact) {
	r := f.in(signaled)
	_, written := r.landed()
	r.saw(r.marked("key"), "lkey %#x of the receive WQE granted for local write of %d bytes", r.regions["receive buffer 0"].key, PathMTU)
	r.saw(written, "the buffer holds the %d bytes of the source", PathMTU)
}

func s2WithImmediate(f *fact) {
	r := f.in(withImmediate)
	packet := r.crossed(start, format.OpSendOnlyImm, s2PSN, 0, PathMTU, val("headers", 4), val("imm", s2Imm))
	psn := r.mark("judged", r.expected(packet, s2PSN))
	_, written := r.landed()
	taken := r.after(psn, on(B, "wqefetch_rq.wqe_taken").must(val("qp", r.b.qp), val("wqe", 0)))
	cqe := r.received(taken, format.WCRecv, PathMTU, immediateOf(s2Imm))
	r.order(written, cqe)
	ours, theirs := r.path(), f.in(signaled).path()
	if ours != theirs {
		r.fail("the path differs: %s", firstOf(ours, theirs))
	}
	r.saw(packet, "SEND_ONLY_IMM, PSN %d: BTH, ImmDt %#x, payload", packet.Get("psn"), packet.Get("imm"))
	r.saw(cqe, "receive CQE flagged with immediate: %#x; %d bytes", immediate(cqe.Get("imm")), cqe.Get("byte_len"))
	r.noted("the blocks of A and B report the same %d events as without immediate, as often each", strings.Count(ours, "\n"))
}

// path is what the hardware did in a play, as often as it did it: a line each.
func (r *reading) path() string {
	counts := map[string]int{}
	for _, s := range r.log {
		if strings.Contains(s.What, ".") {
			counts[string(s.Where)+" "+s.What]++
		}
	}
	var b strings.Builder
	for _, name := range slices.SortedFunc(maps.Keys(counts), cmp.Compare[string]) {
		fmt.Fprintf(&b, "%s %d times\n", name, counts[name])
	}
	return b.String()
}

// firstOf is the first line in which two texts differ, of both.
func firstOf(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + ", not " + y[i]
		}
	}
	return "one is longer"
}
