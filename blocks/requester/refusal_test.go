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

// inline gives a WQE inline data in place of SGEs.
func inline(w wqe, n int) wqe {
	w.NumSGE, w.sges, w.InlineLen, w.data = 0, nil, uint64(n), make([]byte, n)
	return w.with(format.WRFlagInline)
}

// refusals are WQEs and what becomes of them: StatusSuccess of a twin that is as it should be.
var refusals = []struct {
	name   string
	wqe    wqe
	mtu    int // 4096 if 0
	noRD   bool
	status format.Status
	vendor format.VendorCode
}{
	{name: "operation 10", wqe: order(10), status: format.StatusLocQPOp, vendor: format.VendorBadOpcode},
	{name: "operation 127", wqe: order(127), status: format.StatusLocQPOp, vendor: format.VendorBadOpcode},

	{name: "READ inline", wqe: inline(order(format.WRRead), 0), status: format.StatusLocQPOp, vendor: format.VendorBadSGECount},
	{name: "SEND with invalidate inline", wqe: inline(order(format.WRSendInv), 32)},
	{name: "SEND with invalidate, too much inline", wqe: inline(order(format.WRSendInv), 33), status: format.StatusLocQPOp, vendor: format.VendorBadSGECount},
	{name: "READ to 2 SGEs", wqe: order(format.WRRead).onto(1, 1)},
	{name: "READ to 3 SGEs", wqe: order(format.WRRead).onto(1, 1, 1), status: format.StatusLocQPOp, vendor: format.VendorBadSGECount},

	{name: "atomic without SGE", wqe: order(format.WRCompSwap).onto(), status: format.StatusLocQPOp, vendor: format.VendorBadSGECount},
	{name: "atomic to 2 SGEs", wqe: order(format.WRFetchAdd).onto(8, 8), status: format.StatusLocQPOp, vendor: format.VendorBadSGECount},
	{name: "atomic inline", wqe: inline(order(format.WRFetchAdd), 8), status: format.StatusLocQPOp, vendor: format.VendorBadSGECount},
	{name: "atomic to 7 bytes", wqe: order(format.WRCompSwap).onto(7), status: format.StatusLocLen, vendor: format.VendorLength},
	{name: "atomic to 8 bytes", wqe: order(format.WRCompSwap).onto(8)},
	{name: "atomic to 0 bytes", wqe: order(format.WRFetchAdd).onto(0), status: format.StatusLocLen, vendor: format.VendorLength},
	{name: "atomic to 2^31 + 8 bytes", wqe: order(format.WRFetchAdd).onto(1<<31 + 8), status: format.StatusLocLen, vendor: format.VendorLength},

	{name: "READ where none is agreed on", wqe: order(format.WRRead), noRD: true, status: format.StatusLocQPOp, vendor: format.VendorResources},
	{name: "atomic where none is agreed on", wqe: order(format.WRFetchAdd), noRD: true, status: format.StatusLocQPOp, vendor: format.VendorResources},
	{name: "WRITE where no READ is agreed on", wqe: order(format.WRWrite), noRD: true},
	{name: "LOCAL_INV where no READ is agreed on", wqe: order(format.WRLocalInv), noRD: true},

	{name: "READ of 2^31 bytes", wqe: order(format.WRRead).onto(1 << 31)},
	{name: "READ of 2^31 + 1 bytes", wqe: order(format.WRRead).onto(1<<31 + 1), status: format.StatusLocLen, vendor: format.VendorTooLong},
	{name: "READ of 2^31 + 1 bytes in two", wqe: order(format.WRRead).onto(1<<31, 1), status: format.StatusLocLen, vendor: format.VendorTooLong},
	{name: "READ of 2^32 bytes", wqe: order(format.WRRead).onto(1<<31, 1<<31), status: format.StatusLocLen, vendor: format.VendorTooLong},
	{name: "READ of 2^31 - 256 bytes, MTU 256", wqe: order(format.WRRead).onto(1<<31 - 256), mtu: 256},
	{name: "READ of 2^31 - 255 bytes, MTU 256", wqe: order(format.WRRead).onto(1<<31 - 255), mtu: 256, status: format.StatusLocLen, vendor: format.VendorTooLong},
	{name: "READ of 2^31 bytes, MTU 512", wqe: order(format.WRRead).onto(1 << 31), mtu: 512},
	{name: "WRITE of 2^31 - 255 bytes, MTU 256", wqe: order(format.WRWrite).onto(1<<31 - 255), mtu: 256, status: format.StatusLocLen, vendor: format.VendorTooLong},
	{name: "too long where none is agreed on", wqe: order(format.WRRead).onto(1<<31 + 1), noRD: true, status: format.StatusLocLen, vendor: format.VendorTooLong},
}

// What cannot be is recorded with its reason, what stands behind it flushed; its twin goes out.
func TestRefusals(t *testing.T) {
	design, io := hdltest.Build(t, requester.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 25)
		for _, c := range refusals {
			ref := requester.Reference{State: format.QPRTS, MTU: 4096, PSN: 0xFFFFFE, MaxRD: 1}
			if c.noRD {
				ref.MaxRD = 0
			}
			if c.mtu != 0 {
				ref.MTU = c.mtu
			}
			q := b.open(0, ref)
			q.post(c.wqe, order(format.WRSend))
			jobs := b.turns(0)
			if c.status == format.StatusSuccess {
				b.passes(c.name, jobs)
				continue
			}
			require.Len(t, jobs, 2, c.name)
			for i, want := range []linktest.ReplayEntry{
				{Status: c.status, Vendor: c.vendor, WRID: c.wqe.WRID}, {Status: format.StatusFlush, WRID: order(format.WRSend).WRID},
			} {
				e := jobs[i].Entry
				require.Equal(t, link.JobRecord, jobs[i].Kind, c.name)
				require.Equal(t, want, linktest.ReplayEntry{Status: e.Status, Vendor: e.Vendor, WRID: e.WRID}, c.name)
			}
			require.Empty(t, b.keyOps, c.name)
			require.Empty(t, b.issues, c.name)
		}
	}, linktest.Others(64)...)
}

// passes requires that a WQE has not failed; one that is local is parked.
func (b *bench) passes(name string, jobs []linktest.TxJob) {
	if len(b.keyOps) > 0 {
		require.Empty(b.t, jobs, name)
		b.keyOps = nil
		return
	}
	require.NotEmpty(b.t, jobs, name)
	require.Equal(b.t, link.JobPacket, jobs[0].Kind, name)
}

// A WQE that could not be read is not looked at: neither for what it is nor for whom it waits.
func TestUnreadable(t *testing.T) {
	design, io := hdltest.Build(t, requester.Def(params(64)))
	b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 25)
	q := b.open(0, requester.Reference{State: format.QPRTS, MTU: 4096, MaxRD: 1})
	q.post(order(format.WRRead), order(format.WRLocalInv).with(format.WRFlagFence))
	q.fault[1] = true
	jobs := b.turns(0)
	require.Len(t, jobs, 2)
	require.Equal(t, format.VendorWQERead, jobs[1].Entry.Vendor)
	require.Zero(t, jobs[1].Entry.WRID)
}
