package verbs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/host"
	"gornic/verbs"
)

func TestOpen(t *testing.T) {
	f, d := open(t)
	require.Equal(t, verbs.DeviceAttr{
		Major: 1, Minor: 7, MAC: verbs.MAC{2, 0, 0, 0, 0, 1},
		MaxQP: 16, MaxQPWR: 32768, MaxSendSGE: 6, MaxRecvSGE: 7, MaxInline: 96, MaxCQ: 8, MaxCQE: 32768, MaxEQ: 4, MaxMR: 1023,
		MaxMTU: verbs.MTU4096, MaxMessage: 1 << 31, DataWidth: 64, DoorbellPages: 8, ReplayEntries: 64, TimerTick: 1024, MaxRdAtomic: 16, Congestion: true, Atomics: true, KeyRequests: true,
	}, d.Attr())
	require.EqualValues(t, 1, f.regs[format.RegControl])
	require.EqualValues(t, 1, f.regs[format.RegMACLow])
	require.EqualValues(t, 0x0200, f.regs[format.RegMACHigh])

	table := uint64(f.regs[format.RegKeyBaseHigh])<<32 | uint64(f.regs[format.RegKeyBaseLow])
	require.EqualValues(t, 10, f.regs[format.RegKeyLogSize])
	require.Equal(t, make([]byte, 64<<10), f.Peek(table, 64<<10), "no key is valid")

	require.Len(t, f.commands, 1)
	code, eq := lastCommand[format.CreateEQ[uint64]](f)
	require.Equal(t, format.CmdCreateEQ, code)
	require.Equal(t, format.CreateEQ[uint64]{LogSize: 8, Base: eq.Base}, eq)
	require.Zero(t, eq.Base%(256*16))
	require.Equal(t, make([]byte, 256*16), f.Peek(eq.Base, 256*16), "no event is new")
	require.NoError(t, f.CheckGuards())
}

func TestOpenOptions(t *testing.T) {
	f := newFake(t)
	f.regs[format.RegMACLow], f.regs[format.RegMACHigh] = 0x33445566, 0x0222
	d, err := verbs.Open(ctx, f, verbs.Config{LogKeys: 3, Events: 5, Moderation: 99})
	require.NoError(t, err)
	require.Equal(t, "02:22:33:44:55:66", d.Attr().MAC.String())
	require.Equal(t, 7, d.Attr().MaxMR)
	require.EqualValues(t, 99, f.regs[format.RegModeration])
	_, eq := lastCommand[format.CreateEQ[uint64]](f)
	require.EqualValues(t, 3, eq.LogSize)
}

func TestOpenRefuses(t *testing.T) {
	good := verbs.Config{MAC: verbs.MAC{2, 0, 0, 0, 0, 1}}
	broken := errors.New("broken cable")
	for name, c := range map[string]struct {
		config verbs.Config
		spoil  func(f *fake)
		want   error
	}{
		"another device":   {good, func(f *fake) { f.regs[format.RegID] = 1 }, verbs.ErrNoDevice},
		"another version":  {good, func(f *fake) { f.regs[format.RegVersion] = 2 << 16 }, verbs.ErrNoDevice},
		"too many QPs":     {good, func(f *fake) { f.regs[format.RegCaps0] = 17 }, verbs.ErrDevice},
		"no MAC":           {verbs.Config{}, func(*fake) {}, verbs.ErrInvalid},
		"multicast MAC":    {verbs.Config{MAC: verbs.MAC{1}}, func(*fake) {}, verbs.ErrInvalid},
		"too many keys":    {verbs.Config{MAC: good.MAC, LogKeys: 25}, func(*fake) {}, verbs.ErrInvalid},
		"too many events":  {verbs.Config{MAC: good.MAC, Events: 1 << 16}, func(*fake) {}, verbs.ErrInvalid},
		"a bus that fails": {good, func(f *fake) { f.fail[format.RegKeyBaseLow] = broken }, broken},
		"a refused EQ":     {good, func(f *fake) { f.refuse[format.CmdCreateEQ] = format.CmdBadParameter }, verbs.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			c.spoil(f)
			_, err := verbs.Open(ctx, f, c.config)
			require.ErrorIs(t, err, c.want)
			require.Zero(t, f.regs[format.RegControl], "enabled")
		})
	}
}

