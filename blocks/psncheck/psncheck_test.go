package psncheck_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/psncheck"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

const qps = 8

var params = psncheck.Params{Sizes: link.Sizes{QPBits: 3, CQBits: 2}}

type async struct{ Code, Vendor, Number uint64 }

// counts are the pulses.
type counts struct{ badQP, badAddress, badState, duplicate, ahead, cnpIgnored, ecnMarked int }

// misfit counts a packet that no queue pair takes, if why is not "".
func (c *counts) misfit(why string) {
	switch why {
	case psncheck.MisfitNumber:
		c.badQP++
	case psncheck.MisfitAddress:
		c.badAddress++
	case psncheck.MisfitState:
		c.badState++
	}
}

// bench is the block between models of its neighbours.
type bench struct {
	t  *testing.T
	s  *sim.Sim
	io *psncheck.IO

	header, dead, reply, outcomes, executed, control, fence *sim.Source
	ask, request, async, cnp, marked                        *sim.Sink

	peers    [qps]psncheck.Peer
	refs     [qps]psncheck.Reference
	requests []linktest.RxRequest // expected
	events   []async
	cnps     []int                   // queue pairs that congestion control hears of,
	marks    []int                   // for either reason
	words    [qps][]linktest.Outcome // what the responder will say of expected requests
	late     []linktest.Outcome      // and has not said yet
	atomics  [qps]int                // that were accepted, or may be, and have not been executed
	waiting  []int                   // queue pairs of atomics that are executed next
	lookups  int                     // packets that have not asked for their context
	want     counts
	got      counts
	slow     func() bool // the responder takes its time
	held     bool        // atomics are not executed
}

func newBench(t *testing.T, s *sim.Sim, io *psncheck.IO, g sim.Pattern) *bench {
	b := &bench{
		t: t, s: s, io: io,
		header: sim.NewSource(s, io.Header, g), dead: sim.NewSource(s, io.Dead, g), executed: sim.NewSource(s, io.AtomicDone, g), reply: sim.NewSource(s, io.Context.Reply, g), outcomes: sim.NewSource(s, io.Outcome, g),
		control: sim.NewSource(s, io.Control, g), fence: sim.NewSource(s, io.Fence, g),
		ask: sim.NewSink(s, io.Context.Request, g), request: sim.NewSink(s, io.Request, g), async: sim.NewSink(s, io.Async, g),
		cnp: sim.NewSink(s, io.CNP, g), marked: sim.NewSink(s, io.Marked, g),
		slow: func() bool { return false },
	}
	s.Reset(2)
	return b
}

// create makes a queue pair that receives from a PSN on.
func (b *bench) create(qp int, state format.QPState, psn uint32, ipv6 uint64) {
	b.refs[qp] = psncheck.Reference{Expected: psn}
	b.peers[qp] = psncheck.Peer{Exists: true, QPN: uint64(0xA500 + qp), State: state, Congestion: qp%2 == 1, AV: format.AV[uint64]{
		IPv6: ipv6, SrcHi: 0x20 * ipv6, SrcLo: 0x0A000001, DstHi: 0x30 * ipv6, DstLo: uint64(0x0A000100 + qp),
	}}
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear, PSN: 0x123})
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlRecvPSN, PSN: psn})
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlSendPSN, PSN: 0x777}) // nothing to this block
	for b.control.Pending() > 0 {
		b.step()
	}
}

func (b *bench) contextOf(qp int) linktest.Context {
	p := b.peers[qp]
	return linktest.Context{Exists: p.Exists, QPN: uint32(p.QPN), State: p.State, PD: uint32(qp), Congestion: p.Congestion, SendCQ: 3 - qp&3, RecvCQ: qp & 3}
}

