package main

import (
	"context"
	"errors"
	"fmt"

	"gornic/format"
	"gornic/verbs"
)

// sendInvRules are SENDs with invalidate of keys of B that may not be ended (protocol
// section 3.9; section 10, rows 10 and 23).
func sendInvRules() []fault {
	var all []fault
	for _, e := range endings() {
		want := received(format.SyndromeNAKAccess, format.StatusRemInvReq, e.vendor).placing(faultBytes)
		want.nakAt = 2
		f := ruled("send-inv/"+e.name, e.what, verbs.WRSendInv, want, func(ctx context.Context, r *faultRig, w *faultyWork, wrong bool) (err error) {
			w.send.InvalidateRKey, err = e.key(keyring{ctx, r, r.ends[sideB]}, wrong)
			return err
		})
		f.twin.want.keys, f.twin.then = [2]bool{sideB: true}, ended
		all = append(all, f)
	}
	return all
}

// ended checks what a SEND with invalidate did: its message, what its completion says,
// and the key.
func ended(ctx context.Context, r *faultRig) error {
	b, key := r.ends[sideB], r.work.send.InvalidateRKey
	wc := b.received[1]
	if wc.Flags&verbs.WCWithInv == 0 || wc.InvalidatedRKey != key || wc.ByteLen != faultBytes {
		return fmt.Errorf("completion %+v, expected one that key %#x was ended", wc, key)
	}
	slot, err := b.host.keySlot(ctx, key)
	if err != nil {
		return err
	}
	e, err := format.DecodeHost[format.KeyEntry[uint64]](b.host.Peek(slot.addr, int(slot.size)))
	if err == nil && e.State != format.KeyFree {
		err = fmt.Errorf("the entry of key %#x is in state %d, expected free", key, e.State)
	}
	return errors.Join(err, landed(ctx, r))
}

// use is an operation of A that a key of B is for.
type use struct {
	name  string
	op    verbs.Opcode
	right verbs.Access
}

func uses() []use {
	return []use{
		{"write", verbs.WRWrite, verbs.AccessRemoteWrite},
		{"read", verbs.WRRead, verbs.AccessRemoteRead},
		{"fetch-add", verbs.WRFetchAdd, verbs.AccessRemoteAtomic},
		{"compare-swap", verbs.WRCompSwap, verbs.AccessRemoteAtomic},
	}
}

// remoteKey has A's request use a key of B.
func remoteKey(key keyChoice) maker {
	return func(ctx context.Context, r *faultRig, w *faultyWork, wrong bool) (err error) {
		w.send.RKey, err = key(keyring{ctx, r, r.ends[sideB]}, wrong)
		return err
	}
}

// windowRules are what a window lends, and what it does not (protocol section 6).
func windowRules() []fault {
	var all []fault
	for _, kind := range []verbs.MWType{verbs.MWType1, verbs.MWType2} {
		for _, u := range uses() {
			for _, l := range lendings(kind, u) {
				name := fmt.Sprintf("window-%d/%s-%s", kind, u.name, l.name)
				all = append(all, ruled(name, l.what, u.op, deniedRemotely(l.vendor), remoteKey(l.key)))
			}
		}
	}
	for _, u := range uses() {
		all = append(all, ruled("window-2/"+u.name+"-qp", "a window that another queue pair bound", u.op, deniedRemotely(format.VendorKeyPD), remoteKey(boundBy(verbs.MWType2))))
	}
	return append(all, ruled("window-1/local", "a window as the key of an SGE", verbs.WRWrite, local(format.StatusLocProt, format.VendorKeyRights), asLocalKey))
}

