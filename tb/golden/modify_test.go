package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden"
)

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
	m.Port, m.Access = 1, format.AccessLocalWrite|format.AccessRemoteWrite|format.AccessRemoteRead|format.AccessRemoteAtomic
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
		func(m *format.ModifyQP[uint64]) { m.Access = format.AccessMWBind },
	} {
		m := q.toInit()
		change(&m)
		require.Equal(t, format.CmdBadParameter, command(q.s, format.CmdModifyQP, m))
	}
}