// packet is a good one with no payload for a queue pair.
func (b *bench) packet(qp int, op format.Opcode, psn uint32) format.RxDescriptor[uint64] {
	v := b.peers[qp].AV
	_, defined := format.Lookup(op)
	return format.RxDescriptor[uint64]{
		IPv6: v.IPv6, SrcHi: v.DstHi, SrcLo: v.DstLo, DstHi: v.SrcHi, DstLo: v.SrcLo, DestQP: b.peers[qp].QPN,
		Opcode: uint64(op), Undefined: bit(!defined), CNP: bit(op == format.OpCNP), PSN: uint64(psn & 0xFFFFFF), AckReq: 1,
		Ext: format.ExtWords[uint64]{0x1F000000 | uint64(qp), 2, 3, 4, 5, 6, 7},
	}
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// send sends a packet; of an expected request the responder will say said.
func (b *bench) send(d format.RxDescriptor[uint64], said linktest.Outcome) psncheck.Verdict {
	qp := int(d.DestQP & (qps - 1))
	v := b.refs[qp].Judge(d, b.peers[qp])
	b.header.Send(d)
	b.lookups++
	if v.Request {
		r := linktest.RxRequest{
			Kind: v.Kind, QP: qp, Opcode: format.Opcode(d.Opcode), Undefined: d.Undefined == 1, SE: d.SE == 1, AckReq: d.AckReq == 1,
			PadCnt: int(d.PadCnt), PSN: uint32(d.PSN), Expected: v.Expected, SendNAK: v.SendNAK, PayloadLen: int(d.PayloadLen), Context: b.contextOf(qp),
		}
		for i, word := range d.Ext {
			r.Ext[i] = uint32(word)
		}
		b.requests = append(b.requests, r)
		if v.Kind == link.PSNExpected {
			said.QP = qp
			b.words[qp] = append(b.words[qp], said)
			b.refs[qp].Outcome(said.Advance, said.NAKSent, said.Dead)
		}
	}
	if v.Tell {
		b.events = append(b.events, async{Code: uint64(format.EventCommEst), Number: d.DestQP})
	}
	if v.CNP {
		b.cnps = append(b.cnps, qp)
	}
	if v.Congested {
		b.marks = append(b.marks, qp)
	}
	b.want.misfit(v.Misfit)
	b.want.duplicate += int(bit(v.Duplicate))
	b.want.ahead += int(bit(v.Ahead))
	b.want.cnpIgnored += int(bit(v.CNPIgnored))
	b.want.ecnMarked += int(bit(v.ECNMarked))
	return v
}

// sendFence sends a fence behind all packets.
func (b *bench) sendFence(token int) {
	for b.header.Pending() > 0 {
		b.step()
	}
	b.fence.Send(token)
	b.requests = append(b.requests, linktest.RxRequest{Kind: link.PSNFence, PSN: uint32(token)})
	for b.fence.Pending() > 0 {
		b.step()
	}
}

// sendDead says that a queue pair is dead, as its context does from now on; all packets
// so far have asked for theirs.
func (b *bench) sendDead(qp int) {
	for b.lookups > 0 {
		b.step()
	}
	b.peers[qp].State = format.QPError
	b.dead.Send(qp)
	b.lookups++
	b.requests = append(b.requests, linktest.RxRequest{Kind: link.PSNDead, QP: qp, Context: b.contextOf(qp)})
	for b.dead.Pending() > 0 {
		b.step()
	}
}

// isAtomic tells the two atomics.
func isAtomic(op format.Opcode) bool { return op == format.OpCmpSwap || op == format.OpFetchAdd }

// step is a cycle.
func (b *bench) step() {
	b.s.Step()
	require.NoError(b.t, b.s.Err())
	b.got.badQP += int(b.s.Get(b.io.BadQP))
	b.got.badAddress += int(b.s.Get(b.io.BadAddress))
	b.got.badState += int(b.s.Get(b.io.BadState))
	b.got.duplicate += int(b.s.Get(b.io.Duplicate))
	b.got.ahead += int(b.s.Get(b.io.Ahead))
	b.got.cnpIgnored += int(b.s.Get(b.io.CNPIgnored))
	b.got.ecnMarked += int(b.s.Get(b.io.ECNMarked))
	for _, qp := range sim.Received[int](b.ask) {
		b.lookups--
		b.reply.Send(linktest.Lookup{Context: b.contextOf(qp), Address: linktest.AddressOf(b.peers[qp].AV)})
	}
	for _, r := range sim.Received[linktest.RxRequest](b.request) {
		b.compare(r)
	}
	for _, e := range sim.Received[async](b.async) {
		require.NotEmpty(b.t, b.events, "an event too many: %+v", e)
		require.Equal(b.t, b.events[0], e)
		b.events = b.events[1:]
	}
	for _, qp := range sim.Received[int](b.cnp) {
		require.NotEmpty(b.t, b.cnps, "a CNP too many")
		require.Equal(b.t, b.cnps[0], qp)
		b.cnps = b.cnps[1:]
	}
	for _, qp := range sim.Received[int](b.marked) {
		require.NotEmpty(b.t, b.marks, "a mark too many")
		require.Equal(b.t, b.marks[0], qp)
		b.marks = b.marks[1:]
	}
	for len(b.late) > 0 && !b.slow() {
		b.outcomes.Send(b.late[0])
		b.late = b.late[1:]
	}
	for len(b.waiting) > 0 && !b.held && !b.slow() {
		b.executed.Send(b.waiting[0])
		b.atomics[b.waiting[0]]--
		b.waiting = b.waiting[1:]
	}
}

// compare compares a request with what the reference makes of its packet.
func (b *bench) compare(r linktest.RxRequest) {
	require.NotEmpty(b.t, b.requests, "a request too many: %+v", r)
	want := b.requests[0]
	b.requests = b.requests[1:]
	switch r.Kind {
	case link.PSNFence:
		r = linktest.RxRequest{Kind: r.Kind, PSN: r.PSN, PayloadLen: r.PayloadLen}
	case link.PSNDead:
		r = linktest.RxRequest{Kind: r.Kind, QP: r.QP, PayloadLen: r.PayloadLen, Context: r.Context}
	case link.PSNResponse:
		r.Expected, r.SendNAK = 0, false
	case link.PSNIgnored: // what else it has means nothing
		r = linktest.RxRequest{Kind: r.Kind, PayloadLen: r.PayloadLen}
		want = linktest.RxRequest{Kind: want.Kind, PayloadLen: want.PayloadLen}
	case link.PSNExpected, link.PSNDuplicate:
		r.SendNAK = want.SendNAK
	}
	require.Equal(b.t, want, r)
	if r.Kind == link.PSNExpected {
		b.expected(r, b.words[r.QP][0])
		b.words[r.QP] = b.words[r.QP][1:]
	}
}

// expected gives an expected request to the responder, who will say a word of it. Nothing
// but READs and atomics passes an atomic.
func (b *bench) expected(r linktest.RxRequest, said linktest.Outcome) {
	if r.Opcode != format.OpReadRequest && !isAtomic(r.Opcode) {
		require.Zero(b.t, b.atomics[r.QP], "%v of queue pair %d passes an atomic", r.Opcode, r.QP)
	}
	b.late = append(b.late, said)
	if isAtomic(r.Opcode) && said.Advance > 0 {
		b.atomics[r.QP]++
		b.waiting = append(b.waiting, r.QP)
	}
}

// drain waits until all has come that was expected.
func (b *bench) drain() {
	for range 3000 {
		if len(b.requests)+len(b.events)+len(b.cnps)+len(b.marks)+len(b.late)+len(b.waiting)+b.header.Pending()+b.outcomes.Pending()+b.executed.Pending() == 0 {
			break
		}
		b.step()
	}
	require.Empty(b.t, b.requests)
	require.Empty(b.t, b.events)
	require.Empty(b.t, b.cnps)
	require.Empty(b.t, b.marks)
	for range 20 {
		b.step()
	}
	require.Equal(b.t, b.want, b.got)
	for qp := range b.refs {
		b.s.Set(b.io.Peek.QP, uint64(qp))
		b.s.Run(link.PeekCycles)
		if b.peers[qp].Exists {
			require.EqualValues(b.t, b.refs[qp].Expected, b.s.Get(b.io.Peek.Value))
		}
	}
}

// randomPacket is one for a queue pair, mostly with a PSN near the expected one,
// now and then with something wrong.
func (b *bench) randomPacket(r *rand.Rand) format.RxDescriptor[uint64] {
	qp := r.IntN(qps)
	op := format.Opcode(r.IntN(0x20))
	switch r.IntN(20) {
	case 0:
		op = format.OpCNP
	case 1, 2, 3:
		op = format.OpCmpSwap + format.Opcode(r.IntN(2))
	}
	near := []uint32{0, 0, 0, 0, 1, 2, 0xFFFFFF, 0xFFFFFE, 1 << 23, 1<<23 - 1, 1<<23 + 1, r.Uint32()}
	d := b.packet(qp, op, b.refs[qp].Expected+near[r.IntN(len(near))])
	d.SE, d.AckReq, d.PadCnt = r.Uint64N(2), r.Uint64N(2), r.Uint64N(4)
	if r.IntN(2) == 0 {
		d.PayloadLen = r.Uint64N(4097)
	}
	for i := range d.Ext {
		d.Ext[i] = uint64(r.Uint32())
	}
	d.VLAN, d.TCI, d.TrafficClass, d.SrcPort = r.Uint64N(2), r.Uint64N(1<<16), r.Uint64N(256), r.Uint64N(1<<16)
	flip := uint64(1) << r.IntN(64)
	switch r.IntN(40) {
	case 0:
		d.SrcHi ^= flip
	case 1:
		d.SrcLo ^= flip
	case 2:
		d.DstHi ^= flip
	case 3:
		d.DstLo ^= flip
	case 4:
		d.DestQP ^= 1 << (3 + r.IntN(21)) // another number with the same index
	case 5:
		d.IPv6 ^= 1
	}
	return d
}

// Random packets for queue pairs in every state, with random outcomes and
// fences: each request, response and count is the reference's.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, psncheck.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 3))
		b := newBench(t, s, io, hdltest.Gaps(t, 25))
		b.slow = func() bool { return r.IntN(6) > 0 }
		states := []format.QPState{format.QPRTS, format.QPRTS, format.QPRTS, format.QPRTR, format.QPSQD, format.QPError, format.QPInit, format.QPReset}
		for range 4 {
			for qp, state := range states {
				b.create(qp, state, r.Uint32N(1<<24), r.Uint64N(2))
			}
			b.peers[7].State, b.peers[7].Exists = format.QPRTS, false
			for range 400 {
				said := linktest.Outcome{Advance: 1, NAKSent: r.IntN(8) == 0, Dead: r.IntN(60) == 0}
				if r.IntN(4) == 0 {
					said.Advance = r.Uint32N(3)
				}
				b.send(b.randomPacket(r), said)
				for range r.IntN(8) {
					b.step()
				}
				switch r.IntN(60) {
				case 0, 1:
					b.sendFence(r.IntN(4))
				case 2:
					b.sendDead(r.IntN(qps))
				}
			}
			b.drain()
			for qp := range b.refs {
				s.Set(io.Peek.QP, uint64(qp))
				s.Run(link.PeekCycles)
				require.EqualValues(t, b.refs[qp].Expected&0xFFFFFF, s.Get(io.Peek.Value))
			}
		}
		require.Greater(t, b.got.ahead, 100)
		require.Greater(t, b.got.duplicate, 100)
		require.Greater(t, min(b.got.badQP, b.got.badAddress, b.got.badState, b.got.cnpIgnored, b.got.ecnMarked), 10)
	}, verilator.Simulator)
}

