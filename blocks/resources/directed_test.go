package resources_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/resources"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// The queue pair of the directed tests; its MTU is 256.
const one = 0

// reads are READs of one key.
func read(psn uint32, va uint64, length uint32) resources.Request {
	return resources.Request{Kind: link.ResourceRead, PSN: psn, MSN: psn + 1, VA: va, RKey: 0xAB, Length: length}
}

func fetchAdd(psn uint32, addr uint64) resources.Request {
	return resources.Request{Kind: link.ResourceFetchAdd, PSN: psn, MSN: psn + 1, VA: addr}
}

// answer is a packet of queue pair one, which answers the request of MSN msn.
func answer(o format.Opcode, psn, msn uint32, va uint64, length int) packet {
	p := packet{QP: one, Packet: resources.Packet{Opcode: o, PSN: psn, MSN: msn, Length: length}}
	if length > 0 {
		p.VA, p.RKey = va, 0xAB
	}
	return p
}

func atomicAck(psn uint32, value uint64) packet {
	p := answer(format.OpAtomicAck, psn, psn+1, 0, 0)
	p.Value = value
	return p
}

// each runs a directed test in both simulators.
func each(t *testing.T, test func(b *bench)) {
	design, io := hdltest.Build(t, resources.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) { test(newBench(t, s, io, sim.Pattern{})) }, linktest.Others(64)...)
}

// expect runs until all is quiet, and checks what was answered.
func (b *bench) expect(want ...packet) {
	b.t.Helper()
	b.run(300)
	require.Zero(b.t, b.request.Pending())
	require.Equal(b.t, want, b.took())
}

// last returns what was told last of how far queue pair one is.
func (b *bench) last() served {
	all := sim.Received[served](b.served)
	require.NotEmpty(b.t, all)
	return all[len(all)-1]
}

const (
	first  = format.OpReadResponseFirst
	middle = format.OpReadResponseMiddle
	final  = format.OpReadResponseLast
	only   = format.OpReadResponseOnly
)

// Protocol section 3.8: opcodes, PSNs across the end, addresses and lengths of READs of every shape.
func TestResponses(t *testing.T) {
	each(t, func(b *bench) {
		b.send(one, read(0xFFFFFE, 0x1000, 700), false)
		b.expect(answer(first, 0xFFFFFE, 0xFFFFFF, 0x1000, 256), answer(middle, 0xFFFFFF, 0xFFFFFF, 0x1100, 256), answer(final, 0, 0xFFFFFF, 0x1200, 188))
		b.send(one, read(1, 0x2001, 512), false)
		b.expect(answer(first, 1, 2, 0x2001, 256), answer(final, 2, 2, 0x2101, 256))
		b.send(one, read(3, 0x3000, 256), false)
		b.expect(answer(only, 3, 4, 0x3000, 256))
		b.send(one, read(4, 0x4000, 1), false)
		b.expect(answer(only, 4, 5, 0x4000, 1))
		b.send(one, read(5, 0xDEAD_0000_0000_0000, 0), false)
		b.expect(answer(only, 5, 6, 0, 0))
		b.send(one, fetchAdd(6, 0x10), false)
		b.expect(atomicAck(6, 0x30))
		require.Equal(t, served{QP: one, Next: 6, Most: 6}, b.last())
	})
}

// Each path MTU.
func TestPathMTU(t *testing.T) {
	each(t, func(b *bench) {
		for i, code := range []int{format.MTU256, format.MTU512, format.MTU1024, format.MTU2048, format.MTU4096} {
			b.contexts[one].PathMTU = code
			psn := uint32(4 * i)
			b.send(one, read(psn, 0x10000, uint32(mtu(code)+5)), false)
			b.expect(answer(first, psn, psn+1, 0x10000, mtu(code)), answer(final, psn+1, psn+1, 0x10000+uint64(mtu(code)), 5))
		}
	})
}

