package keycache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/keycache"
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// useRules is a use of a key of the rules that is granted.
func useRules(index uint32) keycache.Question {
	return keycache.Question{Key: index << 8, PD: pd, QPN: qpn, VA: regionVA, Range: 16, Rights: format.AccessRemoteRead}
}

// A SEND with invalidate has its answer at once, and memory hears of it behind that: meanwhile the
// key is dead for all, who wait for memory; other keys are not held up, and commands are.
func TestRevokeBeforeMemory(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(64, 3, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		b.load(rule{})
		b.ask(0, useRules(bound2))
		b.ask(1, useRules(bound1))
		b.until("held", b.answered)
		b.writes.Hold = true
		b.ask(0, revoke(localInv(bound2)))
		b.until("answer", b.answered)
		require.Equal(t, format.VendorNone, b.last)
		b.ask(1, useRules(bound2)) // the bench wants it to be refused
		b.begin(command{Kind: link.KeyQuery, Entry: keycache.Entry{Key: region << 8}})
		for range 20 {
			b.ask(2, useRules(bound1))
		}
		b.until("others", func() bool { return len(b.clients[2].owed) == 0 })
		b.run(100)
		require.Len(t, b.clients[1].owed, 1)
		require.False(t, b.idle())
		b.writes.Hold = false
		b.until("command", b.idle)
		require.EqualValues(t, 1, b.outcome.Entry.Windows, "the command sees a window less")
		b.until("answers", b.answered)
		b.finish()
	}, verilator.Simulator)
}

// All ask for a key every cycle while one client ends it: from its end on all are refused, whoever was
// granted it last.
func TestRevokeAmongQuestions(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(64, 3, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		for delay := range 30 {
			b.load(rule{})
			for i := range b.clients {
				for range 20 {
					b.ask(i, keycache.Question{Key: fastValid << 8, PD: pd, VA: regionVA, Range: 1})
				}
			}
			b.run(delay)
			b.clients[0].owed = append(b.clients[0].owed, owed{question: revoke(localInv(fastValid))})
			b.clients[0].request.Send(revoke(localInv(fastValid)))
			for i := range b.clients {
				for range 20 {
					b.ask(i, keycache.Question{Key: fastValid << 8, PD: pd, VA: regionVA, Range: 1})
				}
			}
			b.until("answers", b.answered)
			require.Equal(t, format.VendorNone, b.last)
			b.finish()
		}
	}, verilator.Simulator)
}

// A key that ended may be registered again, with another tag; the old one stays dead.
func TestRegisterAgain(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(64, 3, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		b.load(rule{})
		for tag := range uint64(20) {
			now := localInv(fastValid)
			now.Key |= tag
			if tag%2 == 0 {
				b.do(command{Kind: link.KeyLocalInv, Entry: now})
			} else {
				b.ask(0, revoke(now))
				b.until("revoked", b.answered)
			}
			next := regMR(fastValid)
			next.Key = fastValid<<8 | tag + 1
			require.Equal(t, format.VendorNone, b.do(command{Kind: link.KeyRegister, Entry: next}).Vendor)
			for i := range b.clients {
				old := keycache.Question{Key: uint32(now.Key), PD: pd, VA: next.VA, Range: 5, Rights: format.AccessRemoteWrite}
				b.ask(i, old)
				old.Key = uint32(next.Key)
				b.ask(i, old)
			}
			b.until("answers", b.answered) // as the bench wants them
		}
		b.finish()
	}, verilator.Simulator)
}

// busOf is where a granted byte is: a bus address, or the entry of a page list and a byte of the page.
func busOf(a keycache.Answer) [2]uint64 {
	if a.PageShift == 0 {
		return [2]uint64{a.Translation + a.Offset}
	}
	page := uint64(1) << a.PageShift
	from := a.Offset + uint64(a.First)%page
	return [2]uint64{a.Translation + from/page*8, from % page}
}

// A byte is at the same place through a window as through its region, for all sizes of pages.
func TestWindowsTranslate(t *testing.T) {
	for _, shift := range []uint64{0, 12, 13, 20, 21} {
		for _, va := range []uint64{0, 1, 4095, 4096, 0x1FFFFF, 0x200000, 0x3456789} {
			memory := map[uint64][]byte{}
			table := keycache.Reference{
				LogSize: 4,
				Read:    func(addr uint64, b []byte) error { copy(b, memory[addr]); return nil },
				Write:   func(addr uint64, b []byte) error { memory[addr] = b; return nil },
			}
			home := keycache.Entry{
				Key: 1 << 8, PD: pd, State: format.KeyValid, VA: 0x7F00_1234_5678, Length: 1 << 30, Translation: 1 << 50, PageShift: shift, Rights: 63,
			}
			require.Equal(t, format.CmdOK, table.Command(link.KeyWrite, home).Status)
			require.Equal(t, format.CmdOK, table.Command(link.KeyWrite, keycache.Entry{Key: 2 << 8, PD: pd, State: format.KeyFree, Type: format.KeyWindow1}).Status)
			bind := keycache.Entry{Key: 2<<8 | 1, PD: pd, VA: home.VA + va, Length: 1 << 24, Parent: home.Key, Rights: format.AccessRemoteRead}
			require.Equal(t, keycache.Outcome{}, table.Command(link.KeyBind, bind))
			for _, at := range []uint64{0, 1, 0x1000, 0xABCDEF} {
				q := keycache.Question{Key: 1 << 8, PD: pd, VA: bind.VA + at, Range: 1, Rights: format.AccessRemoteRead}
				through := table.Ask(q)
				q.Key = 2<<8 | 1
				window := table.Ask(q)
				require.Zero(t, through.Fault|window.Fault)
				require.Equal(t, busOf(through), busOf(window), "shift %d, %#x + %#x", shift, va, at)
			}
		}
	}
}

// How long commands and ends take where memory answers at once.
func TestCommandCycles(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(512, 2, 16)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		for _, c := range []struct {
			name   string
			kind   int
			entry  keycache.Entry
			cycles int
		}{
			{"LOCAL_INV", link.KeyLocalInv, localInv(fastValid), 20},
			{"REG_MR", link.KeyRegister, regMR(fastFree), 20},
			{"BIND_MW", link.KeyBind, bindMW(window2), 35},
			{"BIND_MW again", link.KeyBind, bindMW(bound1), 28},
			{"refused", link.KeyBind, localInv(fastValid), 13},
		} {
			b.load(rule{})
			start := b.now
			b.do(command{Kind: c.kind, Entry: c.entry})
			t.Logf("%s: %d cycles", c.name, b.now-start)
			require.LessOrEqual(t, b.now-start, c.cycles, c.name)
		}
		b.load(rule{})
		b.ask(1, useRules(fastValid))
		b.until("held", b.answered)
		b.ask(0, revoke(localInv(fastValid)))
		start := b.now
		b.until("answer", b.answered)
		t.Logf("a SEND with invalidate: %d cycles", b.now-start)
		require.LessOrEqual(t, b.now-start, 8)
	}, verilator.Simulator)
}