// Each state takes what protocol section 5.2 says.
func TestStates(t *testing.T) {
	design, io := hdltest.Build(t, psncheck.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		takes := map[format.QPState][2]bool{ // requests, responses; none in any other state
			format.QPRTR: {true, false}, format.QPRTS: {true, true}, format.QPSQD: {true, true},
		}
		for state := range format.QPState(8) {
			takes := takes[state]
			b.create(1, state, 100, 0)
			require.Equal(t, takes[0], b.send(b.packet(1, format.OpSendOnly, 100), linktest.Outcome{Advance: 1}).Request, "%v", state)
			for op := format.OpReadResponseFirst; op <= format.OpAtomicAck; op++ {
				v := b.send(b.packet(1, op, 7), linktest.Outcome{})
				why := psncheck.MisfitState
				if takes[1] {
					why = ""
				}
				require.Equal(t, psncheck.Verdict{Request: takes[1], Kind: v.Kind, Misfit: why}, v, "%v %v", state, op)
				require.Equal(t, takes[1], v.Kind == link.PSNResponse)
			}
			b.drain()
		}
	})
}

// The first request to a queue pair in RTR is told of, once, whatever its PSN, and again
// when the queue pair begins anew; one to a queue pair in RTS is not.
func TestFirstRequest(t *testing.T) {
	design, io := hdltest.Build(t, psncheck.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, hdltest.Gaps(t, 40))
		for _, psn := range []uint32{100, 101, 99, 100} {
			b.create(1, format.QPRTR, 100, 0)
			b.create(2, format.QPRTS, 100, 0)
			for i := range uint32(3) {
				v := b.send(b.packet(1, format.OpSendOnly, psn+i), linktest.Outcome{Advance: 1})
				require.Equal(t, i == 0, v.Tell)
				require.False(t, b.send(b.packet(2, format.OpSendOnly, psn+i), linktest.Outcome{Advance: 1}).Tell)
			}
			b.drain()
		}
	}, verilator.Simulator)
}