// Open that fails gives its memory back.
func TestOpenLeaksNothing(t *testing.T) {
	f := newFake(t)
	f.refuse[format.CmdCreateEQ] = format.CmdBusError
	_, err := verbs.Open(ctx, f, verbs.Config{MAC: verbs.MAC{2}})
	var refused *verbs.CommandError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, verbs.CommandError{Command: format.CmdCreateEQ, Status: format.CmdBusError}, *refused)
	require.Empty(t, allocations(f))
}

func allocations(f *fake) (addrs []uint64) {
	f.Allocations(func(addr, _ uint64) { addrs = append(addrs, addr) })
	return addrs
}

// The argument is in the mailbox word by word, little-endian, before the command
// starts; the driver waits as long as it runs.
func TestMailbox(t *testing.T) {
	s := newStation(t, 4)
	s.slow = 3
	before := s.waits
	_, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 5, Page: 6})
	require.NoError(t, err)
	require.Equal(t, 3, s.waits-before)
	code, c := lastCommand[format.CreateCQ[uint64]](s.fake)
	require.Equal(t, format.CmdCreateCQ, code)
	want := []byte{1, 0, 0, 0, 3, 0, 6, 0} // CQN 1, EQN 0, 8 entries, page 6
	for i := range 8 {
		want = append(want, byte(c.Base>>(8*i)))
	}
	require.Equal(t, want, s.commands[len(s.commands)-1].arg[:16])
}

// A command that its context ends leaves the mailbox busy; the next one waits for
// it, and does not take its outcome for its own.
func TestCommandInterrupted(t *testing.T) {
	s := newStation(t, 4)
	s.slow = 10
	ended, cancel := context.WithCancel(ctx)
	s.onWait = cancel
	s.refuse[format.CmdCreateCQ] = format.CmdBadState
	_, err := s.dev.CreateCQ(ended, verbs.CQInitAttr{Entries: 4})
	require.ErrorIs(t, err, context.Canceled)
	require.Positive(t, s.running)
	s.onWait = nil
	cq, err := s.pd.RegMR(ctx, 0x1000, 64, verbs.AccessLocalWrite)
	require.NoError(t, err)
	require.NotNil(t, cq)
}

func TestCommandErrors(t *testing.T) {
	for status, want := range map[format.CommandStatus]error{
		format.CmdBadCommand: verbs.ErrUnsupported, format.CmdBadNumber: verbs.ErrInvalid, format.CmdBadParameter: verbs.ErrInvalid,
		format.CmdBadState: verbs.ErrState, format.CmdBadAttribute: verbs.ErrInvalid, format.CmdBusy: verbs.ErrBusy,
	} {
		s := newStation(t, 4)
		s.refuse[format.CmdCreateQP] = status
		before := allocations(s.fake)
		_, err := s.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq})
		require.ErrorIs(t, err, want)
		require.ErrorContains(t, err, "CreateQP")
		require.Equal(t, before, allocations(s.fake), "the queues are given back")
		delete(s.refuse, format.CmdCreateQP)
		q := s.newQP(t, verbs.QPCap{})
		require.EqualValues(t, 1<<logFakeQPs, q.create.QPN&^1, "index 0 was not lost: its next tag, or index 1's first")
	}
}

// What the device refuses to make leaves no memory behind, nor does memory that
// runs out half way.
func TestRefusedLeaksNothing(t *testing.T) {
	pages := verbs.MRInitAttr{Length: 4096, Pages: []uint64{0x1000}, PageSize: 4096}
	for name, c := range map[string]struct {
		code   format.CommandCode
		allocs int // calls of Alloc, of which the last one fails in the second try
		create func(s *station) error
	}{
		"EQ": {format.CmdCreateEQ, 1, func(s *station) error {
			_, err := s.dev.CreateEQ(ctx, verbs.EQInitAttr{Entries: 4})
			return err
		}},
		"CQ": {format.CmdCreateCQ, 1, func(s *station) error {
			_, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4})
			return err
		}},
		"MR": {format.CmdWriteKey, 1, func(s *station) error { _, err := s.pd.CreateMR(ctx, pages); return err }},
		"QP": {format.CmdCreateQP, 2, func(s *station) error {
			_, err := s.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t, 4)
			before := allocations(s.fake)
			s.refuse[c.code] = format.CmdBadParameter
			require.ErrorIs(t, c.create(s), verbs.ErrInvalid)
			require.Equal(t, before, allocations(s.fake))
			delete(s.refuse, c.code)
			s.allocsLeft = c.allocs - 1
			require.ErrorIs(t, c.create(s), host.ErrNoSpace)
			require.Equal(t, before, allocations(s.fake))
			s.allocsLeft = -1
			require.NoError(t, c.create(s))
		})
	}
}

