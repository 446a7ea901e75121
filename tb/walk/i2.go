package walk

import (
	"context"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/verbs"
)

// I2 is a SEND with invalidate, block by block.
var I2 = Walk{
	Name:  "I2",
	Title: "SEND with invalidate, block by block (4 KiB), PSN 4000, rkey 0x2A04",
	lends: true,
	plays: []script{
		{name: signaled, psn: lendPSN, run: i2Send(verbs.SendSignaled, (*scene).stale)},
		{name: unsignaled, psn: lendPSN, run: i2Send(0, nil)},
		{name: again, psn: lendPSN, run: i2Send(0, (*scene).registerAgain)},
		{name: noKey, psn: invPSN, run: i2NoKey},
		endsLoan(window2, (*scene).lendWindow2),
		endsLoan(window1, (*scene).lendWindow1),
		endsLoan(ordinaryRegion, (*scene).lendRegion),
		endsLoan(boundRegion, (*scene).lendBound),
	},
	steps: []step{
		{1, "B: buffer lent and written into by A; a receive WQE posted", i2Lent},
		{2, "A: WQE names rkey 0x2A04; doorbell", i2Posted},
		{3, "A: WQE read, lkey checked, payload read", i2Gathered},
		{4, "A: BTH, IETH, payload; no address", func(f *fact) { leavesInv(f.in(signaled).turn(1)) }},
		{5, "B: PSN checked; receive WQE at the head read", i2Taken},
		{6, "B: payload into that WQE's buffer", func(f *fact) { placedInv(f.in(signaled).turn(1)) }},
		{7, "B: key invalidated: any lookup now fails as an unknown key would; the memory is untouched; B may register it again under a new key", i2Ended},
		{8, "B: completion flagged and naming 0x2A04; the ACK leaves at the same moment (neither waits for the other)", i2Completed},
		{9, "A: entry retired; send completion if signaled", i2Retired},
		{10, "A: a stale WRITE leaves as usual", func(f *fact) { staleLeaves(f.in(signaled).turn(2)) }},
		{11, "B: lookup fails, nothing written, NAK remote access error; both QPs to ERROR, without B's software acting", i2Refused},
	},
}

const (
	lendPSN = invPSN - 1 // of A's WRITE to the lent buffer
	newKey  = lentKey + 1
	badKey  = 0x3F004 // of no region
)

// Names of plays.
const (
	again = "registered again"
	noKey = "no such key"
)

// i2Send is A's WRITE to what B lends, the SEND with invalidate, and what comes then.
func i2Send(flags verbs.SendFlags, then func(*scene, context.Context, verbs.SendWR) error) func(context.Context, *scene) error {
	return func(ctx context.Context, c *scene) error {
		wr, err := c.sendsInv(ctx, flags)
		if err != nil {
			return err
		}
		if err := c.send(ctx, c.writeLent(wr.SGL[0], lentKey, 0)); err != nil {
			return err
		}
		if err := c.sendInv(ctx, wr); err != nil || then == nil {
			return err
		}
		return then(c, ctx, wr)
	}
}

// registerAgain registers the same memory under a new key, which A uses, and ends that.
func (c *scene) registerAgain(ctx context.Context, wr verbs.SendWR) error {
	if err := c.register(ctx, c.lent, c.lentBuffer, newKey, lendFlags); err != nil {
		return err
	}
	if err := c.send(ctx, c.writeLent(wr.SGL[0], newKey, 0)); err != nil {
		return err
	}
	return c.does(ctx, 1, verbs.SendWR{WRID: lendID, Opcode: verbs.WRLocalInv, InvalidateRKey: newKey})
}

// i2NoKey is a WRITE under a key that never was.
func i2NoKey(ctx context.Context, c *scene) error {
	sge, err := c.source(ctx, PathMTU)
	if err != nil {
		return err
	}
	if err := c.send(ctx, c.writeLent(sge, badKey, verbs.SendSignaled)); err != nil {
		return err
	}
	return c.states(ctx)
}

func i2Lent(f *fact) {
	r := f.in(signaled)
	registered := r.lends()
	buffer, theirs := r.regions["receive buffer 0"], r.regions[lent]
	posted := r.after(start, on(B, "posts receive WQE").must(val("at", 0), val("sges", 1), val("addr0", buffer.addr), val("lkey0", buffer.key)))
	here := r.after(posted, on(B, "wqefetch_rq.wqe_here").must(val("qp", r.b.qp), val("wqe", 0)))
	write := r.turn(0)
	packet := write.crossed(registered, format.OpWriteOnly, lendPSN, 0, PathMTU, val("rkey", lentKey), val("va", theirs.addr))
	psn := r.expected(packet, lendPSN)
	_, key := r.granted(B, psn, lentKey, uint64(format.AccessRemoteWrite), theirs.addr, PathMTU)
	written := r.placed(key, lendPSN, lent, 0, PathMTU, 0)
	r.order(here, packet)
	r.order(written, r.turn(1).begin())
	r.saw(written, "A has written %d bytes into it, under that key", PathMTU)
	r.saw(here, "receive WQE %d is there, with another buffer", here.Get("wqe"))
}

func i2Posted(f *fact) {
	r := f.in(signaled).turn(1)
	wqe := r.postedInv()
	r.saw(wqe, "WQE %d: %v, key %#x; remote address and rkey are 0", r.wqe, format.WROpcode(wqe.Get("opcode")), wqe.Get("imm"))
	r.saw(r.marked("doorbell"), "doorbell: producer index %d", r.marked("doorbell").Get("producer"))
}