// lendings are windows that do not lend what a use takes, and ones that do.
func lendings(kind verbs.MWType, u use) []badChoice {
	// bound is a window of just the bytes, with something changed if wrong.
	bound := func(change func(*keyWork)) keyChoice {
		return func(k keyring, wrong bool) (uint32, error) {
			return k.bound(kind, func(w *keyWork) {
				if w.bind.Length = uint64(sizeOf(u.op)); wrong {
					change(w)
				}
			})
		}
	}
	return []badChoice{
		{"below", "a range that starts a byte below the window", format.VendorKeyRange, bound(func(w *keyWork) { w.addr++ })},
		{"above", "a range that ends a byte above the window", format.VendorKeyRange, bound(func(w *keyWork) { w.bind.Length-- })},
		{"right", "a window without the right, of a region with it", format.VendorKeyRights, bound(func(w *keyWork) { w.bind.Rights &^= uint64(u.right) })},
		{"tag", "a window with the tag of another life", format.VendorKeyUnknown, func(k keyring, wrong bool) (uint32, error) {
			key, err := k.bound(kind, nil)
			return pick(wrong, key^1, key), err
		}},
		{"unbound", "a window that is not bound", format.VendorKeyUnknown, func(k keyring, wrong bool) (uint32, error) {
			if wrong {
				return k.window(kind, false)
			}
			return k.bound(kind, nil)
		}},
	}
}

// asLocalKey has A send what is under a window.
func asLocalKey(ctx context.Context, r *faultRig, w *faultyWork, wrong bool) error {
	key, err := keyring{ctx, r, r.ends[sideA]}.bound(verbs.MWType1, nil)
	if wrong {
		w.send.SGL[0].LKey = key
	}
	return err
}

// boundBy is a window that another queue pair bound, or this one.
func boundBy(kind verbs.MWType) keyChoice {
	return func(k keyring, wrong bool) (uint32, error) {
		region := k.mr.RKey()
		if wrong {
			var err error
			if k, err = k.other(); err != nil {
				return 0, err
			}
		}
		w, err := k.window(kind, false)
		if err != nil {
			return 0, err
		}
		b := k.bind(w, region)
		b.addr = k.r.ends[sideB].buf.Addr() + atFault
		return w, k.do(b)
	}
}

func sizeOf(op verbs.Opcode) int { return fault{op: op}.bytes() }

// staleRules are keys that were good once (protocol section 6).
func staleRules() []fault {
	// again makes a key and has something happen to it, if wrong.
	again := func(first func(k keyring) (uint32, error), then func(k keyring, key uint32) error) keyChoice {
		return func(k keyring, wrong bool) (uint32, error) {
			key, err := first(k)
			if err == nil && wrong {
				err = then(k, key)
			}
			return key, err
		}
	}
	fast := func(k keyring) (uint32, error) { return k.fast(allAccess) }
	window := func(kind verbs.MWType) func(keyring) (uint32, error) {
		return func(k keyring) (uint32, error) { return k.bound(kind, nil) }
	}
	invalidate := func(k keyring, key uint32) error { return k.do(k.invalidate(key)) }
	var all []fault
	for _, u := range uses()[:3] {
		for _, c := range []struct {
			name, what string
			key        keyChoice
		}{
			{"invalidated", "a region that a LOCAL_INV ended", again(fast, invalidate)},
			{"registered-again", "a region that was registered again, by its old key", again(fast, func(k keyring, key uint32) error {
				return k.do(k.invalidate(key), k.register(verbs.IncRKey(key), allAccess))
			})},
			{"window-invalidated", "a window of type 2 that a LOCAL_INV ended", again(window(verbs.MWType2), invalidate)},
			{"window-bound-again", "a window of type 1 that was bound again, by its old key", again(window(verbs.MWType1), func(k keyring, key uint32) error {
				return k.do(k.bind(verbs.IncRKey(key), k.mr.RKey()))
			})},
			{"window-2-bound-again", "a window of type 2 that was bound again, by its old key", again(window(verbs.MWType2), func(k keyring, key uint32) error {
				return k.do(k.invalidate(key), k.bind(verbs.IncRKey(key), k.mr.RKey()))
			})},
			{"window-unbound", "a window of type 1 that was unbound", again(window(verbs.MWType1), func(k keyring, key uint32) error {
				w := k.bind(key, 0)
				w.bind.Length = 0
				return k.do(w)
			})},
			{"re-registered", "a region that software registered again, by its old key", reregistered},
		} {
			all = append(all, ruled("stale/"+u.name+"-"+c.name, c.what, u.op, deniedRemotely(format.VendorKeyUnknown), remoteKey(c.key)))
		}
		all = append(all, sentAway(u))
	}
	return all
}

