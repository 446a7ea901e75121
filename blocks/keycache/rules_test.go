package keycache_test

import (
	"bytes"
	"cmp"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/keycache"
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// Whose the keys of the rules are.
const (
	pd  = 5
	qpn = 0x102
)

// Indices of the keys of the rules, with tag 0.
const (
	fastValid = iota + 1
	fastFree
	window1
	window2
	bound1 // to region
	bound2 // to region, by qpn
	region
	readOnly // a region that grants no local writes
	closed   // a region that windows may not be bound to
)

const regionVA, regionBytes = 0x10_0800, 1 << 16

// keysOfRules is a table with a key of each kind.
func keysOfRules() []keycache.Entry {
	const rw = format.AccessLocalWrite | format.AccessRemoteWrite
	key := func(index, kind, state uint64) keycache.Entry {
		return keycache.Entry{Key: index << 8, PD: pd, Type: kind, State: state}
	}
	mapped := func(e keycache.Entry, rights uint64) keycache.Entry {
		e.VA, e.Length, e.Translation, e.Rights, e.PageShift = regionVA, regionBytes, 0x7000, rights, 12
		return e
	}
	bound := func(index, kind uint64) keycache.Entry {
		e := mapped(key(index, kind, format.KeyValid), format.AccessRemoteRead)
		e.Length, e.Parent = 4096, region<<8
		return e
	}
	second := bound(bound2, format.KeyWindow2)
	second.QPN = qpn
	home := mapped(key(region, format.KeyRegion, format.KeyValid), rw|format.AccessMWBind)
	home.Windows = 2
	return []keycache.Entry{
		mapped(key(fastValid, format.KeyFastRegion, format.KeyValid), rw|format.AccessMWBind), key(fastFree, format.KeyFastRegion, format.KeyFree),
		key(window1, format.KeyWindow1, format.KeyFree), key(window2, format.KeyWindow2, format.KeyFree),
		bound(bound1, format.KeyWindow1), second, home,
		mapped(key(readOnly, format.KeyRegion, format.KeyValid), format.AccessMWBind), mapped(key(closed, format.KeyRegion, format.KeyValid), rw),
	}
}

// rule is a use of a key that is refused, and what differs in its twin, which is not.
type rule struct {
	name   string
	key    uint64                  // index
	change func(c *keycache.Entry) // what makes the command a bad one
	table  func(e *keycache.Entry) // what makes the key a bad one
	why    format.VendorCode
	at     uint64 // index of the bad key, if it is another
}

func (x rule) bad(c keycache.Entry) keycache.Entry {
	if x.change != nil {
		x.change(&c)
	}
	return c
}

// localInv is a good LOCAL_INV.
func localInv(index uint64) keycache.Entry { return keycache.Entry{Key: index << 8, PD: pd, QPN: qpn} }

// regMR is a good REG_MR.
func regMR(index uint64) keycache.Entry {
	return keycache.Entry{
		Key: index<<8 | 1, PD: pd, QPN: qpn, VA: 0x123_4567, Length: 0x5000, Translation: 0x8008, PageShift: 16,
		Rights: format.AccessLocalWrite | format.AccessRemoteWrite | format.AccessRemoteAtomic | format.AccessMWBind,
	}
}

// bindMW is a good BIND_MW.
func bindMW(index uint64) keycache.Entry {
	return keycache.Entry{
		Key: index<<8 | 1, PD: pd, QPN: qpn, VA: regionVA + 0x1234, Length: 0x4321, Parent: region << 8,
		Rights: format.AccessRemoteWrite | format.AccessRemoteRead,
	}
}

const beyond = 1 << logSize << 8

var (
	otherTag = func(c *keycache.Entry) { c.Key ^= 3 }
	nowhere  = func(c *keycache.Entry) { c.Key |= beyond }
	otherPD  = func(c *keycache.Entry) { c.PD++ }
	otherQP  = func(c *keycache.Entry) { c.QPN++ }
	gone     = func(e *keycache.Entry) { e.State = format.KeyInvalid }
)

// endRules are those of LOCAL_INV, and of a SEND with invalidate.
var endRules = []rule{
	{"no place", fastValid, nowhere, nil, format.VendorKeyUnknown, 0},
	{"no key", fastValid, nil, gone, format.VendorKeyUnknown, 0},
	{"another tag", fastValid, otherTag, nil, format.VendorKeyUnknown, 0},
	{"another PD", fastValid, otherPD, nil, format.VendorKeyPD, 0},
	{"another PD's window", bound2, otherPD, nil, format.VendorKeyPD, 0},
	{"another QP's window", bound2, otherQP, nil, format.VendorKeyPD, 0},
	{"ordinary region", fastValid, nil, func(e *keycache.Entry) { e.Type = format.KeyRegion }, format.VendorKeyType, 0},
	{"window of type 1", bound2, nil, func(e *keycache.Entry) { e.Type = format.KeyWindow1 }, format.VendorKeyType, 0},
	{"free region", fastValid, nil, func(e *keycache.Entry) { e.State = format.KeyFree }, format.VendorKeyState, 0},
	{"free window", bound2, nil, func(e *keycache.Entry) { e.State = format.KeyFree }, format.VendorKeyState, 0},
	{"region with windows", fastValid, nil, func(e *keycache.Entry) { e.Windows = 1 }, format.VendorKeyBound, 0},
	{"region with many windows", fastValid, nil, func(e *keycache.Entry) { e.Windows = 1 << 23 }, format.VendorKeyBound, 0},
}

var registerRules = []rule{
	{"no place", fastFree, nowhere, nil, format.VendorKeyUnknown, 0},
	{"no key", fastFree, nil, gone, format.VendorKeyUnknown, 0},
	{"another PD", fastFree, otherPD, nil, format.VendorKeyPD, 0},
	{"ordinary region", fastFree, nil, func(e *keycache.Entry) { e.Type = format.KeyRegion }, format.VendorKeyType, 0},
	{"window", fastFree, nil, func(e *keycache.Entry) { e.Type = format.KeyWindow2 }, format.VendorKeyType, 0},
	{"valid", fastFree, nil, func(e *keycache.Entry) { e.State = format.KeyValid }, format.VendorKeyState, 0},
	{"remote write alone", fastFree, func(c *keycache.Entry) { c.Rights = format.AccessRemoteWrite }, nil, format.VendorKeyRights, 0},
	{"remote atomic alone", fastFree, func(c *keycache.Entry) { c.Rights = format.AccessRemoteAtomic }, nil, format.VendorKeyRights, 0},
	{"rights that do not exist", fastFree, func(c *keycache.Entry) { c.Rights |= 64 }, nil, format.VendorKeyRights, 0},
	{"behind the last address", fastFree, func(c *keycache.Entry) { c.VA = -c.Length + 1 }, nil, format.VendorKeyRange, 0},
	{"contiguous, behind it", fastFree, func(c *keycache.Entry) { c.PageShift, c.Translation = 0, -c.Length+1 }, nil, format.VendorKeyRange, 0},
	{"small pages", fastFree, func(c *keycache.Entry) { c.PageShift = 11 }, nil, format.VendorKeyRange, 0},
	{"large pages", fastFree, func(c *keycache.Entry) { c.PageShift = 22 }, nil, format.VendorKeyRange, 0},
	{"list not aligned", fastFree, func(c *keycache.Entry) { c.Translation |= 4 }, nil, format.VendorKeyRange, 0},
}

// windowRules are those of BIND_MW about the window.
var windowRules = []rule{
	{"no place", window2, nowhere, nil, format.VendorKeyUnknown, 0},
	{"no key", window2, nil, gone, format.VendorKeyUnknown, 0},
	{"another PD, type 1", window1, otherPD, nil, format.VendorKeyPD, 0},
	{"another PD, type 2", window2, otherPD, nil, format.VendorKeyPD, 0},
	{"region", window2, nil, func(e *keycache.Entry) { e.Type = format.KeyRegion }, format.VendorKeyType, 0},
	{"region for fast registration", window2, nil, func(e *keycache.Entry) { e.Type = format.KeyFastRegion }, format.VendorKeyType, 0},
	{"bound, type 2", window2, nil, func(e *keycache.Entry) { e.State, e.QPN = format.KeyValid, qpn }, format.VendorKeyState, 0},
	{"bound by another, type 2", window2, nil, func(e *keycache.Entry) { e.State = format.KeyValid }, format.VendorKeyPD, 0},
	{"no bytes, type 2", window2, func(c *keycache.Entry) { c.Length = 0 }, nil, format.VendorKeyRange, 0},
	{"zero based", window2, func(c *keycache.Entry) { c.Rights |= format.AccessZeroBased }, nil, format.VendorKeyRights, 0},
	{"local write", window1, func(c *keycache.Entry) { c.Rights |= format.AccessLocalWrite }, nil, format.VendorKeyRights, 0},
	{"windows of a window", window1, func(c *keycache.Entry) { c.Rights |= format.AccessMWBind }, nil, format.VendorKeyRights, 0},
}

// regionRules are those of BIND_MW about the region.
func regionRules(window uint64) []rule {
	to := func(index uint64) func(c *keycache.Entry) {
		return func(c *keycache.Entry) { c.Parent = index << 8 }
	}
	return []rule{
		{"no place", window, to(beyond >> 8), nil, format.VendorKeyUnknown, 0},
		{"no region", window, to(15), nil, format.VendorKeyUnknown, 0},
		{"another tag", window, func(c *keycache.Entry) { c.Parent |= 1 }, nil, format.VendorKeyUnknown, 0},
		{"another PD", window, nil, func(e *keycache.Entry) { e.PD++ }, format.VendorKeyPD, region},
		{"region that is not valid", window, nil, func(e *keycache.Entry) { e.State = format.KeyFree }, format.VendorKeyState, region},
		{"region that is gone", window, nil, gone, format.VendorKeyUnknown, region},
		{"a window's region", window, to(bound1), nil, format.VendorKeyType, 0},
		{"free region", window, to(fastFree), nil, format.VendorKeyState, 0},
		{"no MW_BIND", window, to(closed), nil, format.VendorKeyRights, 0},
		{"writes without local write", window, to(readOnly), nil, format.VendorKeyRights, 0},
		{"atomics without local write", window, func(c *keycache.Entry) { to(readOnly)(c); c.Rights = format.AccessRemoteAtomic }, nil, format.VendorKeyRights, 0},
		{"begins before", window, func(c *keycache.Entry) { c.VA = regionVA - 1 }, nil, format.VendorKeyRange, 0},
		{"ends behind", window, func(c *keycache.Entry) { c.VA = regionVA + regionBytes - c.Length + 1 }, nil, format.VendorKeyRange, 0},
		{"longer", window, func(c *keycache.Entry) { c.VA, c.Length = regionVA, regionBytes+1 }, nil, format.VendorKeyRange, 0},
		{"wraps", window, func(c *keycache.Entry) { c.Length = -c.VA }, nil, format.VendorKeyRange, 0},
	}
}

// load makes the table of the rules, one of its keys a bad one, and forgets what was held.
func (b *bench) load(x rule) {
	for i := range uint64(1 << logSize) {
		b.put(keycache.Entry{Key: i << 8})
	}
	for _, e := range keysOfRules() {
		if x.table != nil && e.Key == cmp.Or(x.at, x.key)<<8 {
			x.table(&e)
		}
		b.put(e)
	}
	b.do(command{Kind: link.KeyForget})
}

// whole is the table as memory has it.
func (b *bench) whole() []byte { return b.mem.Peek(base, 64<<logSize) }

// Each rule refuses for its own reason, and changes nothing; without what it refuses the same
// command goes well. The bench compares what the table is then.
func TestRules(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(64, 3, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		for _, c := range []struct {
			kind  int
			rules []rule
			good  func(index uint64) keycache.Entry
		}{
			{link.KeyLocalInv, endRules, localInv}, {link.KeyRegister, registerRules, regMR}, {link.KeyBind, windowRules, bindMW},
			{link.KeyBind, regionRules(window1), bindMW}, {link.KeyBind, regionRules(window2), bindMW},
		} {
			for _, x := range c.rules {
				name := fmt.Sprintf("%d %s", c.kind, x.name)
				b.load(x)
				before := b.whole()
				require.Equal(t, x.why, b.do(command{Kind: c.kind, Entry: x.bad(c.good(x.key))}).Vendor, name)
				require.True(t, bytes.Equal(before, b.whole()), name)
				b.load(rule{})
				before = b.whole()
				require.Zero(t, b.do(command{Kind: c.kind, Entry: c.good(x.key)}).Vendor, name)
				require.False(t, bytes.Equal(before, b.whole()), name)
				b.finish()
			}
		}
	}, verilator.Simulator)
}

