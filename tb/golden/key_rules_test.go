package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// entryOf returns a key's entry.
func (s *station) entryOf(key uint32) format.KeyEntry[uint64] {
	s.t.Helper()
	s.must(format.CmdQueryKey, format.KeyRef[uint64]{Key: uint64(key)})
	return mailbox[format.KeyEntry[uint64]](s)
}

// key writes the entry of a new key, and returns it.
func (s *station) key(e format.KeyEntry[uint64]) uint32 {
	s.t.Helper()
	e.Key, e.PD = uint64(s.newKey()), e.PD+testPD
	s.must(format.CmdWriteKey, e)
	return uint32(e.Key)
}

// window is a new window, fastRegion a new region for fast registration, neither of
// which is valid.
func (s *station) window(kind uint64) uint32 {
	s.t.Helper()
	return s.key(format.KeyEntry[uint64]{State: format.KeyFree, Type: kind})
}

func (s *station) fastRegion() uint32 {
	s.t.Helper()
	return s.key(format.KeyEntry[uint64]{State: format.KeyFree, Type: format.KeyFastRegion})
}

// bindable is a region of a target that windows may be bound to.
func (s *station) bindable(size uint64) region {
	s.t.Helper()
	return s.region(size, allAccess|format.AccessMWBind)
}

const windowRights = format.AccessRemoteWrite | format.AccessRemoteRead | format.AccessRemoteAtomic

// bindWR binds a window to a part of a region, under a key.
func bindWR(id uint64, key uint32, r region, offset, length uint64) sendWR {
	return sendWR{id: id, op: format.WRBindMW, rkey: key, remote: r.va + offset, bind: format.BindMWOperands[uint64]{
		Length: length, Region: uint64(r.key), Rights: windowRights,
	}}
}

func regWR(id uint64, key uint32, r region) sendWR {
	return sendWR{id: id, op: format.WRRegMR, rkey: key, remote: r.va, reg: format.RegMROperands[uint64]{
		Length: r.size, Translation: r.addr, Rights: allAccess,
	}}
}

func localInv(id uint64, key uint32) sendWR { return sendWR{id: id, op: format.WRLocalInv, imm: key} }

// nextTag is a key with the next tag.
func nextTag(key uint32) uint32 { return key&^0xFF | (key+1)&0xFF }

// keyCase is a key operation with one thing wrong, and what is right without it.
type keyCase struct {
	name string
	make func(q *target, wrong bool) sendWR
	want format.VendorCode
}

// runKeyCases does each operation both ways: refused, it changes nothing and ends the
// QP with a status; good, it succeeds.
func runKeyCases(t *testing.T, status format.Status, cases []keyCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, wrong := range []bool{true, false} {
				q, _ := newTarget(t, qpConfig{sigAll: 1})
				wr := c.make(q, wrong)
				table := q.s.keyTable()
				q.send(wr)
				require.Empty(t, q.drain())
				cqes := q.s.poll(q.sendCQ)
				last := cqes[len(cqes)-1]
				if !wrong {
					require.Equal(t, []string{"success"}, statusOf(last))
					require.Equal(t, format.QPRTS, q.state())
					continue
				}
				require.Equal(t, []string{status.String(), c.want.String()}, statusOf(last))
				require.Equal(t, format.QPError, q.state())
				require.Empty(t, q.s.events())
				require.Equal(t, table, q.s.keyTable(), "what is refused changes nothing")
			}
		})
	}
}

func statusOf(e format.CQE[uint64]) []string {
	if format.Status(e.Status) == format.StatusSuccess {
		return []string{"success"}
	}
	return []string{format.Status(e.Status).String(), format.VendorCode(e.Vendor).String()}
}

// keyTable is the key table as it is in memory.
func (s *station) keyTable() []byte {
	base := uint64(s.nic.ReadRegister(format.RegKeyBaseHigh))<<32 | uint64(s.nic.ReadRegister(format.RegKeyBaseLow))
	return s.read(base, 64<<keyLogSize)
}