// Protocol section 3.7: a READ is answered again from any of its packets, and everything behind it.
func TestDuplicateRead(t *testing.T) {
	each(t, func(b *bench) {
		b.send(one, read(10, 0x1000, 700), false)
		b.send(one, read(13, 0x5000, 8), false)
		b.expect(answer(first, 10, 11, 0x1000, 256), answer(middle, 11, 11, 0x1100, 256), answer(final, 12, 11, 0x1200, 188), answer(only, 13, 14, 0x5000, 8))
		require.Equal(t, served{QP: one, Next: 2, Most: 2}, b.last())

		b.send(one, read(11, 0x1100, 444), true) // its second packet: FIRST anew
		b.expect(answer(first, 11, 11, 0x1100, 256), answer(final, 12, 11, 0x1200, 188), answer(only, 13, 14, 0x5000, 8))
		require.Equal(t, served{QP: one, Next: 2, Most: 2, Duplicates: 1}, b.last())

		b.send(one, read(12, 0x1200, 188), true) // its last: ONLY
		b.expect(answer(only, 12, 11, 0x1200, 188), answer(only, 13, 14, 0x5000, 8))
		b.send(one, read(10, 0x1000, 700), true)
		b.expect(answer(first, 10, 11, 0x1000, 256), answer(middle, 11, 11, 0x1100, 256), answer(final, 12, 11, 0x1200, 188), answer(only, 13, 14, 0x5000, 8))
		require.Equal(t, served{QP: one, Next: 2, Most: 2, Duplicates: 3}, b.last())
	})
}

// What was never asked for is dropped, and counted; each has a twin, the right one, that is answered.
func TestDuplicateThatIsNone(t *testing.T) {
	right := read(11, 0x1100, 444)
	change := func(f func(q *resources.Request)) resources.Request {
		q := right
		f(&q)
		return q
	}
	each(t, func(b *bench) {
		b.send(one, read(10, 0x1000, 700), false)
		b.run(300)
		b.took()
		for i, q := range []resources.Request{
			change(func(q *resources.Request) { q.RKey = 0xAC }),
			change(func(q *resources.Request) { q.VA = 0x1101 }),
			change(func(q *resources.Request) { q.VA += 1 << 63 }),
			change(func(q *resources.Request) { q.Length = 443 }),
			change(func(q *resources.Request) { q.Length += 1 << 31 }),
			change(func(q *resources.Request) { q.Kind = link.ResourceFetchAdd }),
			change(func(q *resources.Request) { q.PSN = 12 }), // not what is left there
			read(9, 0x1000, 700),         // before everything
			read(13, 0x1300, 0),          // behind its end
			read(13, 0x1300, 0xFFFFFFBC), // what is left is -68 bytes
			fetchAdd(10, 0x1000),
		} {
			b.send(one, q, true)
			b.expect()
			require.Equal(t, served{QP: one, Next: 1, Most: 1, Duplicates: uint8(2*i + 1)}, b.last(), "%+v", q)
			b.send(one, right, true)
			b.expect(answer(first, 11, 11, 0x1100, 256), answer(final, 12, 11, 0x1200, 188))
			require.Equal(t, served{QP: one, Next: 1, Most: 1, Duplicates: uint8(2*i + 2)}, b.last())
		}
	})
}

// Behind a READ of whole packets there is nothing, not even a READ of nothing.
func TestDuplicateBehindTheEnd(t *testing.T) {
	each(t, func(b *bench) {
		b.send(one, read(10, 0x1000, 512), false)
		b.expect(answer(first, 10, 11, 0x1000, 256), answer(final, 11, 11, 0x1100, 256))
		b.send(one, read(12, 0x1200, 0), true)
		b.expect()
		b.send(one, read(11, 0x1100, 256), true)
		b.expect(answer(only, 11, 11, 0x1100, 256))
	})
}

// Of a READ of no bytes neither key nor address count, the second time either.
func TestDuplicateOfNothing(t *testing.T) {
	each(t, func(b *bench) {
		b.send(one, read(5, 0x1000, 0), false)
		b.expect(answer(only, 5, 6, 0, 0))
		again := read(5, 0x9999, 0)
		again.RKey = 1
		b.send(one, again, true)
		b.expect(answer(only, 5, 6, 0, 0))
		b.send(one, read(5, 0x1000, 1), true)
		b.expect()
		b.send(one, read(6, 0x1000, 0), true)
		b.expect()
	})
}

// An atomic that comes again is answered with the value of the first time, and not executed; one of the other
// operation is none.
func TestDuplicateAtomic(t *testing.T) {
	each(t, func(b *bench) {
		b.send(one, fetchAdd(7, 0x10), false)
		b.send(one, fetchAdd(8, 0x20), false)
		b.expect(atomicAck(7, 0x30), atomicAck(8, 0x60))
		b.outcome = func(command) (uint64, format.VendorCode) { return 0xBAD, 0 }
		b.send(one, fetchAdd(7, 0), true)
		b.expect(atomicAck(7, 0x30), atomicAck(8, 0x60))
		b.send(one, fetchAdd(8, 0), true)
		b.expect(atomicAck(8, 0x60))
		other := fetchAdd(8, 0)
		other.Kind = link.ResourceCompareSwap
		b.send(one, other, true)
		b.expect()
		b.send(one, fetchAdd(9, 0), true)
		b.expect()
		require.Len(t, b.commands, 2)
		require.Equal(t, served{QP: one, Next: 2, Most: 2, Duplicates: 4}, b.last())
	})
}

