package main

import (
	"context"
	"fmt"

	"gornic/format"
	"gornic/verbs"
)

// queueFaults are completion queues that are full.
func queueFaults() []fault {
	send, recv := cqFailed(sideA, format.VendorCQOverflow), cqFailed(sideB, format.VendorCQOverflow)
	return []fault{
		{name: "cq/send-full", what: "the CQ of the send queue is full", op: verbs.WRWrite, want: send.placing(faultBytes), cqs: cqSizes{send: [2]int{sideA: 2}}},
		{name: "cq/shared", what: "another queue pair completes into a CQ that has failed: it is in ERR, too, with QP_FATAL", op: verbs.WRWrite, want: send.placing(faultBytes), cqs: cqSizes{send: [2]int{sideA: 2}}, then: shareCQ},
		{name: "cq/recv-full", what: "the CQ of the receive queue is full", op: verbs.WRSend, want: recv.placing(faultBytes), cqs: cqSizes{recv: [2]int{sideB: 2}}, act: fillRecvCQ},
	}
}

// shareCQ has one more queue pair of A complete into the CQ that has failed.
func shareCQ(ctx context.Context, r *faultRig) error {
	a, b := *r.ends[sideA], *r.ends[sideB]
	ends := [2]*faultEnd{&a, &b}
	for _, e := range ends {
		if err := e.newQP(ctx); err != nil {
			return err
		}
	}
	if err := r.connect(ctx, ends, 2); err != nil {
		return err
	}
	if err := a.qp.PostSend(ctx, verbs.SendWR{WRID: wrAfter, Opcode: verbs.WRWrite, Flags: verbs.SendSignaled}); err != nil {
		return err
	}
	err := r.until(ctx, func(ctx context.Context) (bool, error) {
		s, err := a.qp.Status(ctx)
		return s.State == verbs.QPError, err
	})
	if err != nil {
		return err
	}
	if err := r.lab.Run(settleFault); err != nil {
		return err
	}
	events, err := a.host.dev.PollAsync(ctx)
	told := 0
	for _, e := range events {
		if e.QP != a.qp {
			r.seen = append(r.seen, e)
		} else if e.Type == verbs.EventQPFatal && e.Vendor == format.VendorCQOverflow {
			told++
		}
	}
	if err == nil && told != 1 {
		err = fmt.Errorf("events %v, expected one QP_FATAL of QP %#x among them", events, a.qp.QPN())
	}
	return err
}

// fillRecvCQ sends one more message, so that the CQ of B's receive queue has two CQEs.
func fillRecvCQ(ctx context.Context, r *faultRig) error {
	a, b := r.ends[sideA], r.ends[sideB]
	b.may(atSlots+slotBytes, 64)
	b.may(atSlots+2*slotBytes, faultBytes)
	err := a.qp.PostSend(ctx, verbs.SendWR{WRID: wrGood + 2, Opcode: verbs.WRSend, Flags: verbs.SendSignaled, SGL: []verbs.SGE{a.mr.SGE(0, 64)}})
	if err != nil {
		return err
	}
	a.wantSent = append(a.wantSent, wanted{wrid: wrGood + 2})
	b.wantReceived = append(b.wantReceived, wanted{wrid: wrRecv + 1})
	return r.until(ctx, func(context.Context) (bool, error) { return len(a.sent) == 3, nil })
}

// doorbellFaults are doorbells that do not reach what they name, because they come from a
// page that is not its own or with the number of another life.
func doorbellFaults() []fault {
	refused := verdict{by: byDoorbell, refused: 1, placed: faultBytes}
	foreign := func(name, what string, ring func(ctx context.Context, r *faultRig) error) fault {
		return fault{name: "doorbell/" + name, what: what, op: verbs.WRWrite, want: refused, act: ring}
	}
	const own, other = 0, 1
	return []fault{
		foreign("sq-page", "a send queue's doorbell from another page", ringSQ(other, 0)),
		foreign("rq-page", "a receive queue's doorbell from another page", ring(other, format.DoorbellRQ, receives+1, numberOfQP(0))),
		foreign("sq-tag", "a send queue's doorbell with the tag of another life", ringSQ(own, 1)),
		foreign("cq-page", "a CQ's doorbell from another page", ring(other, format.DoorbellCQ, 3, numberOfCQ)),
		foreign("arm-page", "a CQ is armed from another page", armForeign),
		foreign("eq-page", "an event queue's doorbell from another page than 0", ring(other, format.DoorbellEQ, 0, func(*faultRig) uint32 { return 0 })),
		foreign("kind", "a doorbell of no kind", ring(own, 0x18, 0, numberOfQP(0))),
	}
}

// numberOfQP is the QPN of A, with some bits of its tag changed.
func numberOfQP(tag uint32) func(*faultRig) uint32 {
	return func(r *faultRig) uint32 {
		return r.ends[sideA].qp.QPN() ^ tag<<4 // tiny has 4 queue pairs: the tag begins at bit 2
	}
}

func numberOfCQ(r *faultRig) uint32 { return uint32(r.ends[sideA].sendCQ.Number()) }

// ring writes a doorbell of host A.
func ring(page, kind, index uint32, number func(*faultRig) uint32) func(context.Context, *faultRig) error {
	return func(ctx context.Context, r *faultRig) error {
		offset := format.DoorbellBase + page*format.DoorbellPageBytes + kind
		return r.lab.A.WriteRegister(ctx, offset, index<<16|number(r)&0xFFFF)
	}
}

// ringSQ rings for a WQE that was not posted: the send queue has done two.
func ringSQ(page, tag uint32) func(context.Context, *faultRig) error {
	return func(ctx context.Context, r *faultRig) error {
		if err := ring(page, format.DoorbellSQ, 3, numberOfQP(tag))(ctx, r); err != nil {
			return err
		}
		if err := r.lab.Run(settleFault); err != nil {
			return err
		}
		s, err := r.ends[sideA].qp.Status(ctx)
		if err == nil && (s.State != verbs.QPRTS || s.SQConsumer != 2) {
			err = fmt.Errorf("behind the doorbell the queue pair is %+v, expected RTS with 2 send work requests done", s)
		}
		return err
	}
}

// armForeign arms a CQ that has a completion to come from another page: no event tells of it.
func armForeign(ctx context.Context, r *faultRig) error {
	a := r.ends[sideA]
	if err := ring(1, format.DoorbellArm, 2, numberOfCQ)(ctx, r); err != nil {
		return err
	}
	err := a.qp.PostSend(ctx, verbs.SendWR{WRID: wrGood + 2, Opcode: verbs.WRWrite, Flags: verbs.SendSignaled})
	if err != nil {
		return err
	}
	a.wantSent = append(a.wantSent, wanted{wrid: wrGood + 2})
	if err := r.until(ctx, func(context.Context) (bool, error) { return len(a.sent) == 3, nil }); err != nil {
		return err
	}
	if err := r.lab.Run(settleFault); err != nil {
		return err
	}
	cq, err := a.host.dev.EQ().Poll(ctx)
	if err == nil && cq != nil {
		err = fmt.Errorf("a completion event of CQ %d, expected none", cq.Number())
	}
	return err
}
