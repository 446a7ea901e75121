package main

import (
	"context"
	"fmt"

	"gornic/format"
	"gornic/tb/rtl"
	"gornic/verbs"
)

// wanted is a completion that has to come.
type wanted struct {
	wrid uint64
	completion
}

func (w wanted) String() string { return fmt.Sprintf("%#x %v vendor %d", w.wrid, w.status, w.vendor) }

// Work requests by their wr_id.
const (
	wrSetUp  = 0x08 // on keys, before all others
	wrGood   = 0x10 // of A, before the fault
	wrFault  = 0x20 // that meets it
	wrBehind = 0x30 // behind it
	wrAfter  = 0x40 // posted to a queue pair in ERR
	wrRecv   = 0x80 // receive work requests
)

// runPair plays the fault in one lab, and returns how many cycles it took.
func (f fault) runPair(ctx context.Context, env *Env, b built, sides [2]rtl.Kind) (cycles uint64, err error) {
	r, err := f.open(ctx, env, b, sides)
	if r != nil {
		defer func() { err = closing(err, r.lab.Close) }()
	}
	if err != nil {
		return 0, err
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"set the fault up", r.prepare},
		{"good work", r.good},
		{"the fault", r.meet},
		{"completions", r.await},
		{"work for queue pairs in error", r.after},
		{"what follows", r.follow},
		{"other queue pairs", r.goOn},
		{"what came of it", r.judge},
	} {
		if err := step.do(ctx); err != nil {
			return 0, fmt.Errorf("cycle %d, %s: %w", r.lab.Cycle(), step.name, err)
		}
	}
	return r.lab.Cycle(), nil
}

const (
	atomicBytes = 8
	addend      = 0x0123456789ABCDEF // and what a compare-and-swap writes
)

func isAtomic(op verbs.Opcode) bool { return op == verbs.WRCompSwap || op == verbs.WRFetchAdd }
func isSendOp(op verbs.Opcode) bool {
	return op == verbs.WRSend || op == verbs.WRSendImm || op == verbs.WRSendInv
}

const receives = 4 // work requests of each receive queue

// prepare makes the work request that meets the fault, wrong, and posts what waits for
// messages.
func (r *faultRig) prepare(ctx context.Context) error {
	a, b := r.ends[sideA], r.ends[sideB]
	size := r.f.size
	if size == 0 {
		size = faultBytes
	}
	r.work = faultyWork{
		send: verbs.SendWR{
			WRID: wrFault, Opcode: r.f.op, Flags: verbs.SendSignaled, SGL: []verbs.SGE{a.mr.SGE(atFault, uint32(size))},
			RemoteAddr: b.mr.Addr() + atFault, RKey: b.mr.RKey(), Imm: 0xCAFE,
		},
		recv: b.slot(1),
	}
	if isAtomic(r.f.op) {
		r.number = b.number(atFault)
		r.work.send.SGL[0].Length, r.work.send.CompareAdd, r.work.send.Swap = atomicBytes, r.number, addend
		if r.f.op == verbs.WRFetchAdd {
			r.work.send.CompareAdd = addend
		}
	}
	if r.f.spoil != nil {
		if err := r.f.spoil(ctx, r, &r.work); err != nil {
			return err
		}
	}
	switch {
	case isSendOp(r.f.op) && !r.f.injected, r.f.want.recv != nil && r.f.injected:
		b.may(atSlots+slotBytes, r.f.want.placed)
	case r.f.op == verbs.WRRead, isAtomic(r.f.op):
		a.may(atFault, r.f.want.placed)
	default:
		b.may(atFault, r.f.want.placed)
	}
	if r.f.want.executed {
		b.may(atFault, atomicBytes)
	}
	if r.f.want.late {
		r.mayBehind(1)
		r.mayBehind(2)
	}
	for i := range receives {
		if err := a.qp.PostRecv(ctx, a.slot(i)); err != nil {
			return err
		}
	}
	return r.postReceives(ctx, b)
}

// postReceives posts the receive work requests of B, of which the second is for the
// message that meets the fault.
func (r *faultRig) postReceives(ctx context.Context, b *faultEnd) error {
	wrs := []verbs.RecvWR{b.slot(0), r.work.recv, b.slot(2), b.slot(3)}
	if r.work.rawRecv == nil {
		return b.qp.PostRecv(ctx, wrs...)
	}
	if err := b.qp.PostRecv(ctx, wrs[0]); err != nil {
		return err
	}
	if err := b.qp.PostRawRecv(ctx, r.work.rawRecv); err != nil {
		return err
	}
	return b.qp.PostRecv(ctx, wrs[2:]...)
}

