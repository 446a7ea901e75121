package verbs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gornic/format"
)

// EQInitAttr says how to make an event queue.
type EQInitAttr struct {
	Entries int // rounded up to a power of two, at most 32768
	Vector  int // interrupt vector, 0 to DeviceAttr.MaxEQ-1
}

// EQ is an event queue: where the completion events of its CQs arrive
// (ibv_comp_channel).
type EQ struct {
	d      *Device
	number uint32
	ring   *inRing
	ready  []*CQ // completion events not yet asked for
	dead   bool
}

// EQ returns event queue 0, which every device has.
func (d *Device) EQ() *EQ { return d.eq0 }

// CreateEQ makes another event queue (ibv_create_comp_channel).
func (d *Device) CreateEQ(ctx context.Context, attr EQInitAttr) (*EQ, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q, err := d.createEQ(ctx, attr)
	if err != nil {
		return nil, fmt.Errorf("verbs: create EQ: %w", err)
	}
	return q, nil
}

func (d *Device) createEQ(ctx context.Context, attr EQInitAttr) (*EQ, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if attr.Vector < 0 || attr.Vector >= d.attr.MaxEQ {
		return nil, invalid("vector %d, want 0 to %d", attr.Vector, d.attr.MaxEQ-1)
	}
	number, err := d.eqNumbers.take()
	if err != nil {
		return nil, err
	}
	ring, err := newInRing(ctx, d, attr.Entries, format.Size[format.EQE[uint64]]())
	if err != nil {
		d.eqNumbers.release(number)
		return nil, err
	}
	q := &EQ{d: d, number: number, ring: ring}
	err = run(ctx, d, format.CmdCreateEQ, format.CreateEQ[uint64]{
		EQN: uint64(number), LogSize: uint64(ring.log), Vector: uint64(attr.Vector), Base: ring.base,
	})
	if err != nil {
		if refused(err) {
			d.eqNumbers.release(number)
			err = errors.Join(err, d.bus.Free(ring.base))
		}
		return nil, err
	}
	d.eqs = append(d.eqs, q)
	slices.SortFunc(d.eqs, func(a, b *EQ) int { return int(a.number) - int(b.number) })
	return q, nil
}

// Number returns the number of the event queue.
func (q *EQ) Number() int { return int(q.number) }

// Wait returns the next CQ that had a completion event (ibv_get_cq_event); it
// lets the device work until there is one. Arm the CQ anew, then poll it.
func (q *EQ) Wait(ctx context.Context) (*CQ, error) {
	var cq *CQ
	err := q.d.await(ctx, func() (bool, error) {
		cq = q.next()
		return cq != nil, q.alive()
	})
	if err != nil {
		return nil, fmt.Errorf("verbs: EQ %d: %w", q.number, err)
	}
	return cq, nil
}

// Poll is [EQ.Wait] without waiting: nil tells that there is no event.
func (q *EQ) Poll(ctx context.Context) (*CQ, error) {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	if err := q.alive(); err != nil {
		return nil, fmt.Errorf("verbs: EQ %d: %w", q.number, err)
	}
	if err := q.d.service(ctx); err != nil {
		return nil, err
	}
	return q.next(), nil
}

func (q *EQ) next() *CQ {
	if len(q.ready) == 0 {
		return nil
	}
	cq := q.ready[0]
	q.ready = q.ready[1:]
	return cq
}

func (q *EQ) alive() error {
	if q.dead {
		return ErrDestroyed
	}
	return q.d.usable()
}

// Destroy ends the event queue. While a CQ uses it, it wraps [ErrBusy]. Event
// queue 0 lasts until [Device.Close].
func (q *EQ) Destroy(ctx context.Context) error {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	err := q.alive()
	switch {
	case err != nil:
	case q.number == 0:
		err = invalid("the device needs event queue 0")
	default:
		err = q.destroy(ctx)
	}
	if err != nil {
		return fmt.Errorf("verbs: destroy EQ %d: %w", q.number, err)
	}
	return nil
}

func (q *EQ) destroy(ctx context.Context) error {
	for _, cq := range q.d.cqs {
		if cq.eq == q {
			return fmt.Errorf("%w by CQ %d", ErrBusy, cq.number)
		}
	}
	if err := run(ctx, q.d, format.CmdDestroyEQ, format.QueueRef[uint64]{Number: uint64(q.number)}); err != nil {
		return err
	}
	q.dead = true
	q.d.eqs = slices.DeleteFunc(q.d.eqs, func(p *EQ) bool { return p == q })
	q.d.eqNumbers.release(q.number)
	return q.d.bus.Free(q.ring.base)
}

// service takes in the events of all event queues. The interrupts are cleared
// first, so that an event behind them raises a new one.
func (d *Device) service(ctx context.Context) error {
	pending, err := d.bus.ReadRegister(ctx, format.RegIRQPending)
	if err == nil && pending != 0 {
		err = d.bus.WriteRegister(ctx, format.RegIRQPending, pending)
	}
	if err != nil {
		return fmt.Errorf("verbs: interrupts: %w", err)
	}
	for _, q := range d.eqs {
		if err := q.drain(ctx); err != nil {
			return fmt.Errorf("verbs: EQ %d: %w", q.number, err)
		}
	}
	return nil
}

// eqBatch is how many events are read at once.
const eqBatch = 8

// drain takes all events and tells the device how far it came.
func (q *EQ) drain(ctx context.Context) error {
	for {
		b, err := q.ring.fresh(ctx, q.d.bus, eqBatch)
		if err != nil {
			return err
		}
		if len(b) == 0 {
			break
		}
		for len(b) > 0 {
			e, err := format.DecodeHost[format.EQE[uint64]](b)
			if err != nil {
				return err
			}
			q.take(e)
			q.ring.taken++
			b = b[q.ring.bytes:]
		}
	}
	return q.ring.tell(func(index uint16) error {
		return q.d.doorbell(ctx, 0, format.DoorbellEQ, index, q.number)
	})
}

// take files an event. One of an object that is gone is dropped.
func (q *EQ) take(e format.EQE[uint64]) {
	if e.Kind == format.EventAsync {
		q.d.takeAsync(e)
	} else if cq := q.d.cqs[uint32(e.Number)]; cq != nil && cq.eq == q {
		q.ready = append(q.ready, cq)
	}
}
