package verbs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/host"
	"gornic/verbs"
)

// post posts n signaled requests to a queue pair's send queue.
func (q queuePair) post(t require.TestingT, n int) {
	for i := range n {
		require.NoError(t, q.PostSend(ctx, verbs.SendWR{WRID: uint64(i), Opcode: verbs.WRSend, Flags: verbs.SendSignaled}))
	}
}

// The driver looks for the phase in the top bit of the last byte.
func TestPhaseIsLast(t *testing.T) {
	for name, fields := range map[string]func() ([]format.Field, error){
		"CQE": format.Layout[format.CQE[uint64]], "EQE": format.Layout[format.EQE[uint64]],
	} {
		all, err := fields()
		require.NoError(t, err)
		last := all[len(all)-1]
		require.Equal(t, "Phase", last.Name, name)
		require.Equal(t, 1, last.Bits, name)
		require.Zero(t, (last.Offset+1)%32, name)
	}
}

func TestCreateCQ(t *testing.T) {
	s := newStation(t, 4)
	for entries, logSize := range map[int]uint64{1: 1, 2: 1, 3: 2, 32768: 15} {
		cq, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: entries, Page: 2})
		require.NoError(t, err)
		_, c := lastCommand[format.CreateCQ[uint64]](s.fake)
		require.Equal(t, format.CreateCQ[uint64]{CQN: uint64(cq.Number()), LogSize: logSize, Page: 2, Base: c.Base}, c)
		require.Zero(t, c.Base%(32<<logSize))
		require.Equal(t, make([]byte, 32<<logSize), s.Peek(c.Base, 32<<logSize), "nothing is new")
		require.Equal(t, 1<<logSize, cq.Entries())
	}
	for _, attr := range []verbs.CQInitAttr{{}, {Entries: -1}, {Entries: 32769}, {Entries: 4, Page: 8}, {Entries: 4, EQ: newStation(t, 4).eq}} {
		_, err := s.dev.CreateCQ(ctx, attr)
		require.ErrorIs(t, err, verbs.ErrInvalid, "%+v", attr)
	}
}

func TestPoll(t *testing.T) {
	s := newStation(t, 8)
	q := s.connected(t, verbs.QPCap{MaxSendWR: 8, MaxRecvWR: 8})
	q.post(t, 2)
	require.NoError(t, q.PostRecv(ctx, verbs.RecvWR{}, verbs.RecvWR{}, verbs.RecvWR{}))
	s.rung()
	for _, e := range []format.CQE[uint64]{
		{WRID: 1, Opcode: uint64(verbs.WCSend), WQEIndex: 1},
		{WRID: 2, Opcode: uint64(verbs.WCRecv), Queue: 1, ByteLen: 100, Flags: format.WCFlagWithImm, Imm: 0x44332211},
		{WRID: 3, Opcode: uint64(verbs.WCRecvWrite), Queue: 1, WQEIndex: 1, ByteLen: 1 << 31, Flags: format.WCFlagWithInv, Imm: 0x2A04},
		{WRID: 4, Opcode: 0x55, Queue: 1, WQEIndex: 2, ByteLen: 7, Flags: 7, Status: uint64(verbs.StatusLocLen), Vendor: uint64(format.VendorNoRoom)},
	} {
		e.QPN = uint64(q.QPN())
		require.True(t, s.complete(s.cq, e))
	}
	wc := make([]verbs.WC, 3)
	n, err := s.cq.Poll(ctx, wc)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.Equal(t, []verbs.WC{
		{WRID: 1, QPN: q.QPN(), WQEIndex: 1},
		{WRID: 2, QPN: q.QPN(), Recv: true, Opcode: verbs.WCRecv, ByteLen: 100, Flags: verbs.WCWithImm, Imm: 0x11223344},
		{WRID: 3, QPN: q.QPN(), Recv: true, WQEIndex: 1, Opcode: verbs.WCRecvWrite, ByteLen: 1 << 31, Flags: verbs.WCWithInv, InvalidatedRKey: 0x2A04},
	}, wc)
	require.NoError(t, wc[0].Err())
	require.Equal(t, verbs.QPRTS, q.State())
	require.Equal(t, []string{"page 0: CQ 0x0 index 3"}, s.rung(), "one for all")

	n, err = s.cq.Poll(ctx, wc)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, verbs.WC{
		WRID: 4, QPN: q.QPN(), Recv: true, WQEIndex: 2, Status: verbs.StatusLocLen, Vendor: format.VendorNoRoom,
	}, wc[0])
	require.EqualError(t, wc[0].Err(), "work request 0x4 of QP 0x10: LOC_LEN_ERR (message longer than the receive WQE)")
	require.Equal(t, verbs.QPError, q.State())
	s.rung()
	n, err = s.cq.Poll(ctx, wc)
	require.NoError(t, err)
	require.Zero(t, n)
	require.Empty(t, s.rung(), "nothing new, no doorbell")
}

