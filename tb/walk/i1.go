package walk

import (
	"context"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/verbs"
)

// I1 is a SEND with invalidate, and a WRITE that comes too late.
var I1 = Walk{
	Name:  "I1",
	Title: "SEND with invalidate (4 KiB), PSN 4000, rkey 0x2A04",
	lends: true,
	plays: []script{
		{name: signaled, psn: invPSN, run: i1Send(verbs.SendSignaled, true)},
		{name: unsignaled, psn: invPSN, run: i1Send(0, false)},
	},
	steps: []step{
		{1, "B registered a buffer under 0x2A04, remotely revocable; A posts SEND with invalidate naming it", i1Lent},
		{2, "The packet carries an IETH of four bytes, the rkey", i1Crosses},
		{3, "PSN 4000 expected; the receive WQE at the head taken", i1Taken},
		{4, "Payload lands in the receive WQE's buffer, not in the buffer 0x2A04 covers", i1Placed},
		{5, "The key is invalidated once the message completes; from then on no QP can use it", i1Ended},
		{6, "Receive completion flagged \"with invalidate\" and naming the key; the ACK is on its way", i1Completed},
		{7, "A: ACK retires PSN 4000", func(f *fact) { retiresOne(f.in(signaled).turn(0)) }},
		{8, "A: send completion only if signaled", func(f *fact) { signaledOnly(f, 0, format.WCSend, invPSN, 0) }},
		{9, "A stale WRITE on that key still leaves A", func(f *fact) { staleLeaves(f.in(signaled).turn(1)) }},
		{10, "B: rkey check fails, nothing written, NAK remote access error, both QPs to ERROR", func(f *fact) { staleRefused(f.in(signaled).turn(1)) }},
	},
}

// Numbers of a SEND with invalidate.
const (
	invPSN    = 4000
	iethBytes = 4
	stalePSN  = invPSN + 1
)

func i1Send(flags verbs.SendFlags, stale bool) func(context.Context, *scene) error {
	return func(ctx context.Context, c *scene) error {
		wr, err := c.sendsInv(ctx, flags)
		if err != nil {
			return err
		}
		if err := c.sendInv(ctx, wr); err != nil || !stale {
			return err
		}
		return c.stale(ctx, wr)
	}
}

// sendsInv makes what a SEND with invalidate needs: what B lends, and what a SEND needs.
func (c *scene) sendsInv(ctx context.Context, flags verbs.SendFlags) (verbs.SendWR, error) {
	if err := c.lend(ctx); err != nil {
		return verbs.SendWR{}, err
	}
	wr, err := c.sends(ctx, 2)
	wr.Opcode, wr.Flags, wr.InvalidateRKey = verbs.WRSendInv, flags, lentKey
	return wr, err
}

// sendInv sends it; what the lent buffer holds is noted before and behind.
func (c *scene) sendInv(ctx context.Context, wr verbs.SendWR) error {
	c.hosts[1].holds(lent)
	err := c.send(ctx, wr)
	c.hosts[1].holds(lent)
	return err
}

// writeLent is a WRITE of all of A's source to the lent buffer.
func (c *scene) writeLent(sge verbs.SGE, key uint32, flags verbs.SendFlags) verbs.SendWR {
	return verbs.SendWR{
		WRID: staleID, Opcode: verbs.WRWrite, Flags: flags, SGL: []verbs.SGE{sge}, RemoteAddr: c.play.regions[lent].addr, RKey: key,
	}
}

// stale writes under the key that is gone.
func (c *scene) stale(ctx context.Context, wr verbs.SendWR) error {
	if err := c.send(ctx, c.writeLent(wr.SGL[0], lentKey, verbs.SendSignaled)); err != nil {
		return err
	}
	c.hosts[1].holds(lent)
	return c.states(ctx)
}

func i1Lent(f *fact) {
	r := f.in(signaled)
	registered := r.lends()
	r = r.turn(0)
	wqe := r.postedInv()
	r.order(registered, wqe)
	r.saw(wqe, "WQE 0: %v, key %#x", format.WROpcode(wqe.Get("opcode")), wqe.Get("imm"))
}

