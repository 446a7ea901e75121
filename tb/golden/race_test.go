package golden_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/wire"
)

// race is traffic under a key that its owner ends at any time.
type race struct {
	t      *testing.T
	r      *rand.Rand
	p      *pair
	a, b   *qp
	other  *qp    // another QP of b's host
	shared region // b's; the key in question
	key    uint32
	buffer region // a's
}

// ways to end the key. Each returns once it has ended.
var ends = map[string]func(*race){
	"a command": func(g *race) {
		g.p.b.must(format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(g.key)})
	},
	"a local invalidate": func(g *race) {
		g.other.send(sendWR{id: 1, op: format.WRLocalInv, imm: g.key, flags: format.WRFlagSignaled})
		for range 50 {
			if got := g.p.b.poll(g.other.sendCQ); len(got) > 0 {
				require.Equal(g.t, []string{"success"}, statusOf(got[0]))
				return
			}
			g.p.link.Step()
		}
		require.Fail(g.t, "the local invalidate does not end")
	},
	"a SEND with invalidate": func(g *race) {
		g.b.receive(77)
		g.a.send(sendWR{id: 99, op: format.WRSendInv, imm: g.key})
		for range 2000 {
			if got := g.p.b.poll(g.b.recvCQ); len(got) > 0 {
				require.Equal(g.t, []string{fmt.Sprintf("77 SUCCESS RECV 0 inv %x", g.key)}, brief(got))
				return
			}
			g.p.link.Step()
		}
		require.Fail(g.t, "the message does not come")
	},
}

func newRace(t *testing.T, seed uint64) *race {
	g := &race{t: t, r: rand.New(rand.NewPCG(seed, 11)), p: newPair(t, wire.Faults{})}
	g.p.watch.Payloads = false // memory changes under way
	g.a, g.b = g.p.qps(qpConfig{psn: 100, sigAll: 1, logSize: 6})
	_, g.other = g.p.qps(qpConfig{psn: 7})
	size := uint64(4096)
	g.shared, g.buffer = g.p.b.fast(size, allAccess), g.p.a.region(size, format.AccessLocalWrite)
	g.key = g.shared.key
	return g
}

// traffic is a work request that uses the key.
func (g *race) traffic(id uint64) sendWR {
	op := []format.WROpcode{format.WRWrite, format.WRRead, format.WRFetchAdd}[g.r.IntN(3)]
	wr := sendWR{id: id, op: op, remote: (g.shared.va + 7) &^ 7, rkey: g.key, swap: 1}
	n := uint64(8)
	if op != format.WRFetchAdd {
		n = 1 + g.r.Uint64N(4000)
	}
	wr.list = []format.SGE[uint64]{g.buffer.part(0, n)}
	return wr
}

// A key ends while WRITEs, READs and atomics under it are on their way: once the end is
// told, not a byte changes; what was acknowledged was done, the first that was not is
// refused, and nothing behind it is done (protocol section 6).
func TestKeyEndsUnderTraffic(t *testing.T) {
	refused := 0
	for name, end := range ends {
		for seed := range uint64(60) {
			g := newRace(t, seed)
			for id := range uint64(12) {
				g.a.send(g.traffic(id))
			}
			for range g.r.IntN(60) {
				g.p.link.Step()
			}
			end(g)
			before := g.p.b.bytes(g.shared)
			late := g.traffic(100)
			g.a.send(late)
			g.p.run()
			require.Equal(t, before, g.p.b.bytes(g.shared), "%s, seed %d", name, seed)
			done := brief(g.p.a.poll(g.a.sendCQ))
			first := ""
			for i, w := range done {
				switch {
				case first == "" && !strings.Contains(w, "SUCCESS"):
					first = w
				case first != "":
					require.Contains(t, w, "WR_FLUSH_ERR", "behind number %d", i)
				}
			}
			require.Contains(t, first, "REM_ACCESS_ERR", "%s, seed %d: %v", name, seed, done)
			refused++
			require.Equal(t, format.QPError, g.b.state())
			require.Equal(t, []string{fmt.Sprintf("QP_ACCESS_ERR %#x", g.b.number)}, g.p.b.events())
		}
	}
	require.Equal(t, 60*len(ends), refused)
}

