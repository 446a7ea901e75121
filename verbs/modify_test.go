package verbs_test

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/verbs"
)

var states = []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD, verbs.QPError}

// take brings a queue pair to a state on the way that every connection goes.
func (q queuePair) take(t require.TestingT, to verbs.QPState) {
	path := []struct {
		state verbs.QPState
		mask  verbs.AttrMask
	}{
		{verbs.QPInit, verbs.AttrsInit}, {verbs.QPRTR, verbs.AttrsRTR}, {verbs.QPRTS, verbs.AttrsRTS}, {verbs.QPSQD, verbs.AttrState},
	}
	if to == verbs.QPError {
		path = path[:1]
	}
	for _, step := range path {
		if step.state > to {
			break
		}
		attr := connection()
		attr.State = step.state
		require.NoError(t, q.Modify(ctx, attr, step.mask))
	}
	if to == verbs.QPError {
		require.NoError(t, q.Modify(ctx, verbs.QPAttr{State: to}, verbs.AttrState))
	}
}

// The changes of state of ibv_modify_qp for a reliable connection, and what each
// requires and allows (man ibv_modify_qp, docs/protocol section 5.2).
var changes = map[[2]verbs.QPState][2]verbs.AttrMask{
	{verbs.QPReset, verbs.QPInit}: {verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccess, 0},
	{verbs.QPInit, verbs.QPInit}:  {0, verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccess},
	{verbs.QPInit, verbs.QPRTR}: {
		verbs.AttrAH | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN | verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer,
		verbs.AttrAccess | verbs.AttrPKeyIndex,
	},
	{verbs.QPRTR, verbs.QPRTS}: {
		verbs.AttrSQPSN | verbs.AttrMaxRDAtomic | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrTimeout,
		verbs.AttrAccess | verbs.AttrMinRNRTimer,
	},
	{verbs.QPRTS, verbs.QPRTS}: {0, verbs.AttrAccess | verbs.AttrMinRNRTimer},
	{verbs.QPRTS, verbs.QPSQD}: {0, verbs.AttrSQDNotify},
	{verbs.QPSQD, verbs.QPRTS}: {0, verbs.AttrAccess | verbs.AttrMinRNRTimer},
	{verbs.QPSQD, verbs.QPSQD}: {0, verbs.AttrAccess | verbs.AttrMinRNRTimer | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAH |
		verbs.AttrMaxRDAtomic | verbs.AttrMaxDestRDAtomic | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrTimeout},
}

func attributes(from, to verbs.QPState) (required, optional verbs.AttrMask, exists bool) {
	if to == verbs.QPReset || to == verbs.QPError && from != verbs.QPReset {
		return 0, 0, true
	}
	c, ok := changes[[2]verbs.QPState{from, to}]
	return c[0], c[1], ok
}

// Every pair of states, with what it requires, with one attribute less, and with
// one more.
func TestTransitions(t *testing.T) {
	for _, from := range states {
		for _, to := range states {
			t.Run(fmt.Sprintf("%v to %v", from, to), func(t *testing.T) {
				required, optional, exists := attributes(from, to)
				try := func(mask verbs.AttrMask) (error, int) {
					s := newStation(t, 4)
					q := s.newQP(t, verbs.QPCap{})
					q.take(t, from)
					before := len(s.commands)
					attr := connection()
					attr.State = to
					err := q.Modify(ctx, attr, mask|verbs.AttrState)
					if err == nil {
						require.Equal(t, to, q.State())
					} else {
						require.Equal(t, from, q.State(), "changed all the same")
					}
					return err, len(s.commands) - before
				}
				err, asked := try(required)
				if !exists {
					require.ErrorIs(t, err, verbs.ErrState)
					require.Zero(t, asked)
					return
				}
				require.NoError(t, err)
				require.Equal(t, 1, asked)
				for bit := verbs.AttrMask(1); bit <= verbs.AttrDestQPN; bit <<= 1 {
					switch {
					case bit == verbs.AttrState:
					case required&bit != 0:
						err, asked = try(required &^ bit)
						requireTransition(t, err, verbs.TransitionError{From: from, To: to, Missing: bit})
						require.Zero(t, asked)
					case optional&bit != 0:
						err, _ = try(required | bit)
						require.NoError(t, err, "%v", bit)
					default:
						err, asked = try(required | bit)
						requireTransition(t, err, verbs.TransitionError{From: from, To: to, Extra: bit})
						require.Zero(t, asked)
					}
				}
			})
		}
	}
}