// The rows of protocol section 3.3, and the edges of section 3.2.
func TestPSN(t *testing.T) {
	type step struct {
		psn     uint32
		said    linktest.Outcome
		kind    int
		sendNAK bool
	}
	good, rnr := linktest.Outcome{Advance: 1}, linktest.Outcome{NAKSent: true}
	for name, steps := range map[string][]step{
		"expected, and again":             {{0xFFFFFF, good, link.PSNExpected, false}, {0xFFFFFF, good, link.PSNDuplicate, false}, {0, good, link.PSNExpected, false}},
		"ahead draws one NAK":             {{1, good, link.PSNAhead, true}, {1, good, link.PSNAhead, false}, {2, good, link.PSNAhead, false}},
		"and one again, once it is there": {{1, good, link.PSNAhead, true}, {0xFFFFFF, good, link.PSNExpected, false}, {1, good, link.PSNAhead, true}},
		"a duplicate does not matter":     {{1, good, link.PSNAhead, true}, {5 + 1<<23, good, link.PSNDuplicate, false}, {1, good, link.PSNAhead, false}},
		"none behind an RNR NAK":          {{0xFFFFFF, rnr, link.PSNExpected, false}, {0, good, link.PSNAhead, false}, {0xFFFFFF, good, link.PSNExpected, false}},
		"half are ahead, half behind":     {{1<<23 - 2, good, link.PSNAhead, true}, {1<<23 - 1, good, link.PSNDuplicate, false}, {1 << 23, good, link.PSNDuplicate, false}},
		"a refused one ends it":           {{0xFFFFFF, linktest.Outcome{Dead: true}, link.PSNExpected, false}, {0xFFFFFF, good, link.PSNIgnored, false}},
	} {
		t.Run(name, func(t *testing.T) {
			var r psncheck.Reference
			r.Expected = 0xFFFFFF
			for i, s := range steps {
				q := psncheck.Peer{Exists: true, State: format.QPRTS}
				v := r.Judge(format.RxDescriptor[uint64]{PSN: uint64(s.psn), PayloadLen: 1}, q)
				require.Equal(t, []any{s.kind, s.sendNAK}, []any{v.Kind, v.SendNAK}, "step %d", i)
				if v.Kind == link.PSNExpected {
					r.Outcome(s.said.Advance, s.said.NAKSent, s.said.Dead)
				}
			}
		})
	}
}

