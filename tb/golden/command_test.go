package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/format"
	"gornic/tb/golden"
	"gornic/tb/host"
)

// Each command with each kind of bad input: its code, and no effect.
func TestCommandsRefuse(t *testing.T) {
	s := newStation(t, 1, golden.DefaultConfig())
	c := s.newCQ(3)
	q := s.newQP(qpConfig{cq: c, recvCQ: c})
	region := s.region(64, allAccess)

	eq := func(change func(*format.CreateEQ[uint64])) func() format.CommandStatus {
		v := format.CreateEQ[uint64]{EQN: 1, LogSize: 4, Base: 1 << 20}
		change(&v)
		return func() format.CommandStatus { return command(s, format.CmdCreateEQ, v) }
	}
	cq := func(change func(*format.CreateCQ[uint64])) func() format.CommandStatus {
		v := format.CreateCQ[uint64]{CQN: 9, LogSize: 4, Base: 1 << 20}
		change(&v)
		return func() format.CommandStatus { return command(s, format.CmdCreateCQ, v) }
	}
	qp := func(change func(*format.CreateQP[uint64])) func() format.CommandStatus {
		v := format.CreateQP[uint64]{QPN: 0x30, SendCQ: c.number, RecvCQ: c.number}
		change(&v)
		return func() format.CommandStatus { return command(s, format.CmdCreateQP, v) }
	}
	key := func(change func(*format.KeyEntry[uint64])) func() format.CommandStatus {
		v := format.KeyEntry[uint64]{Key: 0x4001, State: format.KeyValid, Length: 64, Rights: allAccess}
		change(&v)
		return func() format.CommandStatus { return command(s, format.CmdWriteKey, v) }
	}
	ref := func(code format.CommandCode, number uint64) func() format.CommandStatus {
		return func() format.CommandStatus { return command(s, code, format.QueueRef[uint64]{Number: number}) }
	}
	keyRef := func(code format.CommandCode, number uint32) func() format.CommandStatus {
		return func() format.CommandStatus {
			return command(s, code, format.KeyRef[uint64]{Key: uint64(number)})
		}
	}
	for _, c := range []struct {
		name string
		run  func() format.CommandStatus
		want format.CommandStatus
	}{
		{"no such command", ref(77, 0), format.CmdBadCommand},
		{"EQ exists", eq(func(v *format.CreateEQ[uint64]) { v.EQN = 0 }), format.CmdBadNumber},
		{"EQN too high", eq(func(v *format.CreateEQ[uint64]) { v.EQN = 8 }), format.CmdBadNumber},
		{"EQ of one entry", eq(func(v *format.CreateEQ[uint64]) { v.LogSize = 0 }), format.CmdBadParameter},
		{"EQ of 2^16", eq(func(v *format.CreateEQ[uint64]) { v.LogSize = 16 }), format.CmdBadParameter},
		{"EQ of 2^64", eq(func(v *format.CreateEQ[uint64]) { v.LogSize = 64 }), format.CmdBadParameter},
		{"EQ not aligned", eq(func(v *format.CreateEQ[uint64]) { v.Base = 1<<20 + 128 }), format.CmdBadParameter},
		{"vector", eq(func(v *format.CreateEQ[uint64]) { v.Vector = 32 }), format.CmdBadParameter},
		{"no EQ to destroy", ref(format.CmdDestroyEQ, 1), format.CmdBadNumber},
		{"EQ in use", ref(format.CmdDestroyEQ, 0), format.CmdBusy},
		{"CQ exists", cq(func(v *format.CreateCQ[uint64]) { v.CQN = c.number }), format.CmdBadNumber},
		{"CQN too high", cq(func(v *format.CreateCQ[uint64]) { v.CQN = 64 }), format.CmdBadNumber},
		{"no such EQ", cq(func(v *format.CreateCQ[uint64]) { v.EQN = 1 }), format.CmdBadNumber},
		{"CQ size", cq(func(v *format.CreateCQ[uint64]) { v.LogSize = 16 }), format.CmdBadParameter},
		{"CQ not aligned", cq(func(v *format.CreateCQ[uint64]) { v.Base = 1<<20 + 256 }), format.CmdBadParameter},
		{"CQ page", cq(func(v *format.CreateCQ[uint64]) { v.Page = 16 }), format.CmdBadParameter},
		{"no CQ to destroy", ref(format.CmdDestroyCQ, 9), format.CmdBadNumber},
		{"CQ in use", ref(format.CmdDestroyCQ, c.number), format.CmdBusy},
		{"QP 0", qp(func(v *format.CreateQP[uint64]) { v.QPN = 0 }), format.CmdBadNumber},
		{"QP 1", qp(func(v *format.CreateQP[uint64]) { v.QPN = 1 }), format.CmdBadNumber},
		{"QP exists", qp(func(v *format.CreateQP[uint64]) { v.QPN = q.number }), format.CmdBadNumber},
		{"index in use", qp(func(v *format.CreateQP[uint64]) { v.QPN = q.number ^ 1<<23 }), format.CmdBadNumber},
		{"no send CQ", qp(func(v *format.CreateQP[uint64]) { v.SendCQ = 60 }), format.CmdBadNumber},
		{"no receive CQ", qp(func(v *format.CreateQP[uint64]) { v.RecvCQ = 600 }), format.CmdBadNumber},
		{"QP page", qp(func(v *format.CreateQP[uint64]) { v.Page = 16 }), format.CmdBadParameter},
		{"SQ stride", qp(func(v *format.CreateQP[uint64]) { v.SQLogStride = 2 }), format.CmdBadParameter},
		{"RQ stride", qp(func(v *format.CreateQP[uint64]) { v.RQLogStride = 2 }), format.CmdBadParameter},
		{"SQ not aligned", qp(func(v *format.CreateQP[uint64]) { v.SQBase = 64 }), format.CmdBadParameter},
		{"RQ not aligned", qp(func(v *format.CreateQP[uint64]) { v.RQBase = 2048 }), format.CmdBadParameter},
		{"no QP to ask", ref(format.CmdQueryQP, 0x30), format.CmdBadNumber},
		{"old tag", ref(format.CmdQueryQP, q.number^1<<20), format.CmdBadNumber},
		{"no QP to destroy", ref(format.CmdDestroyQP, 0x30), format.CmdBadNumber},
		{"key exists", key(func(v *format.KeyEntry[uint64]) { v.Key = uint64(region.key) ^ 1 }), format.CmdBadNumber},
		{"key index", key(func(v *format.KeyEntry[uint64]) { v.Key = 256 << 8 }), format.CmdBadNumber},
		{"key state", key(func(v *format.KeyEntry[uint64]) { v.State = 3 }), format.CmdBadParameter},
		{"key type", key(func(v *format.KeyEntry[uint64]) { v.Type = 4 }), format.CmdBadParameter},
		{"key rights", key(func(v *format.KeyEntry[uint64]) { v.Rights = 64 }), format.CmdBadParameter},
		{"remote but not local writing", key(func(v *format.KeyEntry[uint64]) { v.Rights = format.AccessRemoteWrite }), format.CmdBadParameter},
		{"page of 2 KiB", key(func(v *format.KeyEntry[uint64]) { v.PageShift = 11 }), format.CmdBadParameter},
		{"page of 4 MiB", key(func(v *format.KeyEntry[uint64]) { v.PageShift = 22 }), format.CmdBadParameter},
		{"page list not aligned", key(func(v *format.KeyEntry[uint64]) { v.PageShift, v.Translation = 12, 4 }), format.CmdBadParameter},
		{"key wraps", key(func(v *format.KeyEntry[uint64]) { v.VA = 1<<64 - 63 }), format.CmdBadParameter},
		{"bus addresses wrap", key(func(v *format.KeyEntry[uint64]) { v.Translation = 1<<64 - 63 }), format.CmdBadParameter},
		{"no key to end", keyRef(format.CmdInvalidate, 0x4001), format.CmdBadNumber},
		{"old tag of a key", keyRef(format.CmdInvalidate, region.key^1), format.CmdBadNumber},
		{"no key to ask", keyRef(format.CmdQueryKey, 256<<8), format.CmdBadNumber},
	} {
		before := s.read(region.addr, 1)
		require.Equal(t, c.want, c.run(), c.name)
		require.Equal(t, before, s.read(region.addr, 1), c.name)
	}
	// Nothing came of it: what was refused can still be made.
	require.Equal(t, format.CmdOK, cq(func(v *format.CreateCQ[uint64]) {})())
	require.Equal(t, format.CmdOK, eq(func(v *format.CreateEQ[uint64]) {})())
	require.Equal(t, format.CmdOK, qp(func(v *format.CreateQP[uint64]) {})())
	require.Equal(t, format.CmdOK, key(func(v *format.KeyEntry[uint64]) {})())
	require.Equal(t, format.QPReset, q.state())
}

