package verbs

import (
	"context"
	"fmt"

	"gornic/format"
)

// AsyncEvent is an event that no completion tells of (ibv_async_event).
type AsyncEvent struct {
	Type   EventType
	Vendor VendorCode
	Number uint32 // CQN of EventCQErr, else QPN
	CQ     *CQ    // of EventCQErr; nil if it was destroyed
	QP     *QP    // of the others; nil if it was destroyed
}

func (e AsyncEvent) String() string {
	object := "QP"
	if e.Type == EventCQErr {
		object = "CQ"
	}
	return fmt.Sprintf("%v of %s %#x (%v)", e.Type, object, e.Number, e.Vendor)
}

// WaitAsync returns the next asynchronous event (ibv_get_async_event); it lets
// the device work until there is one.
func (d *Device) WaitAsync(ctx context.Context) (AsyncEvent, error) {
	var e AsyncEvent
	err := d.await(ctx, func() (bool, error) {
		if len(d.async) == 0 {
			return false, nil
		}
		e, d.async = d.async[0], d.async[1:]
		return true, nil
	})
	if err != nil {
		return AsyncEvent{}, fmt.Errorf("verbs: asynchronous event: %w", err)
	}
	return e, nil
}

// PollAsync returns the asynchronous events there are, without waiting.
func (d *Device) PollAsync(ctx context.Context) ([]AsyncEvent, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return nil, err
	}
	if err := d.service(ctx); err != nil {
		return nil, err
	}
	events := d.async
	d.async = nil
	return events, nil
}

func (d *Device) takeAsync(e format.EQE[uint64]) {
	event := AsyncEvent{Type: EventType(e.Code), Vendor: VendorCode(e.Vendor), Number: uint32(e.Number)}
	if event.Type == EventCQErr {
		event.CQ = d.cqs[event.Number]
	} else {
		event.QP = d.qps[event.Number]
	}
	if event.QP != nil && (event.Type == EventQPFatal || event.Type == EventQPReqErr || event.Type == EventQPAccessErr) {
		event.QP.attr.State = QPError
	}
	d.async = append(d.async, event)
}