// slot is the i-th receive work request of an end.
func (e *faultEnd) slot(i int) verbs.RecvWR {
	return verbs.RecvWR{WRID: wrRecv + uint64(i), SGL: []verbs.SGE{e.mr.SGE(uint64(atSlots+i*slotBytes), slotBytes)}}
}

// good is a WRITE and a SEND before the fault.
func (r *faultRig) good(ctx context.Context) error {
	a, b := r.ends[sideA], r.ends[sideB]
	b.may(atGood, 300)
	b.may(atSlots, 257)
	err := a.qp.PostSend(ctx,
		verbs.SendWR{WRID: wrGood, Opcode: verbs.WRWrite, Flags: verbs.SendSignaled, SGL: []verbs.SGE{a.mr.SGE(atGood, 300)},
			RemoteAddr: b.mr.Addr() + atGood, RKey: b.mr.RKey()},
		verbs.SendWR{WRID: wrGood + 1, Opcode: verbs.WRSend, Flags: verbs.SendSignaled, SGL: []verbs.SGE{a.mr.SGE(atSlots, 257)}})
	if err != nil {
		return err
	}
	a.wantSent = []wanted{{wrid: wrGood}, {wrid: wrGood + 1}}
	b.wantReceived = []wanted{{wrid: wrRecv}}
	if err := r.until(ctx, r.goodDone); err != nil {
		return err
	}
	if err := b.same(a, atGood, 300); err != nil {
		return err
	}
	return b.same(a, atSlots, 257)
}

// goodDone asks the device where a completion queue is not polled.
func (r *faultRig) goodDone(ctx context.Context) (bool, error) {
	a, b := r.ends[sideA], r.ends[sideB]
	if !r.polls(a.sendCQ) || !r.polls(b.recvCQ) {
		s, err := a.qp.Status(ctx)
		return s.SQConsumer == 2 && s.OldestPSN == s.NextPSN, err
	}
	return len(a.sent) == 2 && len(b.received) == 1, nil
}

// meet posts the work request that meets the fault, and three behind it.
func (r *faultRig) meet(ctx context.Context) error {
	a, b := r.ends[sideA], r.ends[sideB]
	if r.f.act != nil {
		if err := r.f.act(ctx, r); err != nil {
			return err
		}
	}
	s, err := a.qp.Status(ctx)
	if err != nil {
		return err
	}
	r.psn = s.NextPSN
	r.expect()
	if r.f.injected {
		return nil
	}
	if r.f.want.unsure {
		return a.qp.PostSend(ctx, r.work.send)
	}
	behind := []verbs.SendWR{
		{WRID: wrBehind, Opcode: verbs.WRWrite, Flags: verbs.SendSignaled, SGL: []verbs.SGE{a.mr.SGE(atBehind, 300)}, RemoteAddr: b.mr.Addr() + atBehind, RKey: b.mr.RKey()},
		{WRID: wrBehind + 1, Opcode: verbs.WRSend, SGL: []verbs.SGE{a.mr.SGE(atBehind, 100)}},
		{WRID: wrBehind + 2, Opcode: verbs.WRWrite, Flags: verbs.SendSignaled | verbs.SendInline, Inline: []byte("not to be seen"), RemoteAddr: b.mr.Addr() + atBehind + 512, RKey: b.mr.RKey()},
	}
	if r.f.spoilBehind != nil {
		r.f.spoilBehind(behind)
	}
	if r.work.rawSend != nil {
		if err := a.qp.PostRawSend(ctx, r.work.rawSend); err != nil {
			return err
		}
		return a.qp.PostSend(ctx, behind...)
	}
	return a.qp.PostSend(ctx, append([]verbs.SendWR{r.work.send}, behind...)...)
}

