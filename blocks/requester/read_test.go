package requester_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/requester"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// in runs a test with a bench at 64 bits in the simulators of that width.
func in(t *testing.T, test func(t *testing.T, b *bench)) {
	design, io := hdltest.Build(t, requester.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) { test(t, newBench(t, s, io, 25)) }, linktest.Others(64)...)
}

func ready(psn uint32, mtu, maxRD int) requester.Reference {
	return requester.Reference{State: format.QPRTS, MTU: mtu, PSN: psn, MaxRD: maxRD}
}

// A READ reserves a PSN for each packet of its data, and one if it has none: the next request follows behind.
func TestReadPSNs(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		for _, c := range []struct {
			psn, last, next uint32
			mtu             int
			bytes           uint64
		}{
			{2000, 2001, 2002, 4096, 8192},
			{2000, 2002, 2003, 4096, 8193},
			{2000, 2000, 2001, 4096, 4096},
			{7, 7, 8, 256, 0},
			{7, 7, 8, 256, 1},
			{7, 8, 9, 256, 257},
			{0xFFFFFF, 1, 2, 1024, 3072},
			{5, 5 + 1<<22 - 1, 5 + 1<<22, 512, 1 << 31},
			{9, 9 + 1<<23 - 2, 9 + 1<<23 - 1, 256, 1<<31 - 256},
		} {
			q := b.open(1, ready(c.psn, c.mtu, 2))
			q.post(order(format.WRRead).onto(c.bytes))
			jobs := b.turns(1)
			require.Len(t, jobs, 1)
			j := jobs[0]
			require.Equal(t, linktest.TxJob{
				QP: 1, Opcode: format.OpReadRequest, AckReq: true, VA: 0x1000, RKey: 0x200, DMALen: uint32(c.bytes), Probes: c.bytes > 0,
				Imm: j.Imm, Swap: j.Swap, Compare: j.Compare, // of other operations
				Entry: linktest.ReplayEntry{
					Kind: link.EntryRead, PSN: c.psn, LastPSN: c.last, Offset: uint32(c.bytes), First: true, Last: true, WC: format.WCRead, WRID: 0x1D04,
				},
			}, j)
			b.retire(1, 1)
			q.post(order(format.WRSend))
			jobs = b.turns(1)
			require.Len(t, jobs, 1)
			require.Equal(t, c.next, jobs[0].Entry.PSN)
		}
	})
}

// The SGEs of a READ that have a length are probed, each in full.
func TestProbes(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		for _, list := range [][]uint64{
			{}, {0}, {0, 0, 0, 0, 0, 0}, {100, 0, 0, 0, 4096, 0}, {0, 100, 0, 1 << 30, 0, 4096}, {1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 1}, {70000, 0},
		} {
			ref := ready(3, 1024, 2)
			ref.Stride = 1
			q := b.open(2, ref)
			q.post(order(format.WRRead).onto(list...), order(format.WRWrite))
			b.probes = nil
			require.Len(t, b.turns(2), 2)
			var want, got []uint64
			for _, n := range list {
				if n > 0 {
					want = append(want, n)
				}
			}
			for _, p := range b.probes {
				got = append(got, uint64(p.Range))
			}
			require.Equal(t, want, got)
		}
	})
}

// No more READs and atomics are outstanding than agreed; what stands behind one that waits waits with it.
func TestReadLimit(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		q := b.open(1, ready(0, 1024, 2))
		q.post(order(format.WRRead), order(format.WRSend), order(format.WRCompSwap), order(format.WRFetchAdd), order(format.WRWrite), order(format.WRRead))
		require.Len(t, b.turns(1), 3)
		require.Empty(t, b.turns(1))
		b.retire(1, 1) // the first READ
		require.Len(t, b.turns(1), 2)
		b.retire(1, 1) // the SEND does not count
		require.Empty(t, b.turns(1))
		b.retire(1, 1)
		require.Len(t, b.turns(1), 1)
	})
}

// No more PSNs are outstanding than can be told apart: behind the packet that takes the last one, which asks for an
// acknowledgement, all waits until nothing is outstanding.
func TestWindow(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		q := b.open(1, ready(0xABCDEF, 256, 4))
		half := order(format.WRRead).onto(1 << 30)
		q.post(half, half, order(format.WRRead).onto(1<<31-256), order(format.WRSend))
		require.Len(t, b.turns(1), 1, "2^23 PSNs")
		for range 3 {
			b.retire(1, 1)
			require.Len(t, b.turns(1), 1)
			require.Empty(t, b.turns(1))
		}

		q = b.open(1, ready(1, 256, 4))
		q.post(order(format.WRRead).onto(1<<31-512), order(format.WRSend).onto(1024))
		jobs := b.turns(1)
		require.Len(t, jobs, 2)
		require.Equal(t, format.OpSendFirst, jobs[1].Opcode)
		require.True(t, jobs[1].AckReq, "the last PSN")
		b.retire(1, 1)
		require.Empty(t, b.turns(1))
		b.retire(1, 1)
		require.Len(t, b.turns(1), 3)
	})
}

// What has the fence flag waits for the READs and atomics before it, and for nothing else, whatever it is.
func TestFence(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		for _, before := range []format.WROpcode{format.WRRead, format.WRFetchAdd, format.WRWrite} {
			for _, op := range operations {
				q := b.open(1, ready(0, 1024, 4))
				waits := before != format.WRWrite || op == format.WRLocalInv
				q.post(order(before))
				require.Len(t, b.turns(1), 1)
				q.post(order(op).with(format.WRFlagFence))
				b.keyOps = nil
				require.Equal(t, waits, len(b.turns(1))+len(b.keyOps) == 0, "%v behind %v", op, before)
				if waits {
					b.retire(1, 1)
					require.Equal(t, 1, len(b.turns(1))+len(b.keyOps), "%v behind %v", op, before)
				}
				if q.parked {
					b.settle(1, requester.Outcome{})
					require.Len(t, b.turns(1), 1)
				}
			}
		}
	})
}

// A message that has begun is not held up by its own flag.
func TestFenceOfMessage(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		q := b.open(1, ready(0, 256, 4))
		q.post(order(format.WRSend).onto(600).with(format.WRFlagFence), order(format.WRRead))
		require.Len(t, b.turns(1), 4)
	})
}
