package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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