// A completion that fits nothing posted is the device's mistake.
func TestPollNonsense(t *testing.T) {
	for name, e := range map[string]format.CQE[uint64]{
		"no such QP":                   {QPN: 0x999999},
		"send request not posted":      {WQEIndex: 2},
		"send request done already":    {WQEIndex: 0xFFFF},
		"receive request not posted":   {Queue: 1, WQEIndex: 2},
		"receive requests in disorder": {Queue: 1, WQEIndex: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t, 8)
			q := s.connected(t, verbs.QPCap{MaxSendWR: 8, MaxRecvWR: 8})
			q.post(t, 2)
			require.NoError(t, q.PostRecv(ctx, verbs.RecvWR{}, verbs.RecvWR{}))
			if e.QPN == 0 {
				e.QPN = uint64(q.QPN())
			}
			e.WRID = 5
			s.complete(s.cq, e)
			s.complete(s.cq, format.CQE[uint64]{QPN: uint64(q.QPN()), WRID: 6})
			wc := make([]verbs.WC, 4)
			n, err := s.cq.Poll(ctx, wc)
			require.ErrorIs(t, err, verbs.ErrDevice)
			require.Equal(t, 2, n)
			require.EqualValues(t, 5, wc[0].WRID)
			require.EqualValues(t, 6, wc[1].WRID)
			require.Equal(t, 7, q.SendFree())
		})
	}
}

// The rest of an entry may arrive behind its phase: it is read again.
func TestPollTornEntry(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{MaxSendWR: 4})
	q.post(t, 1)
	s.complete(s.cq, format.CQE[uint64]{QPN: uint64(q.QPN()), WRID: 77})
	ring := s.cqs[0]
	whole := s.Peek(ring.base, 32)
	torn := append(make([]byte, 24), whole[24:]...)
	require.NoError(t, s.Write(ring.base, torn))
	repaired := false
	s.OnAccess(func(a host.Access) {
		if !repaired && !a.Write && a.Addr == ring.base {
			repaired = true
			require.NoError(t, s.DeviceWrite(ring.base, whole))
		}
	})
	wc := make([]verbs.WC, 1)
	n, err := s.cq.Poll(ctx, wc)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.EqualValues(t, 77, wc[0].WRID)
}

func TestPollWait(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{MaxSendWR: 4})
	q.post(t, 2)
	s.onWait = func() {
		if s.waits%5 == 0 {
			s.complete(s.cq, format.CQE[uint64]{QPN: uint64(q.QPN()), WQEIndex: uint64(s.waits)/5 - 1})
		}
	}
	s.waits = 0
	for range 2 {
		n, err := s.cq.PollWait(ctx, make([]verbs.WC, 4))
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	require.Equal(t, 10, s.waits)
	n, err := s.cq.PollWait(ctx, nil)
	require.NoError(t, err)
	require.Zero(t, n)
	ended, cancel := context.WithCancel(ctx)
	s.onWait = cancel
	_, err = s.cq.PollWait(ended, make([]verbs.WC, 1))
	require.ErrorIs(t, err, context.Canceled)
}

// Two queue pairs share a CQ. What one of them left in it is gone when it goes to
// RESET or is destroyed; the completions of the other stay, in order.
func TestPurge(t *testing.T) {
	for name, end := range map[string]func(q queuePair) error{
		"reset":   func(q queuePair) error { return q.Modify(ctx, verbs.QPAttr{State: verbs.QPReset}, verbs.AttrState) },
		"destroy": func(q queuePair) error { return q.Destroy(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t, 16)
			a, b := s.connected(t, verbs.QPCap{MaxSendWR: 8}), s.connected(t, verbs.QPCap{MaxSendWR: 8})
			a.post(t, 6)
			b.post(t, 6)
			for i := range 6 {
				s.complete(s.cq, format.CQE[uint64]{QPN: uint64(a.QPN()), WQEIndex: uint64(i), WRID: uint64(100 + i), Status: uint64(verbs.StatusFlush)})
				s.complete(s.cq, format.CQE[uint64]{QPN: uint64(b.QPN()), WQEIndex: uint64(i), WRID: uint64(200 + i)})
			}
			s.rung()
			require.NoError(t, end(a))
			require.Equal(t, []string{"page 0: CQ 0x0 index 12"}, s.rung())
			wc := make([]verbs.WC, 4)
			var ids []uint64
			for range 2 {
				n, err := s.cq.Poll(ctx, wc)
				require.NoError(t, err)
				for _, w := range wc[:n] {
					ids = append(ids, w.WRID)
				}
			}
			require.Equal(t, []uint64{200, 201, 202, 203, 204, 205}, ids)
			require.Equal(t, 8, b.SendFree())
			if name == "reset" {
				require.Equal(t, verbs.QPReset, a.State())
				require.NoError(t, a.Connect(ctx, connection()))
				require.Equal(t, 8, a.SendFree())
				s.rung()
				a.post(t, 1)
				require.Equal(t, []string{"page 0: SQ 0x10 index 1"}, s.rung(), "from index 0")
			}
		})
	}
}

func TestReqNotify(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{MaxSendWR: 4})
	q.post(t, 1)
	s.complete(s.cq, format.CQE[uint64]{QPN: uint64(q.QPN())})
	s.rung()
	require.NoError(t, s.cq.ReqNotify(ctx, false))
	_, err := s.cq.Poll(ctx, make([]verbs.WC, 1))
	require.NoError(t, err)
	require.NoError(t, s.cq.ReqNotify(ctx, true))
	require.Equal(t, []string{"page 0: arm 0x0 index 0", "page 0: CQ 0x0 index 1", "page 0: arm solicited 0x0 index 1"}, s.rung())
}