func TestKeyCommands(t *testing.T) {
	s := newStation(t, 1, golden.DefaultConfig())
	e := s.entry(4096, allAccess)
	s.must(format.CmdWriteKey, e)
	s.must(format.CmdQueryKey, format.KeyRef[uint64]{Key: e.Key})
	require.Equal(t, e, mailbox[format.KeyEntry[uint64]](s))
	s.must(format.CmdInvalidate, format.KeyRef[uint64]{Key: e.Key})
	require.Equal(t, format.CmdBadNumber, command(s, format.CmdQueryKey, format.KeyRef[uint64]{Key: e.Key}))
	e.Key ^= 3
	s.must(format.CmdWriteKey, e)

	table := uint64(s.nic.ReadRegister(format.RegKeyBaseHigh))<<32 | uint64(s.nic.ReadRegister(format.RegKeyBaseLow))
	fault := s.mem.InjectFault(table, 64<<keyLogSize, host.Reads)
	require.Equal(t, format.CmdBusError, command(s, format.CmdWriteKey, e))
	require.Equal(t, format.CmdBusError, command(s, format.CmdInvalidate, format.KeyRef[uint64]{Key: e.Key}))
	require.Equal(t, format.CmdBusError, command(s, format.CmdQueryKey, format.KeyRef[uint64]{Key: e.Key}))
	fault.Remove()
	s.mem.InjectFault(table, 64<<keyLogSize, host.Writes)
	require.Equal(t, format.CmdBusError, command(s, format.CmdInvalidate, format.KeyRef[uint64]{Key: e.Key}))
	s.must(format.CmdQueryKey, format.KeyRef[uint64]{Key: e.Key})
}

