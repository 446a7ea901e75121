package replay_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/replay"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

const qps = 4

var params = replay.Params{Sizes: link.Sizes{QPBits: 2, ReplayBits: 3}}

type oldest struct {
	Any    bool
	Newest uint32
	Local  bool
	Failed bool
	Cause  uint16
	Entry  linktest.ReplayEntry
}

// bench is the block with its neighbours.
type bench struct {
	t                   *testing.T
	s                   *sim.Sim
	io                  *replay.IO
	records, requests   *sim.Source
	answers, told, gone *sim.Sink
	reads               *sim.Source
	found, started      *sim.Sink
}

func newBench(t *testing.T, s *sim.Sim, io *replay.IO, g sim.Pattern) *bench {
	b := &bench{
		t: t, s: s, io: io,
		records: sim.NewSource(s, io.Record, g), requests: sim.NewSource(s, io.User.Request, g),
		answers: sim.NewSink(s, io.User.Oldest, g), told: sim.NewSink(s, io.User.Recorded, g), gone: sim.NewSink(s, io.Retired, g),
		reads: sim.NewSource(s, io.Reader.Request, g), found: sim.NewSink(s, io.Reader.Reply, g), started: sim.NewSink(s, io.Started, g),
	}
	s.Reset(2)
	for qp := range qps {
		b.ask(qp, link.ReplayClear)
	}
	return b
}

func (b *bench) settle() {
	b.s.Run(30)
	require.NoError(b.t, b.s.Err())
	require.Zero(b.t, b.records.Pending()+b.requests.Pending()+b.reads.Pending())
}

func (b *bench) ask(qp, op int) {
	b.requests.Send(struct{ QP, Op int }{qp, op})
	b.settle()
}

// peek asks for the oldest entry.
func (b *bench) peek(qp int) oldest {
	b.ask(qp, link.ReplayPeek)
	got := sim.Received[oldest](b.answers)
	require.Len(b.t, got, 1)
	return got[0]
}

// read asks for an entry that stays.
func (b *bench) read(qp int, oldest bool, index uint16) linktest.ReplayFound {
	b.reads.Send(linktest.ReplayRead{QP: qp, Oldest: oldest, Index: index})
	b.settle()
	got := sim.Received[linktest.ReplayFound](b.found)
	require.Len(b.t, got, 1)
	return got[0]
}

// waits looks whether a ring has entries.
func (b *bench) waits(qp int) bool {
	b.s.Set(b.io.Waits.QP, uint64(qp))
	return b.s.Get(b.io.Waits.Waits) == 1
}

// record enters an entry, and returns whom the completer hears of.
func (b *bench) record(qp int, e linktest.ReplayEntry) []int {
	b.records.Send(linktest.Record{QP: qp, Entry: e})
	b.settle()
	return sim.Received[int](b.told)
}

func randomEntry(r *rand.Rand) linktest.ReplayEntry {
	e := linktest.ReplayEntry{
		Kind: r.IntN(4), PSN: r.Uint32N(1 << 24), WQEIndex: uint16(r.Uint32()), Offset: r.Uint32(), Length: r.IntN(4097), Last: r.IntN(2) == 0,
		WC: format.WCOpcode(r.IntN(8)), WRID: r.Uint64(),
	}
	e.LastPSN = e.PSN
	switch {
	case r.IntN(4) == 0 && e.Kind == link.EntryLocal:
		e.PSN, e.LastPSN = 0, 0 // the packet before is the last PSN that there is
	case e.Kind == link.EntryRead:
		e.LastPSN = (e.PSN + r.Uint32N(1000)) & 0xFFFFFF
	}
	if r.IntN(10) == 0 {
		e.Status = 4
	}
	return e
}

func referenceOf(e linktest.ReplayEntry) replay.Entry {
	return replay.Entry{
		PSN: e.PSN, Last: e.LastPSN, Local: e.Kind == link.EntryLocal, Read: e.Kind == link.EntryRead || e.Kind == link.EntryAtomic,
		Failed: e.Status != 0, Index: e.WQEIndex, Rest: e,
	}
}

