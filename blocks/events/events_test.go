package events_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/events"
	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

func eachWidth(t *testing.T, test func(*testing.T, *sim.Sim, *events.IO)) {
	for _, width := range []int{64, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, events.Def(params(width)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) { test(t, s, io) }, verilator.Simulator)
		})
	}
}

// each runs a test at the widest data alone.
func each(t *testing.T, test func(*testing.T, *bench)) {
	design, io := hdltest.Build(t, events.Def(params(512)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) { test(t, newBench(t, s, io, sim.Pattern{})) }, verilator.Simulator)
}

// program is random work with the reference beside it.
type program struct {
	*bench
	r        *rand.Rand
	ref      events.Reference
	exists   [cqs]bool
	producer [cqs]uint16 // as last told
	consumer [cqs]uint16
}

// Everything at random, one thing after the other: what is told is what is owed,
// and nothing stays owed but to an event queue that is full.
func TestAgainstReference(t *testing.T) {
	eachWidth(t, func(t *testing.T, s *sim.Sim, io *events.IO) {
		p := &program{bench: newBench(t, s, io, hdltest.Gaps(t, 30)), r: rand.New(rand.NewPCG(hdltest.Seed(t), 8)), ref: events.Reference{QPBits: 3}}
		p.writes.Latency = 20
		for eq := range eqs {
			p.makeEQ(eq, 1+eq%3, eqAt(eq))
		}
		for cq := range cqs {
			p.remake(cq)
			p.settle()
		}
		told := 0
		for range 1000 {
			p.act()
			p.settle()
			told += p.compare()
		}
		require.Greater(t, told, 120)
	})
}

func (p *program) act() {
	cq := p.r.IntN(cqs)
	switch p.r.IntN(13) {
	case 0:
		if p.r.IntN(3) == 0 || !p.exists[cq] {
			p.remake(cq)
		}
	case 1, 2, 3, 4:
		for range 1 + p.r.IntN(3) {
			solicited := p.r.IntN(3) == 0
			p.producer[cq]++
			p.written.Send(written{cq, p.producer[cq], solicited})
			p.ref.Written(cq, solicited)
		}
	case 5, 6, 7, 8:
		p.ring(cq)
	case 9:
		p.raise()
	case 10, 11:
		for eq := range eqs {
			if p.r.IntN(3) > 0 {
				p.consume(eq)
			}
		}
	default: // an index that software cannot have reached
		eq := p.r.IntN(eqs)
		p.eqUpdate.Send(eqUpdate{eq, p.queues[eq].read + 1 + uint16(p.r.IntN(1<<15))})
	}
}

func (p *program) remake(cq int) {
	eq := p.r.IntN(eqs)
	p.exists[cq], p.producer[cq], p.consumer[cq] = !p.exists[cq], 0, 0
	p.config.Send(config{CQ: cq, Exists: p.exists[cq], EQ: eq, LogSize: 6})
	if p.exists[cq] {
		p.ref.Make(cq, eq)
	} else {
		p.ref.Remove(cq)
	}
}

// ring rings a doorbell, now and then for CQEs that are in memory and have not been told of.
func (p *program) ring(cq int) {
	if !p.exists[cq] {
		return
	}
	ahead := int16(p.producer[cq] - p.consumer[cq])
	p.consumer[cq] += uint16(p.r.IntN(int(max(ahead, 0)) + 1))
	if ahead >= 0 && p.r.IntN(8) == 0 {
		p.consumer[cq] = p.producer[cq] + uint16(p.r.IntN(3))
	}
	arm := p.r.IntN(3)
	p.update.Send(update{cq, p.consumer[cq], arm})
	p.ref.Update(cq, p.consumer[cq], arm)
}