// first is an operation before the one in question.
func (q *target) first(all ...sendWR) {
	q.s.t.Helper()
	q.send(all...)
	require.Empty(q.s.t, q.drain())
	for _, e := range q.s.poll(q.sendCQ) {
		require.Equal(q.s.t, []string{"success"}, statusOf(e))
	}
}

// other is a second queue pair of the target's station, in RTS.
func (q *target) other() *target {
	q.s.t.Helper()
	o := &target{qp: q.s.newQP(qpConfig{psn: startPSN, sigAll: 1}), peer: peerQPN, va: q.va, key: q.key, buf: q.buf}
	o.connect(peerQPN, 0x0200000000FF, peerIP())
	return o
}

// LOCAL_INV (protocol section 6).
func TestLocalInvalidateRules(t *testing.T) {
	valid := func(q *target) uint32 { return q.s.fast(64, allAccess).key }
	runKeyCases(t, format.StatusLocQPOp, []keyCase{
		{"no such key", func(q *target, wrong bool) sendWR {
			key := valid(q)
			if wrong {
				key += 1 << 8
			}
			return localInv(1, key)
		}, format.VendorKeyUnknown},
		{"beyond the table", func(q *target, wrong bool) sendWR {
			key := valid(q)
			if wrong {
				key |= 1 << 31
			}
			return localInv(1, key)
		}, format.VendorKeyUnknown},
		{"another tag", func(q *target, wrong bool) sendWR { // protocol section 9, case 28
			key := valid(q)
			if wrong {
				key ^= 1
			}
			return localInv(1, key)
		}, format.VendorKeyUnknown},
		{"another domain", func(q *target, wrong bool) sendWR {
			return localInv(1, q.s.key(format.KeyEntry[uint64]{State: format.KeyValid, Type: format.KeyFastRegion, PD: one(wrong)}))
		}, format.VendorKeyPD},
		{"a window of another QP", func(q *target, wrong bool) sendWR {
			w, r := q.s.window(format.KeyWindow2), q.s.bindable(64)
			by := q
			if wrong {
				by = q.other()
			}
			by.first(bindWR(9, w, r, 0, 64))
			return localInv(1, w)
		}, format.VendorKeyPD},
		{"an ordinary region", func(q *target, wrong bool) sendWR {
			kind := uint64(format.KeyFastRegion)
			if wrong {
				kind = format.KeyRegion
			}
			return localInv(1, q.s.key(format.KeyEntry[uint64]{State: format.KeyValid, Type: kind}))
		}, format.VendorKeyType},
		{"a window of type 1", func(q *target, wrong bool) sendWR {
			w, r := q.s.window(format.KeyWindow2-one(wrong)), q.s.bindable(64)
			q.first(bindWR(9, w, r, 0, 64))
			return localInv(1, w)
		}, format.VendorKeyType},
		{"not valid", func(q *target, wrong bool) sendWR {
			return localInv(1, q.s.key(format.KeyEntry[uint64]{State: format.KeyValid - one(wrong), Type: format.KeyFastRegion}))
		}, format.VendorKeyState},
		{"with a window", func(q *target, wrong bool) sendWR {
			r := q.s.fast(64, allAccess|format.AccessMWBind)
			w := q.s.window(format.KeyWindow2)
			q.first(bindWR(9, w, r, 0, 64))
			if !wrong {
				q.first(localInv(10, w))
			}
			return localInv(1, r.key)
		}, format.VendorKeyBound},
	})
}

// one is 1 if something is so.
func one(so bool) uint64 {
	if so {
		return 1
	}
	return 0
}

