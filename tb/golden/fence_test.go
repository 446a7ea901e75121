package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/host"
)

// A fence waits for the READs and atomics before it and for nothing else; a local
// invalidate for everything (protocol section 4.7; section 9, case 18).
func TestFence(t *testing.T) {
	const fence = format.WRFlagFence
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	dest, fast := q.s.region(600, format.AccessLocalWrite), q.s.fast(64, 0)
	q.send(
		sendWR{id: 1, op: format.WRSend},
		sendWR{id: 2, op: format.WRWrite, flags: fence},
		sendWR{id: 3, op: format.WRRead, list: dest.whole()},
		sendWR{id: 4, op: format.WRWrite, flags: fence},
		sendWR{id: 5, op: format.WRSend},
		sendWR{id: 6, op: format.WRLocalInv, imm: fast.key},
		sendWR{id: 7, op: format.WRSend},
	)
	require.Equal(t, []string{"SEND_ONLY 0x64 A", "WRITE_ONLY 0x65 dma 0 A", "READ_REQUEST 0x66 dma 600 A"}, q.drain(), "the first fence has nothing to wait for")
	require.Empty(t, q.inject(ack(1, 0x1F)))
	require.Empty(t, q.inject(response(2, format.OpReadResponseFirst, 256), response(3, format.OpReadResponseMiddle, 256)))
	require.Equal(t, []string{"WRITE_ONLY 0x69 dma 0 A", "SEND_ONLY 0x6a A"}, q.inject(response(4, format.OpReadResponseLast, 88)))
	require.Equal(t, uint64(format.KeyValid), q.s.entryOf(fast.key).State)
	require.Empty(t, q.inject(ack(5, 0x1F)), "the SEND is not done")
	require.Equal(t, []string{"SEND_ONLY 0x6b A"}, q.inject(ack(6, 0x1F)))
	require.Equal(t, uint64(format.KeyFree), q.s.entryOf(fast.key).State)
	q.inject(ack(7, 0x1F))
	require.Equal(t, []string{
		"1 SUCCESS SEND 0", "2 SUCCESS RDMA_WRITE 0", "3 SUCCESS RDMA_READ 600", "4 SUCCESS RDMA_WRITE 0", "5 SUCCESS SEND 0",
		"6 SUCCESS LOCAL_INV 0", "7 SUCCESS SEND 0",
	}, brief(q.s.poll(q.sendCQ)))
}

// A fence waits for atomics as for READs, and READs and atomics wait at one.
func TestFenceOfAtomics(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	dest := q.s.region(8, format.AccessLocalWrite)
	add := sendWR{id: 1, op: format.WRFetchAdd, list: dest.whole()}
	fenced := add
	fenced.id, fenced.flags = 2, format.WRFlagFence
	q.send(add, fenced)
	require.Equal(t, []string{"FETCH_ADD 0x64 0 0 A"}, q.drain())
	require.Equal(t, []string{"FETCH_ADD 0x65 0 0 A"}, q.inject(atomicAck(0, 1)))
}

// REG_MR and BIND_MW wait at a fence, and without one for nothing. They complete in
// their turn.
func TestLocalOperationsInOrder(t *testing.T) {
	for _, fence := range []uint64{0, format.WRFlagFence} {
		q, _ := newTarget(t, qpConfig{sigAll: 1})
		dest, key, r := q.s.region(8, format.AccessLocalWrite), q.s.fastRegion(), q.s.region(64, 0)
		w, lender := q.s.window(format.KeyWindow2), q.s.bindable(64)
		reg, bind := regWR(2, key, r), bindWR(3, w, lender, 0, 8)
		reg.flags = fence
		q.send(sendWR{id: 1, op: format.WRRead, list: dest.whole()}, reg, bind)
		require.Len(t, q.drain(), 1)
		done := uint64(format.KeyValid)
		if fence != 0 {
			done = format.KeyFree
		}
		require.Equal(t, []uint64{done, done}, []uint64{q.s.entryOf(key).State, q.s.entryOf(w).State})
		require.Empty(t, q.s.poll(q.sendCQ))
		require.Empty(t, q.inject(response(0, format.OpReadResponseOnly, 8)))
		require.Equal(t, []string{"1 SUCCESS RDMA_READ 8", "2 SUCCESS REG_MR 0", "3 SUCCESS BIND_MW 0"}, brief(q.s.poll(q.sendCQ)))
		require.Equal(t, uint64(format.KeyValid), q.s.entryOf(w).State)
	}
}

