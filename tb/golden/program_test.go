package golden_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/wire"
)

// A program is random work over one connection, in both directions: SENDs, WRITEs,
// READs and atomics, with and without immediate, inline or from lists of pieces with any
// offset and length, out of and into contiguous regions and page lists, under keys that
// messages end, and that are made again.
type program struct {
	t       *testing.T
	r       *rand.Rand
	p       *pair
	ends    [2]*end
	message int
}

// end is one end of the connection: its memory, and what has to come of the work.
type end struct {
	s      *station
	q      *qp
	local  []region  // to gather from
	remote region    // for the peer's WRITEs
	image  []byte    // what remote has to hold
	static region    // for the peer's READs: nobody writes there
	words  region    // for the peer's atomics
	values []uint64  // what words has to hold
	lends  []*lender // more keys of remote, which the peer's messages end
	lands  []landing // of SENDs and READs
	late   []func()  // posts receive WQEs, but only when a message has missed them
	recvs  []string  // completions of the receive queue
	sends  []string  // and of the send queue
	slots  int       // WQEs since the last check
}

// lender is a key of a part of an end's remote: that of a region for fast registration,
// or of a window of type 2.
type lender struct {
	key    uint32
	window bool
	valid  bool
	offset uint64
	size   uint64
}

// landing is the data of a SEND or READ in a region of its own.
type landing struct {
	region
	data []byte
}

const (
	localBytes = 8 << 10
	programLog = 3 // log2 of WQEs in a queue

	programWords = 3 // numbers for atomics
)

func newProgram(t *testing.T, seed uint64, faults wire.Faults) *program {
	r := rand.New(rand.NewPCG(seed, 77))
	g := &program{t: t, r: r, p: newPair(t, faults)}
	c := qpConfig{
		mtu: 1 + r.Uint64N(5), ipv6: r.IntN(2) == 0, logSize: programLog, logStride: r.Uint64N(2), psn: (0xFFFFF0 + r.Uint64N(32)) & 0xFFFFFF,
		retry: 7, rnrRetry: 7, timeout: 8, minRNR: 1,
	}
	a, b := g.p.qps(c)
	for i, q := range []*qp{a, b} {
		e := &end{s: q.s, q: q, remote: q.s.pages(32<<10, allAccess|format.AccessMWBind, r)}
		e.image = q.s.load(e.remote)
		e.static = q.s.pages(32<<10, format.AccessRemoteRead, r)
		e.words, e.values = q.s.numbers(programWords)
		e.lends = []*lender{{key: q.s.fastRegion()}, {key: q.s.window(format.KeyWindow2), window: true}}
		e.local = []region{q.s.region(localBytes, 0), q.s.pages(localBytes, 0, r)}
		g.ends[i] = e
	}
	g.refill()
	return g
}

// refill gives the memory that is sent new contents.
func (g *program) refill() {
	for _, e := range g.ends {
		for i, r := range e.local {
			e.s.store(r, noise(2*g.message+i, localBytes))
		}
	}
}

// numbers is a region of n numbers, all 0.
func (s *station) numbers(n int) (region, []uint64) {
	s.t.Helper()
	addr := s.zeros(8*uint64(n), 8)
	r := region{addr: addr, va: 0x7000_0000_0000, size: 8 * uint64(n), key: s.newKey()}
	s.must(format.CmdWriteKey, format.KeyEntry[uint64]{
		Key: uint64(r.key), PD: testPD, State: format.KeyValid, VA: r.va, Length: r.size, Translation: addr, Rights: allAccess,
	})
	return r, make([]uint64, n)
}

// renew makes the keys that were ended good again, under their next tags.
func (g *program) renew() {
	for _, e := range g.ends {
		for _, l := range e.lends {
			if l.valid || g.r.IntN(3) == 0 {
				continue
			}
			l.valid, l.key = true, nextTag(l.key)
			l.offset = g.r.Uint64N(e.remote.size)
			l.size = 1 + g.r.Uint64N(e.remote.size-l.offset)
			g.message++
			e.q.send(e.renewal(uint64(g.message), l))
		}
	}
	g.p.run()
	for _, e := range g.ends {
		for _, c := range e.s.poll(e.q.sendCQ) {
			require.Equal(g.t, []string{"success"}, statusOf(c))
		}
	}
}

// renewal makes a key good: a page list begins with the page of its first byte.
func (e *end) renewal(id uint64, l *lender) sendWR {
	if l.window {
		wr := bindWR(id, l.key, e.remote, l.offset, l.size)
		wr.flags = format.WRFlagSignaled
		return wr
	}
	va := e.remote.va + l.offset
	wr := regWR(id, l.key, region{va: va, size: l.size})
	wr.flags, wr.reg.PageShift = format.WRFlagSignaled, format.PageShiftMin
	wr.reg.Translation = e.remote.list + (va>>format.PageShiftMin-e.remote.va>>format.PageShiftMin)*8
	return wr
}
