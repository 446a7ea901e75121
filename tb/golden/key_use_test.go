package golden_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/wire"
)

// writes tells whether the peer's WRITE of 4 bytes at va under a key is taken; if not,
// the QP is at its end.
func (q *target) writes(psn *uint64, key uint32, va uint64) bool {
	q.s.t.Helper()
	reply := q.inject(packetSpec{op: format.OpWriteOnly, psn: *psn, size: 4, dma: 4, va: va, key: key, a: 1})
	require.Len(q.s.t, reply, 1)
	if *psn++; reply[0] == fmt.Sprintf("ACKNOWLEDGE %#x 0x1f msn %d", startPSN+*psn-1, *psn) {
		return true
	}
	require.Contains(q.s.t, reply[0], " 0x62 ")
	return false
}

// A window lends its part of the region with its rights, and no more, under its key
// (protocol section 6).
func TestWindowLends(t *testing.T) {
	for _, kind := range []uint64{format.KeyWindow1, format.KeyWindow2} {
		bound := func(t *testing.T) (*target, region, uint32) {
			q, _ := newTarget(t, qpConfig{sigAll: 1})
			r, w := q.s.bindable(256), q.s.window(kind)
			q.first(bindWR(1, nextTag(w), r, 64, 128))
			return q, r, nextTag(w)
		}
		for _, c := range []struct {
			name string
			at   uint64
			ok   bool
		}{{"its first bytes", 64, true}, {"its last", 188, true}, {"a byte before", 63, false}, {"a byte behind", 189, false}} {
			t.Run(fmt.Sprintf("type %d, %s", kind-1, c.name), func(t *testing.T) {
				q, r, key := bound(t)
				before := q.s.bytes(r)
				require.Equal(t, c.ok, q.writes(new(uint64), key, r.va+c.at))
				if c.ok {
					copy(before[c.at:], noise(0, 4))
				}
				require.Equal(t, before, q.s.bytes(r))
			})
		}
		t.Run("its old key", func(t *testing.T) {
			q, r, key := bound(t)
			require.False(t, q.writes(new(uint64), key-1, r.va+64))
		})
		t.Run("is no local key", func(t *testing.T) {
			q, r, key := bound(t)
			q.send(sendWR{id: 1, op: format.WRSend, list: []format.SGE[uint64]{{Addr: r.va + 64, Length: 4, LKey: uint64(key)}}})
			require.Empty(t, q.drain())
			require.Equal(t, []string{"1 LOC_PROT_ERR (right not granted)"}, brief(q.s.poll(q.sendCQ)))
		})
		t.Run("through another QP", func(t *testing.T) {
			q, r, key := bound(t)
			require.Equal(t, kind == format.KeyWindow1, q.other().writes(new(uint64), key, r.va+64))
		})
		t.Run("reading alone", func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{sigAll: 1})
			r, w := q.s.bindable(256), q.s.window(kind)
			wr := bindWR(1, w, r, 0, 256)
			wr.bind.Rights = format.AccessRemoteRead
			q.first(wr)
			require.Len(t, q.inject(packetSpec{op: format.OpReadRequest, va: r.va, key: w, dma: 256}), 1)
			psn := uint64(1)
			require.False(t, q.writes(&psn, w, r.va))
		})
	}
}

// A window of type 1 may be bound again, elsewhere or to nothing; its old key is dead
// then (C10-68 in protocol section 6).
func TestRebind(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	r, other, w := q.s.bindable(256), q.s.bindable(256), q.s.window(format.KeyWindow1)
	psn := uint64(0)
	q.first(bindWR(1, w, r, 0, 64))
	require.Equal(t, []uint64{1, 0}, []uint64{q.s.entryOf(r.key).Windows, q.s.entryOf(other.key).Windows})
	require.True(t, q.writes(&psn, w, r.va))
	q.first(bindWR(2, nextTag(w), other, 0, 64))
	require.Equal(t, []uint64{0, 1}, []uint64{q.s.entryOf(r.key).Windows, q.s.entryOf(other.key).Windows})
	require.True(t, q.writes(&psn, nextTag(w), other.va))
	q.first(bindWR(3, nextTag(w), other, 64, 64))
	require.Equal(t, uint64(1), q.s.entryOf(other.key).Windows)
	require.True(t, q.writes(&psn, nextTag(w), other.va+64), "the same key is allowed")
	q.first(bindWR(4, w, other, 0, 0))
	require.Equal(t, uint64(0), q.s.entryOf(other.key).Windows)
	e := q.s.entryOf(w)
	require.Equal(t, []uint64{format.KeyFree, uint64(w)}, []uint64{e.State, e.Key})
	q.first(bindWR(5, w, other, 0, 0), bindWR(6, w, r, 0, 256))
	require.True(t, q.writes(&psn, w, r.va+252))
	require.False(t, q.writes(&psn, nextTag(w), r.va), "an old key")
}