// What has been overwritten is not found; the oldest entry of the ring is.
func TestDuplicateOverwritten(t *testing.T) {
	each(t, func(b *bench) {
		var all []packet
		for i := range uint32(size + 1) {
			b.send(one, read(10+i, 0x1000, 8), false)
			all = append(all, answer(only, 10+i, 11+i, 0x1000, 8))
			b.expect(all[i])
		}
		b.send(one, read(10, 0x1000, 8), true)
		b.expect()
		b.send(one, read(11, 0x1000, 8), true)
		b.expect(all[1:]...)
	})
}

// A place is taken while answering has gone back to it: it goes on with the oldest entry that there is.
func TestOverwrittenBeforeItIsAnsweredAgain(t *testing.T) {
	each(t, func(b *bench) {
		for i := range uint32(size) {
			b.send(one, read(10+i, 0x1000, 8), false)
		}
		b.run(300)
		b.took()
		b.job.SetPattern(sim.Pattern{Kind: sim.Never})
		for i := range uint32(8) { // of others, so that there is no room for a packet
			b.send(1, read(50+i, 0x1000, 8), false)
		}
		b.run(300)
		b.send(one, read(10, 0x1000, 8), true)
		b.send(one, read(14, 0x1000, 8), false)
		b.run(300)
		require.Zero(t, b.request.Pending(), "requests wait for packets")
		b.job.SetPattern(sim.Pattern{})
		b.run(300)
		var psns []uint32
		for _, p := range b.took() {
			if p.QP == one {
				psns = append(psns, p.PSN)
			}
		}
		require.Equal(t, []uint32{11, 12, 13, 14}, psns)
	})
}

// A duplicate of the READ that is being answered: it begins anew, where the newest one says.
func TestDuplicateOfWhatIsUnderWay(t *testing.T) {
	each(t, func(b *bench) {
		b.job.SetPattern(sim.Pattern{Kind: sim.Never})
		b.send(one, read(10, 0x1000, 20*256), false)
		b.run(300)
		b.send(one, read(11, 0x1100, 19*256), true)
		b.send(one, read(12, 0x1200, 18*256), true)
		b.run(300)
		require.Zero(t, b.request.Pending(), "duplicates wait for packets")
		b.job.SetPattern(sim.Pattern{})
		b.run(600)
		got := b.took()
		var anew int
		for i, p := range got {
			if p.Opcode == first && i > 0 {
				anew = i
			}
		}
		require.Equal(t, answer(first, 12, 11, 0x1200, 256), got[anew])
		require.Equal(t, answer(middle, 13, 11, 0x1300, 256), got[anew+1])
		require.Equal(t, answer(final, 29, 11, 0x1000+19*256, 256), got[len(got)-1])
		require.Len(t, got[anew:], 18)
		require.LessOrEqual(t, anew, 4, "what had been made")
	})
}

// A duplicate of what has not been answered yet changes nothing.
func TestDuplicateOfWhatIsToCome(t *testing.T) {
	each(t, func(b *bench) {
		b.auto = false
		b.send(one, fetchAdd(10, 0x10), false)
		b.send(one, read(11, 0x1000, 300), false)
		b.send(one, read(12, 0x1100, 44), true)
		b.send(one, fetchAdd(10, 0), true)
		b.expect()
		require.Equal(t, served{QP: one, Duplicates: 2}, b.last())
		b.auto = true
		b.expect(atomicAck(10, 0x30), answer(first, 11, 12, 0x1000, 256), answer(final, 12, 12, 0x1100, 44))
	})
}

// An atomic that memory refused is told of, with why; its NAK does not count it (protocol section 3.6).
func TestFault(t *testing.T) {
	each(t, func(b *bench) {
		b.outcome = func(command) (uint64, format.VendorCode) { return 1, format.VendorBusRead }
		b.send(one, fetchAdd(7, 0x10), false)
		want := atomicAck(7, 1)
		want.Fault, want.MSN = format.VendorBusRead, want.MSN-1
		b.expect(want)
		b.outcome = func(command) (uint64, format.VendorCode) { return 1, format.VendorBusWrite }
		q := fetchAdd(7, 0x10)
		q.MSN = 0 // it counts on from the last one
		b.send(1, q, false)
		want.QP, want.Fault, want.MSN = 1, format.VendorBusWrite, 0xFFFFFF
		b.expect(want)
		b.outcome = func(command) (uint64, format.VendorCode) { return 2, 0 }
		for i := range uint32(size) { // a READ in the same place is whole
			b.send(one, read(8+i, 0x1000, 8), false)
			b.expect(answer(only, 8+i, 9+i, 0x1000, 8))
		}
	})
}

