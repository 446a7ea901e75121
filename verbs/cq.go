package verbs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gornic/format"
)

// CQInitAttr says how to make a completion queue.
type CQInitAttr struct {
	Entries int // rounded up to a power of two, at most DeviceAttr.MaxCQE
	EQ      *EQ // where its events go; nil: event queue 0
	Page    int // doorbell page that may update it
}

// CQ is a completion queue (ibv_cq). The queues that complete into it should not
// have more work requests together than it has entries: the device never
// overwrites a CQE, but reports EventCQErr and puts the queue pair into error.
type CQ struct {
	d      *Device
	number uint32
	eq     *EQ
	page   int
	ring   *inRing
	kept   []format.CQE[uint64] // taken from the ring, not yet polled
	users  int                  // queues that complete into it
	dead   bool
}

// CreateCQ makes a completion queue (ibv_create_cq).
func (d *Device) CreateCQ(ctx context.Context, attr CQInitAttr) (*CQ, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q, err := d.createCQ(ctx, attr)
	if err != nil {
		return nil, fmt.Errorf("verbs: create CQ: %w", err)
	}
	return q, nil
}

func (d *Device) createCQ(ctx context.Context, attr CQInitAttr) (*CQ, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if attr.EQ == nil {
		attr.EQ = d.eq0
	}
	if attr.EQ.d != d {
		return nil, invalid("an EQ of another device")
	}
	if err := errors.Join(attr.EQ.alive(), d.checkPage(attr.Page)); err != nil {
		return nil, err
	}
	number, err := d.cqNumbers.take()
	if err != nil {
		return nil, err
	}
	ring, err := newInRing(ctx, d, attr.Entries, format.Size[format.CQE[uint64]]())
	if err != nil {
		d.cqNumbers.release(number)
		return nil, err
	}
	q := &CQ{d: d, number: number, eq: attr.EQ, page: attr.Page, ring: ring}
	err = run(ctx, d, format.CmdCreateCQ, format.CreateCQ[uint64]{
		CQN: uint64(number), EQN: uint64(attr.EQ.number), LogSize: uint64(ring.log), Page: uint64(attr.Page), Base: ring.base,
	})
	if err != nil {
		if refused(err) {
			d.cqNumbers.release(number)
			err = errors.Join(err, d.bus.Free(ring.base))
		}
		return nil, err
	}
	d.cqs[number] = q
	return q, nil
}

func (d *Device) checkPage(page int) error {
	if page < 0 || page >= d.attr.DoorbellPages {
		return invalid("doorbell page %d of %d", page, d.attr.DoorbellPages)
	}
	return nil
}

// Number returns the number of the CQ.
func (q *CQ) Number() int { return int(q.number) }

// Entries returns how many CQEs it holds.
func (q *CQ) Entries() int { return 1 << q.ring.log }

// Poll takes up to len(wc) completions and returns how many (ibv_poll_cq); it
// does not wait. Each completion gives the slots of its work request, and of the
// unsignaled ones before it, back to their queue. The completions that it returns
// are valid also with an error; it wraps [ErrDevice] if one does not fit what was
// posted.
func (q *CQ) Poll(ctx context.Context, wc []WC) (int, error) {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	n, err := q.poll(ctx, wc)
	if err != nil {
		return n, fmt.Errorf("verbs: poll CQ %d: %w", q.number, err)
	}
	return n, nil
}

// PollWait is [CQ.Poll] that lets the device work until there is at least one
// completion, if len(wc) > 0. It needs no event.
func (q *CQ) PollWait(ctx context.Context, wc []WC) (int, error) {
	n := 0
	err := q.d.await(ctx, func() (bool, error) {
		var err error
		n, err = q.poll(ctx, wc)
		return n > 0 || len(wc) == 0, err
	})
	if err != nil {
		return n, fmt.Errorf("verbs: poll CQ %d: %w", q.number, err)
	}
	return n, nil
}

func (q *CQ) poll(ctx context.Context, wc []WC) (int, error) {
	if err := q.alive(); err != nil {
		return 0, err
	}
	var errs []error
	n := 0
	for n < len(wc) {
		if len(q.kept) == 0 {
			if err := q.fetch(ctx, len(wc)-n); err != nil {
				errs = append(errs, err)
			}
		}
		if len(q.kept) == 0 {
			break
		}
		errs = append(errs, q.d.complete(q.kept[0]))
		wc[n] = newWC(q.kept[0])
		q.kept = q.kept[1:]
		n++
	}
	return n, errors.Join(errs...)
}

// fetch takes at most n CQEs from the ring and tells the device.
func (q *CQ) fetch(ctx context.Context, n int) error {
	b, err := q.ring.fresh(ctx, q.d.bus, n)
	if err != nil {
		return err
	}
	for ; len(b) > 0; b = b[q.ring.bytes:] {
		e, err := format.DecodeHost[format.CQE[uint64]](b)
		if err != nil {
			return err
		}
		q.kept = append(q.kept, e)
		q.ring.taken++
	}
	return q.ring.tell(func(index uint16) error {
		return q.d.doorbell(ctx, q.page, format.DoorbellCQ, index, q.number)
	})
}

// purge drops the completions of a queue pair that starts anew or ends. The
// others are kept for the next Poll.
func (q *CQ) purge(ctx context.Context, qpn uint32) error {
	for {
		before := q.ring.taken
		if err := q.fetch(ctx, q.Entries()); err != nil {
			return err
		}
		if q.ring.taken == before {
			break
		}
	}
	q.kept = slices.DeleteFunc(q.kept, func(e format.CQE[uint64]) bool { return uint32(e.QPN) == qpn })
	return nil
}

// ReqNotify arms the CQ: the next completion is an event in its EQ, once
// (ibv_req_notify_cq). With solicitedOnly it is the next that is solicited or
// failed, unless the CQ is armed for any already. A completion that the device
// wrote and no Poll took counts too. One that Poll takes before its event has come
// may have none: the CQ stays armed then, for the next.
func (q *CQ) ReqNotify(ctx context.Context, solicitedOnly bool) error {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	kind := uint32(format.DoorbellArm)
	if solicitedOnly {
		kind = format.DoorbellArmSolicited
	}
	err := q.alive()
	if err == nil {
		err = q.d.doorbell(ctx, q.page, kind, q.ring.index(), q.number)
	}
	if err != nil {
		return fmt.Errorf("verbs: arm CQ %d: %w", q.number, err)
	}
	return nil
}

// Destroy ends the CQ (ibv_destroy_cq). While a queue pair uses it, it wraps
// [ErrBusy].
func (q *CQ) Destroy(ctx context.Context) error {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	err := q.alive()
	if err == nil {
		err = q.destroy(ctx)
	}
	if err != nil {
		return fmt.Errorf("verbs: destroy CQ %d: %w", q.number, err)
	}
	return nil
}

func (q *CQ) destroy(ctx context.Context) error {
	if q.users > 0 {
		return fmt.Errorf("%w by %d queues", ErrBusy, q.users)
	}
	if err := run(ctx, q.d, format.CmdDestroyCQ, format.QueueRef[uint64]{Number: uint64(q.number)}); err != nil {
		return err
	}
	q.dead = true
	delete(q.d.cqs, q.number)
	err := q.d.service(ctx) // drops its events before the number is used again
	q.eq.ready = slices.DeleteFunc(q.eq.ready, func(p *CQ) bool { return p == q })
	q.d.cqNumbers.release(q.number)
	return errors.Join(err, q.d.bus.Free(q.ring.base))
}

func (q *CQ) alive() error {
	if q.dead {
		return ErrDestroyed
	}
	return q.d.usable()
}
