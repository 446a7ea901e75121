package keyops_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/keyops"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

func params(qpBits int) keyops.Params { return keyops.Params{Sizes: link.Sizes{QPBits: qpBits}} }

// bench is the block between a requester, a key table and two pipelines.
type bench struct {
	t   *testing.T
	s   *sim.Sim
	io  *keyops.IO
	r   *rand.Rand
	now int

	op, keyDone, through *sim.Source
	done, key, passed    *sim.Sink
	pipes                [2]*pipe

	ops     []*op // that have been sent and are not done, in order
	busy    map[int]bool
	asked   int // of ops: how many changes have been asked for
	flushes int // wanted and not seen
	token   int // of command: one more than the number of ops before it that are not done; 0: there is none
	last    linktest.KeyOpDone
	Hold    bool // keycache does not answer
}

// op is an operation, and what becomes of it.
type op struct {
	qp, kind int
	vendor   format.VendorCode
	ended    bool
	changed  int // in which cycle keycache answered; 0: not yet
}

// pipe is a pipeline that tokens go through.
type pipe struct {
	in      *sim.Sink
	out     *sim.Source
	Hold    bool
	began   int // in which cycle the token that is inside came; 0: none is
	cleared int // when the last one that has come out had come
	delay   int
}

func newBench(t *testing.T, s *sim.Sim, io *keyops.IO, gaps sim.Pattern) *bench {
	b := &bench{
		t: t, s: s, io: io, r: rand.New(rand.NewPCG(hdltest.Seed(t), 5)), busy: map[int]bool{},
		op: sim.NewSource(s, io.Op, gaps), keyDone: sim.NewSource(s, io.KeyDone, gaps), through: sim.NewSource(s, io.Through, gaps),
		done: sim.NewSink(s, io.Done, gaps), key: sim.NewSink(s, io.Key, gaps), passed: sim.NewSink(s, io.Passed, gaps),
	}
	b.pipes[0] = &pipe{in: sim.NewSink(s, io.TxFence, gaps), out: sim.NewSource(s, io.TxPassed, gaps)}
	b.pipes[1] = &pipe{in: sim.NewSink(s, io.RxFence, gaps), out: sim.NewSource(s, io.RxPassed, gaps)}
	s.Reset(2)
	return b
}

// send sends an operation, whose change comes to what o says.
func (b *bench) send(o op) {
	require.False(b.t, b.busy[o.qp])
	b.busy[o.qp] = true
	b.ops = append(b.ops, &o)
	b.op.Send(b.request(&o))
}

// request is the message of an operation: its contents follow from its queue pair.
func (b *bench) request(o *op) linktest.KeyOp {
	text := make([]byte, 32)
	r := rand.New(rand.NewPCG(uint64(o.qp), 1))
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	return linktest.KeyOp{QP: o.qp, Kind: o.kind, QPN: r.Uint32N(1 << 24), PD: r.Uint32N(1 << 24), Key: r.Uint32(), VA: r.Uint64(), Operands: text}
}

func (b *bench) step() {
	here, sending := len(b.ops)-b.op.Pending(), b.through.Pending()
	b.s.Step()
	b.now++
	require.NoError(b.t, b.s.Err())
	if b.through.Pending() < sending {
		b.token = here + 1
	}
	b.keys()
	for _, p := range b.pipes {
		b.flow(p)
	}
	if b.s.Get(b.io.Flush) == 1 {
		b.flushes--
	}
	require.GreaterOrEqual(b.t, b.flushes, 0)
	for _, got := range sim.Received[linktest.KeyOpDone](b.done) {
		b.judge(got)
	}
	for _, got := range sim.Received[int](b.passed) {
		require.Equal(b.t, 1, b.token, "command's token waits for operations")
		require.Equal(b.t, 1, got)
		b.token = 0
	}
}

