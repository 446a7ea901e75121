package play

import (
	"context"
	"math/bits"

	"gornic/format"
	"gornic/tb/workload"
	"gornic/verbs"
)

// postRecvs posts the receive work requests of the messages to come, as far as
// there is room.
func (e *end) postRecvs(ctx context.Context) error {
	var wrs []verbs.RecvWR
	for free := e.qp.RecvFree(); free > 0 && e.offered < len(e.recvs); free-- {
		q := e.recvs[e.offered]
		wr := verbs.RecvWR{WRID: uint64(q.Number)}
		for _, p := range q.Recv {
			wr.SGL = append(wr.SGL, e.slots.sge(e.slot(e.offered)+p.Offset, p.Length))
		}
		wrs = append(wrs, wr)
		e.offered++
	}
	if len(wrs) == 0 {
		return nil
	}
	return e.qp.PostRecv(ctx, wrs...)
}

// slot is the offset of the slot of receive work request i.
func (e *end) slot(i int) int { return i % e.c.Depth * e.slotBytes }

// postSends posts what has arrived, with a doorbell where the workload has one and
// behind the last. It returns how many there were.
func (e *end) postSends(ctx context.Context, now uint64) (int, error) {
	var wrs []verbs.SendWR
	total := 0
	for free := e.qp.SendFree(); free > 0 && e.mayPost(now); free-- {
		q := e.sends[e.posted]
		wr, err := e.sendWR(ctx, q)
		if err != nil {
			return total, err
		}
		wrs = append(wrs, wr)
		if err := e.note(ctx, q); err != nil {
			return total, err
		}
		if !q.Ring {
			continue
		}
		if err := e.qp.PostSend(ctx, wrs...); err != nil {
			return total, err
		}
		total, wrs = total+len(wrs), nil
	}
	if len(wrs) == 0 {
		return total, nil
	}
	return total + len(wrs), e.qp.PostSend(ctx, wrs...)
}

// note notes what comes of a request that is posted.
func (e *end) note(ctx context.Context, q workload.Request) error {
	if q.Signaled {
		e.signaled = append(e.signaled, due{wqe: e.wqes, request: e.posted})
	}
	if q.Op == format.WRSendInv {
		e.peer.tokens[e.invalidates%tokenCount].good = false
		e.invalidates++
	}
	if q.Consumes {
		e.consumed++
	}
	var err error
	if workload.HasResponse(q.Op) {
		err = e.willBring(ctx, q)
	} else {
		err = e.peer.expect(ctx, q)
	}
	e.posted++
	e.wqes++
	return err
}

// mayPost tells whether the next request, if there is one, has arrived, and the
// peer is ready for it as far as that is asked for.
func (e *end) mayPost(now uint64) bool {
	if e.posted == len(e.sends) {
		return false
	}
	q := e.sends[e.posted]
	if q.Op == format.WRSendInv && !e.peer.tokens[e.invalidates%tokenCount].good {
		return false
	}
	return q.At <= now && (!e.ready || !q.Consumes || e.consumed < e.peer.offered)
}

func (e *end) sendWR(ctx context.Context, q workload.Request) (verbs.SendWR, error) {
	wr := verbs.SendWR{
		WRID: uint64(q.Number), Opcode: q.Op, Imm: bits.ReverseBytes32(q.Imm),
		RemoteAddr: e.peer.sink.mr.Addr() + uint64(q.Sink), RKey: e.peer.sink.mr.RKey(),
	}
	if q.Signaled {
		wr.Flags |= verbs.SendSignaled
	}
	if q.Solicited {
		wr.Flags |= verbs.SendSolicited
	}
	switch {
	case q.Op == format.WRSendInv:
		wr.InvalidateRKey = e.peer.tokens[e.invalidates%tokenCount].mr.RKey()
	case workload.HasResponse(q.Op):
		e.fetch(q, &wr)
		return wr, nil
	}
	if q.Inline {
		data, err := e.payload(ctx, q)
		wr.Flags, wr.Inline = wr.Flags|verbs.SendInline, data
		return wr, err
	}
	for _, p := range q.Source {
		wr.SGL = append(wr.SGL, e.source.sge(p.Offset, p.Length))
	}
	return wr, nil
}

// payload is what a request sends.
func (e *end) payload(ctx context.Context, q workload.Request) ([]byte, error) {
	var data []byte
	for _, p := range q.Source {
		b, err := e.source.read(ctx, p.Offset, p.Length)
		if err != nil {
			return nil, err
		}
		data = append(data, b...)
	}
	return data, nil
}
