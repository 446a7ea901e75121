package resources_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/resources"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// peer is the requester of a queue pair, and the reference of what it is answered.
type peer struct {
	qp   int
	ref  resources.Reference
	psn  uint32
	msn  uint32
	most uint8               // of link.Served
	sent []resources.Request // all that it asked for
	lost []lostPacket        // what a turn that began before the last requests came may make
}

// lostPacket is a packet of an entry whose place has been taken, and what link.Served says once it is the last one.
type lostPacket struct {
	resources.Packet
	next uint8
}

// fresh makes a new request.
func (p *peer) fresh(r *rand.Rand) resources.Request {
	q := resources.Request{Kind: link.ResourceRead + r.IntN(3), PSN: p.psn, MSN: p.msn, VA: r.Uint64(), RKey: r.Uint32(), Length: 8}
	n := 1
	if q.Kind == link.ResourceRead {
		q.Length = []uint32{0, 1, uint32(p.ref.MTU), uint32(p.ref.MTU) + 1, r.Uint32N(4 * uint32(p.ref.MTU)), uint32(3 * p.ref.MTU)}[r.IntN(6)]
		n = max(1, (int(q.Length)+p.ref.MTU-1)/p.ref.MTU)
	}
	p.psn = (p.psn + uint32(n+r.IntN(2))) & 0xFFFFFF // perhaps a SEND between them
	p.msn++
	p.sent = append(p.sent, q)
	return q
}

// again makes a duplicate of one of the last requests, from a packet of it on, which may be a wrong one.
func (p *peer) again(r *rand.Rand) resources.Request {
	back := 1 + r.IntN(min(len(p.sent), size+2))
	if len(p.sent) > size && r.IntN(2) == 0 {
		back = size // the one whose place is taken next
	}
	q := p.sent[len(p.sent)-back]
	if q.Kind == link.ResourceRead && q.Length > 0 && r.IntN(2) == 0 {
		index := r.Uint32N((q.Length + uint32(p.ref.MTU) - 1) / uint32(p.ref.MTU))
		offset := index * uint32(p.ref.MTU)
		q.PSN, q.VA, q.Length = (q.PSN+index)&0xFFFFFF, q.VA+uint64(offset), q.Length-offset
	}
	switch r.IntN(24) {
	case 0:
		q.RKey ^= 1 << r.IntN(32)
	case 1:
		q.VA ^= 1 << r.IntN(64)
	case 2:
		q.Length ^= 1 << r.IntN(14)
	case 3:
		q.PSN = (q.PSN + uint32(1+r.IntN(4))) & 0xFFFFFF
	case 4:
		q.Kind = link.ResourceRead + r.IntN(3)
	}
	return q
}

// model follows the events of the block: in their order, the references say what follows from each.
type model struct {
	t        *testing.T
	b        *bench
	peers    [qps]*peer
	queue    []sentRequest // not yet taken
	commands []command     // that the block has to give
	number   [][2]int      // queue pair and entry of the atomics, in their order
	results  int           // atomics whose results have been sent
	packets  []packet
	served   []served
}

type sentRequest struct {
	qp        int
	q         resources.Request
	duplicate bool
}

func (m *model) see(events []sim.Event) {
	for _, e := range events {
		switch e.Name {
		case "resource_taken":
			m.taken(e)
		case "resource_again":
			m.again(e)
		case "response_made":
			m.made(e)
		}
	}
}

func (m *model) next(e sim.Event) (*peer, sentRequest) {
	require.NotEmpty(m.t, m.queue, "%v", e)
	s := m.queue[0]
	m.queue = m.queue[1:]
	qp, _ := e.Get("qp")
	psn, _ := e.Get("psn")
	require.EqualValues(m.t, s.qp, qp)
	require.EqualValues(m.t, s.q.PSN, psn)
	return m.peers[s.qp], s
}

func (m *model) taken(e sim.Event) {
	p, s := m.next(e)
	require.False(m.t, s.duplicate)
	before := p.ref
	made, pending := before.Packet()
	next, _, _ := p.ref.Served()
	number := p.ref.Take(s.q)
	if now, _, _ := p.ref.Served(); now != next && pending {
		p.lost = append(p.lost, lostPacket{made, next + 1})
	}
	used, _ := e.Get("used")
	require.EqualValues(m.t, p.ref.Unanswered(), used)
	if s.q.Kind != link.ResourceRead {
		m.number = append(m.number, [2]int{s.qp, number})
	}
}

func (m *model) again(e sim.Event) {
	p, s := m.next(e)
	require.True(m.t, s.duplicate)
	p.lost = nil
	found, _ := e.Get("found")
	require.Equal(m.t, p.ref.Again(s.q), found == 1, "%v", e)
	m.tell(s.qp)
}

func (m *model) made(e sim.Event) {
	qp, _ := e.Get("qp")
	psn, _ := e.Get("psn")
	p := m.peers[qp]
	lost := slices.IndexFunc(p.lost, func(l lostPacket) bool { return uint64(l.PSN) == psn })
	var made resources.Packet
	if lost >= 0 {
		made = p.lost[lost].Packet
	} else {
		var ok bool
		made, ok = p.ref.Packet()
		require.True(m.t, ok, "%v", e)
		require.EqualValues(m.t, made.PSN, psn, "%v", e)
	}
	m.packets = append(m.packets, packet{QP: int(qp), Packet: made})
	switch made.Opcode {
	case format.OpReadResponseOnly, format.OpReadResponseLast, format.OpAtomicAck:
		m.tell(int(qp))
		if lost >= 0 {
			m.served[len(m.served)-1].Next = p.lost[lost].next
		}
	}
	p.lost = nil
}