// A region with windows cannot be ended, by nobody; when the last is gone it can.
func TestRegionWithWindows(t *testing.T) {
	ends := map[string]func(q *target, w uint32, r region){
		"deallocation": func(q *target, w uint32, _ region) { q.s.release(region{key: w}) },
		"unbinding":    func(q *target, w uint32, r region) { q.first(bindWR(5, w, r, 0, 0)) },
		"local invalidate": func(q *target, w uint32, _ region) {
			q.first(localInv(5, w))
		},
		"SEND with invalidate": func(q *target, w uint32, _ region) {
			q.receive(5)
			require.Len(t, q.inject(packetSpec{op: format.OpSendOnlyInv, inv: w, a: 1}), 1)
			require.Equal(t, []string{fmt.Sprintf("5 SUCCESS RECV 0 inv %x", w)}, brief(q.s.poll(q.recvCQ)))
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{sigAll: 1})
			r := q.s.fast(64, allAccess|format.AccessMWBind)
			kind := uint64(format.KeyWindow2)
			if name == "unbinding" {
				kind = format.KeyWindow1
			}
			one, two := q.s.window(kind), q.s.window(kind)
			q.first(bindWR(1, one, r, 0, 64), bindWR(2, two, r, 8, 8))
			for _, w := range []uint32{one, two} {
				require.Equal(t, format.CmdBusy, command(q.s, format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(r.key)}))
				windows := q.s.entryOf(r.key).Windows
				end(q, w, r)
				require.Equal(t, windows-1, q.s.entryOf(r.key).Windows)
				if name == "SEND with invalidate" {
					q.c.psn++
				}
			}
			q.s.release(r)
		})
	}
}

// A window maps what its region maps, whatever its offset in a page list.
func TestWindowOfPages(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 100 {
		q, _ := newTarget(t, qpConfig{sigAll: 1, mtu: format.MTU4096})
		reg := q.s.pages(20000, allAccess|format.AccessMWBind, r)
		want := q.s.load(reg)
		offset := r.Uint64N(16000)
		length := 1 + r.Uint64N(4000)
		w := q.s.window(format.KeyWindow1 + r.Uint64N(2))
		q.first(bindWR(1, w, reg, offset, length))
		at := r.Uint64N(length)
		size := 1 + r.Uint64N(length-at)
		require.Len(t, q.inject(packetSpec{op: format.OpWriteOnly, size: int(size), dma: size, va: reg.va + offset + at, key: w, a: 1}), 1)
		copy(want[offset+at:], noise(0, int(size)))
		require.Equal(t, want, q.s.load(reg))
	}
}

// Fast registration: the key is good for the work requests behind it, and for the peer;
// local invalidate ends it, and it may be made again with another tag (protocol
// section 6).
func TestFastRegistration(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	key, r, psn := q.s.fastRegion(), q.s.region(256, 0), uint64(0)
	r.key = key
	q.send(regWR(1, key, r), sendWR{id: 2, op: format.WRSend, list: r.whole()})
	require.Equal(t, []string{"SEND_ONLY 0x64 256 bytes A"}, q.drain())
	require.True(t, q.writes(&psn, key, r.va+10))
	q.send(localInv(3, key))
	require.Empty(t, q.drain())
	require.Equal(t, []string{"1 SUCCESS REG_MR 0"}, brief(q.s.poll(q.sendCQ)), "it waits for the SEND")
	require.True(t, q.writes(&psn, key, r.va+20))
	q.inject(ack(0, 0x1F))
	require.Equal(t, []string{"2 SUCCESS SEND 0", "3 SUCCESS LOCAL_INV 0"}, brief(q.s.poll(q.sendCQ)))
	require.Equal(t, uint64(format.KeyFree), q.s.entryOf(key).State)

	other := q.s.region(64, 0)
	key = nextTag(key)
	q.first(regWR(4, key, other))
	require.True(t, q.writes(&psn, key, other.va+60))
	require.False(t, q.writes(&psn, key, other.va+61), "the new length")
	require.NoError(t, q.s.mem.CheckGuards())
}

