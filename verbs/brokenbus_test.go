package verbs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/verbs"
)

var errBroken = errors.New("broken cable")

// brokenBus fails once, at a certain call.
type brokenBus struct {
	verbs.Bus
	left int // calls until then
}

func (b *brokenBus) next() error {
	b.left--
	if b.left == -1 {
		return errBroken
	}
	return nil
}

func (b *brokenBus) ReadRegister(ctx context.Context, offset uint32) (uint32, error) {
	if err := b.next(); err != nil {
		return 0, err
	}
	return b.Bus.ReadRegister(ctx, offset)
}

func (b *brokenBus) WriteRegister(ctx context.Context, offset, value uint32) error {
	if err := b.next(); err != nil {
		return err
	}
	return b.Bus.WriteRegister(ctx, offset, value)
}

func (b *brokenBus) ReadMemory(ctx context.Context, addr uint64, p []byte) error {
	if err := b.next(); err != nil {
		return err
	}
	return b.Bus.ReadMemory(ctx, addr, p)
}

func (b *brokenBus) WriteMemory(ctx context.Context, addr uint64, p []byte) error {
	if err := b.next(); err != nil {
		return err
	}
	return b.Bus.WriteMemory(ctx, addr, p)
}

func (b *brokenBus) Alloc(size, align uint64) (uint64, error) {
	if err := b.next(); err != nil {
		return 0, err
	}
	return b.Bus.Alloc(size, align)
}

func (b *brokenBus) Free(addr uint64) error {
	if err := b.next(); err != nil {
		return err
	}
	return b.Bus.Free(addr)
}

func (b *brokenBus) Wait(ctx context.Context) error {
	if err := b.next(); err != nil {
		return err
	}
	return b.Bus.Wait(ctx)
}

// program is one call after the other of nearly everything there is. A call that
// fails, fails with the bus's error, and is made once more: then it succeeds, or
// finds destroyed what it was to destroy.
type program struct {
	t      *testing.T
	failed bool
}

func (p *program) do(what string, call func() error) {
	err := call()
	if err == nil {
		return
	}
	require.False(p.t, p.failed, "%s: %v, but the bus failed before", what, err)
	require.ErrorIs(p.t, err, errBroken, what)
	p.failed = true
	if err = call(); !errors.Is(err, verbs.ErrDestroyed) {
		require.NoError(p.t, err, what)
	}
}

// run returns whether the bus failed.
func (p *program) run(f *fake, bus verbs.Bus) bool {
	var (
		dev *verbs.Device
		pd  *verbs.PD
		eq  *verbs.EQ
		cq  *verbs.CQ
		mr  *verbs.MR
		qp  *verbs.QP
		buf *verbs.Buffer
	)
	p.do("open", func() (err error) {
		dev, err = verbs.Open(ctx, bus, verbs.Config{MAC: verbs.MAC{2}})
		return err
	})
	p.do("PD", func() (err error) { pd, err = dev.AllocPD(); return err })
	p.do("buffer", func() (err error) { buf, err = dev.AllocBuffer(4096, 4096); return err })
	p.do("create EQ", func() (err error) { eq, err = dev.CreateEQ(ctx, verbs.EQInitAttr{Entries: 4}); return err })
	p.do("create CQ", func() (err error) { cq, err = dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4, EQ: eq}); return err })
	p.do("register MR", func() (err error) {
		mr, err = pd.CreateMR(ctx, verbs.MRInitAttr{Length: 4096, Pages: []uint64{buf.Addr()}, PageSize: 4096})
		return err
	})
	p.do("create QP", func() (err error) {
		qp, err = pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: cq, RecvCQ: cq, Cap: verbs.QPCap{MaxSendWR: 8}})
		return err
	})
	f.answer[format.CmdQueryQP] = encode(p.t, format.QPStatus[uint64]{QPN: uint64(qp.QPN()), State: uint64(verbs.QPReset)})
	p.do("query QP", func() error { _, err := qp.Query(ctx); return err })
	for _, step := range []struct {
		to   verbs.QPState
		mask verbs.AttrMask
	}{{verbs.QPInit, verbs.AttrsInit}, {verbs.QPRTR, verbs.AttrsRTR}, {verbs.QPRTS, verbs.AttrsRTS}} {
		attr := connection()
		attr.State = step.to
		p.do("modify QP", func() error { return qp.Modify(ctx, attr, step.mask) })
	}
	p.do("post", func() error { return qp.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend}) })
	f.complete(cq, format.CQE[uint64]{QPN: uint64(qp.QPN()), WRID: 9})
	f.event(eq, completionEvent(cq))
	p.do("event", func() error {
		got, err := eq.Poll(ctx)
		require.True(p.t, err != nil || got == cq, "the event is lost")
		return err
	})
	p.do("arm", func() error { return cq.ReqNotify(ctx, false) })
	p.do("wait", func() error { return dev.Wait(ctx) })
	wc := make([]verbs.WC, 4)
	polled := 0
	p.do("poll", func() error {
		n, err := cq.Poll(ctx, wc)
		polled += n
		return err
	})
	require.Equal(p.t, 1, polled)
	p.do("poll again", func() error { _, err := cq.Poll(ctx, wc); return err })
	require.EqualValues(p.t, 1, f.cqs[uint32(cq.Number())].consumed, "the device was not told")
	p.do("poll EQ again", func() error { _, err := eq.Poll(ctx); return err })
	require.EqualValues(p.t, 1, f.eqs[uint32(eq.Number())].consumed, "the device was not told")
	p.do("deregister MR", func() error { return mr.Dereg(ctx) })
	p.do("asynchronous events", func() error { _, err := dev.PollAsync(ctx); return err })
	p.do("reset", func() error { return qp.Modify(ctx, verbs.QPAttr{State: verbs.QPReset}, verbs.AttrState) })
	p.do("destroy QP", func() error { return qp.Destroy(ctx) })
	p.do("destroy CQ", func() error { return cq.Destroy(ctx) })
	p.do("destroy EQ", func() error { return eq.Destroy(ctx) })
	p.do("free", buf.Free)
	p.do("close", func() error { return dev.Close(ctx) })
	return p.failed
}

// Whichever call of the bus fails: the error is told, nothing is lost that the
// device wrote, and the next try goes on.
func TestBrokenBus(t *testing.T) {
	for call := 0; ; call++ {
		f := newFake(t)
		p := &program{t: t}
		if !p.run(f, &brokenBus{Bus: f, left: call}) {
			require.Empty(t, allocations(f), "without a failure, all memory comes back")
			require.Greater(t, call, 200)
			return
		}
		require.NoError(t, f.CheckGuards())
	}
}
