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
)

// Questions of all clients, SENDs with invalidate among them, race with all commands on the same few
// keys: regions, windows that are bound to them and bound again, regions that are registered again.
func TestRacesAgainstReference(t *testing.T) {
	for _, c := range []struct{ width, clients, entries, latency int }{{64, 3, 4, 40}, {128, 2, 16, 0}, {256, 2, 4, 7}, {512, 2, 8, 25}} {
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			design, io := hdltest.Build(t, keycache.Def(params(c.width, c.clients, c.entries)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, hdltest.Gaps(t, 20), sim.Pattern{})
				b.reads.Latency, b.writes.Latency = c.latency, c.latency
				x := &racer{bench: b, r: rand.New(rand.NewPCG(hdltest.Seed(t), 18)), ends: map[string]int{}}
				x.race(2000)
				x.require()
				for _, name := range []string{"killed_held", "bound_again", "revoked_window"} {
					require.NotZero(t, s.Covered(name), name)
				}
			}, linktest.Others(c.width)...)
		})
	}
}

// racer draws what happens.
type racer struct {
	*bench
	r    *rand.Rand
	kind int            // of the last command
	ends map[string]int // how often what came to what
}

const raceEntries = 1 << logSize

func (x *racer) race(commands int) {
	for i := range uint64(raceEntries - 1) {
		x.put(x.fresh(i))
	}
	x.fault(func(addr uint64) bool { return addr>>6 == addressOf(3<<8)>>6 })
	for commands > 0 {
		for i, c := range x.clients {
			if c.request.Pending() < 2 && x.r.IntN(2) == 0 {
				x.ask(i, x.question())
			}
		}
		if x.idle() && x.r.IntN(6) == 0 {
			x.note(x.kind, x.outcome)
			c := x.draw()
			x.kind = c.Kind
			x.begin(c)
			commands--
		}
		x.step()
	}
	x.finish()
}

// note counts the end of the last command.
func (x *racer) note(kind int, o keycache.Outcome) { x.ends[fmt.Sprint(kind, o.Status, o.Vendor)]++ }

// require wants each command to have ended in each way, often.
func (x *racer) require() {
	for kind, all := range map[int][]format.VendorCode{
		link.KeyLocalInv: {format.VendorNone, format.VendorKeyUnknown, format.VendorKeyPD, format.VendorKeyType, format.VendorKeyState, format.VendorKeyBound},
		link.KeyRegister: {format.VendorNone, format.VendorKeyUnknown, format.VendorKeyPD, format.VendorKeyType, format.VendorKeyState, format.VendorKeyRights, format.VendorKeyRange},
		link.KeyBind:     {format.VendorNone, format.VendorKeyUnknown, format.VendorKeyPD, format.VendorKeyType, format.VendorKeyState, format.VendorKeyRights, format.VendorKeyRange},
	} {
		for _, why := range all {
			status := format.CmdOK
			if why != format.VendorNone {
				status = format.CmdBadNumber
			}
			require.NotZero(x.t, x.ends[fmt.Sprint(kind, status, why)], "%d %v: %v", kind, why, x.ends)
		}
	}
	require.NotZero(x.t, x.ends[fmt.Sprint(link.KeyInvalidate, format.CmdBusy, format.VendorNone)], "%v", x.ends)
	for _, why := range []format.VendorCode{
		format.VendorNone, format.VendorKeyUnknown, format.VendorKeyPD, format.VendorKeyType, format.VendorKeyState, format.VendorKeyBound, format.VendorBusRead,
	} {
		require.NotZero(x.t, x.revokes[why], "%v: %v", why, x.revokes)
	}
}

// fresh is an entry as software makes it.
func (x *racer) fresh(index uint64) keycache.Entry {
	r := x.r
	e := keycache.Entry{Key: index<<8 | r.Uint64N(2), PD: uint64(r.IntN(8) / 7), Type: index % 4, State: format.KeyFree}
	if e.Type == format.KeyRegion {
		e.State = format.KeyValid
		x.place(&e)
	}
	return e
}

// place gives a region a place and rights.
func (x *racer) place(e *keycache.Entry) {
	r := x.r
	e.VA, e.Length = 1<<40+r.Uint64N(1<<30), 1+r.Uint64N(1<<20)
	e.PageShift = []uint64{0, 12, 13, 21}[r.IntN(4)]
	e.Translation = r.Uint64() >> 1 &^ 7
	e.Rights = allRights
	if r.IntN(4) == 0 {
		e.Rights = r.Uint64() & allRights
		if e.Rights&(format.AccessRemoteWrite|format.AccessRemoteAtomic) != 0 {
			e.Rights |= format.AccessLocalWrite
		}
	}
}