// An atomic waits for its result in its queue pair alone.
func TestAtomicHoldsUpNobodyElse(t *testing.T) {
	each(t, func(b *bench) {
		b.auto = false
		b.send(1, fetchAdd(7, 0x10), false)
		b.send(1, read(8, 0x1000, 8), false)
		b.send(one, read(8, 0x1000, 8), false)
		b.expect(answer(only, 8, 9, 0x1000, 8))
		b.auto = true
		b.run(200)
		require.Len(t, b.took(), 2)
	})
}

// A queue pair that has to wait for its rate makes no packet until it is woken, also in the middle of a READ. Others do.
func TestPaced(t *testing.T) {
	each(t, func(b *bench) {
		b.paced[1] = true
		b.send(1, read(8, 0x1000, 8), false)
		b.send(1, fetchAdd(9, 0x10), false)
		b.send(one, read(8, 0x1000, 600), false)
		b.expect(answer(first, 8, 9, 0x1000, 256), answer(middle, 9, 9, 0x1100, 256), answer(final, 10, 9, 0x1200, 88))
		b.goes(1)
		b.run(200)
		require.Len(t, b.took(), 2)

		b.job.SetPattern(sim.Pattern{Kind: sim.Never})
		b.send(one, read(11, 0x1000, 2000), false)
		b.run(200)
		b.paced[one] = true
		b.job.SetPattern(sim.Pattern{})
		b.run(300)
		begun := len(b.took())
		require.Less(t, begun, 8)
		b.run(300)
		require.Empty(t, b.took())
		b.goes(one)
		b.run(300)
		require.Len(t, b.took(), 8-begun)
	})
}

// Cancelled requests leave nothing, but for the command that takes an atomic's operands.
func TestCancel(t *testing.T) {
	each(t, func(b *bench) {
		b.send(one, read(9, 0x1000, 8), false)
		b.expect(answer(only, 9, 10, 0x1000, 8))
		b.served.Take()
		for _, kind := range []int{link.ResourceRead, link.ResourceCompareSwap, link.ResourceFetchAdd} {
			for _, duplicate := range []bool{false, true} {
				r := request{QP: one, Cancel: true, PSN: 9}
				r.Resource.Kind, r.Resource.Duplicate, r.Resource.Length, r.Resource.VA, r.Resource.RKey = kind, duplicate, 8, 0x1000, 0xAB
				b.request.Send(r)
			}
		}
		b.expect()
		require.Zero(t, len(b.served.Take()))
		require.Equal(t, []command{
			{QP: one, Slot: 1, Kind: link.ResourceCompareSwap, Cancel: true, Addr: 0x1000},
			{QP: one, Slot: 1, Kind: link.ResourceFetchAdd, Cancel: true, Addr: 0x1000},
		}, b.commands)
	})
}

// Who is not there, or not yet, is not answered; who has failed, is.
func TestStates(t *testing.T) {
	each(t, func(b *bench) {
		for i, state := range []format.QPState{format.QPReset, format.QPInit, format.QPRTR, format.QPRTS, format.QPSQD, format.QPError} {
			b.contexts[one].State = state
			b.clear(one)
			b.send(one, read(8, 0x1000, 8), false)
			if i < 2 {
				b.expect()
			} else {
				b.expect(answer(only, 8, 9, 0x1000, 8))
			}
		}
		b.clear(one)
		b.contexts[one].Exists = false
		b.send(one, read(8, 0x1000, 8), false)
		b.expect()
	})
}

// A queue pair begins anew while an atomic of its life before is under way: that does no harm.
func TestAnew(t *testing.T) {
	each(t, func(b *bench) {
		b.auto = false
		b.send(one, fetchAdd(7, 0x10), false)
		b.expect()
		b.clear(one)
		b.send(one, fetchAdd(9, 0x20), false)
		b.expect()
		b.auto = true
		b.expect(atomicAck(9, 0x60))
		require.Equal(t, served{QP: one, Next: 1, Most: 1}, b.last())
		b.send(one, fetchAdd(7, 0), true)
		b.expect()
	})
}