// SEND with invalidate, refused and not: NAK 0x62 and REM_INV_REQ_ERR, and the key is
// what it was (protocol section 3.9; section 9, case 28; section 10, rows 10 and 23).
func TestSendInvalidateRules(t *testing.T) {
	for _, c := range []struct {
		name string
		key  func(q *target) uint32
		want format.VendorCode // none: it is ended
	}{
		{"a region for fast registration", func(q *target) uint32 { return q.s.fast(64, allAccess).key }, format.VendorNone},
		{"a window of type 2", func(q *target) uint32 {
			w := q.s.window(format.KeyWindow2)
			q.first(bindWR(1, w, q.s.bindable(64), 0, 64))
			return w
		}, format.VendorNone},
		{"no such key", func(q *target) uint32 { return q.s.fast(64, allAccess).key + 1<<8 }, format.VendorKeyUnknown},
		{"another tag", func(q *target) uint32 { return q.s.fast(64, allAccess).key ^ 1 }, format.VendorKeyUnknown},
		{"another domain", func(q *target) uint32 {
			return q.s.key(format.KeyEntry[uint64]{State: format.KeyValid, Type: format.KeyFastRegion, PD: 1})
		}, format.VendorKeyPD},
		{"a window of another QP", func(q *target) uint32 {
			w := q.s.window(format.KeyWindow2)
			q.other().first(bindWR(1, w, q.s.bindable(64), 0, 64))
			return w
		}, format.VendorKeyPD},
		{"an ordinary region", func(q *target) uint32 { return q.key }, format.VendorKeyType},
		{"a window of type 1", func(q *target) uint32 {
			w := q.s.window(format.KeyWindow1)
			q.first(bindWR(1, w, q.s.bindable(64), 0, 64))
			return w
		}, format.VendorKeyType},
		{"a free region", func(q *target) uint32 { return q.s.fastRegion() }, format.VendorKeyState},
		{"a region with a window", func(q *target) uint32 {
			r := q.s.fast(64, allAccess|format.AccessMWBind)
			q.first(bindWR(1, q.s.window(format.KeyWindow2), r, 0, 64))
			return r.key
		}, format.VendorKeyBound},
	} {
		for _, long := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, long %v", c.name, long), func(t *testing.T) {
				q, _ := newTarget(t, qpConfig{sigAll: 1})
				key := c.key(q)
				q.receive(1, q.buf.part(0, 300))
				q.receive(2)
				var packets []packetSpec
				if long {
					packets = append(packets, packetSpec{op: format.OpSendFirst, size: 256, seed: 1}, packetSpec{op: format.OpSendLastInv, psn: 1, size: 44, seed: 2, inv: key, a: 1})
				} else {
					packets = append(packets, packetSpec{op: format.OpSendOnlyInv, size: 44, seed: 2, inv: key, a: 1})
				}
				last, size := 100+len(packets)-1, 44+256*(len(packets)-1)
				table := q.s.keyTable()
				reply := q.inject(packets...)
				recv := brief(q.s.poll(q.recvCQ))
				if c.want == format.VendorNone {
					require.Equal(t, []string{nak(last, 0x1F, 1)}, reply)
					require.Equal(t, []string{fmt.Sprintf("1 SUCCESS RECV %d inv %x", size, key)}, recv)
					require.Equal(t, uint64(format.KeyFree), q.s.entryOf(key).State)
					require.Equal(t, []string{nak(last, 0x1F, 1)}, q.inject(packets[len(packets)-1]), "a duplicate ends no key again")
					return
				}
				require.Equal(t, []string{nak(last, 0x62, 0)}, reply)
				require.Equal(t, []string{fmt.Sprintf("1 REM_INV_REQ_ERR (%v)", c.want), "2 WR_FLUSH_ERR (none)"}, recv)
				require.Empty(t, q.s.events())
				require.Equal(t, table, q.s.keyTable())
			})
		}
	}
}

// A key that a message ended draws NAK 0x62, and ends both QPs.
func TestSendInvalidateOverTheWire(t *testing.T) {
	p := newPair(t, wire.Faults{})
	a, b := p.qps(qpConfig{psn: 100, sigAll: 1})
	fast := p.b.fast(64, allAccess)
	from := p.a.region(64, 0)
	b.receive(1)
	b.receive(2)
	a.send(
		sendWR{id: 1, op: format.WRWrite, remote: fast.va, rkey: fast.key, list: from.whole()},
		sendWR{id: 2, op: format.WRSendInv, imm: fast.key, flags: format.WRFlagSolicited},
		sendWR{id: 3, op: format.WRWrite, remote: fast.va, rkey: fast.key, list: from.whole()},
	)
	p.run()
	require.Contains(t, p.wireLog(), fmt.Sprintf("a: SEND_ONLY_INV 0x65 inv %x SE A", fast.key))
	require.Equal(t, []string{"1 SUCCESS RDMA_WRITE 0", "2 SUCCESS SEND 0", "3 REM_ACCESS_ERR (the peer refused)"}, brief(p.a.poll(a.sendCQ)))
	require.Equal(t, []string{fmt.Sprintf("1 SUCCESS RECV 0 inv %x", fast.key), "2 WR_FLUSH_ERR (none)"}, brief(p.b.poll(b.recvCQ)))
	require.Equal(t, []string{fmt.Sprintf("QP_ACCESS_ERR %#x", b.number)}, p.b.events())
}
