package golden_test

import (
	"math/rand/v2"
	"testing"

	"gornic/tb/wire"
)

// A program is random work over one connection, in both directions: SENDs and
// WRITEs, with and without immediate, inline or from lists of pieces with any
// offset and length, out of and into contiguous regions and page lists.
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
	lands  []landing // of SENDs
	late   []func()  // posts receive WQEs, but only when a message has missed them
	recvs  []string  // completions of the receive queue
	sends  []string  // and of the send queue
	slots  int       // WQEs since the last check
}

// landing is a SEND's payload in a region of its own.
type landing struct {
	region
	data []byte
}

const (
	localBytes = 8 << 10
	programLog = 3 // log2 of WQEs in a queue
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
		e := &end{s: q.s, q: q, remote: q.s.pages(32<<10, allAccess, r)}
		e.image = q.s.load(e.remote)
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