// REG_MR (protocol section 6).
func TestRegisterRules(t *testing.T) {
	reg := func(q *target, key uint32, change func(*sendWR)) sendWR {
		wr := regWR(1, key, q.s.region(4096, 0))
		if change != nil {
			change(&wr)
		}
		return wr
	}
	operand := func(change func(*sendWR)) func(*target, bool) sendWR {
		return func(q *target, wrong bool) sendWR {
			if !wrong {
				change = nil
			}
			return reg(q, q.s.fastRegion(), change)
		}
	}
	runKeyCases(t, format.StatusLocQPOp, []keyCase{
		{"no such index", func(q *target, wrong bool) sendWR { return reg(q, q.s.fastRegion()+uint32(one(wrong))<<14, nil) }, format.VendorKeyUnknown},
		{"another domain", func(q *target, wrong bool) sendWR {
			return reg(q, q.s.key(format.KeyEntry[uint64]{State: format.KeyFree, Type: format.KeyFastRegion, PD: one(wrong)}), nil)
		}, format.VendorKeyPD},
		{"an ordinary region", func(q *target, wrong bool) sendWR {
			return reg(q, q.s.key(format.KeyEntry[uint64]{State: format.KeyFree, Type: format.KeyFastRegion - one(wrong)}), nil)
		}, format.VendorKeyType},
		{"a window", func(q *target, wrong bool) sendWR {
			return reg(q, q.s.key(format.KeyEntry[uint64]{State: format.KeyFree, Type: format.KeyFastRegion + one(wrong)}), nil)
		}, format.VendorKeyType},
		{"valid already", func(q *target, wrong bool) sendWR {
			return reg(q, q.s.key(format.KeyEntry[uint64]{State: format.KeyFree + one(wrong), Type: format.KeyFastRegion}), nil)
		}, format.VendorKeyState},
		{"rights that do not exist", operand(func(w *sendWR) { w.reg.Rights = 64 }), format.VendorKeyRights},
		{"remote write without local", operand(func(w *sendWR) { w.reg.Rights = format.AccessRemoteWrite }), format.VendorKeyRights},
		{"remote atomic without local", operand(func(w *sendWR) { w.reg.Rights = format.AccessRemoteAtomic | format.AccessRemoteRead }), format.VendorKeyRights},
		{"wraps", operand(func(w *sendWR) { w.remote = ^uint64(0) - 4094 }), format.VendorKeyRange},
		{"wraps on the bus", operand(func(w *sendWR) { w.reg.Translation = ^uint64(0) - 4094 }), format.VendorKeyRange},
		{"pages too small", operand(func(w *sendWR) { w.reg.PageShift, w.reg.Translation = 11, 0 }), format.VendorKeyRange},
		{"pages too large", operand(func(w *sendWR) { w.reg.PageShift, w.reg.Translation = 22, 0 }), format.VendorKeyRange},
		{"page list not aligned", operand(func(w *sendWR) { w.reg.PageShift, w.reg.Translation = 12, 4 }), format.VendorKeyRange},
	})
}