// reregistered is the old key of a region that was re-registered, or its new one.
func reregistered(k keyring, wrong bool) (uint32, error) {
	var old uint32
	mr, err := k.host.keyed(func() (*verbs.MR, error) {
		mr, err := k.host.pd.RegMR(k.ctx, k.buf.Addr(), faultBuffer, allAccess)
		if err != nil {
			return nil, err
		}
		old = mr.RKey()
		return mr, mr.Rereg(k.ctx, verbs.ReregAccess, nil, verbs.MRInitAttr{Access: allAccess | verbs.AccessMWBind})
	})
	if err != nil {
		return 0, err
	}
	return pick(wrong, old, mr.RKey()), nil
}

// sentAway is a key that A has ended itself by a SEND with invalidate.
func sentAway(u use) fault {
	f := ruled("stale/"+u.name+"-sent-away", "a region that a SEND with invalidate ended", u.op, deniedRemotely(format.VendorKeyUnknown),
		remoteKey(func(k keyring, _ bool) (uint32, error) { return k.fast(allAccess) }))
	f.act = func(ctx context.Context, r *faultRig) error {
		a, b := r.ends[sideA], r.ends[sideB]
		b.host.commands = true
		defer func() { b.host.commands = false }()
		err := a.qp.PostSend(ctx, verbs.SendWR{WRID: wrGood + 2, Opcode: verbs.WRSendInv, Flags: verbs.SendSignaled, InvalidateRKey: r.work.send.RKey})
		if err != nil {
			return err
		}
		a.wantSent = append(a.wantSent, wanted{wrid: wrGood + 2})
		b.wantReceived = append(b.wantReceived, wanted{wrid: wrRecv + 1})
		return r.until(ctx, func(context.Context) (bool, error) { return len(a.sent) == 3 && len(b.received) == 2, nil })
	}
	return f
}

// boundRules are regions with windows that software cannot end (protocol section 6).
func boundRules() []fault {
	var all []fault
	for _, c := range []struct {
		name, what string
		end        func(ctx context.Context, mr *verbs.MR) error
	}{
		{"dereg", "a region with a window is deregistered: it is busy, and as good as ever", func(ctx context.Context, mr *verbs.MR) error { return mr.Dereg(ctx) }},
		{"rereg", "a region with a window is re-registered: it is busy, and as good as ever", func(ctx context.Context, mr *verbs.MR) error {
			return mr.Rereg(ctx, verbs.ReregAccess, nil, verbs.MRInitAttr{Access: verbs.AccessLocalWrite})
		}},
	} {
		for _, kind := range []verbs.MWType{verbs.MWType1, verbs.MWType2} {
			f := ruled(fmt.Sprintf("bound/%s-%d", c.name, kind), c.what, verbs.WRRead, fine(verbs.WRRead, faultBytes), busy(kind, c.end))
			f.then, f.coreBest = landed, sideB
			f.twin.want, f.twin.then = deniedRemotely(format.VendorKeyUnknown), nil
			all = append(all, f)
		}
	}
	return all
}

// busy has A read through a region that software tries to end, which succeeds only
// without a window.
func busy(kind verbs.MWType, end func(context.Context, *verbs.MR) error) maker {
	return func(ctx context.Context, r *faultRig, w *faultyWork, wrong bool) error {
		k := keyring{ctx, r, r.ends[sideB]}
		mr, err := k.host.keyed(func() (*verbs.MR, error) {
			return k.host.pd.RegMR(ctx, k.buf.Addr(), faultBuffer, allAccess|verbs.AccessMWBind)
		})
		if err != nil {
			return err
		}
		w.send.RKey = mr.RKey()
		if wrong {
			if _, err := k.bound(kind, func(w *keyWork) { w.bind.Region = uint64(mr.RKey()) }); err != nil {
				return err
			}
		}
		_, err = k.host.keyed(func() (*verbs.MR, error) { return mr, end(ctx, mr) })
		if wrong != errors.Is(err, verbs.ErrBusy) {
			return fmt.Errorf("the region is ended with a window %v: %w", wrong, err)
		}
		return pick(wrong, nil, err)
	}
}
