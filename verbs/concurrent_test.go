package verbs_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/tb/golden/lab"
	"gornic/verbs"
)

// exclusive is a bus that notices two calls at a time.
type exclusive struct {
	verbs.Bus
	inside atomic.Int32
	broken atomic.Bool
}

func (b *exclusive) enter() func() {
	if b.inside.Add(1) > 1 {
		b.broken.Store(true)
	}
	return func() { b.inside.Add(-1) }
}

func (b *exclusive) ReadRegister(ctx context.Context, offset uint32) (uint32, error) {
	defer b.enter()()
	return b.Bus.ReadRegister(ctx, offset)
}

func (b *exclusive) WriteRegister(ctx context.Context, offset, value uint32) error {
	defer b.enter()()
	return b.Bus.WriteRegister(ctx, offset, value)
}

func (b *exclusive) ReadMemory(ctx context.Context, addr uint64, p []byte) error {
	defer b.enter()()
	return b.Bus.ReadMemory(ctx, addr, p)
}

func (b *exclusive) WriteMemory(ctx context.Context, addr uint64, p []byte) error {
	defer b.enter()()
	return b.Bus.WriteMemory(ctx, addr, p)
}

func (b *exclusive) Wait(ctx context.Context) error {
	defer b.enter()()
	return b.Bus.Wait(ctx)
}

// Two threads send on queue pairs of their own, two receive, and one waits for
// events: the bus sees one call at a time, and nobody starves.
func TestConcurrentUse(t *testing.T) {
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	hosts := must(lab.New(lab.Options{Seed: 1}))
	lock := make(sharedLink, 1)
	left := &exclusive{Bus: &lockedBus{hosts.A, lock}}
	right := &exclusive{Bus: &lockedBus{hosts.B, lock}}
	var work sync.WaitGroup
	alice, bob := newEnd(limited, left, hosts.A), newEnd(limited, right, hosts.B)
	for range 2 {
		from, to := alice.another(limited), bob.another(limited)
		from.connect(limited, to)
		to.connect(limited, from)
		work.Go(func() { from.sendMany(limited, 20) })
		work.Go(func() { to.receiveMany(limited, 20) })
	}
	events, stop := context.WithCancel(limited)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		_, err := alice.dev.WaitAsync(events)
		require.ErrorIs(t, err, context.Canceled)
	})
	work.Wait()
	stop()
	waiting.Wait()
	require.False(t, left.broken.Load())
	require.False(t, right.broken.Load())
	require.NoError(t, limited.Err())
}

// sharedLink is the lock of two NICs on one wire: a step of the wire touches both.
// It serves in order, as the driver's own does.
type sharedLink chan struct{}

func (l sharedLink) Lock()   { l <- struct{}{} }
func (l sharedLink) Unlock() { <-l }

type lockedBus struct {
	bus  *lab.Bus
	lock sharedLink
}

func (b *lockedBus) ReadRegister(ctx context.Context, offset uint32) (uint32, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.bus.ReadRegister(ctx, offset)
}

func (b *lockedBus) WriteRegister(ctx context.Context, offset, value uint32) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.bus.WriteRegister(ctx, offset, value)
}

func (b *lockedBus) ReadMemory(ctx context.Context, addr uint64, p []byte) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.bus.ReadMemory(ctx, addr, p)
}

func (b *lockedBus) WriteMemory(ctx context.Context, addr uint64, p []byte) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.bus.WriteMemory(ctx, addr, p)
}

func (b *lockedBus) Alloc(size, align uint64) (uint64, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.bus.Alloc(size, align)
}

func (b *lockedBus) Free(addr uint64) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.bus.Free(addr)
}

func (b *lockedBus) Wait(ctx context.Context) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.bus.Wait(ctx)
}

// another is a further queue pair of the same device, with a CQ of its own.
func (e *end) another(ctx context.Context) *end {
	pd := must(e.dev.AllocPD())
	f := *e
	f.mr = must(pd.RegMR(ctx, e.buf.Addr(), e.buf.Size(), verbs.AccessLocalWrite))
	f.cq = must(e.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 32}))
	f.qp = must(pd.CreateQP(ctx, verbs.QPInitAttr{
		SendCQ: f.cq, RecvCQ: f.cq, Cap: verbs.QPCap{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1},
	}))
	return &f
}

func (e *end) sendMany(ctx context.Context, n int) {
	for i := range n {
		check(e.qp.PostSend(ctx, verbs.SendWR{
			WRID: uint64(i), Opcode: verbs.WRSend, Flags: verbs.SendSignaled, SGL: []verbs.SGE{e.mr.SGE(0, 1500)},
		}))
		check(e.completions(ctx, 1)[0].Err())
	}
}

func (e *end) receiveMany(ctx context.Context, n int) {
	for i := range n {
		check(e.qp.PostRecv(ctx, verbs.RecvWR{WRID: uint64(i), SGL: []verbs.SGE{e.mr.SGE(2048, 2048)}}))
		wc := e.completions(ctx, 1)[0]
		check(wc.Err())
	}
}

// Keys may be looked at while work requests change them.
func TestKeysWhileTheyChange(t *testing.T) {
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, alice, bob := newEnds()
	alice.connect(limited, bob)
	bob.connect(limited, alice)
	window := must(alice.pd.AllocMW(limited, verbs.MWType1))
	region := must(alice.pd.RegMR(limited, alice.buf.Addr(), 64, verbs.AccessLocalWrite|verbs.AccessMWBind))
	fast := must(alice.pd.AllocFastMR(limited, 0))
	var wrong atomic.Bool
	started, stop := make(chan struct{}), make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for looks := 0; ; looks++ {
			if looks == 1 {
				close(started)
			}
			select {
			case <-stop:
				return
			default:
			}
			index := window.RKey() >> 8
			if sge := fast.SGE(1, 2); index == 0 || sge.LKey == 0 || fast.Addr()+1 < sge.Addr {
				wrong.Store(true)
			}
		}
	})
	<-started
	for i := range uint64(50) {
		bind := verbs.MWBind{Flags: verbs.SendSignaled, Info: verbs.MWBindInfo{MR: region, Addr: region.Addr(), Length: 64}}
		require.NoError(t, alice.qp.BindMW(limited, window, bind))
		require.NoError(t, fast.Map(limited, verbs.MRMapping{Addr: i, Length: 8, Bus: alice.buf.Addr()}))
		key := verbs.IncRKey(fast.RKey())
		require.NoError(t, alice.qp.PostSend(limited,
			verbs.SendWR{Opcode: verbs.WRRegMR, Reg: verbs.RegMRWR{MR: fast, Key: key}},
			verbs.SendWR{Opcode: verbs.WRLocalInv, InvalidateRKey: key, Flags: verbs.SendSignaled},
		))
		for _, wc := range alice.completions(limited, 2) {
			require.NoError(t, wc.Err())
		}
	}
	close(stop)
	watcher.Wait()
	require.False(t, wrong.Load())
	require.NoError(t, window.Dealloc(limited))
	require.NoError(t, fast.Dereg(limited))
	require.NoError(t, region.Dereg(limited))
}