// revoke is a SEND with invalidate of a key.
func revoke(c keycache.Entry) keycache.Question {
	return keycache.Question{Key: uint32(c.Key), PD: uint32(c.PD), QPN: uint32(c.QPN), Rights: link.RightRevoke}
}

// The rules of a SEND with invalidate, of keys that are held and of such that are not.
func TestRevokeRules(t *testing.T) {
	design, io := hdltest.Build(t, keycache.Def(params(64, 3, 4)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{}, sim.Pattern{})
		for _, x := range endRules {
			for _, held := range []bool{false, true} {
				for _, c := range []struct {
					table rule
					entry keycache.Entry
					why   format.VendorCode
				}{{x, x.bad(localInv(x.key)), x.why}, {rule{}, localInv(x.key), format.VendorNone}} {
					name := fmt.Sprint(x.name, held, c.why)
					b.load(c.table)
					before := b.whole()
					if held {
						b.ask(1, keycache.Question{Key: uint32(x.key << 8), PD: pd, QPN: qpn, Rights: format.AccessRemoteRead, VA: regionVA, Range: 1})
						b.until("held", b.answered)
					}
					b.ask(0, revoke(c.entry)) // the bench compares why it is refused, and what the table is then
					b.until(name, b.answered)
					require.Equal(t, c.why, b.last, name)
					b.finish()
					if c.why != format.VendorNone {
						require.True(t, bytes.Equal(before, b.whole()), name)
					} else {
						require.EqualValues(t, format.KeyFree, b.entry(uint32(x.key)).State, name)
					}
				}
			}
		}
		require.NotZero(t, s.Covered("revoked_window"))
	}, verilator.Simulator)
}
