package keycache_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/keycache"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

func params(width, clients, entries int) keycache.Params {
	return keycache.Params{Sizes: link.Sizes{DataWidth: width}, Clients: clients, Entries: entries}
}

const allRights = format.AccessLocalWrite | format.AccessRemoteWrite | format.AccessRemoteRead | format.AccessRemoteAtomic | format.AccessMWBind

// drawEntry is an entry for an index, mostly a valid one.
func drawEntry(r *rand.Rand, index uint64) keycache.Entry {
	e := keycache.Entry{
		Key: index<<8 | uint64(r.IntN(2)), PD: uint64(r.IntN(2)), State: format.KeyValid, Type: uint64(r.IntN(4)),
		VA: r.Uint64(), Length: r.Uint64() >> r.IntN(64), Translation: r.Uint64(), Rights: r.Uint64() & allRights,
		PageShift: []uint64{0, 12, 16, 21}[r.IntN(4)], QPN: uint64(r.IntN(2)), Parent: uint64(r.Uint32()),
	}
	switch r.IntN(8) {
	case 0:
		e.State = format.KeyFree
	case 1: // up to the end of the address space
		e.Length = uint64(1 + r.IntN(8000))
		e.VA = -e.Length
	case 2:
		e.Windows = uint64(r.IntN(3))
	}
	return e
}

// drawQuestion is a use of a key, mostly one that is granted.
func drawQuestion(r *rand.Rand, e keycache.Entry) keycache.Question {
	q := keycache.Question{Key: uint32(e.Key), PD: uint32(e.PD), QPN: uint32(e.QPN), Rights: uint8(r.Uint32()) & uint8(e.Rights)}
	if e.Type >= format.KeyWindow1 && r.IntN(4) > 0 {
		q.Rights |= format.AccessRemoteRead
	}
	most := min(max(e.Length, 1), 1<<31)
	q.Range = 1 + uint32(r.Uint64N(most))
	q.VA = e.VA + (e.Length - uint64(q.Range)) // ends where the key ends
	switch r.IntN(12) {
	case 0:
		q.Key ^= 1
	case 1:
		q.Key ^= 1 << 14 // beyond the table, or another
	case 2:
		q.PD ^= 1
	case 3:
		q.QPN ^= 1
	case 4:
		q.Rights |= 1 << r.IntN(4)
	case 5:
		q.Range++
	case 6:
		q.VA++
	case 7:
		q.VA, q.Range = e.VA-1, 1
	case 8:
		q.VA = e.VA
	case 9:
		q.VA = r.Uint64()
	}
	return q
}

// Questions of all clients and commands on the same few keys, at the same time: each
// answer is right by an entry that was there between question and answer, and memory is as the commands left it.
func TestAgainstReference(t *testing.T) {
	for _, c := range []struct{ width, clients, entries, latency int }{{64, 3, 4, 60}, {128, 2, 8, 10}, {256, 1, 4, 0}, {512, 2, 16, 30}} {
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			design, io := hdltest.Build(t, keycache.Def(params(c.width, c.clients, c.entries)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, hdltest.Gaps(t, 20), hdltest.Gaps(t, 20))
				b.reads.Latency, b.writes.Latency = c.latency, c.latency
				random(b, rand.New(rand.NewPCG(hdltest.Seed(t), 8)), 300)
				require.NotZero(t, s.Covered("killed_held"))
				if c.clients > 1 {
					require.NotZero(t, s.Covered("came_twice"))
				}
				if c.latency > 20 {
					require.NotZero(t, s.Covered("read_again_0"))
				}
			}, linktest.Others(c.width)...)
		})
	}
}

