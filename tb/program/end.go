package program

import (
	"context"
	"errors"
	"fmt"

	"gornic/verbs"
)

// fail moves the ends to ERR whose ending it is, and posts what is posted there; others post what is refused.
func (g *game) fail(ctx context.Context) error {
	g.failed = true
	for _, e := range g.ends {
		if e.Ending != Failed && e.Ending != Refused {
			continue
		}
		if err := e.checkStatus(ctx); err != nil {
			return fmt.Errorf("%v: %w", e, err)
		}
		if e.Ending == Refused {
			if err := e.offend(ctx); err != nil {
				return err
			}
			continue
		}
		e.failed = true
		if err := e.qp.Modify(ctx, verbs.QPAttr{State: verbs.QPError}, verbs.AttrState); err != nil {
			return err
		}
		for i, m := range e.Late {
			wr := verbs.SendWR{WRID: lateID(i), Opcode: m.Op}
			if m.Signaled {
				wr.Flags = verbs.SendSignaled
			}
			if err := e.qp.PostSend(ctx, wr); err != nil {
				return err
			}
			e.late++
		}
	}
	return nil
}

func (e *end) flushedSend(c verbs.WC) error {
	if e.lateDone == e.late {
		return fmt.Errorf("completion %+v is not due", c)
	}
	i := e.lateDone
	e.lateDone++
	want := verbs.WC{WRID: lateID(i), Status: verbs.StatusFlush, QPN: e.qp.QPN(), WQEIndex: uint16(len(e.Messages) + i)}
	if e.Offence != nil {
		want = e.refusedSend()
	}
	if c != want {
		return fmt.Errorf("message posted last: completion %+v, expected %+v", c, want)
	}
	return nil
}

func (e *end) flushedReceive(c verbs.WC) error {
	i := e.used() + e.completed
	if i >= e.offered {
		return fmt.Errorf("completion %+v is not due", c)
	}
	e.completed++
	want := verbs.WC{WRID: recvID(i), Status: verbs.StatusFlush, QPN: e.qp.QPN(), Recv: true, WQEIndex: uint16(i)}
	if c != want {
		return fmt.Errorf("receive %d, which no message used: completion %+v, expected %+v", i, c, want)
	}
	return nil
}

// settling is how often the devices are waited for when all is done.
const settling = 4

// settle lets the devices do what they should not, and takes the last events. Nothing is on its way any more then.
func (g *game) settle(ctx context.Context) error {
	for i := 0; i < settling || g.o.Calm != nil && g.o.Calm(); i++ {
		if err := g.sides[g.r.IntN(2)].Device.Wait(ctx); err != nil {
			return err
		}
		if _, err := g.round(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkEnd checks what has to hold when all is done.
func (g *game) checkEnd(ctx context.Context) error {
	for _, e := range g.ends {
		if err := e.checkStatus(ctx); err != nil {
			return fmt.Errorf("%v: %w", e, err)
		}
	}
	if err := errors.Join(g.checkCounters(), g.checkArenas(ctx)); err != nil {
		return err
	}
	if err := g.checkFailures(ctx); err != nil {
		return err
	}
	for i := range g.sides {
		s := &g.sides[i]
		for n, a := range s.areas {
			if err := a.check(ctx); err != nil {
				return fmt.Errorf("host %s, region %d: %w", s.name, n, err)
			}
		}
		for _, q := range s.cqs {
			if q == nil {
				continue
			}
			if n, err := q.poll(ctx, 1); n > 0 || err != nil {
				return fmt.Errorf("%v: a completion too many: %w", q, err)
			}
		}
	}
	return nil
}

// checkStatus compares what the device says of a queue pair.
func (e *end) checkStatus(ctx context.Context) error {
	got, err := e.qp.Status(ctx)
	if err != nil {
		return err
	}
	next, expected := psnAfter(e.PSN, e.packets()), psnAfter(e.peer.PSN, e.peer.packets())
	want := verbs.QPStatus{
		State: verbs.QPRTS, NextPSN: next, OldestPSN: next, ExpPSN: expected, MSN: e.peer.heard(),
		SQConsumer: uint16(len(e.Messages)), RQConsumer: uint16(e.used()),
	}
	if e.failed {
		want.State = verbs.QPError
		want.SQConsumer, want.RQConsumer = want.SQConsumer+uint16(e.lateDone), want.RQConsumer+uint16(e.completed)
	}
	if e.failed && e.Offence != nil { // how far its last request counts is nobody's concern
		want.NextPSN, want.OldestPSN = got.NextPSN, got.OldestPSN
	}
	if got != want {
		return fmt.Errorf("status %+v, expected %+v", got, want)
	}
	return nil
}

// packets is how many PSNs the messages of an end take.
func (e *end) packets() int {
	n := 0
	for _, m := range e.Messages {
		n += e.c.packets(m)
	}
	return n
}

// heard is how many of its messages the peer hears of.
func (e *end) heard() uint32 {
	n := uint32(0)
	for _, m := range e.Messages {
		if !isLocal(m.Op) {
			n++
		}
	}
	return n
}

func psnAfter(psn uint32, n int) uint32 { return (psn + uint32(n)) & 0xFFFFFF }

// checkWire puts a packet that broke a rule before what came of it.
func (g *game) checkWire(err error) error {
	violation := g.o.Watch.Err()
	switch {
	case violation != nil && err != nil:
		return fmt.Errorf("%w; then %w", violation, err)
	case err != nil:
		return err
	}
	return g.o.Watch.Finish()
}

// tearDown destroys what setUp made.
func (g *game) tearDown(ctx context.Context) error {
	var errs []error
	for _, x := range g.races {
		errs = append(errs, x.tearDown(ctx))
	}
	errs = append(errs, g.trials.tearDown(ctx))
	for _, e := range g.ends {
		if e.Ending == Reset {
			errs = append(errs, e.qp.Modify(ctx, verbs.QPAttr{State: verbs.QPReset}, verbs.AttrState))
		}
		errs = append(errs, e.qp.Destroy(ctx))
	}
	for i := range g.sides {
		errs = append(errs, g.sides[i].tearDown(ctx))
	}
	return errors.Join(errs...)
}

func (s *side) tearDown(ctx context.Context) error {
	var errs []error
	for _, q := range s.cqs {
		if q != nil {
			errs = append(errs, q.cq.Destroy(ctx))
		}
	}
	for _, eq := range s.eqs[1:] {
		errs = append(errs, eq.Destroy(ctx))
	}
	for _, l := range s.loans {
		if l.mw != nil && !l.gone {
			errs = append(errs, l.mw.Dealloc(ctx))
		}
	}
	for _, a := range s.areas {
		if !a.gone {
			errs = append(errs, a.mr.Dereg(ctx))
		}
	}
	for _, b := range s.buffers {
		errs = append(errs, b.Free())
	}
	for _, pd := range s.pds {
		errs = append(errs, pd.Dealloc())
	}
	return errors.Join(errs...)
}