func (p *program) raise() {
	code := format.AsyncEvent(p.r.IntN(6))
	number := p.r.IntN(cqs)
	if code != format.EventCQErr {
		number |= p.r.IntN(2) << 20
	}
	a := async{code, format.VendorCode(p.r.IntN(17)), uint32(number)}
	p.asyncs[p.r.IntN(2)].Send(a)
	p.ref.Async(a.Code, a.Vendor, number)
}

// compare returns how many events were told.
func (p *program) compare() int {
	told := 0
	for eq := range eqs {
		for _, e := range p.read(eq) {
			told++
			require.NoError(p.t, p.ref.Told(eq, e))
		}
		if !p.queues[eq].full() {
			require.Zero(p.t, p.ref.Owes(eq), "event queue %d", eq)
		}
	}
	return told
}

// What arms, and what of it fires. A queue has its first event queue's events told from memory.
func TestArming(t *testing.T) {
	const cq, eq = 3, 1
	type (
		cqe = written
		arm = update
	)
	next, solicited := func(index uint16) any { return arm{cq, index, link.ArmNext} }, func(index uint16) any { return arm{cq, index, link.ArmSolicited} }
	plain, special := func(index uint16) any { return cqe{cq, index, false} }, func(index uint16) any { return cqe{cq, index, true} }
	seen := func(index uint16) any { return arm{cq, index, link.ArmNone} }
	for _, c := range []struct {
		name  string
		does  []any
		fires []int // events behind each step
	}{
		{"not armed", []any{plain(1), special(2)}, []int{0, 0}},
		{"before", []any{next(0), plain(1)}, []int{0, 1}},
		{"once", []any{next(0), plain(1), plain(2)}, []int{0, 1, 0}},
		{"behind unseen ones", []any{plain(1), next(0)}, []int{0, 1}},
		{"behind all", []any{plain(1), next(1), plain(2)}, []int{0, 0, 1}},
		{"solicited only", []any{solicited(0), plain(1), special(2)}, []int{0, 0, 1}},
		{"behind an unseen solicited one", []any{special(1), plain(2), solicited(0)}, []int{0, 0, 1}},
		{"behind a seen solicited one", []any{special(1), plain(2), solicited(1), special(3)}, []int{0, 0, 0, 1}},
		{"consumed while armed", []any{special(1), solicited(1), seen(1), special(2)}, []int{0, 0, 0, 1}},
		{"next is for a solicited one, too", []any{next(0), special(1)}, []int{0, 1}},
		{"armed for any, it stays so", []any{next(0), solicited(0), plain(1), next(1), special(2)}, []int{0, 0, 1, 0, 1}},
		{"armed for solicited, then for any", []any{solicited(0), next(0), plain(1)}, []int{0, 0, 1}},
		{"again", []any{next(0), plain(1), next(1), plain(2)}, []int{0, 1, 0, 1}},
		{"seen in memory before it was told of", []any{next(2), plain(1), special(2), plain(3)}, []int{0, 0, 0, 1}},
		{"solicited, seen before it was told of", []any{solicited(1), special(1), special(2)}, []int{0, 0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, b *bench) {
				b.makeEQ(eq, 4, eqAt(eq))
				b.config.Send(config{CQ: cq, Exists: true, EQ: eq})
				b.settle()
				for i, step := range c.does {
					switch step := step.(type) {
					case written:
						b.written.Send(step)
					case update:
						b.update.Send(step)
					}
					b.settle()
					require.Len(t, b.read(eq), c.fires[i], "step %d", i)
				}
			})
		})
	}
}

// An arming and a CQE meet in any order, up to the same cycle: there is one event.
func TestArmRace(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.makeEQ(0, 4, eqAt(0))
		b.config.Send(config{CQ: 2, Exists: true})
		b.settle()
		for i := range 17 {
			index := uint16(i)
			if i < 8 {
				b.update.Send(update{2, index, link.ArmNext})
				b.step(8 - i)
				b.written.Send(written{2, index + 1, false})
			} else {
				b.written.Send(written{2, index + 1, false})
				b.step(i - 8)
				b.update.Send(update{2, index, link.ArmNext})
			}
			b.settle()
			require.Equal(t, []events.Event{completed(2)}, b.read(0), "%d", i)
			b.consume(0)
		}
	})
}