// While a request is with the responder, packets of other queue pairs pass until
// one of the same comes.
func TestOthersPass(t *testing.T) {
	design, io := hdltest.Build(t, psncheck.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		silent := true
		b.slow = func() bool { return silent }
		for qp := range 3 {
			b.create(qp, format.QPRTS, 100, 1)
		}
		b.send(b.packet(0, format.OpSendOnly, 100), linktest.Outcome{Advance: 1})
		b.send(b.packet(1, format.OpSendOnly, 100), linktest.Outcome{Advance: 1})
		b.send(b.packet(0, format.OpAcknowledge, 9), linktest.Outcome{})
		b.send(b.packet(1, format.OpSendOnly, 103), linktest.Outcome{})
		b.send(b.packet(2, format.OpSendOnly, 100), linktest.Outcome{Advance: 1})
		for range 60 {
			b.step()
		}
		require.Len(t, b.requests, 2, "the second one of a queue pair waits, and what is behind it")
		silent = false
		b.drain()
	})
}

// run runs n cycles.
func (b *bench) run(n int) {
	for range n {
		b.step()
	}
}

// While an atomic has not been executed, READs and atomics of its queue pair pass, and
// everything of others; a SEND waits for all of them. One that was refused holds nobody.
func TestAtomicsGoFirst(t *testing.T) {
	good := linktest.Outcome{Advance: 1}
	for _, op := range []format.Opcode{format.OpCmpSwap, format.OpFetchAdd} {
		design, io := hdltest.Build(t, psncheck.Def(params))
		hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
			b := newBench(t, s, io, sim.Pattern{})
			for qp := range 3 {
				b.create(qp, format.QPRTS, 100, 1)
			}
			b.send(b.packet(0, op, 100), linktest.Outcome{NAKSent: true})
			b.send(b.packet(0, format.OpWriteOnly, 100), good)
			b.drain()

			b.send(b.packet(0, op, 101), good)
			b.send(b.packet(0, format.OpReadRequest, 102), linktest.Outcome{Advance: 3})
			b.send(b.packet(0, op, 105), good)
			b.send(b.packet(1, format.OpSendOnly, 100), good)
			b.held = true
			b.run(60)
			require.Empty(t, b.requests)
			require.Equal(t, []int{0, 0}, b.waiting)
			b.send(b.packet(0, format.OpSendOnly, 106), good)
			b.run(40)
			require.Len(t, b.requests, 1)
			b.executed.Send(0)
			b.waiting, b.atomics[0] = b.waiting[1:], 1
			b.run(40)
			require.Len(t, b.requests, 1, "one is left")
			b.held = false
			b.drain()
		}, verilator.Simulator)
	}
}

