package verbs_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/verbs"
)

// Every operation, byte by byte, in the slot of 64 bytes that is enough for it.
func TestSendBytes(t *testing.T) {
	sge := []verbs.SGE{{Addr: 0x1122334455667788, Length: 0x01020304, LKey: 0xA1A2A3A4}}
	const (
		sgeHex = "8877665544332211" + "04030201" + "a4a3a2a1"
		wrid   = "efcdab8967452301"
		remote = "0807060504030201" + "d4d3d2d1" + "00000000"
		local  = "0000000000000000" + "00000000" + "00000000"
	)
	wr := verbs.SendWR{
		WRID: 0x0123456789ABCDEF, SGL: sge, Imm: 0x11223344, InvalidateRKey: 0xE1E2E3E4,
		RemoteAddr: 0x0102030405060708, RKey: 0xD1D2D3D4, CompareAdd: 0x0A0B0C0D0E0F1011, Swap: 0x2122232425262728,
	}
	for _, c := range []struct {
		opcode verbs.Opcode
		flags  verbs.SendFlags
		want   string
	}{
		{verbs.WRWrite, 0, "00000100" + "00000000" + wrid + remote + sgeHex},
		{verbs.WRWriteImm, verbs.SendSignaled, "01020100" + "11223344" + wrid + remote + sgeHex},
		{verbs.WRSend, verbs.SendFence, "02010100" + "00000000" + wrid + local + sgeHex},
		{verbs.WRSendImm, verbs.SendSolicited | verbs.SendSignaled, "03060100" + "11223344" + wrid + local + sgeHex},
		{verbs.WRRead, 0, "04000100" + "00000000" + wrid + remote + sgeHex},
		{verbs.WRCompSwap, 0, "05000100" + "00000000" + wrid + remote + "2827262524232221" + "11100f0e0d0c0b0a" + sgeHex},
		{verbs.WRFetchAdd, 0, "06000100" + "00000000" + wrid + remote + "11100f0e0d0c0b0a" + "0000000000000000" + sgeHex},
		{verbs.WRSendInv, 0, "09000100" + "e4e3e2e1" + wrid + local + sgeHex},
		{verbs.WRLocalInv, 0, "07000000" + "e4e3e2e1" + wrid + local},
	} {
		t.Run(c.opcode.String(), func(t *testing.T) {
			s := newStation(t, 4)
			q := s.connected(t, verbs.QPCap{MaxSendWR: 4})
			require.EqualValues(t, 0, q.create.SQLogStride)
			one := wr
			one.Opcode, one.Flags = c.opcode, c.flags
			if c.opcode == verbs.WRLocalInv {
				one.SGL = nil
			}
			require.NoError(t, q.PostSend(ctx, one))
			require.Equal(t, pad(c.want, 64), hex.EncodeToString(q.sendSlot(s, 0)))
		})
	}
}

// pad completes the hex digits of a slot of n bytes.
func pad(s string, n int) string { return s + strings.Repeat("0", 2*n-len(s)) }

func TestInlineBytes(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{MaxInline: 33})
	require.EqualValues(t, 1, q.create.SQLogStride)
	require.Equal(t, 96, q.Cap().MaxInline)
	require.NoError(t, q.PostSend(ctx, verbs.SendWR{
		WRID: 5, Opcode: verbs.WRSend, Flags: verbs.SendInline, Inline: []byte("thirty-three bytes of inline data"),
	}))
	want := "02080021" + "00000000" + "0500000000000000" + strings.Repeat("00", 16) + hex.EncodeToString([]byte("thirty-three bytes of inline data"))
	require.Equal(t, pad(want, 128), hex.EncodeToString(q.sendSlot(s, 0)))
}

func TestRecvBytes(t *testing.T) {
	s := newStation(t, 4)
	q := s.newQP(t, verbs.QPCap{MaxRecvWR: 4, MaxRecvSGE: 2})
	require.NoError(t, q.connectTo(connection(), verbs.QPInit))
	require.NoError(t, q.PostRecv(ctx,
		verbs.RecvWR{WRID: 0x1234, SGL: []verbs.SGE{{Addr: 1, Length: 2, LKey: 3}, {Addr: 4, Length: 5, LKey: 6}}},
		verbs.RecvWR{WRID: 7},
	))
	require.Equal(t, pad("3412000000000000"+"02"+"00000000000000"+
		"01000000000000000200000003000000"+"04000000000000000500000006000000", 64), hex.EncodeToString(q.recvSlot(s, 0)))
	require.Equal(t, pad("07", 64), hex.EncodeToString(q.recvSlot(s, 1)))
	require.Equal(t, []string{"page 0: RQ 0x10 index 2"}, s.rung())
}