// Random records, questions and removals on four rings.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, replay.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 10))
		b := newBench(t, s, io, hdltest.Gaps(t, 25))
		var refs [qps]replay.Reference
		for range 1500 {
			qp := r.IntN(qps)
			ref := &refs[qp]
			switch {
			case r.IntN(100) == 0:
				b.ask(qp, link.ReplayClear)
				refs[qp] = replay.Reference{}
			case r.IntN(2) == 0 && ref.Len() < 8:
				e := randomEntry(r)
				told, starts := ref.Record(referenceOf(e))
				require.Equal(t, some(qp, told), b.record(qp, e))
				require.Equal(t, some(qp, starts), sim.Received[int](b.started))
			case r.IntN(3) == 0 && ref.Len() > 0:
				b.peek(qp)
				b.ask(qp, link.ReplayPop)
				count, reads := ref.Pop()
				require.Equal(t, []linktest.Retired{{QP: qp, Count: count, Reads: reads}}, sim.Received[linktest.Retired](b.gone))
			case r.IntN(20) == 0:
				b.ask(qp, link.ReplayFail)
				ref.Fail()
			case r.IntN(2) == 0:
				b.compareRead(r, qp, ref)
			default:
				b.compare(qp, ref)
			}
		}
	}, verilator.Simulator)
}

// some is who is heard of, if anybody is.
func some(qp int, heard bool) []int {
	if heard {
		return []int{qp}
	}
	return nil
}

// compareRead reads an entry somewhere in the ring, or off its ends.
func (b *bench) compareRead(r *rand.Rand, qp int, ref *replay.Reference) {
	oldest := r.IntN(3) == 0
	index := ref.Gone() + uint16(r.IntN(ref.Len()+5)) - 2
	if r.IntN(8) == 0 {
		index = ref.Gone() + uint16(r.IntN(1<<15)) // anywhere behind
	}
	e, at, newest, ok := ref.Read(oldest, index)
	got := b.read(qp, oldest, index)
	require.Equal(b.t, ok, got.Any)
	require.Equal(b.t, ref.Waits(), b.waits(qp))
	if ok {
		require.Equal(b.t, linktest.ReplayFound{Any: true, Index: at, Newest: newest, Entry: e.Rest.(linktest.ReplayEntry)}, got)
	}
}

// compare looks at a ring in both ways.
func (b *bench) compare(qp int, ref *replay.Reference) {
	t := b.t
	got := b.peek(qp)
	found, ok := ref.Peek()
	b.s.Set(b.io.Peek.QP, uint64(qp))
	b.s.Run(link.PeekCycles)
	seen := b.s.Get(b.io.Peek.Value)
	require.Equal(t, ok, seen>>24 == 1)
	require.Equal(t, ok, got.Any)
	if !ok {
		return
	}
	require.EqualValues(t, found.Oldest.PSN, seen&0xFFFFFF)
	want := oldest{
		Any: true, Newest: found.Newest, Local: found.Local, Failed: found.Failed, Cause: got.Cause,
		Entry: found.Oldest.Rest.(linktest.ReplayEntry),
	}
	if index, known := ref.Cause(); known {
		want.Cause = index
	}
	require.Equal(t, want, got)
}

// A ring that is emptied forgets what failed, what is no packet, whom it tells, and its counts.
func TestClear(t *testing.T) {
	design, io := hdltest.Build(t, replay.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, hdltest.Gaps(t, 25))
		for range 3 {
			require.Empty(t, b.record(2, linktest.ReplayEntry{Kind: link.EntryRead, PSN: 5, LastPSN: 7}))
			require.Equal(t, []int{2}, b.record(2, linktest.ReplayEntry{Kind: link.EntryLocal, PSN: 8, LastPSN: 8}))
			require.Equal(t, []int{2}, b.record(2, linktest.ReplayEntry{PSN: 8, LastPSN: 8, Status: format.StatusLocProt, WQEIndex: 3}))
			b.ask(2, link.ReplayFail)
			got := b.peek(2)
			require.Equal(t, []any{uint32(7), true, true, uint16(3)}, []any{got.Newest, got.Local, got.Failed, got.Cause})
			b.ask(2, link.ReplayPop)
			require.Equal(t, []linktest.Retired{{QP: 2, Count: 1, Reads: 1}}, sim.Received[linktest.Retired](b.gone), "the READ")
			b.ask(2, link.ReplayClear)
			require.False(t, b.peek(2).Any)
			require.Empty(t, b.record(2, linktest.ReplayEntry{PSN: 9, LastPSN: 9}))
			got = b.peek(2)
			require.Equal(t, []any{uint32(9), false, false}, []any{got.Newest, got.Local, got.Failed})
			b.ask(2, link.ReplayClear)
		}
	}, verilator.Simulator)
}