// keys is keycache: it answers the oldest change.
func (b *bench) keys() {
	type command struct {
		Kind  int
		Entry format.KeyEntry[uint64]
	}
	for _, got := range sim.Received[command](b.key) {
		o := b.ops[b.asked]
		b.asked++
		x := b.request(o)
		want, err := keyops.Reference(keyops.Op{Kind: x.Kind, QPN: x.QPN, PD: x.PD, Key: x.Key, VA: x.VA, Operands: x.Operands})
		require.NoError(b.t, err)
		require.Equal(b.t, o.kind, got.Kind)
		require.Equal(b.t, want, used(o.kind, got.Entry))
	}
	if b.asked > 0 && b.ops[b.asked-1].changed == 0 && !b.Hold {
		o := b.ops[b.asked-1]
		o.changed = b.now
		if o.kind == link.KeyRegister && o.vendor == format.VendorNone {
			b.flushes++
		}
		b.keyDone.Send(struct {
			Status format.CommandStatus
			Vendor format.VendorCode
			Ended  bool
			Entry  format.KeyEntry[uint64]
		}{Vendor: o.vendor, Ended: o.ended, Entry: format.KeyEntry[uint64]{Key: 7}})
	}
}

// used is what keycache reads of an entry.
func used(kind int, e format.KeyEntry[uint64]) format.KeyEntry[uint64] {
	switch kind {
	case link.KeyLocalInv:
		return format.KeyEntry[uint64]{Key: e.Key, PD: e.PD, QPN: e.QPN}
	case link.KeyRegister:
		e.Parent = 0
	case link.KeyBind:
		e.Translation, e.PageShift = 0, 0
	}
	return e
}

// flow takes a token, and lets it out some time later.
func (b *bench) flow(p *pipe) {
	for _, token := range sim.Received[int](p.in) {
		require.Equal(b.t, 2, token)
		require.Zero(b.t, p.began, "a token while one is under way")
		p.began, p.delay = b.now, b.r.IntN(30)
	}
	if p.began != 0 && b.now >= p.began+p.delay && !p.Hold && p.cleared != p.began {
		p.cleared = p.began
		p.began = 0
		p.out.Send(2)
	}
}

// judge compares an outcome with the oldest operation's.
func (b *bench) judge(got linktest.KeyOpDone) {
	require.NotEmpty(b.t, b.ops)
	o := b.ops[0]
	b.ops = b.ops[1:]
	b.asked--
	require.NotZero(b.t, o.changed)
	require.Equal(b.t, linktest.KeyOpDone{QP: o.qp, Status: keyops.Status(o.kind, o.vendor), Vendor: o.vendor}, got)
	for i, p := range b.pipes {
		require.False(b.t, o.ended && p.cleared <= o.changed, "pipeline %d: no token that began behind the change has passed", i)
	}
	b.busy[o.qp] = false
	b.last = got
	b.token = max(b.token-1, min(b.token, 1))
}

func (b *bench) until(what string, ok func() bool) {
	b.t.Helper()
	for range 3000 {
		if ok() {
			return
		}
		b.step()
	}
	b.t.Fatalf("in vain: %s", what)
}

func (b *bench) idle() bool { return len(b.ops)+b.token+b.through.Pending() == 0 }

// Random operations of all queue pairs, and tokens of command among them: each changes the key that
// it names, is told in its order, and behind fences if it ended a key; tokens come behind the operations before them.
func TestAgainstReference(t *testing.T) {
	for _, qpBits := range []int{1, 3, 7} {
		t.Run(fmt.Sprint(qpBits), func(t *testing.T) {
			design, io := hdltest.Build(t, keyops.Def(params(qpBits)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, hdltest.Gaps(t, 20))
				failed := 0
				for n := 1500; n > 0; b.step() {
					if qp := b.r.IntN(1 << qpBits); !b.busy[qp] && b.r.IntN(3) == 0 {
						o := draw(b.r, qp)
						if o.vendor != format.VendorNone {
							failed++
						}
						b.send(o)
						n--
					}
					if b.through.Pending() == 0 && b.token == 0 && b.r.IntN(40) == 0 {
						b.through.Send(1)
					}
				}
				b.until("end", b.idle)
				require.Zero(t, b.flushes)
				require.Greater(t, failed, 50)
				require.NotZero(t, s.Covered("token_waits"))
				if qpBits > 1 { // of two only one waits when a fence begins
					require.NotZero(t, s.Covered("fence_for_several"))
				}
			}, verilator.Simulator)
		})
	}
}