// One doorbell for a list, in the page of the queue pair, with the low 16 bits of
// the QPN.
func TestDoorbells(t *testing.T) {
	s := newStation(t, 4)
	qp, err := s.pd.CreateQP(ctx, verbs.QPInitAttr{
		SendCQ: s.cq, RecvCQ: s.cq, Cap: verbs.QPCap{MaxSendWR: 8, MaxRecvWR: 8}, Page: 5, QPN: 0xABCDE9,
	})
	require.NoError(t, err)
	require.NoError(t, qp.Connect(ctx, connection()))
	wr := verbs.SendWR{Opcode: verbs.WRSend}
	require.NoError(t, qp.PostSend(ctx, wr, wr, wr))
	require.NoError(t, qp.PostSend(ctx))
	require.NoError(t, qp.PostSend(ctx, wr))
	require.NoError(t, qp.PostRecv(ctx, verbs.RecvWR{}))
	require.Equal(t, []string{"page 5: SQ 0xcde9 index 3", "page 5: SQ 0xcde9 index 4", "page 5: RQ 0xcde9 index 1"}, s.rung())
}

// Post and receive by state, as in docs/protocol section 5.2.
func TestPostByState(t *testing.T) {
	for _, c := range []struct {
		state      verbs.QPState
		send, recv bool
	}{
		{verbs.QPReset, false, false}, {verbs.QPInit, false, true}, {verbs.QPRTR, false, true},
		{verbs.QPRTS, true, true}, {verbs.QPSQD, true, true}, {verbs.QPError, true, true},
	} {
		t.Run(c.state.String(), func(t *testing.T) {
			s := newStation(t, 4)
			q := s.newQP(t, verbs.QPCap{})
			q.take(t, c.state)
			for what, post := range map[string]struct {
				ok  bool
				err error
			}{
				"send":    {c.send, q.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend})},
				"receive": {c.recv, q.PostRecv(ctx, verbs.RecvWR{})},
			} {
				if post.ok {
					require.NoError(t, post.err, what)
				} else {
					require.ErrorIs(t, post.err, verbs.ErrState, what)
					requireBadWR(t, post.err, 0)
				}
			}
		})
	}
}

func requireBadWR(t require.TestingT, err error, index int) {
	var bad *verbs.BadWR
	require.ErrorAs(t, err, &bad)
	require.Equal(t, index, bad.Index)
}

func TestBadSendWR(t *testing.T) {
	sges := func(n int) []verbs.SGE { return make([]verbs.SGE, n) }
	good := verbs.SendWR{Opcode: verbs.WRSend, SGL: sges(2)}
	for name, c := range map[string]struct {
		wr   verbs.SendWR
		want error
	}{
		"too many SGEs":              {verbs.SendWR{Opcode: verbs.WRSend, SGL: sges(3)}, verbs.ErrInvalid},
		"too much inline data":       {verbs.SendWR{Opcode: verbs.WRSend, Flags: verbs.SendInline, Inline: make([]byte, 33)}, verbs.ErrInvalid},
		"inline data and SGEs":       {verbs.SendWR{Opcode: verbs.WRSend, Flags: verbs.SendInline, SGL: sges(1)}, verbs.ErrInvalid},
		"inline data, but no flag":   {verbs.SendWR{Opcode: verbs.WRSend, Inline: []byte{1}}, verbs.ErrInvalid},
		"inline READ":                {verbs.SendWR{Opcode: verbs.WRRead, Flags: verbs.SendInline}, verbs.ErrInvalid},
		"inline atomic":              {verbs.SendWR{Opcode: verbs.WRFetchAdd, Flags: verbs.SendInline}, verbs.ErrInvalid},
		"atomic without SGE":         {verbs.SendWR{Opcode: verbs.WRFetchAdd}, verbs.ErrInvalid},
		"atomic with two SGEs":       {verbs.SendWR{Opcode: verbs.WRCompSwap, SGL: sges(2)}, verbs.ErrInvalid},
		"LOCAL_INV with an SGE":      {verbs.SendWR{Opcode: verbs.WRLocalInv, SGL: sges(1)}, verbs.ErrInvalid},
		"a flag that does not exist": {verbs.SendWR{Opcode: verbs.WRSend, Flags: 16}, verbs.ErrInvalid},
		"TSO":                        {verbs.SendWR{Opcode: 10}, verbs.ErrUnsupported},
		"bind without a window":      {verbs.SendWR{Opcode: verbs.WRBindMW}, verbs.ErrInvalid},
		"registration of nothing":    {verbs.SendWR{Opcode: verbs.WRRegMR}, verbs.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t, 4)
			q := s.connected(t, verbs.QPCap{MaxSendWR: 8})
			err := q.PostSend(ctx, good, good, c.wr, good)
			require.ErrorIs(t, err, c.want)
			requireBadWR(t, err, 2)
			require.Equal(t, []string{"page 0: SQ 0x10 index 2"}, s.rung(), "those before it are posted")
			require.Equal(t, 6, q.SendFree())
			err = q.PostSend(ctx, c.wr)
			requireBadWR(t, err, 0)
			require.Empty(t, s.rung())
		})
	}
}

