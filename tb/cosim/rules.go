package main

import (
	"context"
	"fmt"
	"slices"

	"gornic/format"
	"gornic/verbs"
)

// rules is the table of the rules of keys and of READs and atomics (protocol sections
// 3.4, 3.9 and 6), a fault for each, with a twin that keeps the rule.
func rules() []fault {
	return slices.Concat(invalidateRules(), registerRules(), bindRules(), sendInvRules(), windowRules(), staleRules(), boundRules(),
		readRules(), requestRules(), readBusFaults(), fineRules())
}

// maker makes the work of a rule, wrong or right.
type maker = func(ctx context.Context, r *faultRig, w *faultyWork, wrong bool) error

// ruled is a rule: the work that breaks it, and the twin that keeps it.
func ruled(name, what string, op verbs.Opcode, want verdict, make maker) fault {
	spoil := func(wrong bool) spoiler {
		return func(ctx context.Context, r *faultRig, w *faultyWork) error { return make(ctx, r, w, wrong) }
	}
	return fault{name: name, what: what, op: op, want: want, spoil: spoil(true)}.beside(spoil(false))
}

// keyChoice makes a key that breaks a rule, or keeps it.
type keyChoice = func(k keyring, wrong bool) (uint32, error)

// A badChoice is a key that does not allow what is done with it, and one that does.
type badChoice struct {
	name, what string
	vendor     format.VendorCode
	key        keyChoice
}

// A keyCase is what is wrong with a work request on keys, or right.
type keyCase struct {
	name, what string
	vendor     format.VendorCode
	make       func(k keyring, wrong bool) (keyWork, error)
}

// keyWork is a work request on keys.
type keyWork struct {
	op   verbs.Opcode
	key  uint32 // that is made, bound or ended
	addr uint64
	reg  format.RegMROperands[uint64]
	bind format.BindMWOperands[uint64]
}

// localRules are work requests on keys that host A posts, each refused with a status.
func localRules(family string, status format.Status, cases []keyCase) []fault {
	var all []fault
	for _, c := range cases {
		f := ruled(family+"/"+c.name, c.what, verbs.WRWrite, local(status, c.vendor), func(ctx context.Context, r *faultRig, w *faultyWork, wrong bool) error {
			k, err := c.make(keyring{ctx, r, r.ends[sideA]}, wrong)
			if err == nil {
				w.rawSend, err = k.wqe(wrFault)
			}
			return err
		})
		f.twin.want.placed, f.twin.want.keys, f.twin.then = 0, [2]bool{sideA: true}, nil
		all = append(all, f)
	}
	return all
}

// wqe is the bytes of the work request.
func (k keyWork) wqe(id uint64) ([]byte, error) {
	c := format.SendControl[uint64]{
		Opcode: uint64(k.op), Flags: format.WRFlagSignaled, WRID: id, RemoteAddr: k.addr, RKey: uint64(k.key), Imm: uint64(k.key),
	}
	b, err := format.AppendHost(nil, c)
	switch {
	case err != nil:
		return nil, err
	case k.op == verbs.WRRegMR:
		return format.AppendHost(b, k.reg)
	case k.op == verbs.WRBindMW:
		return format.AppendHost(b, k.bind)
	}
	return b, nil
}

// keyring makes keys at one end.
type keyring struct {
	ctx context.Context
	r   *faultRig
	*faultEnd
}

// pd is the end's domain, or another one.
func (k keyring) pd(other bool) (*verbs.PD, error) {
	if other {
		return k.host.dev.AllocPD()
	}
	return k.host.pd, nil
}

// region is a region of all of the buffer.
func (k keyring) region(access verbs.Access) (uint32, error) { return k.regionIn(k.host.pd, access) }

func (k keyring) regionIn(pd *verbs.PD, access verbs.Access) (uint32, error) {
	s, err := k.host.register(k.ctx, pd, verbs.MRInitAttr{Addr: k.buf.Addr(), Length: faultBuffer, Access: access, Bus: k.buf.Addr()}, 0, 0)
	return s.LKey, err
}

