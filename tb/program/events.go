package program

import (
	"context"
	"fmt"

	"gornic/verbs"
)

// arm arms a CQ whose use it is.
func (q *queue) arm(ctx context.Context) error {
	if q == nil || q.Use == Polled {
		return nil
	}
	q.armed, q.armedAt = true, q.taken
	return q.cq.ReqNotify(ctx, q.Use == Solicited)
}

// events takes the events there are. None comes but for a CQ that is armed.
func (s *side) events(ctx context.Context) error {
	for n, eq := range s.eqs {
		for {
			cq, err := eq.Poll(ctx)
			if err != nil {
				return fmt.Errorf("host %s: %w", s.name, err)
			}
			if cq == nil {
				break
			}
			q := s.queueOf(cq.Number())
			switch {
			case q == nil:
				return fmt.Errorf("host %s: an event of CQ %d, which nobody uses", s.name, cq.Number())
			case !q.armed:
				return fmt.Errorf("%v: an event, and it is not armed", q)
			case q.EQ != n:
				return fmt.Errorf("%v: an event in event queue %d, expected in %d", q, n, q.EQ)
			}
			q.armed, q.due = false, true
		}
	}
	return nil
}

func (s *side) queueOf(number int) *queue {
	for _, q := range s.cqs {
		if q != nil && q.cq.Number() == number {
			return q
		}
	}
	return nil
}

// left tells what a CQ holds that no event told of.
func (q *queue) left(ctx context.Context) string {
	wc := make([]verbs.WC, q.cq.Entries())
	n, err := q.cq.Poll(ctx, wc)
	armed := "not armed"
	if q.armed {
		armed = fmt.Sprintf("armed after %d", q.armedAt)
	}
	return fmt.Sprintf("host %s, CQ %d, %v: %d completions taken, %s; there were %d more, %v (%v)", q.side.name, q.number, q.Use, q.taken, armed, n, wc[:n], err)
}

// afterEvent arms the CQ anew and takes all completions, among which has to be what
// the event was for.
func (q *queue) afterEvent(ctx context.Context) (int, error) {
	q.due = false
	before := q.armedAt
	if err := q.arm(ctx); err != nil {
		return 0, err
	}
	total := 0
	for {
		n, err := q.poll(ctx, 16)
		if err != nil {
			return total, err
		}
		if n == 0 {
			break
		}
		total += n
	}
	if q.last() <= before {
		return total, fmt.Errorf("%v: an event without a completion for it behind the first %d", q, before)
	}
	return total, nil
}

// last is the completions up to the last that an event would come for.
func (q *queue) last() int {
	if q.Use == Solicited {
		return q.solicited
	}
	return q.taken
}

// waits tells that there will be an event, whatever the host does: it does not look
// before, and so finds out when none comes. A completion that it takes before its event
// may have none; the queue stays armed then.
func (q *queue) waits() bool {
	if !q.armed {
		return false
	}
	for _, e := range q.side.byQPN {
		sends := e.SendCQ == q.number && e.lateDone < e.late
		receives := e.RecvCQ == q.number && (e.failed && e.completed < e.offered-e.used() || e.solicitedComes())
		if sends || receives {
			return true
		}
	}
	return false
}

// solicitedComes tells that a message on its way to a receive will be a solicited
// completion.
func (e *end) solicitedComes() bool {
	for _, r := range e.Receives[e.received:e.offered] {
		if r.Message >= 0 && r.Message < e.peer.posted && e.peer.Messages[r.Message].Solicited {
			return true
		}
	}
	return false
}