// some is an entry as it is now, mostly one for which good is true.
func (x *racer) some(good func(e keycache.Entry) bool) keycache.Entry {
	e := x.entry(x.r.Uint32N(raceEntries))
	for range 12 {
		if good(e) || x.r.IntN(12) == 0 {
			return e
		}
		e = x.entry(x.r.Uint32N(raceEntries))
	}
	return e
}

func valid(e keycache.Entry) bool { return e.State == format.KeyValid }

// question is a use of a key, or its end.
func (x *racer) question() keycache.Question {
	r := x.r
	if r.IntN(8) > 0 {
		return drawQuestion(r, x.some(valid))
	}
	e := x.some(func(e keycache.Entry) bool { return valid(e) && e.Type%2 == 1 }) // what may be ended
	q := keycache.Question{Key: uint32(e.Key), PD: uint32(e.PD), QPN: uint32(e.QPN), Rights: link.RightRevoke, VA: r.Uint64(), Range: r.Uint32()}
	switch r.IntN(12) {
	case 0:
		q.Key ^= 1
	case 1:
		q.PD ^= 1
	case 2:
		q.QPN ^= 1
	}
	return q
}

// draw is a command, mostly a good one.
func (x *racer) draw() command {
	r := x.r
	var c command
	switch r.IntN(10) {
	case 0:
		c = command{Kind: link.KeyQuery, Entry: keycache.Entry{Key: x.some(valid).Key}}
	case 1:
		c = command{Kind: link.KeyInvalidate, Entry: keycache.Entry{Key: x.some(func(e keycache.Entry) bool { return e.State != format.KeyInvalid }).Key}}
	case 2, 3:
		c = command{Kind: link.KeyWrite, Entry: x.fresh(x.some(func(e keycache.Entry) bool { return e.State == format.KeyInvalid }).Key >> 8)}
	case 4:
		e := x.some(func(e keycache.Entry) bool { return valid(e) && e.Type%2 == 1 })
		c = command{Kind: link.KeyLocalInv, Entry: keycache.Entry{Key: e.Key, PD: e.PD, QPN: e.QPN}}
	case 5, 6:
		e := x.some(func(e keycache.Entry) bool { return e.State == format.KeyFree && e.Type == format.KeyFastRegion })
		c = command{Kind: link.KeyRegister, Entry: keycache.Entry{Key: e.Key ^ r.Uint64N(2), PD: e.PD, QPN: e.QPN}}
		x.place(&c.Entry)
	default:
		c = command{Kind: link.KeyBind, Entry: x.bind()}
	}
	switch r.IntN(24) { // spoil it
	case 0:
		c.Entry.Key ^= 1
	case 1:
		c.Entry.PD ^= 1
	case 2:
		c.Entry.QPN ^= 1
	case 3:
		c.Entry.Rights = r.Uint64N(256)
	case 4:
		c.Entry.VA = r.Uint64()
	case 5:
		c.Entry.PageShift = r.Uint64N(32)
	}
	if c.Kind == link.KeyWrite { // command lets only such through
		c.Entry = x.fresh(c.Entry.Key >> 8)
	}
	return c
}

// bind is the binding of a window to a part of a region, or the end of one.
func (x *racer) bind() keycache.Entry {
	r := x.r
	w := x.some(func(e keycache.Entry) bool {
		return e.Type == format.KeyWindow1 && e.State != format.KeyInvalid || e.Type == format.KeyWindow2 && e.State == format.KeyFree
	})
	m := x.some(func(e keycache.Entry) bool {
		return valid(e) && e.Type < format.KeyWindow1 && e.PD == w.PD && e.Rights == allRights
	})
	c := keycache.Entry{Key: w.Key ^ r.Uint64N(2), PD: w.PD, QPN: r.Uint64N(2), Parent: m.Key, VA: m.VA, Length: m.Length}
	if valid(w) && r.IntN(3) == 0 {
		c.Parent = w.Parent
	}
	c.Rights = r.Uint64() & (format.AccessRemoteWrite | format.AccessRemoteRead | format.AccessRemoteAtomic)
	if m.Length > 1 {
		before := r.Uint64N(m.Length)
		c.VA += before
		c.Length = 1 + r.Uint64N(m.Length-before)
	}
	if r.IntN(8) == 0 {
		c.Length = 0
	}
	return c
}