func random(b *bench, r *rand.Rand, commands int) {
	const entries = 1 << logSize
	for i := range uint64(entries - 4) {
		b.put(drawEntry(r, i))
	}
	b.fault(func(addr uint64) bool { return addr>>6 == addressOf(3<<8)>>6 })
	faults := map[format.VendorCode]int{}
	for commands > 0 {
		hot := uint32(r.IntN(entries)) // both like it for a while
		for range 60 {
			draw := func() uint32 {
				if r.IntN(2) == 0 {
					return hot << 8
				}
				return uint32(r.IntN(entries+1)) << 8
			}
			for i, c := range b.clients {
				if c.request.Pending() < 2 && r.IntN(2) == 0 {
					v := b.versions(addressOf(draw()))
					q := drawQuestion(r, v[len(v)-1].entry)
					faults[b.ref.Ask(q).Fault]++
					b.ask(i, q)
				}
			}
			if b.idle() && r.IntN(20) == 0 {
				b.begin(drawCommand(r, b, draw()))
				commands--
			}
			b.step()
		}
	}
	b.finish()
	for _, code := range []format.VendorCode{
		format.VendorNone, format.VendorKeyUnknown, format.VendorKeyPD, format.VendorKeyRights, format.VendorKeyRange, format.VendorBusRead,
	} {
		require.Greater(b.t, faults[code], 20, "%v: asked too seldom", code)
	}
}

// drawCommand makes a key where there is none, ends one where there is one, mostly.
func drawCommand(r *rand.Rand, b *bench, key uint32) command {
	v := b.versions(addressOf(key))
	e := v[len(v)-1].entry
	c := command{Kind: link.KeyInvalidate, Entry: keycache.Entry{Key: e.Key}}
	switch {
	case r.IntN(8) == 0:
		c.Kind = link.KeyQuery
	case (e.State == format.KeyInvalid) != (r.IntN(8) == 0):
		c = command{Kind: link.KeyWrite, Entry: drawEntry(r, uint64(key>>8))}
		c.Entry.Windows = 0
	case r.IntN(8) == 0:
		c.Entry.Key ^= 1
	}
	return c
}

// plain is a key that grants everything over [0, 1 MiB).
func plain(index uint64) keycache.Entry {
	return keycache.Entry{Key: index << 8, State: format.KeyValid, Length: 1 << 20, Translation: 1 << 40, Rights: allRights}
}

func use(index uint32) keycache.Question { return keycache.Question{Key: index << 8, Range: 64} }

// A client that misses holds up itself, and no other: those that hit are answered,
// those that miss ask host memory, too.
func TestMissesOfSeveralClients(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(64, 3, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		for i := range uint64(5) {
			b.put(plain(i))
		}
		b.ask(2, use(0))
		b.until("first answer", b.answered)
		b.reads.Hold = true
		b.ask(0, use(1))
		b.ask(0, use(0)) // would be a hit
		b.ask(1, use(2))
		for range 4 {
			b.ask(2, use(0))
		}
		b.until("hits", func() bool { return len(b.clients[2].owed) == 0 })
		b.run(50)
		require.Len(t, b.clients[0].owed, 2)
		require.Len(t, b.clients[1].owed, 1)
		b.reads.Hold = false
		b.until("misses", b.answered)
		require.Equal(t, 3, b.reads.Bursts)
		b.ask(0, use(2))
		b.ask(1, use(1))
		b.until("hits", b.answered)
		require.Equal(t, 3, b.reads.Bursts, "both are held now")
	}, verilator.Simulator)
}

// A read that is on its way when its key ends is made again.
func TestInvalidateDuringRead(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(64, 3, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		b.put(plain(1))
		for delay := range 40 {
			b.reads.Latency = 12
			b.begin(command{Kind: link.KeyInvalidate, Entry: keycache.Entry{Key: 1 << 8}})
			b.run(delay)
			for i := range b.clients {
				b.ask(i, use(1))
			}
			b.until("done", b.idle)
			b.ask(0, use(1)) // judge wants this one to be refused
			b.until("answers", b.answered)
			b.do(command{Kind: link.KeyWrite, Entry: plain(1)})
			b.ask(1, use(1))
			b.until("answers", b.answered)
		}
		require.NotZero(t, s.Covered("read_again_0"))
	}, verilator.Simulator)
}