// expect says which completions have to come.
func (r *faultRig) expect() {
	a, b, v := r.ends[sideA], r.ends[sideB], r.f.want
	flush := completion{status: format.StatusFlush}
	before := [2]int{len(a.wantSent), len(b.wantReceived)}
	if v.recv != nil {
		b.wantReceived = append(b.wantReceived, wanted{wrRecv + uint64(len(b.wantReceived)), *v.recv})
	}
	b.next = len(b.wantReceived)
	switch {
	case r.f.injected, v.unsure:
	case v.dead[sideA]:
		a.wantSent = append(a.wantSent, wanted{wrFault, v.send},
			wanted{wrBehind, flush}, wanted{wrBehind + 1, flush}, wanted{wrBehind + 2, flush})
		for i := range receives {
			a.wantReceived = append(a.wantReceived, wanted{wrRecv + uint64(i), flush})
		}
	default:
		a.wantSent = append(a.wantSent, wanted{wrid: wrFault}, wanted{wrid: wrBehind}, wanted{wrid: wrBehind + 2})
		b.wantReceived = append(b.wantReceived, wanted{wrid: wrRecv + uint64(b.next)})
		r.mayBehind(b.next)
	}
	if v.dead[sideB] {
		for i := b.next; i < receives; i++ {
			b.wantReceived = append(b.wantReceived, wanted{wrRecv + uint64(i), flush})
		}
	}
	for i, w := range [2]*[]wanted{&a.wantSent, &b.wantReceived} {
		if v.lost[i] {
			*w = (*w)[:before[i]]
		}
	}
}

// mayBehind lets B write what is behind the fault, where the SEND takes receive work
// request i.
func (r *faultRig) mayBehind(i int) {
	b := r.ends[sideB]
	b.may(atBehind, 300)
	b.may(atBehind+512, 14)
	b.may(atSlots+i*slotBytes, 100)
}

// await lets the hosts work until every completion has come, or the queue pairs whose
// completions cannot come are in error.
func (r *faultRig) await(ctx context.Context) error {
	return r.until(ctx, func(ctx context.Context) (bool, error) {
		for i, e := range r.ends {
			if len(e.sent) < len(e.wantSent) && r.polls(e.sendCQ) || len(e.received) < len(e.wantReceived) && r.polls(e.recvCQ) {
				return false, nil
			}
			s, err := e.qp.Status(ctx)
			if err != nil || (s.State == verbs.QPError) != r.f.want.dead[i] {
				return false, err
			}
		}
		return true, nil
	})
}

// after posts to the queue pairs in error, which flush at once.
func (r *faultRig) after(ctx context.Context) error {
	flush := completion{status: format.StatusFlush}
	for i, e := range r.ends {
		if !r.f.want.dead[i] {
			continue
		}
		if err := e.qp.PostSend(ctx, verbs.SendWR{WRID: wrAfter, Opcode: verbs.WRSend, SGL: []verbs.SGE{e.mr.SGE(0, 8)}}); err != nil {
			return err
		}
		if err := e.qp.PostRecv(ctx, verbs.RecvWR{WRID: wrAfter + 1}); err != nil {
			return err
		}
		if side(i) == sideB || !r.f.want.lost[0] {
			e.wantSent = append(e.wantSent, wanted{wrAfter, flush})
		}
		if side(i) == sideA || !r.f.want.lost[1] {
			e.wantReceived = append(e.wantReceived, wanted{wrAfter + 1, flush})
		}
	}
	return r.await(ctx)
}

// follow is what the fault says.
func (r *faultRig) follow(ctx context.Context) error {
	if r.f.then == nil {
		return nil
	}
	return r.f.then(ctx, r)
}

// patienceOfFaults is how many waits in vain are too many.
const patienceOfFaults = 400

// until lets the hosts work, and the bystanders talk, until done.
func (r *faultRig) until(ctx context.Context, done func(context.Context) (bool, error)) error {
	for range patienceOfFaults {
		if err := r.pump(ctx); err != nil {
			return err
		}
		if ok, err := done(ctx); ok || err != nil {
			return err
		}
		if err := r.lab.A.Wait(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("it does not end%s", r.status(ctx))
}

// status is what is known of the connection of the fault.
func (r *faultRig) status(ctx context.Context) string {
	text := ""
	for i, e := range r.ends {
		s, err := e.qp.Status(ctx)
		text += fmt.Sprintf("\nhost %v: %+v %v\n sent %v, expected %v\n received %v, expected %v", side(i), s, err,
			told(e.sent), e.wantSent, told(e.received), e.wantReceived)
	}
	return text
}

// told is completions as they are expected.
func told(wcs []verbs.WC) []wanted {
	var all []wanted
	for _, w := range wcs {
		all = append(all, wanted{w.WRID, completion{status: w.Status, vendor: w.Vendor}})
	}
	return all
}