// free is a region for fast registration that is not valid, in the end's domain or another.
func (k keyring) free(other bool) (uint32, error) {
	pd, err := k.pd(other)
	if err != nil {
		return 0, err
	}
	mr, err := k.host.keyed(func() (*verbs.MR, error) {
		f, err := pd.AllocFastMR(k.ctx, 0)
		if err != nil {
			return nil, err
		}
		return f.MR, nil
	})
	if err != nil {
		return 0, err
	}
	return mr.RKey(), nil
}

// fast is one of all of the buffer that a work request has made valid.
func (k keyring) fast(access verbs.Access) (uint32, error) {
	key, err := k.free(false)
	if err != nil {
		return 0, err
	}
	return key, k.do(k.register(key, access))
}

func (k keyring) register(key uint32, access verbs.Access) keyWork {
	return keyWork{op: verbs.WRRegMR, key: key, addr: k.buf.Addr(), reg: format.RegMROperands[uint64]{
		Length: faultBuffer, Translation: k.buf.Addr(), Rights: uint64(access),
	}}
}

// window is a new window.
func (k keyring) window(kind verbs.MWType, other bool) (uint32, error) {
	pd, err := k.pd(other)
	if err != nil {
		return 0, err
	}
	k.host.commands = true
	defer func() { k.host.commands = false }()
	w, err := pd.AllocMW(k.ctx, kind)
	if err != nil {
		return 0, err
	}
	return w.RKey(), nil
}

const windowAccess = verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic

// bind binds a window to where messages go, in a region of the buffer.
func (k keyring) bind(window, region uint32) keyWork {
	return keyWork{op: verbs.WRBindMW, key: window, addr: k.buf.Addr() + atFault, bind: format.BindMWOperands[uint64]{
		Length: faultBytes, Region: uint64(region), Rights: uint64(windowAccess),
	}}
}

func (k keyring) invalidate(key uint32) keyWork { return keyWork{op: verbs.WRLocalInv, key: key} }

// bound is a new window that is bound to where messages go.
func (k keyring) bound(kind verbs.MWType, change func(*keyWork)) (uint32, error) {
	w, err := k.window(kind, false)
	if err != nil {
		return 0, err
	}
	work := k.bind(w, k.mr.RKey())
	if change != nil {
		change(&work)
	}
	return w, k.do(work)
}

// do has the end's queue pair do work on keys, which must succeed. Its completions are
// not among those of the fault.
func (k keyring) do(all ...keyWork) error {
	k.host.commands = true
	defer func() { k.host.commands = false }()
	before := len(k.sent)
	for _, w := range all {
		b, err := w.wqe(wrSetUp)
		if err == nil {
			err = k.qp.PostRawSend(k.ctx, b)
		}
		if err != nil {
			return err
		}
	}
	err := k.r.until(k.ctx, func(ctx context.Context) (bool, error) {
		err := k.r.poll(ctx, k.faultEnd, k.sendCQ)
		return len(k.sent) == before+len(all), err
	})
	if err != nil {
		return err
	}
	for _, w := range k.sent[before:] {
		if w.Err() != nil {
			return fmt.Errorf("work on keys before the fault: %w", w.Err())
		}
	}
	k.sent = k.sent[:before]
	return nil
}

// other is an end of another connection of the same host.
func (k keyring) other() (keyring, error) {
	var ends [2]*faultEnd
	for i := range ends {
		k.r.hosts[i].commands = true
		defer func() { k.r.hosts[i].commands = false }()
		var err error
		if ends[i], err = k.r.newBystander(k.ctx, side(i)); err != nil {
			return k, err
		}
	}
	return keyring{k.ctx, k.r, ends[k.side]}, k.r.connect(k.ctx, ends, 2)
}

// pick is a when something is so, else b.
func pick[T any](so bool, a, b T) T {
	if so {
		return a
	}
	return b
}
