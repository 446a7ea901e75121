package responder_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/responder"
	"gornic/format"
	"gornic/hdl/hdltest"
	verilator "gornic/sim-verilator"
)

// message is one that a generator sends, packet by packet.
type message struct {
	write, imm, inv, active bool
	left                    int
}

// randomWQE is a receive WQE of any number of SGEs, now and then one that cannot be.
func randomWQE(t *testing.T, r *rand.Rand, stride, mtu int) responder.WQE {
	sges := make([]format.SGE[uint64], r.IntN(format.RecvSGEs(stride)+1))
	if r.IntN(3) > 0 && len(sges) > 1 {
		sges = sges[:1]
	}
	for i := range sges {
		most := 8 * mtu / len(sges)
		sges[i] = format.SGE[uint64]{Addr: r.Uint64(), Length: r.Uint64N(uint64(most)), LKey: uint64(r.Uint32())}
		switch r.IntN(12) {
		case 0, 1:
			sges[i].Length = 0
		case 2:
			sges[i].Length = uint64(mtu)
		case 3:
			sges[i].Length = 1<<31 + r.Uint64N(1<<30)
		}
	}
	w := wqeOf(t, r.Uint64(), sges...)
	if r.IntN(40) == 0 {
		w.Bytes[8] = byte(format.RecvSGEs(stride) + 1 + r.IntN(200))
	}
	w.Unreadable = r.IntN(40) == 0
	return w
}

// next is the next packet of a queue pair's messages, mostly as it should be.
func (m *message) next(r *rand.Rand, mtu int) responder.Request {
	q := responder.Request{Kind: link.PSNExpected, SE: r.IntN(2) == 0, AckReq: r.IntN(2) == 0, Imm: r.Uint32()}
	start := !m.active
	if start && r.IntN(4) == 0 {
		return randomFetch(r, q)
	}
	if start {
		*m = message{write: r.IntN(2) == 0, imm: r.IntN(3) == 0, inv: r.IntN(3) == 0, active: true, left: r.IntN(3 * mtu)}
		if r.IntN(8) == 0 {
			m.left = mtu * r.IntN(4)
		}
		q.RETH = format.RETH[uint64]{VA: r.Uint64(), RKey: uint64(r.Uint32()), DMALen: uint64(m.left)}
	}
	q.Length = min(mtu, m.left)
	last := q.Length == m.left
	q.Opcode = opcodeOf(m.write, m.imm, start, last)
	if !m.write && m.inv && last {
		q.Opcode = format.OpSendLastInv
		if start {
			q.Opcode = format.OpSendOnlyInv
		}
	}
	q.PadCnt = -q.Length & 3
	m.left -= q.Length
	m.active = !last
	return q
}

// randomFetch makes q a READ or atomic.
func randomFetch(r *rand.Rand, q responder.Request) responder.Request {
	q.Opcode = []format.Opcode{format.OpReadRequest, format.OpCmpSwap, format.OpFetchAdd}[r.IntN(3)]
	q.RETH = format.RETH[uint64]{VA: r.Uint64(), RKey: uint64(r.Uint32()), DMALen: r.Uint64N(1 << r.IntN(32))}
	switch r.IntN(12) {
	case 0:
		q.RETH.DMALen = 0
	case 1:
		q.RETH.DMALen = 1<<31 + r.Uint64N(2)
	case 2, 3, 4:
		q.RETH.DMALen &^= 255
	}
	q.Atomic = format.AtomicETH[uint64]{VA: r.Uint64() &^ 7, RKey: uint64(r.Uint32()), SwapAdd: r.Uint64(), Compare: r.Uint64()}
	return q
}

// randomResponse is one in up to four pieces, now and then with a rest that has no place.
func randomResponse(r *rand.Rand) responder.Response {
	x := responder.Response{Match: r.IntN(8), PSN: r.Uint32N(1 << 24), Syndrome: uint8(r.Uint32())}
	for range 1 + r.IntN(4) {
		n := 1 + r.IntN(1000)
		x.Pieces = append(x.Pieces, responder.Piece{RETH: format.RETH[uint64]{VA: r.Uint64(), RKey: uint64(r.Uint32()), DMALen: uint64(n)}, Length: n})
	}
	last := &x.Pieces[len(x.Pieces)-1]
	switch r.IntN(5) {
	case 0:
		x.Pieces = []responder.Piece{{}} // an acknowledgement
	case 1:
		last.Skip = true
		x.Fault = []format.VendorCode{format.VendorNone, format.VendorWQERead}[r.IntN(2)]
	}
	return x
}

func opcodeOf(write, imm, first, last bool) format.Opcode {
	op := format.OpSendMiddle
	switch {
	case first && last:
		op = format.OpSendOnly
	case first:
		op = format.OpSendFirst
	case last:
		op = format.OpSendLast
	}
	if last && imm {
		op++
	}
	if write {
		op += format.OpWriteFirst - format.OpSendFirst
	}
	return op
}