func draw(r *rand.Rand, qp int) op {
	o := op{qp: qp, kind: []int{link.KeyLocalInv, link.KeyRegister, link.KeyBind}[r.IntN(3)]}
	if r.IntN(6) == 0 {
		o.vendor = format.VendorKeyUnknown + format.VendorCode(r.IntN(6))
	}
	o.ended = o.kind != link.KeyRegister && r.IntN(4) > 0 // with a fault of the bus, too
	return o
}

// What an operation completes with.
func TestStatus(t *testing.T) {
	design, io := hdltest.Build(t, keyops.Def(params(2)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		for _, c := range []struct {
			kind   int
			vendor format.VendorCode
			want   format.Status
		}{
			{link.KeyLocalInv, format.VendorNone, format.StatusSuccess}, {link.KeyLocalInv, format.VendorKeyBound, format.StatusLocQPOp},
			{link.KeyRegister, format.VendorNone, format.StatusSuccess}, {link.KeyRegister, format.VendorKeyState, format.StatusLocQPOp},
			{link.KeyBind, format.VendorNone, format.StatusSuccess}, {link.KeyBind, format.VendorKeyRange, format.StatusMWBind},
		} {
			b.send(op{qp: 1, kind: c.kind, vendor: c.vendor})
			b.until("done", b.idle)
			require.Equal(t, linktest.KeyOpDone{QP: 1, Status: c.want, Vendor: c.vendor}, b.last)
		}
	}, verilator.Simulator)
}

// While a fence is under way operations of the other queue pairs are taken and change their keys:
// the requester, through which it goes, may wait for that. The next fence is for all of them.
func TestTakenDuringFence(t *testing.T) {
	design, io := hdltest.Build(t, keyops.Def(params(3)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.pipes[0].Hold = true
		for qp := range 8 {
			b.send(op{qp: qp, kind: link.KeyLocalInv, ended: true})
		}
		b.until("all changed", func() bool { return b.asked == 8 && b.ops[7].changed != 0 })
		b.through.Send(1)
		for range 100 {
			b.step()
		}
		require.Len(t, b.ops, 8)
		require.Equal(t, 9, b.token)
		b.pipes[0].Hold = false
		fences := 0
		for !b.idle() {
			before := b.pipes[1].began
			b.step()
			if b.pipes[1].began > before {
				fences++
			}
		}
		require.Equal(t, 1, fences, "one for the first, one for the others")
	}, verilator.Simulator)
}

// Command's token waits for the operations before it, and for none that come behind it.
func TestToken(t *testing.T) {
	design, io := hdltest.Build(t, keyops.Def(params(3)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.through.Send(1)
		b.until("token", func() bool { return b.through.Pending() == 0 && b.token == 0 })
		b.send(op{qp: 0, kind: link.KeyRegister})
		b.Hold = true
		b.until("asked", func() bool { return b.asked == 1 })
		b.through.Send(1)
		b.until("taken", func() bool { return b.token == 2 })
		b.Hold = false
		b.until("first done", func() bool { return len(b.ops) == 0 })
		b.Hold = true
		b.send(op{qp: 1, kind: link.KeyRegister})
		b.until("token", func() bool { return b.token == 0 })
		b.Hold = false
		b.until("end", b.idle)
	}, verilator.Simulator)
}

// An operation every third cycle, with a key table that takes none.
func TestCycles(t *testing.T) {
	design, io := hdltest.Build(t, keyops.Def(params(6)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		const n = 60
		for qp := range n {
			b.send(op{qp: qp, kind: link.KeyRegister})
		}
		start := b.now
		b.until("end", b.idle)
		t.Logf("%d cycles for %d operations", b.now-start, n)
		require.LessOrEqual(t, b.now-start, 4*n+10) // the bench takes a cycle for the answer
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(1).Validate())
	require.ErrorContains(t, params(0).Validate(), "queue pairs")
	require.ErrorContains(t, params(17).Validate(), "queue pairs")
}
