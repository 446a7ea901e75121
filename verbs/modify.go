package verbs

import (
	"context"
	"errors"
	"fmt"

	"gornic/format"
)

// Modify sets the attributes in mask, and with [AttrState] the state
// (ibv_modify_qp). A change that does not exist, or a set of attributes that it
// does not take, is a [*TransitionError]; a value out of range wraps
// [ErrInvalid]. The device has the last word, with a [*CommandError]: it may know
// that the queue pair is in error. A Modify that fails changes nothing.
//
// RESET empties both queues, without completions, and drops the completions that
// were not polled.
func (q *QP) Modify(ctx context.Context, attr QPAttr, mask AttrMask) error {
	q.pd.d.mu.Lock()
	defer q.pd.d.mu.Unlock()
	if err := q.modify(ctx, attr, mask); err != nil {
		return fmt.Errorf("verbs: modify QP %#x: %w", q.qpn, err)
	}
	return nil
}

func (q *QP) modify(ctx context.Context, attr QPAttr, mask AttrMask) error {
	if err := q.alive(); err != nil {
		return err
	}
	to := q.attr.State
	if mask&AttrState != 0 {
		to = attr.State
	}
	if err := checkTransition(q.attr.State, to, mask); err != nil {
		return err
	}
	next := q.attr
	for _, r := range attrRules {
		if mask&r.bit == 0 {
			continue
		}
		if r.check != nil {
			if err := r.check(&attr, &q.pd.d.attr); err != nil {
				return err
			}
		}
		r.set(&next, &attr)
	}
	if err := run(ctx, q.pd.d, format.CmdModifyQP, q.modification(next, mask)); err != nil {
		return err
	}
	if to == QPReset {
		return q.startAnew(ctx)
	}
	q.attr = next
	return nil
}

// startAnew empties the queues and forgets what the device told of the queue pair
// before it went to RESET.
func (q *QP) startAnew(ctx context.Context) error {
	q.sq.reset()
	q.rq.reset()
	err := errors.Join(q.purge(ctx), q.pd.d.service(ctx))
	q.attr = QPAttr{}
	return err
}

// modification is the command for the attributes in mask; the others are 0.
func (q *QP) modification(attr QPAttr, mask AttrMask) format.ModifyQP[uint64] {
	only := QPAttr{State: attr.State}
	for _, r := range attrRules {
		if mask&r.bit != 0 {
			r.set(&only, &attr)
		}
	}
	m := format.ModifyQP[uint64]{
		QPN: uint64(q.qpn), State: uint64(only.State), Mask: uint64(mask), DestQPN: uint64(only.DestQPN),
		PathMTU: uint64(only.PathMTU), RQPSN: uint64(only.RQPSN), MinRNR: uint64(only.MinRNRTimer), SQPSN: uint64(only.SQPSN),
		Timeout: uint64(only.Timeout), Access: uint64(only.Access), RetryCnt: uint64(only.RetryCnt), RNRRetry: uint64(only.RNRRetry),
		MaxRD: uint64(only.MaxRDAtomic), MaxDestRD: uint64(only.MaxDestRDAtomic), PKeyIndex: uint64(only.PKeyIndex), Port: uint64(only.Port),
	}
	if only.SQDNotify {
		m.Notify = 1
	}
	if mask&AttrAH != 0 {
		m.AV = attr.AH.av(q.qpn, attr.DestQPN)
	}
	return m
}

// Connect takes a queue pair from RESET through INIT and RTR to RTS, with all of
// attr but its State.
func (q *QP) Connect(ctx context.Context, attr QPAttr) error {
	for _, step := range []struct {
		to   QPState
		mask AttrMask
	}{{QPInit, AttrsInit}, {QPRTR, AttrsRTR}, {QPRTS, AttrsRTS}} {
		attr.State = step.to
		if err := q.Modify(ctx, attr, step.mask); err != nil {
			return err
		}
	}
	return nil
}

// State returns the state as far as the driver knows: the last one set, or ERR
// after a completion or an event that tells so. [QP.Query] asks the device.
func (q *QP) State() QPState {
	q.pd.d.mu.Lock()
	defer q.pd.d.mu.Unlock()
	return q.attr.State
}

// Query returns the attributes (ibv_query_qp): state, SQPSN and RQPSN as the
// device has them at this moment, the others as they were set.
func (q *QP) Query(ctx context.Context) (QPAttr, error) {
	if _, err := q.Status(ctx); err != nil {
		return QPAttr{}, err
	}
	q.pd.d.mu.Lock()
	defer q.pd.d.mu.Unlock()
	return q.attr, nil
}

// QPStatus is how far a queue pair has come.
type QPStatus struct {
	State      QPState
	NextPSN    uint32 // of the next request
	OldestPSN  uint32 // the oldest PSN without acknowledgement; NextPSN where there is none
	ExpPSN     uint32 // of the next request to be received
	MSN        uint32 // messages received, 24 bits
	SQConsumer uint16 // index behind the last send work request that is done with
	RQConsumer uint16 // and of the receive queue
}

// Status asks the device how far the queue pair has come.
func (q *QP) Status(ctx context.Context) (QPStatus, error) {
	q.pd.d.mu.Lock()
	defer q.pd.d.mu.Unlock()
	s, err := q.status(ctx)
	if err != nil {
		return s, fmt.Errorf("verbs: query QP %#x: %w", q.qpn, err)
	}
	return s, nil
}

func (q *QP) status(ctx context.Context) (QPStatus, error) {
	if err := q.alive(); err != nil {
		return QPStatus{}, err
	}
	s, err := query[format.QPStatus[uint64]](ctx, q.pd.d, format.CmdQueryQP, format.QueueRef[uint64]{Number: uint64(q.qpn)})
	if err != nil {
		return QPStatus{}, err
	}
	if uint32(s.QPN) != q.qpn {
		return QPStatus{}, fmt.Errorf("%w: the status of QP %#x", ErrDevice, s.QPN)
	}
	q.attr.State, q.attr.SQPSN, q.attr.RQPSN = QPState(s.State), uint32(s.NextPSN), uint32(s.ExpPSN)
	return QPStatus{
		State: QPState(s.State), NextPSN: uint32(s.NextPSN), OldestPSN: uint32(s.OldestPSN), ExpPSN: uint32(s.ExpPSN),
		MSN: uint32(s.MSN), SQConsumer: uint16(s.SQConsumer), RQConsumer: uint16(s.RQConsumer),
	}, nil
}