func requireTransition(t *testing.T, err error, want verbs.TransitionError) {
	t.Helper()
	want.Err = verbs.ErrInvalid
	var got *verbs.TransitionError
	require.ErrorAs(t, err, &got)
	require.Equal(t, want, *got)
	require.ErrorIs(t, err, verbs.ErrInvalid)
}

// Without a state in the mask the state stays, and only its own attributes change.
func TestModifyWithoutState(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{})
	require.NoError(t, q.Modify(ctx, verbs.QPAttr{MinRNRTimer: 3}, verbs.AttrMinRNRTimer))
	_, m := lastCommand[format.ModifyQP[uint64]](s.fake)
	require.Equal(t, format.ModifyQP[uint64]{
		QPN: uint64(q.QPN()), State: uint64(verbs.QPRTS), Mask: format.AttrMinRNR, MinRNR: 3,
	}, m)
	err := q.Modify(ctx, verbs.QPAttr{SQPSN: 3}, verbs.AttrSQPSN)
	require.ErrorIs(t, err, verbs.ErrInvalid)
	require.ErrorContains(t, err, "from RTS to RTS: invalid argument; not allowed: SQ_PSN")
	require.ErrorContains(t, q.Modify(ctx, verbs.QPAttr{}, 1<<30), "bit 30")
}

// The device has the last word: it may know that the QP is in error.
func TestModifyRefusedByDevice(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{})
	s.refuse[format.CmdModifyQP] = format.CmdBadState
	err := q.Modify(ctx, verbs.QPAttr{State: verbs.QPSQD}, verbs.AttrState)
	require.ErrorIs(t, err, verbs.ErrState)
	var refused *verbs.CommandError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, verbs.QPRTS, q.State())
}

func TestAttributeValues(t *testing.T) {
	addr := netip.MustParseAddr
	for name, spoil := range map[string]func(*verbs.QPAttr){
		"port 0":                 func(a *verbs.QPAttr) { a.Port = 0 },
		"port 2":                 func(a *verbs.QPAttr) { a.Port = 2 },
		"pkey index 1":           func(a *verbs.QPAttr) { a.PKeyIndex = 1 },
		"right of a region":      func(a *verbs.QPAttr) { a.Access = verbs.AccessMWBind },
		"MTU 0":                  func(a *verbs.QPAttr) { a.PathMTU = 0 },
		"MTU beyond the device":  func(a *verbs.QPAttr) { a.PathMTU = 6 },
		"timeout 32":             func(a *verbs.QPAttr) { a.Timeout = 32 },
		"retry count 8":          func(a *verbs.QPAttr) { a.RetryCnt = 8 },
		"RNR retry count 8":      func(a *verbs.QPAttr) { a.RNRRetry = 8 },
		"RNR timer 32":           func(a *verbs.QPAttr) { a.MinRNRTimer = 32 },
		"RQ PSN":                 func(a *verbs.QPAttr) { a.RQPSN = 1 << 24 },
		"SQ PSN":                 func(a *verbs.QPAttr) { a.SQPSN = 1 << 24 },
		"destination QPN":        func(a *verbs.QPAttr) { a.DestQPN = 1 << 24 },
		"destination QPN 1":      func(a *verbs.QPAttr) { a.DestQPN = 1 },
		"no source":              func(a *verbs.QPAttr) { a.AH.Src = netip.Addr{} },
		"two families":           func(a *verbs.QPAttr) { a.AH.Dst = addr("fe80::1") },
		"multicast":              func(a *verbs.QPAttr) { a.AH.Dst = addr("224.0.0.1") },
		"unspecified":            func(a *verbs.QPAttr) { a.AH.Dst = addr("0.0.0.0") },
		"no MAC":                 func(a *verbs.QPAttr) { a.AH.DstMAC = verbs.MAC{} },
		"multicast MAC":          func(a *verbs.QPAttr) { a.AH.DstMAC[0] = 1 },
		"flow label of 21 bits":  func(a *verbs.QPAttr) { a.AH.FlowLabel = 1 << 20 },
		"VLAN 4095":              func(a *verbs.QPAttr) { a.AH.VLAN.ID = 4095 },
		"VLAN with a priority 8": func(a *verbs.QPAttr) { a.AH.VLAN.Priority = 8 },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t, 4)
			q := s.newQP(t, verbs.QPCap{})
			attr := connection()
			spoil(&attr)
			require.ErrorIs(t, q.Connect(ctx, attr), verbs.ErrInvalid)
			require.NotEqual(t, verbs.QPRTS, q.State())
			require.NoError(t, q.Modify(ctx, verbs.QPAttr{State: verbs.QPReset}, verbs.AttrState))
			require.NoError(t, q.Connect(ctx, connection()))
		})
	}
}