// A fence of the sending pipeline leaves behind the packets of turns before it; one of the receiving pipeline
// behind requests and atomics.
func TestFences(t *testing.T) {
	each(t, func(b *bench) {
		b.fence()
		require.Equal(t, []int{1}, sim.Received[int](b.fenceOut))
		require.Equal(t, []int{2}, sim.Received[int](b.rxFenceOut))

		b.job.SetPattern(sim.Pattern{Kind: sim.Never})
		b.send(one, read(8, 0x1000, 9*256), false)
		b.run(100)
		b.fenceIn.Send(3)
		b.run(100)
		require.Zero(t, len(b.fenceOut.Take()))
		b.job.SetPattern(sim.Pattern{})
		b.run(100)
		require.Equal(t, []int{3}, sim.Received[int](b.fenceOut))

		b.auto = false
		b.send(one, fetchAdd(50, 0x10), false)
		b.run(100)
		b.rxFenceIn.Send(0)
		b.run(100)
		require.Zero(t, len(b.rxFenceOut.Take()))
		b.auto = true
		b.run(100)
		require.Equal(t, []int{0}, sim.Received[int](b.rxFenceOut))

		// What a queue pair has to be told of goes before, too.
		b.served.SetPattern(sim.Pattern{Kind: sim.Never})
		b.send(one, read(60, 0x1000, 8), false)
		b.run(100)
		b.fenceIn.Send(1)
		b.rxFenceIn.Send(1)
		b.run(100)
		require.Zero(t, len(b.fenceOut.Take())+len(b.rxFenceOut.Take()))
		b.served.SetPattern(sim.Pattern{})
		b.run(100)
		require.Equal(t, 2, len(b.fenceOut.Take())+len(b.rxFenceOut.Take()))
	})
}

// A fence does not wait for the end of long READs: no turn begins before it has gone.
func TestFenceAmongTurns(t *testing.T) {
	each(t, func(b *bench) {
		for qp := range qps {
			b.send(qp, read(8, 0x1000, 1000*256), false)
		}
		b.run(100)
		b.fenceIn.Send(1)
		b.run(40)
		require.Equal(t, 1, len(b.fenceOut.Take()))
		before := b.job.Count()
		b.run(100)
		require.Greater(t, b.job.Count(), before+10, "turns go on behind it")
	})
}

// anew makes all queue pairs begin anew, as command does: nothing enters, what is under way has left, and they are cleared.
func (b *bench) anew() {
	for qp := range b.contexts {
		b.contexts[qp].Exists = false
	}
	b.fence()
	for qp := range b.contexts {
		b.clear(qp)
		b.contexts[qp].Exists = true
	}
}

// A packet every 5 cycles over several queue pairs (at 64 bits every 9), of long READs and of short ones, whose requests
// come meanwhile.
func TestCycles(t *testing.T) {
	t.Run("64", func(t *testing.T) { cycles(t, 64, 9.1) })
	t.Run("512", func(t *testing.T) { cycles(t, 512, 5.2) })
}

func cycles(t *testing.T, width int, most float64) {
	deep := params
	deep.Sizes.DataWidth, deep.Sizes.ReadBits = width, 5
	design, io := hdltest.Build(t, resources.Def(deep))
	b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, sim.Pattern{})
	per := func(packets int) float64 {
		start, begin := b.job.Count(), b.s.Cycle()
		for b.job.Count() < start+uint64(packets) {
			b.run(1)
			require.Less(t, b.s.Cycle()-begin, uint64(packets*20))
		}
		return float64(b.s.Cycle()-begin) / float64(packets)
	}
	for qp := range qps {
		b.send(qp, read(8, 0x1000, 100*1024), false)
	}
	b.run(30)
	long := per(100)
	b.anew()
	for i := range uint32(25) {
		for qp := range qps {
			b.send(qp, read(8+i, 0x1000, 64), false)
		}
	}
	short := per(100)
	b.anew()
	b.send(one, read(8, 0x1000, 100*1024), false)
	b.run(30)
	alone := per(100)
	t.Logf("%.2f cycles a packet of long READs, %.2f a short READ, %.2f of one queue pair alone", long, short, alone)
	assert.LessOrEqual(t, long, most)
	assert.LessOrEqual(t, short, most)
	assert.LessOrEqual(t, alone, 10.1)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params.Validate())
	for _, change := range []func(*link.Sizes){
		func(s *link.Sizes) { s.QPBits = 0 }, func(s *link.Sizes) { s.QPBits = 17 },
		func(s *link.Sizes) { s.ReadBits = 0 }, func(s *link.Sizes) { s.ReadBits = 7 },
	} {
		p := params
		change(&p.Sizes)
		require.Error(t, p.Validate())
	}
}