// What is sent again does not do the local operations between again: that would fail.
func TestLocalOperationsOnce(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1, retry: 3})
	key, r := q.s.fastRegion(), q.s.region(64, 0)
	q.send(sendWR{id: 1, op: format.WRSend}, regWR(2, key, r), sendWR{id: 3, op: format.WRSend})
	both := []string{"SEND_ONLY 0x64 A", "SEND_ONLY 0x65 A"}
	require.Equal(t, both, q.drain())
	require.Equal(t, both, q.inject(ack(0, 0x60)))
	require.Equal(t, both[1:], q.inject(ack(1, 0x60)))
	require.Equal(t, []string{"1 SUCCESS SEND 0", "2 SUCCESS REG_MR 0"}, brief(q.s.poll(q.sendCQ)))
	require.Empty(t, q.inject(ack(1, 0x1F)))
	require.Equal(t, []string{"3 SUCCESS SEND 0"}, brief(q.s.poll(q.sendCQ)))
}

// A local operation that fails lets those before it complete, and nothing behind it
// begin.
func TestLocalOperationFails(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	key := q.s.fastRegion()
	q.send(sendWR{id: 1, op: format.WRSend}, bindWR(2, 0x7700, q.s.region(8, 0), 0, 8), regWR(3, key, q.s.region(8, 0)), sendWR{id: 4, op: format.WRSend})
	require.Equal(t, []string{"SEND_ONLY 0x64 A"}, q.drain())
	require.Empty(t, q.s.poll(q.sendCQ))
	require.Empty(t, q.inject(ack(0, 0x1F)))
	require.Equal(t, []string{
		"1 SUCCESS SEND 0", "2 MW_BIND_ERR (no such key)", "3 WR_FLUSH_ERR (none)", "4 WR_FLUSH_ERR (none)",
	}, brief(q.s.poll(q.sendCQ)))
	require.Equal(t, uint64(format.KeyFree), q.s.entryOf(key).State)
}

// Unsignaled local operations have no completion, but are done with.
func TestLocalOperationUnsignaled(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	q.send(regWR(1, q.s.fastRegion(), q.s.region(64, 0)))
	require.Empty(t, q.drain())
	require.Empty(t, q.s.poll(q.sendCQ))
	require.Equal(t, uint64(1), q.query().SQConsumer)
}

// A key table that cannot be read or written.
func TestKeyTableFaults(t *testing.T) {
	for _, c := range []struct {
		kind host.Kinds
		want string
	}{{host.Reads, "error response to a read"}, {host.Writes, "error response to a write"}} {
		for _, op := range []string{"LOC_QP_OP_ERR", "MW_BIND_ERR"} {
			q, _ := newTarget(t, qpConfig{sigAll: 1})
			wr := localInv(1, q.s.fast(8, 0).key)
			if op == "MW_BIND_ERR" {
				wr = bindWR(1, q.s.window(format.KeyWindow2), q.s.bindable(8), 0, 8)
			}
			base := uint64(q.s.nic.ReadRegister(format.RegKeyBaseHigh))<<32 | uint64(q.s.nic.ReadRegister(format.RegKeyBaseLow))
			q.s.mem.InjectFault(base, 64<<keyLogSize, c.kind)
			q.send(wr)
			require.Empty(t, q.drain())
			require.Equal(t, []string{"1 " + op + " (" + c.want + ")"}, brief(q.s.poll(q.sendCQ)))
		}
		q, _ := newTarget(t, qpConfig{sigAll: 1})
		fast := q.s.fast(8, 0)
		q.receive(1)
		base := uint64(q.s.nic.ReadRegister(format.RegKeyBaseHigh))<<32 | uint64(q.s.nic.ReadRegister(format.RegKeyBaseLow))
		q.s.mem.InjectFault(base, 64<<keyLogSize, c.kind)
		require.Equal(t, []string{nak(100, 0x62, 0)}, q.inject(packetSpec{op: format.OpSendOnlyInv, inv: fast.key, a: 1}))
		require.Equal(t, []string{"1 REM_INV_REQ_ERR (" + c.want + ")"}, brief(q.s.poll(q.recvCQ)))
	}
}