func TestBadRecvWR(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{MaxRecvWR: 8, MaxRecvSGE: 3})
	err := q.PostRecv(ctx, verbs.RecvWR{}, verbs.RecvWR{SGL: make([]verbs.SGE, 4)})
	require.ErrorIs(t, err, verbs.ErrInvalid)
	requireBadWR(t, err, 1)
	require.Equal(t, 7, q.RecvFree())
}

func TestFullQueue(t *testing.T) {
	s := newStation(t, 16)
	q := s.connected(t, verbs.QPCap{MaxSendWR: 4, MaxRecvWR: 2})
	wr := verbs.SendWR{Opcode: verbs.WRSend, Flags: verbs.SendSignaled}
	err := q.PostSend(ctx, wr, wr, wr, wr, wr)
	require.ErrorIs(t, err, verbs.ErrFull)
	requireBadWR(t, err, 4)
	requireBadWR(t, q.PostSend(ctx, wr), 0)
	requireBadWR(t, q.PostRecv(ctx, verbs.RecvWR{}, verbs.RecvWR{}, verbs.RecvWR{}), 2)
	require.True(t, s.complete(s.cq, format.CQE[uint64]{QPN: uint64(q.QPN()), WQEIndex: 1}))
	_, err = s.cq.Poll(ctx, make([]verbs.WC, 4))
	require.NoError(t, err)
	requireBadWR(t, q.PostSend(ctx, wr, wr, wr), 2)
}

// Sizes are rounded up to what slots and rings have.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		ask, have            verbs.QPCap
		sqStride, rqStride   uint64
		sqLogSize, rqLogSize uint64
	}{
		{verbs.QPCap{}, verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 2, MaxRecvSGE: 3, MaxInline: 32}, 0, 0, 0, 0},
		{verbs.QPCap{MaxSendWR: 5, MaxRecvWR: 8, MaxSendSGE: 2, MaxRecvSGE: 3, MaxInline: 32},
			verbs.QPCap{MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 2, MaxRecvSGE: 3, MaxInline: 32}, 0, 0, 3, 3},
		{verbs.QPCap{MaxSendWR: 32768, MaxRecvWR: 32767, MaxSendSGE: 3, MaxRecvSGE: 4},
			verbs.QPCap{MaxSendWR: 32768, MaxRecvWR: 32768, MaxSendSGE: 6, MaxRecvSGE: 7, MaxInline: 96}, 1, 1, 15, 15},
		{verbs.QPCap{MaxSendSGE: 1, MaxInline: 33, MaxRecvSGE: 7},
			verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 6, MaxRecvSGE: 7, MaxInline: 96}, 1, 1, 0, 0},
	} {
		s := newStation(t, 4)
		q := s.newQP(t, c.ask)
		require.Equal(t, c.have, q.Cap())
		require.Equal(t, c.sqStride, q.create.SQLogStride)
		require.Equal(t, c.rqStride, q.create.RQLogStride)
		require.Equal(t, c.sqLogSize, q.create.SQLogSize)
		require.Equal(t, c.rqLogSize, q.create.RQLogSize)
		require.Zero(t, q.create.SQBase%4096)
		require.Zero(t, q.create.RQBase%4096)
	}
	s := newStation(t, 4)
	for _, c := range []verbs.QPCap{
		{MaxSendWR: -1}, {MaxSendWR: 32769}, {MaxRecvWR: 32769}, {MaxSendSGE: 7}, {MaxRecvSGE: 8}, {MaxInline: 97},
	} {
		_, err := s.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, Cap: c})
		require.ErrorIs(t, err, verbs.ErrInvalid, "%+v", c)
	}
}