func TestClose(t *testing.T) {
	s := newStation(t, 4)
	q := s.connected(t, verbs.QPCap{})
	buf, err := s.dev.AllocBuffer(4096, 4096)
	require.NoError(t, err)
	mr, err := s.pd.RegMR(ctx, buf.Addr(), 4096, verbs.AccessLocalWrite)
	require.NoError(t, err)
	eq, err := s.dev.CreateEQ(ctx, verbs.EQInitAttr{Entries: 4, Vector: 3})
	require.NoError(t, err)
	made := len(s.commands)
	require.NoError(t, s.dev.Close(ctx))
	require.NoError(t, s.dev.Close(ctx), "again")
	var codes []format.CommandCode
	for _, c := range s.commands[made:] {
		codes = append(codes, c.code)
	}
	require.Equal(t, []format.CommandCode{
		format.CmdDestroyQP, format.CmdDestroyCQ, format.CmdInvalidate, format.CmdDestroyEQ, format.CmdDestroyEQ,
	}, codes)
	require.Zero(t, s.regs[format.RegControl])
	require.Equal(t, []uint64{buf.Addr()}, allocations(s.fake), "all but the application's buffer")

	require.ErrorIs(t, q.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend}), verbs.ErrDestroyed)
	require.ErrorIs(t, mr.Dereg(ctx), verbs.ErrDestroyed)
	require.ErrorIs(t, eq.Destroy(ctx), verbs.ErrDestroyed)
	require.ErrorIs(t, s.dev.Wait(ctx), verbs.ErrDestroyed)
	_, err = s.cq.Poll(ctx, make([]verbs.WC, 1))
	require.ErrorIs(t, err, verbs.ErrDestroyed)
	_, err = s.dev.AllocPD()
	require.ErrorIs(t, err, verbs.ErrDestroyed)
	require.NoError(t, buf.Free())
}

// What is in use cannot be destroyed; what was destroyed cannot be used.
func TestDestroy(t *testing.T) {
	s := newStation(t, 4)
	q := s.newQP(t, verbs.QPCap{})
	require.ErrorIs(t, s.cq.Destroy(ctx), verbs.ErrBusy)
	require.ErrorIs(t, s.pd.Dealloc(), verbs.ErrBusy)
	require.ErrorIs(t, s.eq.Destroy(ctx), verbs.ErrInvalid, "event queue 0 stays")
	eq, err := s.dev.CreateEQ(ctx, verbs.EQInitAttr{Entries: 4})
	require.NoError(t, err)
	require.Equal(t, 1, eq.Number())
	cq, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4, EQ: eq})
	require.NoError(t, err)
	require.ErrorIs(t, eq.Destroy(ctx), verbs.ErrBusy)

	require.NoError(t, q.Destroy(ctx))
	require.NoError(t, s.cq.Destroy(ctx))
	require.NoError(t, s.pd.Dealloc())
	require.NoError(t, cq.Destroy(ctx))
	require.NoError(t, eq.Destroy(ctx))
	for _, err := range []error{q.Destroy(ctx), s.cq.Destroy(ctx), s.pd.Dealloc(), eq.Destroy(ctx)} {
		require.ErrorIs(t, err, verbs.ErrDestroyed)
	}
	_, err = s.pd.RegMR(ctx, 0, 1, 0)
	require.ErrorIs(t, err, verbs.ErrDestroyed)
	_, err = s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 4, EQ: eq})
	require.ErrorIs(t, err, verbs.ErrDestroyed)
	require.Len(t, allocations(s.fake), 2, "the key table and event queue 0")
}