// A queue pair that is dead is told of behind its packets, and drops what comes later; a
// fence goes behind it.
func TestDead(t *testing.T) {
	design, io := hdltest.Build(t, psncheck.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, hdltest.Gaps(t, 30))
		for range 20 {
			b.create(1, format.QPRTS, 100, 0)
			b.send(b.packet(1, format.OpReadResponseMiddle, 7), linktest.Outcome{})
			b.send(b.packet(1, format.OpSendOnly, 100), linktest.Outcome{Advance: 1})
			b.sendDead(1)
			require.False(t, b.send(b.packet(1, format.OpReadResponseMiddle, 8), linktest.Outcome{}).Request)
			b.sendFence(2)
			b.drain()
			b.create(1, format.QPError, 100, 0) // both at once
			b.fence.SetPattern(sim.Pattern{})
			b.dead.SetPattern(sim.Pattern{})
			b.dead.Send(1)
			b.fence.Send(1)
			b.requests = append(b.requests, linktest.RxRequest{Kind: link.PSNDead, QP: 1, Context: b.contextOf(1)}, linktest.RxRequest{Kind: link.PSNFence, PSN: 1})
			b.lookups++
			b.drain()
		}
	}, verilator.Simulator)
}

// Eight queue pairs may have something to wait for: the ninth waits until one has not, and
// whoever is behind it.
func TestNinthWaits(t *testing.T) {
	p := params
	p.Sizes.QPBits = 4
	design, io := hdltest.Build(t, psncheck.Def(p))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		var g sim.Pattern
		header, reply := sim.NewSource(s, io.Header, g), sim.NewSource(s, io.Context.Reply, g)
		outcome, executed, control := sim.NewSource(s, io.Outcome, g), sim.NewSource(s, io.AtomicDone, g), sim.NewSource(s, io.Control, g)
		ask, request := sim.NewSink(s, io.Context.Request, g), sim.NewSink(s, io.Request, g)
		sim.NewSink(s, io.Async, g)
		s.Reset(2)
		run := func(n int) {
			for range n {
				s.Step()
				for _, qp := range sim.Received[int](ask) {
					reply.Send(linktest.Lookup{Context: linktest.Context{Exists: true, QPN: uint32(qp), State: format.QPRTS}})
				}
			}
		}
		for qp := range 10 {
			control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
		}
		run(40)
		for qp := range uint64(10) {
			header.Send(format.RxDescriptor[uint64]{DestQP: qp, Opcode: uint64(format.OpFetchAdd)})
		}
		run(60)
		require.EqualValues(t, 8, request.Count())
		for qp := range 8 {
			outcome.Send(linktest.Outcome{QP: qp, Advance: 1})
		}
		run(60)
		require.EqualValues(t, 8, request.Count(), "their atomics have not been executed")
		executed.Send(5)
		run(20)
		require.EqualValues(t, 9, request.Count())
		outcome.Send(linktest.Outcome{QP: 8}) // refused: never executed
		run(20)
		require.EqualValues(t, 10, request.Count())
	}, verilator.Simulator)
}

// A packet takes two cycles.
func TestCycles(t *testing.T) {
	design, io := hdltest.Build(t, psncheck.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		for qp := range qps {
			b.create(qp, format.QPRTS, 0, 0)
		}
		const rounds = 50
		begin := s.Cycle()
		for i := range uint32(rounds) {
			for qp := range qps {
				b.send(b.packet(qp, format.OpWriteOnly, i), linktest.Outcome{Advance: 1})
			}
		}
		for len(b.requests) > 0 {
			b.step()
		}
		cycles := s.Cycle() - begin
		t.Logf("%.2f cycles a packet", float64(cycles)/(rounds*qps))
		require.LessOrEqual(t, cycles, uint64(2*rounds*qps+20))
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params.Validate())
	require.Error(t, psncheck.Params{}.Validate())
	require.Error(t, psncheck.Params{Sizes: link.Sizes{QPBits: 17}}.Validate())
}