func TestCreateQP(t *testing.T) {
	s := newStation(t, 4)
	other, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4})
	require.NoError(t, err)
	qp, err := s.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: other, SigAll: true, Congestion: true, Page: 7})
	require.NoError(t, err)
	_, c := lastCommand[format.CreateQP[uint64]](s.fake)
	require.Equal(t, format.CreateQP[uint64]{
		QPN: uint64(qp.QPN()), SigAll: 1, Congestion: 1, PD: uint64(s.pd.Number()), SendCQ: 0, RecvCQ: 1, Page: 7, SQBase: c.SQBase, RQBase: c.RQBase,
	}, c)
	require.Equal(t, verbs.QPReset, qp.State())
	require.Same(t, s.cq, qp.SendCQ())
	require.Same(t, other, qp.RecvCQ())
	require.Same(t, s.pd, qp.PD())

	another := newStation(t, 4)
	for name, attr := range map[string]verbs.QPInitAttr{
		"no receive CQ":        {SendCQ: s.cq},
		"CQ of another device": {SendCQ: s.cq, RecvCQ: another.cq},
		"no such page":         {SendCQ: s.cq, RecvCQ: s.cq, Page: 8},
	} {
		_, err := s.pd.CreateQP(ctx, attr)
		require.ErrorIs(t, err, verbs.ErrInvalid, name)
	}
}

// WQEs for tests of devices go out as they are.
func TestPostRaw(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{MaxSendWR: 4})
	require.NoError(t, q.PostRawSend(ctx, []byte{0xFF, 1}, make([]byte, 64)))
	require.NoError(t, q.PostRawRecv(ctx, []byte{0xEE}))
	require.Equal(t, pad("ff01", 64), hex.EncodeToString(q.sendSlot(s, 0)))
	require.Equal(t, pad("ee", 64), hex.EncodeToString(q.recvSlot(s, 0)))
	requireBadWR(t, q.PostRawSend(ctx, nil, make([]byte, 65)), 1)
}

// A bus that fails before the doorbell has posted nothing; at the doorbell, all.
func TestPostBusErrors(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{MaxSendWR: 4})
	broken := errors.New("broken cable")
	s.fail[format.DoorbellBase] = broken
	err := q.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend})
	require.ErrorIs(t, err, broken)
	var bad *verbs.BadWR
	require.False(t, errors.As(err, &bad))
	delete(s.fail, format.DoorbellBase)
	require.NoError(t, q.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend}))
	require.Equal(t, []string{"page 0: SQ 0x10 index 2"}, s.rung(), "both")

	require.NoError(t, s.Free(q.create.SQBase))
	err = q.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend})
	requireBadWR(t, err, 0)
	require.Equal(t, 2, q.SendFree())
}

// What the device does not have is not posted.
func TestLackingFeatures(t *testing.T) {
	for name, c := range map[string]struct {
		caps uint32
		wr   verbs.SendWR
	}{
		"compare-and-swap": {format.CapsNoAtomics, verbs.SendWR{Opcode: verbs.WRCompSwap, SGL: make([]verbs.SGE, 1)}},
		"fetch-and-add":    {format.CapsNoAtomics, verbs.SendWR{Opcode: verbs.WRFetchAdd, SGL: make([]verbs.SGE, 1)}},
		"LOCAL_INV":        {format.CapsNoKeyOps, verbs.SendWR{Opcode: verbs.WRLocalInv}},
		"REG_MR":           {format.CapsNoKeyOps, verbs.SendWR{Opcode: verbs.WRRegMR}},
		"BIND_MW":          {format.CapsNoKeyOps, verbs.SendWR{Opcode: verbs.WRBindMW}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStationOf(t, 4, c.caps)
			require.Equal(t, c.caps != format.CapsNoAtomics, s.dev.Attr().Atomics)
			require.Equal(t, c.caps != format.CapsNoKeyOps, s.dev.Attr().KeyRequests)
			q := s.connected(t, verbs.QPCap{MaxSendWR: 8})
			if c.wr.Opcode == verbs.WRBindMW {
				w, err := s.pd.AllocMW(ctx, verbs.MWType2)
				require.NoError(t, err)
				c.wr.Bind.MW = w
			}
			err := q.PostSend(ctx, c.wr)
			require.ErrorIs(t, err, verbs.ErrUnsupported)
			requireBadWR(t, err, 0)
			require.Empty(t, s.rung())
			require.NoError(t, q.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSendInv}), "another feature")
		})
	}
}