// The count of a region that cannot be written: the operation fails, and the window lends
// nothing more than it did.
func TestWindowCountFaults(t *testing.T) {
	place := func(s *station, key uint32) uint64 {
		base := uint64(s.nic.ReadRegister(format.RegKeyBaseHigh))<<32 | uint64(s.nic.ReadRegister(format.RegKeyBaseLow))
		return base + 64*uint64(key>>8)
	}
	for _, kind := range []host.Kinds{host.Reads, host.Writes} {
		for name, work := range map[string]func(q *target, w uint32, r region) string{
			"bind": func(q *target, w uint32, r region) string {
				q.send(bindWR(1, nextTag(w), r, 0, 8))
				return "1 MW_BIND_ERR"
			},
			"unbind": func(q *target, w uint32, r region) string {
				q.send(bindWR(1, nextTag(w), r, 0, 0))
				return "1 MW_BIND_ERR"
			},
			"end": func(q *target, w uint32, _ region) string {
				require.Equal(q.s.t, format.CmdBusError, command(q.s, format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(w)}))
				return ""
			},
		} {
			t.Run(name, func(t *testing.T) {
				q, _ := newTarget(t, qpConfig{sigAll: 1})
				r, w := q.s.bindable(64), q.s.window(format.KeyWindow1)
				q.first(bindWR(9, w, r, 0, 64))
				f := q.s.mem.InjectFault(place(q.s, r.key), 64, kind)
				want := work(q, w, r)
				require.Empty(t, q.drain())
				if got := brief(q.s.poll(q.sendCQ)); want != "" {
					require.Len(t, got, 1)
					require.Contains(t, got[0], want)
				}
				f.Remove()
				require.NotZero(t, q.s.entryOf(r.key).Windows, "too many, if anything")
			})
		}
	}
}

// SQD finishes what was started, a READ among it, and starts no local operation.
func TestReadInSQD(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	dest := q.s.region(300, format.AccessLocalWrite)
	q.send(sendWR{id: 1, op: format.WRRead, list: dest.whole()})
	require.Len(t, q.drain(), 1)
	q.s.must(format.CmdModifyQP, format.ModifyQP[uint64]{QPN: q.number, State: uint64(format.QPSQD), Mask: format.AttrState | format.AttrNotify, Notify: 1})
	q.send(regWR(2, q.s.fastRegion(), q.s.region(8, 0)))
	require.Empty(t, q.inject(response(0, format.OpReadResponseFirst, 256)))
	require.Empty(t, q.s.events())
	require.Empty(t, q.inject(response(1, format.OpReadResponseLast, 44)))
	require.Equal(t, []string{"1 SUCCESS RDMA_READ 300"}, brief(q.s.poll(q.sendCQ)))
	require.Equal(t, []string{"SQ_DRAINED " + qpName}, q.s.events())
	q.modify(format.QPRTS)
	require.Empty(t, q.drain())
	require.Equal(t, []string{"2 SUCCESS REG_MR 0"}, brief(q.s.poll(q.sendCQ)))
}