func (m *model) tell(qp int) {
	next, most, duplicates := m.peers[qp].ref.Served()
	m.served = append(m.served, served{QP: qp, Next: next, Most: most, Duplicates: duplicates})
}

// finish hears of the result of the oldest atomic.
func (m *model) finish(value uint64, fault format.VendorCode) {
	require.Less(m.t, m.results, len(m.number))
	n := m.number[m.results]
	m.results++
	m.peers[n[0]].ref.Finish(n[1], resources.Outcome{Value: value, Fault: fault})
}

// Random requests and duplicates of several queue pairs, while turns, results and stalls come as they like: every
// packet is the one that the reference makes next.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, resources.Def(params))
	hdltest.EachSimWith(t, design, sim.Options{Events: true}, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 4))
		b := newBench(t, s, io, hdltest.Gaps(t, 25))
		m := &model{t: t, b: b}
		for qp := range m.peers {
			m.peers[qp] = &peer{qp: qp, psn: 0xFFFFF0 + r.Uint32N(16), ref: resources.Reference{MTU: mtu(b.contexts[qp].PathMTU), Size: size}}
		}
		b.delay = 30
		b.outcome = func(c command) (value uint64, fault format.VendorCode) {
			value = r.Uint64()
			if r.IntN(30) == 0 {
				fault = []format.VendorCode{format.VendorBusRead, format.VendorBusWrite}[r.IntN(2)]
			}
			m.see(s.Events()) // it has been taken
			m.finish(value, fault)
			return value, fault
		}
		want := &checker{m: m}
		for range 4000 {
			if r.IntN(60) == 0 {
				b.job.SetPattern([]sim.Pattern{{Kind: sim.Never}, {}, hdltest.Gaps(t, 70)}[r.IntN(3)])
			}
			switch qp := r.IntN(qps); r.IntN(30) {
			case 0:
				b.paced[qp] = true
			case 1, 2, 3:
				b.goes(qp)
			}
			switch {
			case b.request.Pending() > 2:
			case r.IntN(12) == 0:
				m.cancels(r)
			default:
				m.sends(r)
			}
			b.run(1 + r.IntN(8))
			m.see(s.Events())
			want.compare()
		}
		b.job.SetPattern(sim.Pattern{})
		for qp := range qps {
			b.goes(qp)
		}
		b.run(3000)
		m.see(s.Events())
		want.compare()
		require.Empty(t, m.queue)
		require.Empty(t, want.packets)
		require.Empty(t, want.served)
		require.Equal(t, m.commands, b.commands)
		require.Equal(t, b.job.Count(), b.made)
		for _, p := range m.peers {
			_, ok := p.ref.Packet()
			require.False(t, ok, "queue pair %d has more to be answered", p.qp)
			require.Greater(t, len(p.sent), 50)
			require.Greater(t, p.ref.Duplicates, 50)
		}
	}, linktest.Others(64)...)
}

// sends queues a request or a duplicate of some queue pair. A peer has no more unanswered than its ring holds.
func (m *model) sends(r *rand.Rand) {
	p := m.peers[r.IntN(qps)]
	s := sentRequest{qp: p.qp, duplicate: len(p.sent) > 0 && r.IntN(2) == 0}
	if s.duplicate {
		s.q = p.again(r)
	} else {
		if uint8(len(p.sent))-p.most >= size {
			return
		}
		s.q = p.fresh(r)
	}
	m.queue = append(m.queue, s)
	m.b.send(s.qp, s.q, s.duplicate)
	if !s.duplicate && s.q.Kind != link.ResourceRead {
		m.commands = append(m.commands, command{QP: s.qp, Slot: (len(p.sent) - 1) % size, Kind: s.q.Kind, Addr: s.q.VA})
	}
}

// cancels queues a request of a kind that leaves no trace, but for the operands of a new atomic.
func (m *model) cancels(r *rand.Rand) {
	p := m.peers[r.IntN(qps)]
	q := request{QP: p.qp, Cancel: true, PSN: p.psn}
	q.Resource.Kind, q.Resource.Duplicate = link.ResourceRead+r.IntN(3), r.IntN(2) == 0
	m.b.request.Send(q)
	if !q.Resource.Duplicate && q.Resource.Kind != link.ResourceRead {
		m.commands = append(m.commands, command{QP: p.qp, Slot: len(p.sent) % size, Kind: q.Resource.Kind, Cancel: true})
	}
}

// checker compares what came out of the block with what its events led to.
type checker struct {
	m       *model
	packets []packet
	served  []served
}

func (c *checker) compare() {
	m := c.m
	c.packets = append(c.packets, m.packets...)
	m.packets = nil
	for _, got := range m.b.took() {
		require.NotEmpty(m.t, c.packets)
		want := c.packets[0]
		if want.Length == 0 {
			want.VA, want.RKey = 0, 0
		}
		c.packets = c.packets[1:]
		require.Equal(m.t, want, got)
	}
	c.served = append(c.served, m.served...)
	m.served = nil
	for _, got := range sim.Received[served](m.b.served) {
		require.NotEmpty(m.t, c.served)
		require.Equal(m.t, c.served[0], got)
		c.served = c.served[1:]
		m.peers[got.QP].most = got.Most
	}
}
