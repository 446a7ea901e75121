package verbs

import (
	"context"
	"fmt"
	"sync/atomic"

	"gornic/format"
)

// MWType is the type of a memory window: the numbers of ibv_mw_type.
type MWType uint8

// Types of memory windows (protocol section 6).
const (
	MWType1 MWType = 1 // for every queue pair of its domain; bound by [QP.BindMW]
	MWType2 MWType = 2 // for the queue pair alone that bound it, by a [WRBindMW]
)

// MW is a memory window (ibv_mw): a key that lends a part of a memory region to
// peers. A new one lends nothing.
type MW struct {
	keyHolder
	pd   *PD
	kind MWType
	dead bool
	seen atomic.Uint32 // the key, for who has no turn at the device
}

// AllocMW makes a memory window (ibv_alloc_mw).
func (p *PD) AllocMW(ctx context.Context, kind MWType) (*MW, error) {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	w, err := p.allocMW(ctx, kind)
	if err != nil {
		return nil, fmt.Errorf("verbs: allocate MW: %w", err)
	}
	return w, nil
}

func (p *PD) allocMW(ctx context.Context, kind MWType) (*MW, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	if kind != MWType1 && kind != MWType2 {
		return nil, invalid("type %d", kind)
	}
	key, err := p.d.takeKey(0)
	if err != nil {
		return nil, err
	}
	entry := format.KeyEntry[uint64]{Key: uint64(key), PD: uint64(p.number), State: format.KeyFree, Type: format.KeyWindow1}
	if kind == MWType2 {
		entry.Type = format.KeyWindow2
	}
	if err := p.d.makeKey(ctx, entry); err != nil {
		return nil, err
	}
	w := &MW{keyHolder: keyHolder{key: key}, pd: p, kind: kind}
	w.seen.Store(key)
	p.users++
	p.d.mws[w.index()] = w
	return w, nil
}

// RKey returns the key for peers: that of the last bind that was posted, before
// the first one that of ibv_alloc_mw, from which [IncRKey] makes the next.
func (w *MW) RKey() uint32 { return w.seen.Load() }

// Type returns the type.
func (w *MW) Type() MWType { return w.kind }

// PD returns the protection domain.
func (w *MW) PD() *PD { return w.pd }

// Query returns the window's entry of the key table as the device has it.
func (w *MW) Query(ctx context.Context) (format.KeyEntry[uint64], error) {
	w.pd.d.mu.Lock()
	defer w.pd.d.mu.Unlock()
	entry, err := w.query(ctx, w.pd.d)
	if err != nil {
		return entry, fmt.Errorf("verbs: query MW %#x: %w", w.key, err)
	}
	return entry, nil
}

// Dealloc ends the window, bound or not (ibv_dealloc_mw). When it returns, the
// device accesses nothing through it any more.
func (w *MW) Dealloc(ctx context.Context) error {
	w.pd.d.mu.Lock()
	defer w.pd.d.mu.Unlock()
	err := w.alive()
	if err == nil {
		err = w.dealloc(ctx)
	}
	if err != nil {
		return fmt.Errorf("verbs: deallocate MW %#x: %w", w.key, err)
	}
	return nil
}

func (w *MW) alive() error {
	if w.dead {
		return ErrDestroyed
	}
	return w.pd.d.usable()
}

func (w *MW) dealloc(ctx context.Context) error {
	d := w.pd.d
	if err := w.revoke(ctx, d); err != nil {
		return err
	}
	w.dead = true
	w.pd.users--
	delete(d.mws, w.index())
	d.giveKey(w.key)
	return nil
}

// MWBindInfo is what a window lends (ibv_mw_bind_info).
type MWBindInfo struct {
	MR     *MR    // registered with AccessMWBind; not looked at where Length is 0 and the window of type 1
	Addr   uint64 // first virtual address, of the region's
	Length uint64 // bytes; 0: a window of type 1 lends nothing any more
	Access Access // of AccessRemoteWrite, AccessRemoteRead and AccessRemoteAtomic
}

// MWBind is a work request of [QP.BindMW] (ibv_mw_bind).
type MWBind struct {
	WRID  uint64    // returned in the completion
	Flags SendFlags // SendFence and SendSignaled
	Info  MWBindInfo
}

// BindMW posts the binding of a window of type 1, new or in place of an old one
// (ibv_bind_mw). The window gets the next key, [MW.RKey], which is good when the
// binding has completed; the old one is not good any more then. Errors are those
// of [QP.PostSend].
func (q *QP) BindMW(ctx context.Context, w *MW, b MWBind) error {
	var bind BindMWWR
	encode := func(slot []byte, _ int) ([]byte, error) {
		if w == nil || w.kind != MWType1 {
			return slot, invalid("BindMW is for windows of type 1")
		}
		bind = BindMWWR{MW: w, RKey: IncRKey(w.key), Info: b.Info}
		return q.appendSend(slot, &SendWR{WRID: b.WRID, Opcode: WRBindMW, Flags: b.Flags, Bind: bind})
	}
	posted := func(int) { bind.posted() }
	return q.post(ctx, posting{ring: &q.sq, queue: "send", state: q.sendState, n: 1, encode: encode, posted: posted})
}

// posted makes the new key that of the window.
func (b *BindMWWR) posted() {
	b.MW.become(b.RKey)
	b.MW.seen.Store(b.RKey)
}

// checkType2: a window of type 1 is bound by [QP.BindMW] alone.
func (b *BindMWWR) checkType2() error {
	if b.MW != nil && b.MW.kind != MWType2 {
		return invalid("a window of type 1: use BindMW")
	}
	return nil
}

// check finds what ibverbs refuses. The rules of keys are the device's concern.
func (b *BindMWWR) check(d *Device) error {
	const lent = AccessRemoteWrite | AccessRemoteRead | AccessRemoteAtomic
	unbinds := b.MW != nil && b.MW.kind == MWType1 && b.Info.Length == 0
	switch {
	case b.MW == nil || b.MW.pd.d != d:
		return invalid("no window of this device")
	case b.MW.dead:
		return fmt.Errorf("MW %#x: %w", b.MW.key, ErrDestroyed)
	case !b.MW.owns(b.RKey):
		return invalid("key %#x of a window with key %#x: only the tag may change", b.RKey, b.MW.key)
	case b.Info.Access&^lent != 0:
		return invalid("access %#x of a window", b.Info.Access)
	case b.Info.MR == nil && !unbinds, b.Info.MR != nil && b.Info.MR.pd.d != d:
		return invalid("no region of this device")
	case b.Info.MR != nil && b.Info.MR.dead:
		return fmt.Errorf("MR %#x: %w", b.Info.MR.key, ErrDestroyed)
	}
	return nil
}

func (b *BindMWWR) operands() format.BindMWOperands[uint64] {
	o := format.BindMWOperands[uint64]{Length: b.Info.Length, Rights: uint64(b.Info.Access)}
	if b.Info.MR != nil {
		o.Region = uint64(b.Info.MR.key)
	}
	return o
}