// One event queue is full: its events wait, those of another pass, new ones of a source
// take the place of old ones, and none is lost.
func TestFullEventQueue(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.makeEQ(0, 1, eqAt(0))
		b.makeEQ(1, 3, eqAt(1))
		for cq := range cqs {
			b.config.Send(config{CQ: cq, Exists: true, EQ: cq / 6})
		}
		b.settle()
		fatal := func(qp int, vendor format.VendorCode) async { return async{format.EventQPFatal, vendor, uint32(qp)} }
		for i := range 20 {
			for qp := range qps {
				b.asyncs[qp%2].Send(fatal(qp, format.VendorCode(i%17)))
			}
		}
		b.settle()
		for cq := range cqs {
			b.update.Send(update{cq, 0, link.ArmNext})
			b.written.Send(written{cq, 1, false})
		}
		b.settle()
		require.Len(t, b.read(1), 2, "what goes to another event queue")
		for i := range uint16(100) { // a source stands in line once
			b.update.Send(update{0, i + 1, link.ArmNext})
			b.written.Send(written{0, i + 2, false})
			b.step(20)
		}
		owed := map[events.Event]int{}
		for cq := range 6 {
			owed[completed(cq)]++
		}
		for qp := range qps {
			owed[events.Event{Kind: format.EventAsync, Code: format.EventQPFatal, Vendor: format.VendorCode(19 % 17), Number: qp}]++
		}
		first := b.read(0)
		require.Len(t, first, 2)
		for range 20 {
			b.consume(0)
			b.settle()
			for _, e := range b.read(0) {
				require.Positive(t, owed[e], "%+v", e)
				owed[e]--
			}
		}
		// The first two were told with what the source said then.
		left := 0
		for _, n := range owed {
			left += n
		}
		require.Zero(t, left)
	})
}

// What is due of a completion queue that is removed is forgotten, also if there is a new one of its number.
func TestForget(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.makeEQ(0, 1, eqAt(0))
		b.config.Send(config{CQ: 1, Exists: true})
		b.settle()
		for qp := range 2 {
			b.asyncs[0].Send(async{format.EventCommEst, 0, uint32(qp)})
		}
		b.settle()
		b.asyncs[0].Send(async{format.EventCQErr, format.VendorCQOverflow, 1})
		b.update.Send(update{1, 0, link.ArmNext})
		b.written.Send(written{1, 1, false})
		b.settle()
		b.config.Send(config{CQ: 1}, config{CQ: 1, Exists: true})
		b.settle()
		require.Len(t, b.read(0), 2)
		b.consume(0)
		b.settle()
		require.Empty(t, b.read(0))

		// The old one's place among those who have an event is the new one's.
		for qp := range 2 {
			b.asyncs[0].Send(async{format.EventCommEst, 0, uint32(qp)})
		}
		fire := func() {
			b.update.Send(update{1, 0, link.ArmNext})
			b.written.Send(written{1, 1, false})
			b.settle()
		}
		b.settle()
		fire()
		b.config.Send(config{CQ: 1}, config{CQ: 1, Exists: true})
		b.settle()
		fire()
		require.Len(t, b.read(0), 2)
		b.consume(0)
		b.settle()
		require.Equal(t, []events.Event{completed(1)}, b.read(0))
	})
}