func TestNumbersRunOut(t *testing.T) {
	s := newStation(t, 4)
	var last *verbs.CQ
	for range 7 {
		cq, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 1})
		require.NoError(t, err)
		last = cq
	}
	_, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 1})
	require.ErrorIs(t, err, verbs.ErrExhausted)
	require.NoError(t, last.Destroy(ctx))
	again, err := s.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 1})
	require.NoError(t, err)
	require.Equal(t, last.Number(), again.Number())
}

// A QPN is an index and a tag that is another each time.
func TestQPNs(t *testing.T) {
	s := newStation(t, 4)
	seen := map[uint32]bool{}
	for range 100 {
		q := s.newQP(t, verbs.QPCap{})
		require.False(t, seen[q.QPN()], "%#x twice", q.QPN())
		require.Greater(t, q.QPN(), uint32(1))
		seen[q.QPN()] = true
		require.NoError(t, q.Destroy(ctx))
	}
	for range 16 {
		s.newQP(t, verbs.QPCap{})
	}
	_, err := s.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq})
	require.ErrorIs(t, err, verbs.ErrExhausted)
}

func TestChosenQPN(t *testing.T) {
	s := newStation(t, 4)
	make := func(qpn uint32) (*verbs.QP, error) {
		return s.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: s.cq, RecvCQ: s.cq, QPN: qpn})
	}
	q, err := make(0xABCDE3)
	require.NoError(t, err)
	require.EqualValues(t, 0xABCDE3, q.QPN())
	_, create := lastCommand[format.CreateQP[uint64]](s.fake)
	require.EqualValues(t, 0xABCDE3, create.QPN)
	_, err = make(0x3)
	require.ErrorIs(t, err, verbs.ErrBusy, "the same index")
	for _, qpn := range []uint32{1, 1 << 24} {
		_, err = make(qpn)
		require.ErrorIs(t, err, verbs.ErrInvalid, "%#x", qpn)
	}
	require.NoError(t, q.Destroy(ctx))
	for range 16 {
		p := s.newQP(t, verbs.QPCap{})
		if p.QPN()&0xF == 3 {
			require.EqualValues(t, 0xABCDF3, p.QPN(), "the next tag")
		}
	}
}

func TestCounter(t *testing.T) {
	s := newStation(t, 4)
	s.regs[format.RegCounters+4*uint32(format.CntTxNAKs)] = 77
	n, err := s.dev.Counter(ctx, format.CntTxNAKs)
	require.NoError(t, err)
	require.EqualValues(t, 77, n)
	_, err = s.dev.Counter(ctx, format.Counter(format.CounterCount))
	require.ErrorIs(t, err, verbs.ErrInvalid)
}

// All of them by name, and each name leads to its counter.
func TestCounters(t *testing.T) {
	s := newStation(t, 4)
	for c := range uint32(format.CounterCount) {
		s.regs[format.RegCounters+4*c] = 1000 + c
	}
	all, err := s.dev.Counters(ctx)
	require.NoError(t, err)
	require.Len(t, all, format.CounterCount)
	for name, n := range all {
		c, err := verbs.CounterNamed(name)
		require.NoError(t, err)
		require.EqualValues(t, 1000+int(c), n, name)
	}
	for _, name := range []string{"out_of_sequence", "duplicate_request", "packet_seq_err", "rnr_nak_retry_err", "local_ack_timeout_err"} {
		require.Contains(t, all, name)
	}
	_, err = verbs.CounterNamed("counter 99")
	require.ErrorIs(t, err, verbs.ErrInvalid)
}

func TestBuffer(t *testing.T) {
	s := newStation(t, 4)
	b, err := s.dev.AllocBuffer(100, 8)
	require.NoError(t, err)
	require.NoError(t, b.Write(ctx, 98, []byte{1, 2}))
	got := make([]byte, 2)
	require.NoError(t, b.Read(ctx, 98, got))
	require.Equal(t, []byte{1, 2}, got)
	require.ErrorIs(t, b.Write(ctx, 99, got), verbs.ErrInvalid)
	require.ErrorIs(t, b.Read(ctx, ^uint64(0), got), verbs.ErrInvalid)
	require.NoError(t, b.Free())
}