// Every change of state with every set of attributes of its row, and with one
// attribute less and one more (protocol section 5.2).
func TestTransitions(t *testing.T) {
	states := []format.QPState{format.QPReset, format.QPInit, format.QPRTR, format.QPRTS, format.QPSQD, 5, format.QPError, 7}
	for _, from := range states {
		if from == 5 || from == 7 {
			continue // no RC QP is ever in SQE, and 7 is none
		}
		for _, to := range states {
			t.Run(from.String()+" to "+to.String(), func(t *testing.T) { transition(t, from, to) })
		}
	}
}

func transition(t *testing.T, from, to format.QPState) {
	row, legal := format.QPTransition{}, to == format.QPReset || to == format.QPError && from != format.QPReset
	for _, r := range format.QPTransitions() {
		if r.From == from && r.To == to {
			row, legal = r, true
		}
	}
	try := func(mask uint32, want format.CommandStatus) {
		t.Helper()
		q := inState(t, from)
		m := every(q)
		m.State, m.Mask = uint64(to), format.AttrState|uint64(mask)
		got := command(q.s, format.CmdModifyQP, m)
		require.Equal(t, want, got, "attributes %#x", mask)
		after := from
		if want == format.CmdOK {
			after = to
		}
		require.Equal(t, after, q.state())
	}
	if !legal {
		try(0, format.CmdBadState)
		return
	}
	try(row.Required, format.CmdOK)
	try(row.Required|row.Optional, format.CmdOK)
	for bit := range 22 {
		if b := uint32(1) << bit; b == format.AttrState {
			continue
		} else if row.Required&b != 0 {
			try(row.Required&^b, format.CmdBadAttribute)
		} else if row.Optional&b == 0 {
			try(row.Required|b, format.CmdBadAttribute)
		}
	}
}

// every is a ModifyQP with a good value of every attribute.
func every(q *qp) format.ModifyQP[uint64] {
	m := q.toRTR(0x55, 1, peerIP())
	rts := q.toRTS()
	m.SQPSN, m.RetryCnt, m.RNRRetry, m.Timeout, m.MaxRD = 5, rts.RetryCnt, rts.RNRRetry, rts.Timeout, rts.MaxRD
	m.Port, m.Access = 1, allAccess
	return m
}