// The commands of a connection, byte by byte.
func TestModifyBytes(t *testing.T) {
	s := newStation(t, 4)
	q, err := s.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, QPN: 0x654321})
	require.NoError(t, err)
	before := len(s.commands)
	attr := connection()
	attr.AH.VLAN = verbs.VLAN{Tagged: true, ID: 5, Priority: 3, DEI: true}
	attr.AH.TrafficClass, attr.AH.HopLimit, attr.AH.SrcPort = 2, 9, 0xC123
	require.NoError(t, q.Connect(ctx, attr))
	noAV := fmt.Sprintf("%096x", 0)
	want := []string{
		"214365" + "01" + "39000000" + "000000" + "00" + "000000" + "00" + "000000" + "00" + "06" + "00" + "00" + "00" + "00" + "00" + "01" + "00" + noAV,
		"214365" + "02" + "81911200" + "563412" + "03" + "efcdab" + "0c" + "000000" + "00" + "00" + "00" + "00" + "00" + "08" + "00" + "00" + "00" +
			"020000000002" + "09" + "02" + "00002000" + "0570" + "23c1" +
			"0000000000000000" + "0100000a00000000" + "0000000000000000" + "0200000a00000000",
		"214365" + "03" + "012e0100" + "000000" + "00" + "000000" + "00" + "030201" + "0e" + "00" + "06" + "07" + "04" + "00" + "00" + "00" + "00" + noAV,
	}
	for i, w := range want {
		c := s.commands[before+i]
		require.Equal(t, format.CmdModifyQP, c.code)
		require.Equal(t, w, hex.EncodeToString(c.arg[:format.Size[format.ModifyQP[uint64]]()]), "command %d", i)
	}
}

func TestMTUs(t *testing.T) {
	for code, size := range []int{1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096} {
		m, err := verbs.MTUOf(size)
		if size == 0 {
			require.ErrorIs(t, err, verbs.ErrInvalid)
			continue
		}
		require.NoError(t, err)
		require.EqualValues(t, code, m)
		require.Equal(t, size, m.Bytes())
	}
	_, err := verbs.MTUOf(8192)
	require.ErrorIs(t, err, verbs.ErrInvalid)
}