// Software sleeps until there is an event, then takes all that is in memory, and arms again, while CQEs
// come at any time and are told of later: it never sleeps for ever, and no arming has two events.
func TestNoWakeupIsLost(t *testing.T) {
	design, io := hdltest.Build(t, events.Def(params(512)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, hdltest.Gaps(t, 20))
		b.writes.Latency = 10
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 4))
		for eq := range eqs {
			b.makeEQ(eq, 1, eqAt(eq))
		}
		var landed, told, seen, armed [cqs]uint16
		arm := func(cq int) {
			seen[cq] = landed[cq]
			armed[cq]++
			b.update.Send(update{cq, seen[cq], link.ArmNext})
		}
		for cq := range cqs {
			b.config.Send(config{CQ: cq, Exists: true, EQ: cq % eqs})
			b.settle()
			arm(cq)
		}
		wake := func() (woken bool) {
			for eq := range eqs {
				for _, e := range b.read(eq) {
					require.Equal(t, completed(e.Number), e)
					require.Positive(t, armed[e.Number], "an event without an arming")
					armed[e.Number]--
					woken = true
					arm(e.Number)
				}
				b.consume(eq)
			}
			return woken
		}
		tell := func(cq int) {
			told[cq]++
			b.written.Send(written{cq, told[cq], false})
		}
		for range 6000 {
			b.step(1)
			if cq := r.IntN(cqs); r.IntN(8) == 0 && landed[cq]-told[cq] < 4 {
				landed[cq]++
			}
			if cq := r.IntN(cqs); told[cq] != landed[cq] && r.IntN(2) == 0 && b.written.Pending() < 4 {
				tell(cq)
			}
			if r.IntN(30) == 0 {
				wake()
			}
		}
		for cq := range cqs {
			for told[cq] != landed[cq] {
				tell(cq)
			}
		}
		b.settle()
		for range 50 {
			wake()
			b.settle()
		}
		require.Equal(t, landed, seen)
		require.Greater(t, landed[0], uint16(20))
	}, verilator.Simulator)
}

// An event queue whose memory fails takes nothing any more, and holds nobody up; made anew it works.
func TestBusError(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.makeEQ(0, 2, holes)
		b.makeEQ(1, 2, eqAt(1))
		b.config.Send(config{CQ: 0, Exists: true}, config{CQ: 1, Exists: true, EQ: 1})
		b.settle()
		tell := func(index uint16) {
			for qp := range qps {
				b.asyncs[0].Send(async{format.EventQPReqErr, 0, uint32(qp)})
			}
			for cq := range 2 {
				b.update.Send(update{cq, index, link.ArmNext})
				b.written.Send(written{cq, index + 1, false})
			}
			b.settle()
		}
		tell(0)
		require.Empty(t, b.raised[0])
		require.Len(t, b.raised[1], 1)
		require.Len(t, b.read(1), 1)
		bursts := b.writes.Bursts
		tell(1)
		require.Equal(t, bursts+1, b.writes.Bursts, "nothing goes to the one that failed")
		require.Len(t, b.read(1), 1)

		b.makeEQ(0, 4, eqAt(0))
		tell(2)
		require.Len(t, b.read(0), qps+1)
		require.NotEmpty(t, b.raised[0])
	})
}

// Events for an event queue that does not exist are dropped.
func TestNoEventQueue(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		b.asyncs[1].Send(async{format.EventSQDrained, 0, 3})
		b.settle()
		b.makeEQ(0, 2, eqAt(0))
		require.Zero(t, b.writes.Bursts)
		b.asyncs[1].Send(async{format.EventSQDrained, 0, 3})
		b.settle()
		require.Len(t, b.read(0), 1)
	})
}