func i2Gathered(f *fact) {
	r := f.in(signaled).turn(1)
	fetchedFrom(r)
	_, key, whole := r.gathered(0, invPSN, format.OpSendOnlyInv, PathMTU)
	r.saw(key, "lkey %#x granted for %d bytes", r.regions["source"].key, PathMTU)
	r.saw(whole, "%d bytes of the source read from host memory", PathMTU)
}

func i2Taken(f *fact) {
	r := f.in(signaled).turn(1)
	takenInv(r)
	read := r.after(start, on(B, "reads "+recvQueue).must(val("at", 0)))
	r.order(read, r.marked("judged"))
	r.saw(read, "it was read over the host bus when it was posted, %d bytes", read.Get("bytes"))
}

func i2Ended(f *fact) {
	r := f.in(signaled)
	send := r.turn(1)
	send.endsKey()
	after := send.lentUntouched()
	r.same("the lent buffer", after.Data, r.message)
	r.saw(after, "the memory is untouched: it holds what A wrote")

	stale := r.turn(2).unknownKey(r.turn(2).begin(), lentKey)
	r.saw(stale, "a look-up: %v", format.VendorCode(stale.Get("fault")))
	r = f.in(noKey)
	unknown := r.unknownKey(r.expected(start, invPSN), badKey)
	r.saw(unknown, "a look-up of a key that never was: %v, too", format.VendorCode(unknown.Get("fault")))
	i2Again(f)
	i2Revocable(f)
}

// i2Again is the registration of the same memory under a new key.
func i2Again(f *fact) {
	r := f.in(again)
	buffer := r.regions[lent]
	revoked := r.after(start, on(B, "keycache.key_revoked").must(val("key", lentKey)))
	registered := r.after(revoked, on(B, "keycache.registered").must(val("key", newKey), val("va", buffer.addr), val("bytes", buffer.size)))
	packet := r.crossed(registered, format.OpWriteOnly, stalePSN, 0, PathMTU, val("rkey", newKey))
	_, key := r.granted(B, packet, newKey, uint64(format.AccessRemoteWrite), buffer.addr, PathMTU)
	written := r.placed(key, stalePSN, lent, 0, PathMTU, 0)
	r.saw(registered, "B registers the same memory under key %#x", registered.Get("key"))
	r.saw(written, "A's WRITE under that key is in it")
}

// i2Revocable is what may be ended from afar, and what not.
func i2Revocable(f *fact) {
	r := f.in(window2)
	key, judged := r.asksToEnd(format.VendorNone)
	revoked := r.after(judged, on(B, "keycache.key_revoked").must(val("key", key)))
	cqe := r.received(judged, format.WCRecv, PathMTU, invalidation(key))
	query := r.after(cqe, on(B, "queries key").must(val("key", key), val("state", format.KeyFree)))
	r.order(revoked, cqe)
	r.saw(query, "key %#x ends, and the receive completion names it", key)

	for _, c := range []struct {
		play    string
		why     format.VendorCode
		windows uint64
	}{{window1, format.VendorKeyType, 0}, {ordinaryRegion, format.VendorKeyType, 0}, {boundRegion, format.VendorKeyBound, 1}} {
		r := f.in(c.play)
		key, judged := r.asksToEnd(c.why)
		r.saw(judged, "key %#x does not: %v", key, c.why)
		nak := r.deniedAccess(judged, invPSN)
		cqe := r.after(judged, on(B, "writes "+recvCQ).must(val("wqe", 0), val("status", format.StatusRemInvReq)))
		query := r.after(nak, on(B, "queries key").must(val("key", key), val("state", format.KeyValid), val("windows", c.windows)))
		r.never(start, r.end(), on(B, "keycache.key_revoked"))
		r.bothFail(judged, nak)
		r.saw(cqe, "the receive WQE completes with %v", format.Status(cqe.Get("status")))
		r.saw(query, "the key is as good as it was")
	}
}

// asksToEnd is a SEND with invalidate of what B lends in a play, and what the key cache says.
func (r *reading) asksToEnd(fault format.VendorCode) (key uint64, judged Seen) {
	key = r.regions[lent].key
	packet := r.crossed(start, format.OpSendOnlyInv, invPSN, 0, PathMTU, val("ends", key))
	return key, r.judgedKey(r.expected(packet, invPSN), key, link.RightRevoke, fault)
}

func i2Completed(f *fact) {
	r := f.in(signaled).turn(1)
	cqe, ack := sendCompletes(r, invPSN, 2, invalidation(lentKey))
	leaves := r.after(r.begin(), on(B, "cqewriter.cqe_leaves"))
	r.order(r.marked("revoked"), cqe)
	r.order(leaves, ack)
	r.saw(cqe, "it is flagged with invalidate, and names key %#x", cqe.Get("imm"))
	r.saw(leaves, "the CQE leaves before the ACK has crossed, and the ACK before memory answers for the CQE")
}

func i2Retired(f *fact) {
	retiresOne(f.in(signaled).turn(1))
	signaledOnly(f, 1, format.WCSend, invPSN, 0)
}

func i2Refused(f *fact) {
	r := f.in(signaled).turn(2)
	staleRefused(r)
	send := f.in(signaled).turn(1)
	nak := r.after(r.begin(), on(BToA, "ACKNOWLEDGE"))
	for _, what := range software {
		r.never(send.begin(), nak, on(B, what))
	}
	r.noted("from the SEND's posting to the NAK, B's software posts nothing, rings no doorbell and gives no command")
}