// spoil makes a packet wrong in some way.
func spoil(r *rand.Rand, q *responder.Request) {
	switch r.IntN(9) {
	case 0:
		q.Opcode = format.Opcode(r.IntN(0x20))
	case 1:
		q.Length = r.IntN(4097)
		q.PadCnt = -q.Length & 3
	case 2:
		q.PadCnt = r.IntN(4)
	case 3:
		q.RETH.DMALen = uint64(r.Uint32())
	case 4:
		q.RETH.DMALen = 0
	case 5:
		q.RETH.DMALen += r.Uint64N(3)
	case 6:
		q.Length = max(q.Length-4, 0)
	case 7:
		q.Opcode ^= format.Opcode(1 + r.IntN(3))
	case 8:
		q.Atomic.VA |= r.Uint64N(8)
	}
}

// Random messages and responses for eight queue pairs, some of them wrong, with faults of the
// translation, receive queues that run empty, READs and atomics that are answered late,
// fences and flushes: each segment, commit, outcome and operand is the reference's.
func TestAgainstReference(t *testing.T) {
	each(t, 25, func(t *testing.T, b *bench) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 5))
		seen := map[string]int{}
		for range 40 {
			b.round(r)
		}
		for _, x := range b.results {
			count(seen, x)
		}
		t.Log(seen)
		for _, what := range []string{"complete", "open", "rnr", "0x61", "0x62", "0x63", "event", "error CQE", "key of a dropped payload", "two segments", "dead", "READ", "atomic", "of many PSNs", "READ again", "atomic again", "invalidated", "not invalidated", "placed", "response with a fault"} {
			require.NotZero(t, seen[what], what)
		}
	}, verilator.Simulator)
}

func count(seen map[string]int, x responder.Result) {
	resource, again := link.ResourceNone, false
	if x.Resource != nil {
		resource, again = x.Resource.Kind, x.Resource.Duplicate
	}
	for what, is := range map[string]bool{
		"complete": x.Complete && !x.Fatal, "open": x.Open, "rnr": x.NAKSent, "event": x.HasEvent, "error CQE": x.Fatal && x.Complete,
		"0x61": x.Syndrome == 0x61, "0x62": x.Syndrome == 0x62, "0x63": x.Syndrome == 0x63, "two segments": len(x.Segments) > 1,
		"key of a dropped payload": len(x.Segments) == 1 && x.Segments[0].Skip && x.Segments[0].Rights != 0, "dead": x.Dead && !x.Fatal,
		"READ": resource == link.ResourceRead && !again, "atomic": resource > link.ResourceRead && x.Operands != nil, "of many PSNs": x.Advance > 1,
		"READ again": resource == link.ResourceRead && again, "atomic again": resource > link.ResourceRead && again,
		"invalidated": x.Inv != nil && !x.Fatal, "not invalidated": x.Fatal && x.Status == format.StatusRemInvReq, "placed": x.Placed,
		"refused for " + x.Vendor.String(): x.Fatal, "response with a fault": x.Fault != 0,
	} {
		if is {
			seen[what]++
		}
	}
}

func (b *bench) round(r *rand.Rand) {
	var messages [qps]message
	for qp := range qps {
		b.create(qp, responder.Reference{
			MTU: 256 << r.IntN(5), Access: r.IntN(16) | r.IntN(16) | r.IntN(16), MaxDest: r.IntN(4), MinRNR: uint8(r.IntN(32)), Stride: r.IntN(2),
		})
	}
	for range 120 {
		for range r.IntN(20) {
			b.step()
		}
		qp := r.IntN(qps)
		p := b.pairs[qp]
		if r.IntN(3) == 0 {
			p.wqes = append(p.wqes, randomWQE(b.t, r, p.ref.Stride, p.ref.MTU))
		}
		for _, other := range b.pairs {
			other.here += r.IntN(len(other.wqes) - other.here + 1)
		}
		switch r.IntN(40) {
		case 0:
			b.sendFence(r.Uint32N(4))
		case 1:
			b.sendDead(qp)
		case 2, 3, 4, 5, 6, 7:
			b.respond(qp, randomResponse(r), randomTold(r))
		}
		if !p.locked && p.owes > 0 && r.IntN(2) == 0 {
			b.serve(qp, 1+r.IntN(p.owes))
		}
		if !p.locked {
			b.sendRandom(r, qp, &messages[qp])
		}
	}
	for _, p := range b.pairs {
		p.here = len(p.wqes)
	}
	b.drain()
	for qp := range qps {
		b.fail(qp)
	}
}