// Interrupts of a vector keep their distance, to the cycle but for the turn of its
// visit; the last event has one; and other vectors do not wait.
func TestModeration(t *testing.T) {
	const least, visit = 500, eqs + 1
	each(t, func(t *testing.T, b *bench) {
		b.makeEQ(0, 8, eqAt(0))
		b.makeEQ(1, 4, eqAt(1))
		b.config.Send(config{CQ: 0, Exists: true, EQ: 1})
		b.settle()
		b.s.Set(b.io.Moderation, least)
		for i := range 40 {
			b.asyncs[0].Send(async{format.EventCommEst, 0, uint32(i % qps)})
			b.step(60)
		}
		b.update.Send(update{0, 0, link.ArmNext})
		b.written.Send(written{0, 1, false})
		sent := b.now
		b.step(60)
		require.Len(t, b.raised[1], 1)
		require.Less(t, b.raised[1][0]-sent, 40, "a vector that was quiet does not wait")
		b.step(2 * least)
		require.Len(t, b.read(0), 40)
		at := b.raised[0]
		require.Len(t, at, 1+40*60/least+1)
		for i := range len(at) - 1 {
			require.GreaterOrEqual(t, at[i+1]-at[i], least)
			require.LessOrEqual(t, at[i+1]-at[i], least+visit+60, "with an event every 60 cycles")
		}
		require.Equal(t, uint64(len(at)+1), b.message.Count())
		require.Equal(t, []int{0, 0, 0, 0, 0, 1, 0}, sim.Received[int](b.message))
	})
}

// While no message is taken, interrupts of a vector merge, and none is lost.
func TestMessagesMerge(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		for eq := range eqs {
			b.makeEQ(eq, 4, eqAt(eq))
			b.config.Send(config{CQ: eq, Exists: true, EQ: eq})
		}
		b.settle()
		b.message.SetPattern(sim.Pattern{Kind: sim.Never})
		for i := range uint16(5) {
			for cq := range eqs {
				b.update.Send(update{cq, i, link.ArmNext})
				b.written.Send(written{cq, i + 1, false})
			}
			b.settle()
		}
		b.message.SetPattern(sim.Pattern{})
		b.settle()
		got := map[int]int{}
		for _, v := range sim.Received[int](b.message) {
			got[v]++
		}
		require.Len(t, got, eqs)
		require.LessOrEqual(t, b.message.Count(), uint64(eqs+1))
	})
}

// Cycles: of a CQE, alone and while events of a full event queue turn round; from
// a CQE to the burst of its event.
func TestCycles(t *testing.T) {
	const n = 60
	each(t, func(t *testing.T, b *bench) {
		b.makeEQ(0, 1, eqAt(0))
		for cq := range cqs {
			b.config.Send(config{CQ: cq, Exists: true})
		}
		b.settle()
		took := func() int {
			for i := range n {
				b.written.Send(written{7, uint16(i), false})
			}
			cycles := 0
			for ; b.written.Pending() > 0; cycles++ {
				b.step(1)
				require.Less(t, cycles, 1000)
			}
			return cycles
		}
		require.LessOrEqual(t, took(), 3*n+4)

		b.update.Send(update{0, 0, link.ArmNext})
		b.settle()
		b.written.Send(written{0, 1, false})
		cycles := 0
		for before := b.writes.Bursts; b.writes.Bursts == before; cycles++ {
			b.step(1)
			require.Less(t, cycles, 100)
		}
		require.LessOrEqual(t, cycles, 9+2, "with a cycle in the source and one in the memory of this test")

		for cq := 1; cq < 7; cq++ {
			b.update.Send(update{cq, 0, link.ArmNext})
			b.written.Send(written{cq, 1, false})
		}
		b.settle()
		require.LessOrEqual(t, took(), (3*5/4+1)*n)
	})
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(128).Validate())
	wrong := map[string]func(*events.Params){
		"data width of 96 bits":  func(p *events.Params) { p.Sizes.DataWidth = 96 },
		"2^0 queue pairs":        func(p *events.Params) { p.Sizes.QPBits = 0 },
		"2^17 completion queues": func(p *events.Params) { p.Sizes.CQBits = 17 },
		"2^6 event queues":       func(p *events.Params) { p.Sizes.EQBits = 6 },
		"0 blocks that raise":    func(p *events.Params) { p.Asyncs = 0 },
	}
	for message, change := range wrong {
		p := params(64)
		change(&p)
		require.ErrorContains(t, p.Validate(), message)
	}
}