// inState makes a queue pair in a state.
func inState(t *testing.T, state format.QPState) *qp {
	s := newStation(t, 1, golden.DefaultConfig())
	q := s.newQP(qpConfig{})
	q.c.state = min(state, format.QPRTS)
	if state == format.QPReset {
		return q
	}
	q.connect(0x55, 1, peerIP())
	if state > format.QPRTS {
		q.modify(state)
	}
	require.Equal(t, state, q.state())
	return q
}

// Attributes with values that they cannot have.
func TestModifyParameters(t *testing.T) {
	config := golden.DefaultConfig()
	config.PathMTU = 1024
	for _, c := range []struct {
		name   string
		change func(*format.ModifyQP[uint64])
		want   format.CommandStatus
	}{
		{"good", func(*format.ModifyQP[uint64]) {}, format.CmdOK},
		{"no MTU", func(m *format.ModifyQP[uint64]) { m.PathMTU = 0 }, format.CmdBadParameter},
		{"MTU 6", func(m *format.ModifyQP[uint64]) { m.PathMTU = 6 }, format.CmdBadParameter},
		{"MTU of the device", func(m *format.ModifyQP[uint64]) { m.PathMTU = format.MTU1024 }, format.CmdOK},
		{"MTU above the device's", func(m *format.ModifyQP[uint64]) { m.PathMTU = format.MTU2048 }, format.CmdBadParameter},
		{"RNR timer", func(m *format.ModifyQP[uint64]) { m.MinRNR = 32 }, format.CmdBadParameter},
		{"peer QP 1", func(m *format.ModifyQP[uint64]) { m.DestQPN = 1 }, format.CmdBadParameter},
		{"long IPv4 address", func(m *format.ModifyQP[uint64]) { m.AV.DstLo |= 1 << 32 }, format.CmdBadParameter},
		{"attribute that nobody knows", func(m *format.ModifyQP[uint64]) { m.Mask |= 1 << 30 }, format.CmdBadAttribute},
		{"no such QP", func(m *format.ModifyQP[uint64]) { m.QPN++ }, format.CmdBadNumber},
	} {
		s := newStation(t, 1, config)
		q := s.newQP(qpConfig{})
		s.must(format.CmdModifyQP, q.toInit())
		m := q.toRTR(0x55, 1, peerIP())
		c.change(&m)
		require.Equal(t, c.want, command(s, format.CmdModifyQP, m), c.name)
		require.Equal(t, c.want == format.CmdOK, q.state() == format.QPRTR, c.name)
	}
	for name, change := range map[string]func(*format.ModifyQP[uint64]){
		"retries":     func(m *format.ModifyQP[uint64]) { m.RetryCnt = 8 },
		"RNR retries": func(m *format.ModifyQP[uint64]) { m.RNRRetry = 8 },
		"timeout":     func(m *format.ModifyQP[uint64]) { m.Timeout = 32 },
	} {
		q := inState(t, format.QPRTR)
		m := q.toRTS()
		change(&m)
		require.Equal(t, format.CmdBadParameter, command(q.s, format.CmdModifyQP, m), name)
	}
	q := inState(t, format.QPReset)
	for _, change := range []func(*format.ModifyQP[uint64]){
		func(m *format.ModifyQP[uint64]) { m.Port = 2 },
		func(m *format.ModifyQP[uint64]) { m.PKeyIndex = 1 },
		func(m *format.ModifyQP[uint64]) { m.Access = 64 },
	} {
		m := q.toInit()
		change(&m)
		require.Equal(t, format.CmdBadParameter, command(q.s, format.CmdModifyQP, m))
	}
}