// The buffer of a READ ends while its data comes: LOC_PROT_ERR, and not a byte more.
func TestBufferEndsUnderRead(t *testing.T) {
	ended := 0
	for seed := range uint64(100) {
		g := newRace(t, seed)
		from := g.p.b.region(4096, format.AccessRemoteRead)
		dest := g.p.a.fast(4096, format.AccessLocalWrite)
		g.a.send(sendWR{id: 1, op: format.WRRead, remote: from.va, rkey: from.key, list: dest.whole()})
		for range g.r.IntN(20) {
			g.p.link.Step()
		}
		g.p.a.must(format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(dest.key)})
		before := g.p.a.bytes(dest)
		g.p.run()
		require.Equal(t, before, g.p.a.bytes(dest), "seed %d", seed)
		switch done := brief(g.p.a.poll(g.a.sendCQ)); done[0] {
		case "1 LOC_PROT_ERR (no such key)":
			ended++
		default:
			require.Equal(t, []string{"1 SUCCESS RDMA_READ 4096"}, done)
			require.Equal(t, g.p.b.bytes(from), before)
		}
	}
	require.Greater(t, ended, 20)
	require.Less(t, ended, 100)
}

// A window is bound again and again while the peer writes through it: what arrives is
// under the key of then, or refused (C10-68 in protocol section 6).
func TestRebindUnderTraffic(t *testing.T) {
	for seed := range uint64(60) {
		g := newRace(t, seed)
		lender, w := g.p.b.bindable(4096), g.p.b.window(format.KeyWindow1)
		g.other.send(bindWR(1, w, lender, 0, 2048))
		g.p.run()
		write := sendWR{op: format.WRWrite, remote: lender.va, rkey: w, list: []format.SGE[uint64]{g.buffer.part(0, 2048)}}
		g.a.send(write, write, write)
		for range g.r.IntN(40) {
			g.p.link.Step()
		}
		g.other.send(bindWR(2, nextTag(w), lender, 2048, 2048))
		for g.other.query().SQConsumer != 2 {
			g.p.link.Step()
		}
		before := g.p.b.bytes(lender)
		g.a.send(write)
		g.p.run()
		require.Equal(t, before, g.p.b.bytes(lender), "seed %d", seed)
		require.Equal(t, format.QPError, g.b.state())
	}
}

// Atomics of many QPs on one number: each sees another value, and all count (protocol
// section 3.4).
func TestAtomicsOfManyQPs(t *testing.T) {
	for seed := range uint64(20) {
		p := newPair(t, wire.Faults{Seed: seed, Rules: []wire.Rule{{Action: wire.Drop, Rate: 50000, Attempts: 3}}})
		words, _ := p.b.numbers(1)
		const qps, each = 8, 10
		var from []*qp
		results := p.a.region(8*qps*each, format.AccessLocalWrite)
		for i := range uint64(qps) {
			a, _ := p.qps(qpConfig{psn: 0xFFFFFC, retry: 7, timeout: 8})
			from = append(from, a)
			for j := range uint64(each) {
				a.send(sendWR{op: format.WRFetchAdd, remote: words.va, rkey: words.key, swap: 1, list: []format.SGE[uint64]{results.part(8*(each*i+j), 8)}})
			}
		}
		for range 200 {
			p.run()
			p.a.nic.Tick(2e6)
		}
		require.Equal(t, wordBytes(qps*each), p.b.bytes(words))
		seen := map[string]bool{}
		b := p.a.bytes(results)
		for ; len(b) > 0; b = b[8:] {
			seen[string(b[:8])] = true
		}
		require.Len(t, seen, qps*each)
		for _, q := range from {
			require.Equal(t, uint64(each), q.query().SQConsumer)
		}
	}
}