// sendRandom sends a packet of a queue pair that has none with the responder:
// the next one of its message, the last one again after an RNR NAK, or one of another kind,
// which changes nothing.
func (b *bench) sendRandom(r *rand.Rand, qp int, m *message) {
	p := b.pairs[qp]
	var q responder.Request
	switch kind := r.IntN(10); {
	case kind < 3 || p.dead && r.IntN(4) > 0:
		q = (&message{}).next(r, p.ref.MTU)
		q.Kind = []int{link.PSNDuplicate, link.PSNAhead, link.PSNIgnored}[kind%3]
		q.PSN, q.SendNAK = (p.psn+[]uint32{0xFFFFFF, 1, 5}[kind%3])&0xFFFFFF, r.IntN(2) == 0
	case p.again:
		q = p.last
	default:
		q = m.next(r, p.ref.MTU)
		q.PSN = p.psn
	}
	q.Expected = p.psn
	if r.IntN(40) == 0 {
		spoil(r, &q)
	}
	if q.Kind == link.PSNExpected {
		p.last = q
	}
	b.send(qp, q, randomTold(r))
}

// randomTold is what the translation says: mostly that all is well.
func randomTold(r *rand.Rand) responder.Translation {
	fault := func(one int) format.VendorCode {
		if r.IntN(one) > 0 {
			return format.VendorNone
		}
		return format.VendorKeyUnknown + format.VendorCode(r.IntN(5))
	}
	addr := r.Uint64() &^ 7
	if r.IntN(30) == 0 {
		addr += 1 + r.Uint64N(7)
	}
	return responder.Translation{Fault: fault(30), Revoke: fault(5), Addr: addr}
}

// fail takes a queue pair to ERR: all its receive WQEs are flushed.
func (b *bench) fail(qp int) {
	p := b.pairs[qp]
	p.state = format.QPError
	b.flush.Send(qp)
	for range 1000 {
		if p.head == len(p.wqes) && b.flush.Pending() == 0 {
			break
		}
		b.step()
	}
	require.Equal(b.t, len(p.wqes), p.head, "a receive WQE is left")
	for range 60 {
		b.step()
	}
	require.Empty(b.t, p.answers)
}

// A packet takes at most 6 cycles, or 8 where it has to do with a receive WQE, with eight
// queue pairs at work.
func TestCycles(t *testing.T) {
	const atomics = 64 // READs and atomics may wait to be answered
	for op, most := range map[format.Opcode]float64{
		format.OpWriteOnly: 6, format.OpSendOnly: 8, format.OpSendOnlyInv: 9, format.OpReadRequest: 6, format.OpFetchAdd: 6,
	} {
		t.Run(op.String(), func(t *testing.T) {
			each(t, 0, func(t *testing.T, b *bench) {
				for qp := range qps {
					b.create(qp, responder.Reference{MTU: 1024, Access: 15, MaxDest: atomics})
					for range 100 {
						b.post(qp, wqeOf(t, 1, format.SGE[uint64]{Addr: 4096, Length: 64, LKey: 1}))
					}
				}
				info, _ := format.Lookup(op)
				length := 64
				if info.Payload == format.PayloadNone {
					length = 0
				}
				const packets = 400
				begin := b.s.Cycle()
				for sent := 0; sent < packets || len(b.sent) > 0; b.step() {
					for qp, p := range b.pairs {
						if !p.locked && sent < packets {
							b.send(qp, responder.Request{
								Opcode: op, PSN: p.psn, Expected: p.psn, AckReq: true, Length: length,
								RETH: format.RETH[uint64]{VA: 1 << 20, RKey: 5, DMALen: 64},
							}, responder.Translation{})
							sent++
						}
					}
				}
				cycles := float64(b.s.Cycle()-begin) / packets
				t.Logf("%.1f cycles a packet", cycles)
				require.LessOrEqual(t, cycles, most)
				for _, x := range b.results {
					require.Equal(t, 1, x.Advance)
				}
			})
		})
	}
}

// A response of one piece takes at most 6 cycles, an acknowledgement 4.
func TestResponseCycles(t *testing.T) {
	each(t, 0, func(t *testing.T, b *bench) {
		b.begin(0)
		for _, c := range []struct {
			bytes int
			most  float64
		}{{0, 4}, {64, 6}} {
			const packets = 100
			begin := b.s.Cycle()
			for range packets {
				b.respond(0, responder.Response{Pieces: []responder.Piece{{RETH: format.RETH[uint64]{DMALen: uint64(c.bytes)}, Length: c.bytes}}}, responder.Translation{})
			}
			for len(b.sent) > 0 {
				b.step()
			}
			cycles := float64(b.s.Cycle()-begin) / packets
			t.Logf("%.1f cycles a response of %d bytes", cycles, c.bytes)
			require.LessOrEqual(t, cycles, c.most)
		}
	})
}