// BIND_MW (protocol section 6).
func TestBindRules(t *testing.T) {
	type change = func(q *target, wr *sendWR)
	bind := func(kind uint64, f change) func(*target, bool) sendWR {
		return func(q *target, wrong bool) sendWR {
			wr := bindWR(1, q.s.window(kind), q.s.bindable(256), 64, 128)
			if wrong {
				f(q, &wr)
			}
			return wr
		}
	}
	to := func(q *target, wr *sendWR, e format.KeyEntry[uint64]) {
		e.VA, e.Length, e.Translation = wr.remote-64, 256, wr.remote-64
		wr.bind.Region = uint64(q.s.key(e))
	}
	const good = allAccess | format.AccessMWBind
	for _, kind := range []uint64{format.KeyWindow1, format.KeyWindow2} {
		runKeyCases(t, format.StatusMWBind, []keyCase{
			{"no such window", bind(kind, func(_ *target, wr *sendWR) { wr.rkey += 1 << 14 }), format.VendorKeyUnknown},
			{"no window there", bind(kind, func(_ *target, wr *sendWR) { wr.rkey += 200 << 8 }), format.VendorKeyUnknown},
			{"a window of another domain", bind(kind, func(q *target, wr *sendWR) {
				wr.rkey = q.s.key(format.KeyEntry[uint64]{State: format.KeyFree, Type: kind, PD: 1})
			}), format.VendorKeyPD},
			{"a region as window", bind(kind, func(q *target, wr *sendWR) { wr.rkey = q.s.fastRegion() }), format.VendorKeyType},
			{"rights that a window has not", bind(kind, func(_ *target, wr *sendWR) { wr.bind.Rights |= format.AccessLocalWrite }), format.VendorKeyRights},
			{"zero-based", bind(kind, func(_ *target, wr *sendWR) { wr.bind.Rights |= format.AccessZeroBased }), format.VendorKeyRights},
			{"no such region", bind(kind, func(_ *target, wr *sendWR) { wr.bind.Region += 200 << 8 }), format.VendorKeyUnknown},
			{"another tag of the region", bind(kind, func(_ *target, wr *sendWR) { wr.bind.Region ^= 1 }), format.VendorKeyUnknown},
			{"a region of another domain", bind(kind, func(q *target, wr *sendWR) {
				to(q, wr, format.KeyEntry[uint64]{State: format.KeyValid, PD: 1, Rights: good})
			}), format.VendorKeyPD},
			{"a window as region", bind(kind, func(q *target, wr *sendWR) {
				to(q, wr, format.KeyEntry[uint64]{State: format.KeyValid, Type: format.KeyWindow1, Rights: good})
			}), format.VendorKeyType},
			{"a region that is not valid", bind(kind, func(q *target, wr *sendWR) {
				to(q, wr, format.KeyEntry[uint64]{State: format.KeyFree, Type: format.KeyFastRegion, Rights: good})
			}), format.VendorKeyState},
			{"no right to bind", bind(kind, func(q *target, wr *sendWR) {
				to(q, wr, format.KeyEntry[uint64]{State: format.KeyValid, Rights: allAccess})
			}), format.VendorKeyRights},
			{"to write, without local write", bind(kind, func(q *target, wr *sendWR) {
				wr.bind.Rights = format.AccessRemoteWrite
				to(q, wr, format.KeyEntry[uint64]{State: format.KeyValid, Rights: format.AccessMWBind | format.AccessRemoteRead})
			}), format.VendorKeyRights},
			{"to atomics, without local write", bind(kind, func(q *target, wr *sendWR) {
				wr.bind.Rights = format.AccessRemoteAtomic
				to(q, wr, format.KeyEntry[uint64]{State: format.KeyValid, Rights: format.AccessMWBind | format.AccessRemoteRead})
			}), format.VendorKeyRights},
			{"a byte before the region", bind(kind, func(_ *target, wr *sendWR) { wr.remote -= 65 }), format.VendorKeyRange},
			{"a byte behind it", bind(kind, func(_ *target, wr *sendWR) { wr.bind.Length = 193 }), format.VendorKeyRange},
			{"around the address space", bind(kind, func(_ *target, wr *sendWR) { wr.bind.Length = -wr.remote + 1 }), format.VendorKeyRange},
		})
	}
	runKeyCases(t, format.StatusMWBind, []keyCase{
		{"type 2, bound", func(q *target, wrong bool) sendWR {
			w, r := q.s.window(format.KeyWindow2), q.s.bindable(64)
			q.first(bindWR(9, w, r, 0, 64))
			if !wrong {
				q.first(localInv(10, w))
			}
			return bindWR(1, nextTag(w), r, 0, 64)
		}, format.VendorKeyState},
		{"type 2 with no bytes", func(q *target, wrong bool) sendWR {
			return bindWR(1, q.s.window(format.KeyWindow2), q.s.bindable(64), 0, 64-64*one(wrong))
		}, format.VendorKeyRange},
	})
	// What a window without the right to write may be bound to.
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	r := q.s.region(64, format.AccessMWBind)
	wr := bindWR(1, q.s.window(format.KeyWindow1), r, 0, 64)
	wr.bind.Rights = format.AccessRemoteRead
	q.first(wr)
	fast := q.s.fast(64, allAccess|format.AccessMWBind)
	q.first(bindWR(2, q.s.window(format.KeyWindow2), fast, 0, 64))
}