// An entry goes in every cycle, though the completer hears of each, and an answer comes two cycles after its
// question.
func TestCycles(t *testing.T) {
	design, io := hdltest.Build(t, replay.Def(params))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	b := newBench(t, s, io, sim.Pattern{})
	for i := range 8 {
		b.records.Send(linktest.Record{QP: 1, Entry: linktest.ReplayEntry{Kind: link.EntryLocal, PSN: uint32(i)}})
	}
	s.Run(9)
	require.Zero(t, b.records.Pending())
	s.Run(1)
	require.Len(t, b.told.Take(), 8)
	b.requests.Send(struct{ QP, Op int }{1, link.ReplayPeek})
	s.Run(4)
	require.Equal(t, uint64(1), b.answers.Count())
	b.reads.Send(linktest.ReplayRead{QP: 1, Oldest: true})
	s.Run(4)
	require.Equal(t, uint64(1), b.found.Count())

	// Each of these begins a ring, as the ones that are no packets do not.
	for qp := range qps {
		b.ask(qp, link.ReplayClear)
	}
	for qp := range qps {
		b.records.Send(linktest.Record{QP: qp, Entry: linktest.ReplayEntry{PSN: uint32(qp)}})
	}
	s.Run(qps + 1)
	require.Zero(t, b.records.Pending())
	s.Run(3)
	require.Len(t, b.started.Take(), qps)
}

// Rings that begin while nobody hears of it hold up no record, and each is heard of once, later.
func TestStartedWaits(t *testing.T) {
	design, io := hdltest.Build(t, replay.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.started.SetPattern(sim.Pattern{Kind: sim.Never})
		for i := range uint32(20) {
			for _, qp := range []int{1, 3} {
				require.Empty(t, b.record(qp, linktest.ReplayEntry{PSN: i, LastPSN: i}))
				b.peek(qp)
				b.ask(qp, link.ReplayPop)
			}
		}
		require.Equal(t, []int{1, 3}, startedOf(b))
		require.Empty(t, b.record(3, linktest.ReplayEntry{}))
		require.Equal(t, []int{3}, startedOf(b), "later ones are heard of again")
	}, verilator.Simulator)
}

func startedOf(b *bench) []int {
	b.started.SetPattern(sim.Pattern{})
	b.settle()
	return sim.Received[int](b.started)
}

// A packet that comes in the cycle in which the last entry leaves begins its ring.
func TestStartsAsLastLeaves(t *testing.T) {
	design, io := hdltest.Build(t, replay.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		for _, c := range []struct {
			name    string
			other   int // queue pair of the record
			started []int
		}{{"the same", 2, []int{2}}, {"another that is empty", 1, []int{1}}, {"another that is not", 3, nil}} {
			require.Empty(t, b.record(3, linktest.ReplayEntry{}))
			require.Empty(t, b.record(2, linktest.ReplayEntry{}))
			require.Len(t, sim.Received[int](b.started), 2, c.name)
			b.peek(2)
			before := s.Covered("start_as_last_leaves")
			b.requests.Send(struct{ QP, Op int }{2, link.ReplayPop})
			b.records.Send(linktest.Record{QP: c.other})
			b.settle()
			require.Equal(t, c.started, sim.Received[int](b.started), c.name)
			require.Equal(t, c.other == 2, s.Covered("start_as_last_leaves") > before, c.name)
			for qp := range qps {
				b.ask(qp, link.ReplayClear)
			}
		}
	}, verilator.Simulator)
}

// Questions of both sides at once, while entries come and go: each reader gets its own answers.
func TestBothRead(t *testing.T) {
	design, io := hdltest.Build(t, replay.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, hdltest.Gaps(t, 25))
		for qp := range qps {
			for i := range 5 {
				b.record(qp, linktest.ReplayEntry{PSN: uint32(100*qp + i), LastPSN: uint32(100*qp + i)})
			}
		}
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 11))
		var peeks, reads []uint32
		var peeked, read int
		for range 3000 {
			if peeked == len(peeks) {
				qp := r.IntN(qps)
				b.requests.Send(struct{ QP, Op int }{qp, link.ReplayPeek})
				peeks = append(peeks, uint32(100*qp))
			}
			if read+2 > len(reads) {
				qp, i := r.IntN(qps), r.IntN(5)
				b.reads.Send(linktest.ReplayRead{QP: qp, Index: uint16(i)})
				reads = append(reads, uint32(100*qp+i))
			}
			s.Step()
			for _, got := range sim.Received[oldest](b.answers) {
				require.Equal(t, peeks[peeked], got.Entry.PSN)
				peeked++
			}
			for _, got := range sim.Received[linktest.ReplayFound](b.found) {
				require.Equal(t, reads[read], got.Entry.PSN)
				require.Equal(t, reads[read]%100 == 4, got.Newest)
				read++
			}
		}
		require.NoError(t, s.Err())
		require.Greater(t, peeked, 200)
		require.Greater(t, read, 200)
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params.Validate())
	require.Error(t, replay.Params{Sizes: link.Sizes{QPBits: 1}}.Validate())
	require.Error(t, replay.Params{Sizes: link.Sizes{ReplayBits: 1}}.Validate())
}
