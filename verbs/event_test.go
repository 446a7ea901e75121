package verbs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/host"
	"gornic/verbs"
)

func completionEvent(cq *verbs.CQ) format.EQE[uint64] {
	return format.EQE[uint64]{Kind: format.EventCompletion, Number: uint64(cq.Number())}
}

func TestEQWait(t *testing.T) {
	s := newStation(t, 4)
	other, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4})
	require.NoError(t, err)
	s.onWait = func() {
		if s.waits == 3 {
			s.event(s.eq, completionEvent(other))
			s.event(s.eq, completionEvent(s.cq))
		}
	}
	s.waits = 0
	cq, err := s.eq.Wait(ctx)
	require.NoError(t, err)
	require.Same(t, other, cq)
	require.Equal(t, 3, s.waits)
	require.Zero(t, s.regs[format.RegIRQPending], "cleared")
	cq, err = s.eq.Wait(ctx)
	require.NoError(t, err)
	require.Same(t, s.cq, cq)
	require.Equal(t, []string{"page 0: EQ 0x0 index 2"}, s.rung(), "one for both")
	cq, err = s.eq.Poll(ctx)
	require.NoError(t, err)
	require.Nil(t, cq)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = s.eq.Wait(ended)
	require.ErrorIs(t, err, context.Canceled)
}

// The interrupt is cleared before the events are read: one that comes between
// raises a new interrupt.
func TestInterruptOrder(t *testing.T) {
	s := newStation(t, 4)
	s.event(s.eq, completionEvent(s.cq))
	ring := s.eqs[0]
	late := false
	s.OnAccess(func(a host.Access) {
		if !late && !a.Write && a.Addr > ring.base && a.Addr < ring.base+16*8 {
			late = true
			s.event(s.eq, completionEvent(s.cq))
		}
	})
	_, err := s.eq.Poll(ctx)
	require.NoError(t, err)
	require.True(t, late)
	require.NotZero(t, s.regs[format.RegIRQPending])
}

// Each EQ has the events of its own CQs.
func TestTwoEQs(t *testing.T) {
	s := newStation(t, 4)
	eq, err := s.dev.CreateEQ(ctx, verbs.EQInitAttr{Entries: 2, Vector: 3})
	require.NoError(t, err)
	_, create := lastCommand[format.CreateEQ[uint64]](s.fake)
	require.Equal(t, format.CreateEQ[uint64]{EQN: 1, LogSize: 1, Vector: 3, Base: create.Base}, create)
	cq, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4, EQ: eq})
	require.NoError(t, err)
	for range 5 { // more than the EQ has entries
		s.event(eq, completionEvent(cq))
		s.event(s.eq, completionEvent(s.cq))
		got, err := eq.Wait(ctx)
		require.NoError(t, err)
		require.Same(t, cq, got)
		got, err = s.eq.Wait(ctx)
		require.NoError(t, err)
		require.Same(t, s.cq, got)
	}
	s.event(s.eq, completionEvent(cq))
	stray, err := s.eq.Poll(ctx)
	require.NoError(t, err)
	require.Nil(t, stray, "another EQ's CQ")
	for _, attr := range []verbs.EQInitAttr{{Entries: 0}, {Entries: 1 << 16}, {Entries: 4, Vector: 4}, {Entries: 4, Vector: -1}} {
		_, err := s.dev.CreateEQ(ctx, attr)
		require.ErrorIs(t, err, verbs.ErrInvalid, "%+v", attr)
	}
}

// A CQ's events are gone with it: its number may be another CQ's soon.
func TestEventsOfDestroyedCQ(t *testing.T) {
	s := newStation(t, 4)
	cq, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4})
	require.NoError(t, err)
	s.event(s.eq, completionEvent(cq))
	require.NoError(t, s.dev.Wait(ctx)) // one event is known to the driver,
	s.event(s.eq, completionEvent(cq))  // one is not
	for range 6 {
		_, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4})
		require.NoError(t, err)
	}
	require.NoError(t, cq.Destroy(ctx))
	again, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4})
	require.NoError(t, err)
	require.Equal(t, cq.Number(), again.Number(), "the only one that is free")
	got, err := s.eq.Poll(ctx)
	require.NoError(t, err)
	require.Nil(t, got)
}

func TestAsyncEvents(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{})
	async := func(code verbs.EventType, number uint32) {
		s.event(s.eq, format.EQE[uint64]{Kind: format.EventAsync, Code: uint64(code), Number: uint64(number), Vendor: uint64(format.VendorCQOverflow)})
	}
	async(verbs.EventCommEst, q.QPN())
	async(verbs.EventCQErr, uint32(s.cq.Number()))
	events, err := s.dev.PollAsync(ctx)
	require.NoError(t, err)
	require.Equal(t, []verbs.AsyncEvent{
		{Type: verbs.EventCommEst, Vendor: format.VendorCQOverflow, Number: q.QPN(), QP: q.QP},
		{Type: verbs.EventCQErr, Vendor: format.VendorCQOverflow, Number: 0, CQ: s.cq},
	}, events)
	require.Equal(t, verbs.QPRTS, q.State())
	require.Equal(t, "CQ_ERR of CQ 0x0 (the completion queue was full)", events[1].String())

	s.onWait = func() { async(verbs.EventQPFatal, q.QPN()); s.onWait = nil }
	e, err := s.dev.WaitAsync(ctx)
	require.NoError(t, err)
	require.Equal(t, verbs.EventQPFatal, e.Type)
	require.Equal(t, verbs.QPError, q.State())
	require.Equal(t, "QP_FATAL of QP 0x10 (the completion queue was full)", e.String())

	async(verbs.EventQPReqErr, 0x999)
	e, err = s.dev.WaitAsync(ctx)
	require.NoError(t, err)
	require.Nil(t, e.QP, "no such queue pair any more")
	events, err = s.dev.PollAsync(ctx)
	require.NoError(t, err)
	require.Empty(t, events)
	ended, cancel := context.WithCancel(ctx)
	s.onWait = cancel
	_, err = s.dev.WaitAsync(ended)
	require.ErrorIs(t, err, context.Canceled)
}

// An event of a queue pair before its RESET says nothing of it afterwards.
func TestEventBeforeReset(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{})
	s.event(s.eq, format.EQE[uint64]{Kind: format.EventAsync, Code: uint64(verbs.EventQPFatal), Number: uint64(q.QPN())})
	require.NoError(t, q.Modify(ctx, verbs.QPAttr{State: verbs.QPReset}, verbs.AttrState))
	require.NoError(t, q.Connect(ctx, connection()))
	events, err := s.dev.PollAsync(ctx)
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Equal(t, verbs.QPRTS, q.State())
}