// lends is B's registration of the lent buffer.
func (r *reading) lends() (registered Seen) {
	buffer := r.regions[lent]
	wqe := r.after(start, on(B, "posts send WQE").must(val("opcode", format.WRRegMR), val("rkey", lentKey), val("remote_addr", buffer.addr)))
	entry := r.after(wqe, on(B, "writes "+lentEntry, val("state", format.KeyValid)))
	registered = r.after(entry, on(B, "keycache.registered").must(val("key", lentKey), val("va", buffer.addr), val("bytes", buffer.size)))
	done := r.after(registered, on(B, "keyops.key_op_done").must(val("qp", r.b.qp), val("vendor", 0)))
	r.saw(wqe, "B registers a region for fast registration: %d bytes at %#x under key %#x", buffer.size, buffer.addr, wqe.Get("rkey"))
	r.saw(done, "the key is good")
	return done
}

// postedInv is A's SEND with invalidate, and its doorbell.
func (r *reading) postedInv() Seen {
	r.oneWQE(format.WRSendInv, "source")
	return r.after(r.begin(), on(A, "posts send WQE").must(val("imm", lentKey), val("remote_addr", 0), val("rkey", 0)))
}

func i1Crosses(f *fact) {
	r := f.in(signaled).turn(0)
	r.fetched()
	r.gathered(0, invPSN, format.OpSendOnlyInv, PathMTU)
	leavesInv(r)
}

// leavesInv is step "BTH, IETH, payload; no address".
func leavesInv(r *reading) {
	leavesWith(r, invPSN, format.OpSendOnlyInv, val("headers", iethBytes), val("ends", lentKey))
	packet := r.marked("packet")
	r.saw(packet, "the %d bytes are the IETH: rkey %#x", packet.Get("headers"), packet.Get("ends"))
}

func i1Taken(f *fact) { takenInv(f.in(signaled).turn(0)) }

// takenInv is step "the PSN is expected, and the receive WQE at the head taken".
func takenInv(r *reading) {
	psn := r.mark("judged", r.expected(r.marked("packet"), invPSN))
	head := r.after(psn, on(B, "wqefetch_rq.head").must(val("qp", r.b.qp), val("wqe", 0), val("here", 1)))
	taken := r.after(head, on(B, "wqefetch_rq.wqe_taken").must(val("qp", r.b.qp), val("wqe", 0)))
	r.count(r.begin(), r.end(), 1, on(B, "wqefetch_rq.wqe_taken"))
	r.saw(psn, "PSN %d is the expected one", psn.Get("psn"))
	r.saw(taken, "receive WQE %d, at the head of the queue, is taken", taken.Get("wqe"))
}

func i1Placed(f *fact) { placedInv(f.in(signaled).turn(0)) }

// placedInv is step "the payload lands in the receive WQE's buffer, and not in the one that is lent".
func placedInv(r *reading) {
	_, written := r.landed()
	r.never(r.begin(), r.end(), on(B, "writes "+lent))
	after := r.lentUntouched()
	r.saw(written, "the receive WQE's buffer holds the %d bytes of the source", PathMTU)
	r.saw(after, "nothing is written to the lent buffer: its %d bytes are as they were", len(after.Data))
}

// lentUntouched makes sure that the lent buffer holds the same before and behind the turn.
func (r *reading) lentUntouched() Seen {
	before := r.heldBefore(lent)
	after := r.after(r.begin(), on(B, "holds "+lent))
	r.same("the lent buffer", after.Data, before.Data)
	return after
}

// heldBefore is what a place of B held last before the turn.
func (r *reading) heldBefore(name string) Seen {
	all := r.between(start, Seen{order: r.begin().order + 1}, on(B, "holds "+name))
	if len(all) == 0 {
		r.fail("%swhat %s held before is not known", r.label(), name)
		return Seen{}
	}
	last := all[len(all)-1]
	return r.after(Seen{order: last.order - 1}, on(B, "holds "+name))
}

func i1Ended(f *fact) {
	r := f.in(signaled).turn(0)
	r.endsKey()
	fails := f.in(signaled).turn(1)
	judged := fails.unknownKey(fails.begin(), lentKey)
	r.saw(judged, "who asks for it then is told that there is no such key")
}

// endsKey is the end of the lent key: asked for behind the look-ups of the payload, and done before
// the receive completion.
func (r *reading) endsKey() {
	psn := r.marked("judged")
	probe := r.after(psn, on(B, "responder.segment", val("probe", 1)).must(val("qp", r.b.qp), val("key", lentKey), val("rights", uint64(link.RightRevoke))))
	judged := r.judgedKey(probe, lentKey, link.RightRevoke, format.VendorNone)
	revoked := r.after(judged, on(B, "keycache.key_revoked").must(val("key", lentKey)))
	entry := r.after(revoked, on(B, "writes "+lentEntry, val("state", format.KeyFree)))
	r.order(r.marked("key"), judged)
	r.order(revoked, r.after(psn, on(B, "ackqueue.recv_completes").must(val("qp", r.b.qp), val("wqe", 0))))
	r.count(r.begin(), r.end(), 1, on(B, "keycache.key_revoked"))
	r.mark("revoked", revoked)
	r.saw(revoked, "key %#x ends, behind the look-ups for the payload, before the receive completion", revoked.Get("key"))
	r.saw(entry, "in the key table it is free: good for no queue pair")
}