// A doorbell counts from its object's page alone.
func TestDoorbells(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	s := q.s
	q.post(sendWR{id: 1, op: format.WRSend})
	refused := uint32(0)
	refuse := func(page, kind uint32, index uint16, number uint64) {
		t.Helper()
		refused++
		s.doorbell(page, kind, index, number)
		require.Equal(t, refused, s.nic.Counter(format.CntBadDoorbell))
		require.Empty(t, q.drain())
	}
	refuse(testPage+1, format.DoorbellSQ, 1, q.number)
	refuse(0, format.DoorbellSQ, 1, q.number)
	refuse(16, format.DoorbellSQ, 1, q.number)
	refuse(testPage, format.DoorbellSQ, 1, q.number^1<<15) // an old tag
	refuse(testPage, format.DoorbellSQ, 1, q.number+1)
	refuse(testPage, 0x18, 1, q.number)
	refuse(testPage, 2, 1, q.number)
	refuse(testPage, format.DoorbellEQ, 0, 0)
	refuse(0, format.DoorbellEQ, 0, 5)
	refuse(testPage, format.DoorbellCQ, 0, 50)
	refuse(testPage+1, format.DoorbellArm, 0, q.sendCQ.number)

	s.doorbell(testPage, format.DoorbellSQ, 17, q.number) // 16 WQEs fit
	require.Empty(t, q.drain(), "an index that the ring cannot have")
	s.doorbell(testPage, format.DoorbellSQ, 1, q.number)
	require.Equal(t, []string{"SEND_ONLY 0x64 A"}, q.drain())
	s.doorbell(testPage, format.DoorbellSQ, 0, q.number)
	s.doorbell(testPage, format.DoorbellSQ, 1, q.number)
	require.Empty(t, q.drain(), "back and forth posts nothing")
	require.Equal(t, refused, s.nic.Counter(format.CntBadDoorbell))
}

func TestRegisters(t *testing.T) {
	s := newStation(t, 0x42, golden.DefaultConfig())
	read := s.nic.ReadRegister
	require.Equal(t, uint32(format.DeviceID), read(format.RegID))
	require.Equal(t, uint32(format.VersionMajor<<16|format.VersionMinor), read(format.RegVersion))
	require.Equal(t, uint32(5<<28|6<<24|3<<16|6<<8|6), read(format.RegCaps0))
	require.Equal(t, uint32(64<<16|16), read(format.RegCaps1))
	require.Equal(t, uint32(1), read(format.RegStatus))
	require.Equal(t, uint32(0x42), read(format.RegMACLow))
	require.Equal(t, uint32(0x0200), read(format.RegMACHigh))
	require.Zero(t, read(format.RegMailboxGo))
	require.Zero(t, read(0xFFC))
	require.Zero(t, read(2))
	s.nic.WriteRegister(format.RegID, 0)
	s.nic.WriteRegister(format.RegKeyLogSize, 99)
	require.Equal(t, uint32(format.DeviceID), read(format.RegID))
	require.Equal(t, uint32(24), read(format.RegKeyLogSize))
	s.nic.WriteRegister(format.RegModeration, 1234)
	require.Equal(t, uint32(1234), read(format.RegModeration))
	s.nic.WriteRegister(format.RegMailboxGo, 0x105) // no command, whatever its low byte
	require.Equal(t, uint32(format.CmdBadCommand), read(format.RegMailboxDone))
	require.Zero(t, s.nic.Counter(-1))
	require.Zero(t, s.nic.Counter(99))
}

// A NIC of each configuration of the core says what the core would.
func TestConfigOf(t *testing.T) {
	core, err := configs.Named("tiny")
	require.NoError(t, err)
	nic := golden.NewNIC(golden.ConfigOf(core), nil)
	require.Equal(t, uint32(1<<28|3<<24|1<<16|2<<8|2), nic.ReadRegister(format.RegCaps0))
	require.Equal(t, uint32(8<<16|16), nic.ReadRegister(format.RegCaps1))
	nic = golden.NewNIC(golden.Config{LogQPs: 99, Replay: 1 << 20, PathMTU: 1, DataWidth: 1}, nil)
	require.Equal(t, uint32(1<<28|3<<24|16), nic.ReadRegister(format.RegCaps0))
	require.Equal(t, uint32(255<<16|1), nic.ReadRegister(format.RegCaps1))
}

// A device that is not enabled neither takes nor sends a frame.
func TestDisabled(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	q.s.nic.WriteRegister(format.RegControl, 0)
	q.send(sendWR{op: format.WRSend})
	require.Empty(t, q.inject(packetSpec{op: format.OpWriteOnly, a: 1}))
	q.s.nic.SendRaw([]byte("frame"))
	require.Empty(t, q.frames())
	require.Zero(t, q.s.nic.Counter(format.CntRxAccepted))
	q.s.nic.WriteRegister(format.RegControl, format.ControlEnable)
	require.Equal(t, []string{"SEND_ONLY 0x64 A"}, q.drain())
	q.s.nic.SendRaw([]byte("frame"))
	require.Equal(t, [][]byte{[]byte("frame")}, q.frames())
}
