package program

import (
	"context"
	"fmt"

	"gornic/verbs"
)

// queue is a CQ at work.
type queue struct {
	CQ
	cq     *verbs.CQ
	number int
	side   *side

	taken     int  // completions
	solicited int  // those up to the last that was solicited or failed
	armed     bool // an event is to come
	armedAt   int  // taken, when it was armed
	due       bool // an event came, and nobody has looked yet
}

func (q *queue) String() string {
	return fmt.Sprintf("host %s, CQ %d (%d), armed after %d completions", q.side.name, q.number, q.cq.Number(), q.armedAt)
}

// poll takes events, and completions of the CQs whose turn it is.
func (s *side) poll(ctx context.Context, g *game) (int, error) {
	if err := s.events(ctx); err != nil {
		return 0, err
	}
	total := 0
	for _, q := range s.cqs {
		n, err := q.turn(ctx, g)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// turn takes all completions behind an event, and else some now and then.
func (q *queue) turn(ctx context.Context, g *game) (int, error) {
	switch {
	case q == nil:
		return 0, nil
	case q.due:
		return q.afterEvent(ctx)
	case q.Use == Armed || q.Use == Solicited && q.waits() || !g.hits(g.act.Poll):
		return 0, nil
	}
	return q.poll(ctx, 1+g.r.IntN(8))
}

// poll takes up to most completions.
func (q *queue) poll(ctx context.Context, most int) (int, error) {
	wc := make([]verbs.WC, most)
	n, err := q.cq.Poll(ctx, wc)
	if err != nil {
		return n, fmt.Errorf("host %s: %w", q.side.name, err)
	}
	for _, c := range wc[:n] {
		q.taken++
		e := q.side.byQPN[c.QPN]
		if e == nil {
			return n, fmt.Errorf("%v: completion %+v of a queue pair that there is not", q, c)
		}
		solicited, err := e.complete(ctx, q, c)
		if err != nil {
			return n, fmt.Errorf("%v: %w", e, err)
		}
		if solicited {
			q.solicited = q.taken
		}
	}
	return n, nil
}

// complete compares a completion with the one that is due, and tells whether it
// is a solicited one.
func (e *end) complete(ctx context.Context, q *queue, c verbs.WC) (solicited bool, err error) {
	index := e.SendCQ
	if c.Recv {
		index = e.RecvCQ
	}
	e.record.add(c)
	switch {
	case index != q.number:
		return false, fmt.Errorf("completion %+v in CQ %d, expected in %d", c, q.number, index)
	case e.failed && c.Recv:
		return true, e.flushedReceive(c)
	case e.failed:
		return true, e.flushedSend(c)
	case c.Recv:
		return e.completeReceive(ctx, c)
	}
	return false, e.completeSend(ctx, c)
}

// completeSend compares a completion with the oldest signaled message's.
func (e *end) completeSend(ctx context.Context, c verbs.WC) error {
	if len(e.signaled) == 0 {
		return fmt.Errorf("completion %+v is not due", c)
	}
	i := e.signaled[0]
	e.signaled = e.signaled[1:]
	m := e.Messages[i]
	want := verbs.WC{WRID: sendID(i), Opcode: completion(m.Op), QPN: e.qp.QPN(), WQEIndex: uint16(i)}
	if hasResponse(m.Op) {
		want.ByteLen = uint32(m.Length)
	}
	if c != want {
		return fmt.Errorf("message %d, %v of %d bytes: completion %+v, expected %+v", i, m.Op, m.Length, c, want)
	}
	return e.finish(ctx, i+1)
}

// completeReceive compares a receive completion, and the payload of a SEND.
func (e *end) completeReceive(ctx context.Context, c verbs.WC) (solicited bool, err error) {
	if e.received == e.used() || e.received == e.offered {
		return false, fmt.Errorf("completion %+v is not due", c)
	}
	i := e.received
	e.received++
	message := e.Receives[i].Message
	m := e.peer.Messages[message]
	want := verbs.WC{
		WRID: recvID(i), Opcode: verbs.WCRecv, ByteLen: uint32(m.Length), QPN: e.qp.QPN(), Recv: true, WQEIndex: uint16(i),
	}
	if m.Op == verbs.WRWriteImm {
		want.Opcode = verbs.WCRecvWrite
	}
	switch m.Op {
	case verbs.WRSendImm, verbs.WRWriteImm:
		want.Flags, want.Imm = verbs.WCWithImm, m.Imm
	case verbs.WRSendInv:
		want.Flags, want.InvalidatedRKey = verbs.WCWithInv, e.side.loans[m.Lent].rkey()
	}
	switch {
	case c != want:
		return false, fmt.Errorf("receive %d, %v of %d bytes, message %d: completion %+v, expected %+v", i, m.Op, m.Length, message, c, want)
	case isWrite(m.Op): // looked at in the end: another may have gone over it
		return m.Solicited, nil
	}
	return m.Solicited, e.peer.arrived(ctx, message, e.side, e.Receives[i].Pieces)
}

// arrived compares what a message has sent, or brought, with what a host has got.
func (e *end) arrived(ctx context.Context, message int, s *side, to []Piece) error {
	want := e.payloads[message]
	for _, p := range to {
		if p.Region == noRegion {
			continue
		}
		a, n := s.areas[p.Region], min(p.Length, len(want))
		got, err := a.read(ctx, a.lead+p.Offset, n)
		if err != nil {
			return err
		}
		if i := firstDifference(got, want[:n]); i >= 0 {
			m := e.Messages[message]
			at := len(e.payloads[message]) - len(want) + i
			return fmt.Errorf("message %d, %v of %d bytes: byte %d is %#02x, expected %#02x, in region %d (%v) at %d",
				message, m.Op, m.Length, at, got[i], want[i], p.Region, a.Region, p.Offset+i)
		}
		want = want[n:]
	}
	return nil
}