func TestAddressVectors(t *testing.T) {
	addr := netip.MustParseAddr
	for name, c := range map[string]struct {
		ah   verbs.AHAttr
		want format.AV[uint64]
	}{
		"IPv4": {
			verbs.AHAttr{Src: addr("10.0.0.1"), Dst: addr("192.168.1.2"), DstMAC: verbs.MAC{2, 0, 0, 0, 0, 9}},
			format.AV[uint64]{DstMAC: 0x020000000009, HopLimit: 64, SrcPort: uint64(format.SourcePort(0x654321, 0x123456)), SrcLo: 0x0A000001, DstLo: 0xC0A80102},
		},
		"IPv4 as a GID": {
			verbs.AHAttr{Src: addr("::ffff:10.0.0.1"), Dst: addr("10.0.0.2"), DstMAC: verbs.MAC{2}, HopLimit: 1},
			format.AV[uint64]{DstMAC: 0x020000000000, HopLimit: 1, SrcPort: uint64(format.SourcePort(0x654321, 0x123456)), SrcLo: 0x0A000001, DstLo: 0x0A000002},
		},
		"IPv6 with a flow label": {
			verbs.AHAttr{Src: addr("2001:db8::1"), Dst: addr("fe80::2:3"), DstMAC: verbs.MAC{2}, FlowLabel: 0x4000, TrafficClass: 0xFF},
			format.AV[uint64]{
				DstMAC: 0x020000000000, HopLimit: 64, TrafficClass: 0xFF, FlowLabel: 0x4000, IPv6: 1, SrcPort: 0xC001,
				SrcHi: 0x20010DB8_00000000, SrcLo: 1, DstHi: 0xFE80_0000_0000_0000, DstLo: 0x20003,
			},
		},
		"VLAN and port": {
			verbs.AHAttr{Src: addr("1.2.3.4"), Dst: addr("1.2.3.5"), DstMAC: verbs.MAC{2}, SrcPort: 7, VLAN: verbs.VLAN{Tagged: true, ID: 0xABC}},
			format.AV[uint64]{DstMAC: 0x020000000000, HopLimit: 64, SrcPort: 7, VLAN: 1, TCI: 0xABC, SrcLo: 0x01020304, DstLo: 0x01020305},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t, 4)
			q, err := s.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, QPN: 0x654321})
			require.NoError(t, err)
			attr := connection()
			attr.AH = c.ah
			require.NoError(t, queuePair{QP: q}.connectTo(attr, verbs.QPRTR))
			_, m := lastCommand[format.ModifyQP[uint64]](s.fake)
			require.Equal(t, c.want, m.AV)
		})
	}
}

func (q queuePair) connectTo(attr verbs.QPAttr, to verbs.QPState) error {
	attr.State = verbs.QPInit
	if err := q.Modify(ctx, attr, verbs.AttrsInit); err != nil || to == verbs.QPInit {
		return err
	}
	attr.State = verbs.QPRTR
	return q.Modify(ctx, attr, verbs.AttrsRTR)
}

// A new address vector of a QP in SQD keeps the port of its connection.
func TestNewAddressInSQD(t *testing.T) {
	s := newStation(t, 4)
	q := s.newQP(t, verbs.QPCap{})
	q.take(t, verbs.QPSQD)
	require.NoError(t, q.Modify(ctx, connection(), verbs.AttrAH))
	_, m := lastCommand[format.ModifyQP[uint64]](s.fake)
	require.EqualValues(t, format.SourcePort(q.QPN(), 0x123456), m.AV.SrcPort)
	require.Zero(t, m.DestQPN, "not in the mask")
}

func TestQuery(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{})
	s.answer[format.CmdQueryQP] = encode(t, format.QPStatus[uint64]{
		QPN: uint64(q.QPN()), State: uint64(verbs.QPError), NextPSN: 0x111111, OldestPSN: 0x222222, ExpPSN: 0x333333, MSN: 0x444444,
		SQConsumer: 0x5555, RQConsumer: 0x6666,
	})
	status, err := q.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, verbs.QPStatus{
		State: verbs.QPError, NextPSN: 0x111111, OldestPSN: 0x222222, ExpPSN: 0x333333, MSN: 0x444444, SQConsumer: 0x5555, RQConsumer: 0x6666,
	}, status)
	require.Equal(t, verbs.QPError, q.State(), "the driver has learnt it")
	attr, err := q.Query(ctx)
	require.NoError(t, err)
	want := connection()
	want.State, want.SQPSN, want.RQPSN = verbs.QPError, 0x111111, 0x333333
	require.Equal(t, want, attr)

	s.answer[format.CmdQueryQP] = encode(t, format.QPStatus[uint64]{QPN: uint64(q.QPN()) + 1})
	_, err = q.Query(ctx)
	require.ErrorIs(t, err, verbs.ErrDevice)
}