// A command that memory refuses to write is an error, and changes nothing.
func TestWriteRefused(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(512, 2, 16)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		b.put(plain(1))
		b.ask(0, use(1))
		b.until("answer", b.answered)
		b.command.Send(command{Kind: link.KeyInvalidate, Entry: keycache.Entry{Key: 1 << 8}})
		b.until("read", func() bool { return b.reads.Bursts == 2 && b.reads.Idle() })
		b.mem.Fault(func(uint64) bool { return true })
		b.until("done", func() bool { return b.outcome.Status == format.CmdBusError })
		b.mem.Fault(nil)
		b.ask(0, use(1)) // judge wants this one to be granted
		b.until("answer", b.answered)
	}, verilator.Simulator)
}

// What is held is good while nobody else writes to the table; after KeyForget the table
// counts as it is, or as it is elsewhere.
func TestForget(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(64, 3, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		for i := range uint64(4) {
			b.put(plain(i))
			b.ask(0, use(uint32(i)))
		}
		b.until("answers", b.answered)
		for i := range uint64(4) {
			moved := plain(i)
			moved.Translation++
			b.put(moved)
		}
		b.do(command{Kind: link.KeyForget, Entry: keycache.Entry{Key: 1 << 31}}) // of a key that cannot be
		for i := range uint32(4) {
			b.ask(0, use(i)) // judge wants the new place
		}
		b.until("answers", b.answered)
		require.Equal(t, 8, b.reads.Bursts)
	}, verilator.Simulator)
}

// Eight keys in turn through four places, then four of them again and again: the
// clock keeps those that are used.
func TestEviction(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(64, 3, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		for i := range uint64(8) {
			b.put(plain(i))
		}
		b.reads.Latency = 3
		for range 3 {
			for i := range uint32(8) {
				b.ask(0, use(i))
				b.until("answer", b.answered)
			}
		}
		require.Equal(t, 24, b.reads.Bursts, "no key stays until its turn")
		for i := range uint32(4) {
			b.ask(0, use(i))
		}
		b.until("answers", b.answered)
		before := b.reads.Bursts
		for i := range uint32(40) { // one that comes once, among three that come often
			b.ask(0, use(i%3))
			if i%8 == 0 {
				b.ask(0, use(4+i/8%4))
			}
			b.until("answer", b.answered)
		}
		require.Less(t, b.reads.Bursts-before, 12, "keys in use were given away")
	}, verilator.Simulator)
}

// Hits: a question every third cycle of one client, of two two in three cycles, and 4 cycles for each.
func TestCycles(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(512, 2, 16)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		b.put(plain(1))
		b.ask(0, use(1))
		b.until("answer", b.answered)
		count := func(clients ...int) int {
			const n = 100
			for range n {
				for _, i := range clients {
					b.ask(i, use(1))
				}
			}
			start := b.now
			b.until("answers", b.answered)
			return b.now - start
		}
		require.LessOrEqual(t, count(0), 3*100+5)
		require.LessOrEqual(t, count(0, 1), 300+6)
		b.ask(0, use(1))
		b.until("taken", func() bool { return b.clients[0].request.Pending() == 0 })
		taken := b.now
		b.until("answer", b.answered)
		require.Equal(t, 4, b.now-taken)
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(64, 2, 4).Validate())
	require.ErrorContains(t, params(96, 2, 4).Validate(), "data width")
	require.ErrorContains(t, params(64, 0, 4).Validate(), "clients")
	require.ErrorContains(t, params(64, 9, 4).Validate(), "clients")
	require.ErrorContains(t, params(64, 2, 2).Validate(), "keys")
	require.ErrorContains(t, params(64, 2, 12).Validate(), "keys")
}