// judgedKey is B's question for a key with these rights, and what comes of it.
func (r *reading) judgedKey(behind Seen, key, rights uint64, fault format.VendorCode) Seen {
	asked := r.after(behind, on(B, "keycache.key_compared", val("rights", rights)).must(val("key", key)))
	return r.after(asked, on(B, "keycache.key_judged", val("client", asked.Get("client"))).in(asked.Cycle+1).must(val("fault", uint64(fault))))
}

// unknownKey is B's look-up for a WRITE under a key that it does not have.
func (r *reading) unknownKey(behind Seen, key uint64) Seen {
	return r.judgedKey(behind, key, uint64(format.AccessRemoteWrite), format.VendorKeyUnknown)
}

func i1Completed(f *fact) {
	r := f.in(signaled).turn(0)
	cqe, _ := sendCompletes(r, invPSN, 1, invalidation(lentKey))
	r.order(r.marked("revoked"), cqe)
	r.saw(cqe, "it is flagged with invalidate, and names key %#x", cqe.Get("imm"))
}

// staleLeaves is step "a stale WRITE on that key leaves A as usual".
func staleLeaves(r *reading) {
	buffer := r.regions[lent]
	wqe, _ := r.oneWQE(format.WRWrite, "source")
	r.after(r.begin(), on(A, "posts send WQE").must(val("remote_addr", buffer.addr), val("rkey", lentKey)))
	r.fetched()
	r.gathered(0, stalePSN, format.OpWriteOnly, PathMTU)
	leavesWith(r, stalePSN, format.OpWriteOnly, val("headers", rethBytes), val("va", buffer.addr), val("rkey", lentKey), val("length", PathMTU))
	r.order(wqe, r.marked("packet"))
}

// staleRefused is step "the look-up fails, nothing is written, NAK, both queue pairs to ERROR".
func staleRefused(r *reading) {
	psn := r.expected(r.marked("packet"), stalePSN)
	judged := r.unknownKey(psn, lentKey)
	nak := r.deniedAccess(judged, stalePSN)
	r.never(r.begin(), r.end(), on(B, "writes "+lent))
	after := r.lentUntouched()
	status := r.after(nak, on(A, "writes "+sendCQ).must(val("wr_id", uint64(staleID)), val("status", format.StatusRemAccess)))
	r.saw(judged, "no such key")
	r.saw(after, "nothing is written: the %d bytes are as they were", len(after.Data))
	r.saw(status, "A's WRITE completes with %v", format.Status(status.Get("status")))
	r.bothFail(judged, nak)
}

// deniedAccess is B's NAK of a request whose key does not allow it.
func (r *reading) deniedAccess(behind Seen, psn uint64) Seen {
	is := []Value{val("syndrome", uint64(format.SyndromeNAKAccess)), val("psn", psn)}
	owed := r.after(behind, on(B, "ackqueue.ack_owed").must(append([]Value{val("qp", r.b.qp)}, is...)...))
	nak := r.after(owed, on(BToA, "ACKNOWLEDGE").must(append([]Value{flag("good", true), val("dest_qp", r.a.qpn)}, is...)...))
	r.count(r.begin(), r.end(), 1, on(BToA, "ACKNOWLEDGE"))
	r.saw(nak, "NAK remote access error, syndrome %#x, PSN %d", nak.Get("syndrome"), nak.Get("psn"))
	return nak
}

// bothFail is the way of both queue pairs to ERROR: B's as it refuses, A's as it hears of that.
func (r *reading) bothFail(refused, nak Seen) {
	b := r.after(refused, on(B, "qpcontext.went_to_error").must(val("qp", r.b.qp)))
	a := r.after(nak, on(A, "qpcontext.went_to_error").must(val("qp", r.a.qp)))
	r.after(b, on(B, "queries state").must(val("state", format.QPError)))
	r.after(a, on(A, "queries state").must(val("state", format.QPError)))
	r.saw(b, "B's queue pair goes to ERROR")
	r.saw(a, "A's queue pair goes to ERROR")
}
