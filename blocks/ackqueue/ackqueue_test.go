package ackqueue_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/ackqueue"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

const qps = 4

var params = ackqueue.Params{Sizes: link.Sizes{QPBits: 2, CQBits: 2}}

// placed is a linktest.Placed whose commit's fields are its own.
type placed struct {
	linktest.Commit
	BusErr bool
}

type bench struct {
	t                                 *testing.T
	s                                 *sim.Sim
	placed, served, control           *sim.Source
	done, ack, resource, fault, fence *sim.Sink
	io                                *ackqueue.IO
	counts                            map[string]int // pulses, by the name of their field
}

func newBench(t *testing.T, s *sim.Sim, io *ackqueue.IO, acks sim.Pattern) *bench {
	g := hdltest.Gaps(t, 25)
	b := &bench{
		t: t, s: s, io: io, counts: map[string]int{}, placed: sim.NewSource(s, io.Placed, g), served: sim.NewSource(s, io.Served, g), control: sim.NewSource(s, io.Control, g),
		resource: sim.NewSink(s, io.Resource, g), done: sim.NewSink(s, io.Completion, g), ack: sim.NewSink(s, io.Ack, acks), fault: sim.NewSink(s, io.Fault, g), fence: sim.NewSink(s, io.Fence, g),
	}
	s.Reset(2)
	for qp := range qps {
		b.clear(qp)
	}
	return b
}

func (b *bench) clear(qp int) {
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
	b.s.Run(30)
	require.Zero(b.t, b.control.Pending())
}

// run runs some cycles, and counts pulses.
func (b *bench) run(n int) {
	for range n {
		b.s.Step()
		v := reflect.ValueOf(b.io.Counts)
		for i := range v.NumField() {
			if b.s.Get(v.Field(i).Interface().(hdl.Bits)) == 1 {
				b.counts[v.Type().Field(i).Name]++
			}
		}
	}
}

// counted is what the pulses of an effect are.
func counted(counts map[string]int, e ackqueue.Effect) {
	switch e.Refused {
	case 0:
	case format.SyndromeNAKInv:
		counts["Invalid"]++
	case format.SyndromeNAKAccess:
		counts["Access"]++
	case format.SyndromeNAKOp:
		counts["Operation"]++
	default:
		counts["OutOfBuffer"]++
	}
	if e.Done == nil {
		return
	}
	switch e.Done.Status {
	case format.StatusSuccess:
	case format.StatusFlush:
		counts["CQEFlush"]++
	case format.StatusLocLen:
		counts["Length"]++
		counts["CQEError"]++
	default:
		counts["CQEError"]++
	}
}

func request(p placed) ackqueue.Request {
	return ackqueue.Request{
		BusErr: p.BusErr, Reply: p.Reply, PSN: p.PSN, RequestPSN: p.RequestPSN, Syndrome: uint8(p.Syndrome), Message: p.Message, Fatal: p.Fatal,
		HasEvent: p.HasEvent, Event: format.AsyncEvent(p.Event), Complete: p.Complete, Open: p.Open, Resource: p.Resource.Kind != link.ResourceNone, Duplicate: p.Resource.Duplicate, WQEIndex: p.Completion.WQEIndex,
		Status: format.Status(p.Completion.Status), Vendor: format.VendorCode(p.Completion.Vendor), Solicited: p.Completion.Solicited,
	}
}

func random(r *rand.Rand) placed {
	p := placed{BusErr: r.IntN(40) == 0, Commit: linktest.Commit{
		QP: r.IntN(qps), Payload: true, Placed: true, Reply: r.IntN(2), PSN: r.Uint32N(1 << 24), Message: r.IntN(2) == 0,
		Complete:   r.IntN(2) == 0,
		Completion: linktest.Completion{CQ: r.IntN(4), WRID: r.Uint64(), ByteLen: r.Uint32(), Imm: r.Uint32(), QPN: 5, WQEIndex: uint16(r.IntN(3)), Opcode: 128, Flags: 2, Queue: 1, Solicited: r.IntN(2) == 0},
	}}
	p.RequestPSN, p.Completion.QP = p.PSN, p.QP
	if r.IntN(3) == 0 {
		return fetch(r, p.QP)
	}
	p.Open = !p.Complete && r.IntN(2) == 0
	if r.IntN(40) == 0 {
		p.Reply, p.Syndrome, p.Fatal, p.Message = link.ReplyNAK, format.SyndromeNAKAccess, true, false
		p.HasEvent, p.Event = !p.Complete, format.EventQPAccessErr
		p.Syndrome = format.SyndromeNAKInv + r.IntN(3)
		p.Completion.Status = []format.Status{format.StatusLocProt, format.StatusLocLen}[r.IntN(2)] * format.Status(bit(p.Complete))
	}
	if r.IntN(8) == 0 && !p.Fatal {
		p.Reply, p.Syndrome, p.Message, p.Complete = link.ReplyNAK, []int{format.SyndromeNAK, format.SyndromeRNR + r.IntN(32)}[r.IntN(2)], false, false
	}
	return p
}

// fetch is a READ or atomic.
func fetch(r *rand.Rand, qp int) placed {
	again := r.IntN(3) == 0
	return placed{Commit: linktest.Commit{QP: qp, RequestPSN: r.Uint32N(1 << 24), Message: !again, Resource: linktest.Resource{
		Kind: link.ResourceRead + r.IntN(3), Duplicate: again, VA: r.Uint64(), RKey: r.Uint32(), Length: r.Uint32(),
	}}}
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// One request at a time: every effect is the reference's.
func TestAgainstReference(t *testing.T) {
	design, io := hdltest.Build(t, ackqueue.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 9))
		b := newBench(t, s, io, hdltest.Gaps(t, 25))
		var refs [qps]ackqueue.Reference
		pulses := map[string]int{}
		for range 900 {
			if r.IntN(60) == 0 {
				qp := r.IntN(qps)
				b.clear(qp)
				refs[qp] = ackqueue.Reference{}
			}
			if r.IntN(3) == 0 {
				b.serve(r, &refs)
			}
			p := random(r)
			b.placed.Send(p)
			b.run(40)
			want := refs[p.QP].Commit(request(p))
			counted(pulses, want)

			b.answers(p.QP, refs[p.QP].Leave())
			resources := sim.Received[linktest.ResourceRequest](b.resource)
			require.Len(t, resources, count(want.Resource != nil))
			if x := want.Resource; x != nil {
				require.Equal(t, linktest.ResourceRequest{QP: p.QP, Cancel: x.Cancel, PSN: p.RequestPSN, MSN: x.MSN, Resource: p.Resource}, resources[0])
			}
			done := sim.Received[linktest.Completion](b.done)
			require.Len(t, done, count(want.Done != nil))
			if d := want.Done; d != nil {
				c := p.Completion
				c.Status, c.Vendor, c.Solicited = d.Status, d.Vendor, d.Solicited
				require.Equal(t, c, done[0])
			}
			s.Set(io.Peek.QP, uint64(p.QP))
			s.Run(link.PeekCycles)
			require.EqualValues(t, refs[p.QP].MSN, s.Get(io.Peek.Value))
			faults := sim.Received[linktest.QPFault](b.fault)
			require.Len(t, faults, count(want.Fault != nil))
			if f := want.Fault; f != nil {
				require.Equal(t, f.HasEvent, faults[0].HasEvent)
				require.Equal(t, p.QP, faults[0].QP)
				require.Equal(t, f.Vendor, faults[0].Vendor)
				if f.HasEvent {
					require.Equal(t, f.Event, faults[0].Event)
				}
			}
		}
		require.Equal(t, pulses, b.counts)
	}, verilator.Simulator)
}

func count(b bool) int { return int(bit(b)) }

// answers compares what has left.
func (b *bench) answers(qp int, want *ackqueue.Answer) {
	acks := sim.Received[linktest.Ack](b.ack)
	require.Len(b.t, acks, count(want != nil))
	if want != nil {
		require.Equal(b.t, linktest.Ack{QP: qp, Syndrome: int(want.Syndrome), PSN: want.PSN, MSN: want.MSN}, acks[0])
	}
}

// serve answers READs and atomics of some queue pair, or goes back for a duplicate.
func (b *bench) serve(r *rand.Rand, refs *[qps]ackqueue.Reference) {
	qp := r.IntN(qps)
	ref := &refs[qp]
	next, again := max(0, ref.Accepted-r.IntN(3)), ref.Duplicates
	if r.IntN(3) == 0 {
		again = max(0, again-1)
	}
	b.tell(qp, next, again)
	b.s.Run(40)
	ref.Serve(next, again)
	b.answers(qp, ref.Leave())
}

// tell says how far READs and atomics have been answered.
func (b *bench) tell(qp, next, duplicates int) {
	b.served.Send(linktest.Served{QP: qp, Next: uint8(next), Most: uint8(next), Duplicates: uint8(duplicates)})
}

// While transmit takes nothing, answers merge, and requests go on.
func TestAnswersMerge(t *testing.T) {
	design, io := hdltest.Build(t, ackqueue.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{Kind: sim.Never})
		for i := range 60 {
			b.placed.Send(placed{Commit: linktest.Commit{QP: i % 2, Reply: link.ReplyACK, PSN: uint32(100 + i), Message: true}})
		}
		s.Run(400)
		require.Zero(t, b.placed.Pending())
		b.ack.SetPattern(sim.Pattern{})
		s.Run(100)
		// The first answer has gone to the port before the others came.
		acks := sim.Received[linktest.Ack](b.ack)
		require.LessOrEqual(t, len(acks), 4)
		last := map[int]linktest.Ack{}
		for _, a := range acks {
			last[a.QP] = a
		}
		require.Equal(t, linktest.Ack{QP: 0, Syndrome: format.SyndromeNoCredits, PSN: 158, MSN: 30}, last[0])
		require.Equal(t, linktest.Ack{QP: 1, Syndrome: format.SyndromeNoCredits, PSN: 159, MSN: 30}, last[1])
	}, verilator.Simulator)
}

// With credits, an ACK has the code of its queue pair as it leaves; a NAK has its own syndrome.
func TestCredits(t *testing.T) {
	with := params
	with.Credits = true
	design, io := hdltest.Build(t, ackqueue.Def(with))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 12))
		b := newBench(t, s, io, hdltest.Gaps(t, 50))
		port := io.Credits[0]
		code := func(qp uint64) uint64 { return 7 + 5*qp }
		for i := range 300 {
			for range 1 + r.IntN(4) {
				p := placed{Commit: linktest.Commit{QP: r.IntN(qps), Reply: link.ReplyACK, PSN: uint32(i)}}
				if r.IntN(4) == 0 {
					p.Reply, p.Syndrome = link.ReplyNAK, format.SyndromeRNR+r.IntN(32)
				}
				b.placed.Send(p)
			}
			for range 20 + r.IntN(40) {
				asked := s.Get(port.QP)
				s.Step()
				s.Set(port.Code, code(asked)) // a cycle later
			}
			for _, a := range sim.Received[linktest.Ack](b.ack) {
				if a.Syndrome < format.SyndromeRNR {
					require.EqualValues(t, code(uint64(a.QP)), a.Syndrome)
				}
			}
		}
		require.Greater(t, b.ack.Count(), uint64(300))
	}, verilator.Simulator)
}

// A duplicate is acknowledged anew with the last PSN that was executed. While a NAK has not left, which acknowledges
// as much, it does not take its place: no further NAK would come (protocol sections 3.3 and 3.7).
func TestDuplicateBehindNAK(t *testing.T) {
	design, io := hdltest.Build(t, ackqueue.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		for _, syndrome := range []int{format.SyndromeNAK, format.SyndromeRNR + 12} {
			b.ack.SetPattern(sim.Pattern{Kind: sim.Never})
			send := func(reply, syndrome int, psn uint32) {
				b.placed.Send(placed{Commit: linktest.Commit{QP: 2, Reply: reply, Syndrome: syndrome, PSN: psn}})
			}
			send(link.ReplyACK, 0, 98) // stands at the port
			s.Run(40)
			send(link.ReplyNAK, syndrome, 100)
			for range 3 {
				send(link.ReplyACK, 0, 99)
			}
			s.Run(100)
			b.ack.SetPattern(sim.Pattern{})
			s.Run(100)
			got := sim.Received[linktest.Ack](b.ack)
			require.Len(t, got, 2)
			require.Equal(t, linktest.Ack{QP: 2, Syndrome: syndrome, PSN: 100}, got[1])

			b.ack.SetPattern(sim.Pattern{Kind: sim.Never})
			send(link.ReplyACK, 0, 99)
			s.Run(40)
			send(link.ReplyNAK, syndrome, 100)
			send(link.ReplyACK, 0, 100) // it has come meanwhile
			s.Run(100)
			b.ack.SetPattern(sim.Pattern{})
			s.Run(100)
			got = sim.Received[linktest.Ack](b.ack)
			require.Len(t, got, 2)
			require.Equal(t, linktest.Ack{QP: 2, Syndrome: format.SyndromeNoCredits, PSN: 100}, got[1])
		}
	}, verilator.Simulator)
}

// However requests and answers meet, the last answer of each queue pair is that of its
// last request.
func TestLastAnswerLeaves(t *testing.T) {
	design, io := hdltest.Build(t, ackqueue.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 10))
		b := newBench(t, s, io, hdltest.Gaps(t, 50))
		want := map[int]int{}
		for psn := range 2000 {
			qp := r.IntN(qps)
			b.placed.Send(placed{Commit: linktest.Commit{QP: qp, Reply: link.ReplyACK, PSN: uint32(psn)}})
			want[qp] = psn
			if r.IntN(8) > 0 {
				continue
			}
			for b.placed.Pending() > 0 {
				s.Run(100)
			}
			s.Run(100)
			got := map[int]int{}
			for _, a := range sim.Received[linktest.Ack](b.ack) {
				got[a.QP] = int(a.PSN)
			}
			require.Equal(t, want, got)
			clear(want)
		}
	}, verilator.Simulator)
}

// An answer stands behind READs and atomics that came before it: ACKs and NAKs leave
// when those have been answered, and no duplicate of one is.
func TestAnswersStandBehindResponses(t *testing.T) {
	design, io := hdltest.Build(t, ackqueue.Def(params))
	read := func(again bool) placed {
		return placed{Commit: linktest.Commit{QP: 1, Message: !again, Resource: linktest.Resource{Kind: link.ResourceRead, Duplicate: again}}}
	}
	ack := func(psn uint32) placed {
		return placed{Commit: linktest.Commit{QP: 1, Reply: link.ReplyACK, PSN: psn, Message: true}}
	}
	nak := placed{Commit: linktest.Commit{QP: 1, Reply: link.ReplyNAK, PSN: 9, Syndrome: format.SyndromeNAKAccess, Fatal: true}}
	gap := func(psn uint32) placed {
		return placed{Commit: linktest.Commit{QP: 1, Reply: link.ReplyNAK, PSN: psn, Syndrome: format.SyndromeNAK}}
	}
	type step struct {
		commits  []placed
		next     int // Served, behind them
		repeated int
		want     []uint32 // PSNs of what leaves
	}
	for name, steps := range map[string][]step{
		"an ACK":                   {{[]placed{read(false), ack(5)}, 0, 0, nil}, {nil, 1, 0, []uint32{5}}},
		"a NAK":                    {{[]placed{read(false), read(false), nak}, 1, 0, nil}, {nil, 2, 0, []uint32{9}}},
		"no others":                {{[]placed{ack(5)}, 0, 0, []uint32{5}}, {[]placed{read(false)}, 0, 0, nil}},
		"the newest":               {{[]placed{read(false), ack(5), ack(6)}, 0, 0, nil}, {nil, 1, 0, []uint32{6}}},
		"of the later READ":        {{[]placed{read(false), ack(5), read(false), ack(7)}, 1, 0, nil}, {nil, 2, 0, []uint32{7}}},
		"a READ behind ACKs":       {{[]placed{read(false), ack(5), read(false)}, 1, 0, nil}, {nil, 2, 0, nil}},
		"a duplicate":              {{[]placed{read(false), ack(5)}, 1, 0, []uint32{5}}, {[]placed{read(true), ack(5)}, 1, 0, nil}, {nil, 0, 1, nil}, {nil, 1, 1, []uint32{5}}},
		"once":                     {{[]placed{read(false), ack(5)}, 1, 0, []uint32{5}}, {nil, 1, 0, nil}},
		"a READ behind one":        {{[]placed{read(false), gap(3), read(false)}, 0, 0, nil}, {nil, 1, 0, nil}, {nil, 2, 0, nil}},
		"a duplicate behind a NAK": {{[]placed{read(false), gap(3), ack(2)}, 0, 0, nil}, {nil, 1, 0, []uint32{3}}, {[]placed{ack(2)}, 1, 0, []uint32{2}}},
		"what a NAK asked for":     {{[]placed{read(false), gap(3), ack(3)}, 0, 0, nil}, {nil, 1, 0, []uint32{3}}},
		"a NAK behind a wrap":      {{[]placed{read(false), gap(1), ack(0xFFFFFE)}, 0, 0, nil}, {nil, 1, 0, []uint32{1}}},
		"a NAK for a NAK":          {{[]placed{read(false), gap(3), nak}, 0, 0, nil}, {nil, 1, 0, []uint32{9}}},
	} {
		t.Run(name, func(t *testing.T) {
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				b := newBench(t, s, io, hdltest.Gaps(t, 25))
				for i, x := range steps {
					for _, p := range x.commits {
						b.placed.Send(p)
					}
					s.Run(80)
					b.tell(1, x.next, x.repeated)
					s.Run(40)
					var got []uint32
					for _, a := range sim.Received[linktest.Ack](b.ack) {
						got = append(got, a.PSN)
					}
					require.Equal(t, x.want, got, "step %d", i)
				}
			})
		})
	}
}

// What comes behind a failure has no effect, but that an atomic's operands are given back; and
// the NAK does not wait for it.
func TestCancel(t *testing.T) {
	design, io := hdltest.Build(t, ackqueue.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, hdltest.Gaps(t, 25))
		b.placed.Send(placed{Commit: linktest.Commit{QP: 1, Reply: link.ReplyNAK, PSN: 9, Syndrome: format.SyndromeNAKAccess, Fatal: true, HasEvent: true}})
		for _, again := range []bool{true, false, true} {
			b.placed.Send(placed{Commit: linktest.Commit{QP: 1, Message: !again, Resource: linktest.Resource{Kind: link.ResourceFetchAdd, Duplicate: again}}})
		}
		s.Run(120)
		require.Len(t, sim.Received[linktest.Ack](b.ack), 1)
		requests := sim.Received[linktest.ResourceRequest](b.resource)
		require.Len(t, requests, 1)
		require.True(t, requests[0].Cancel)
		require.False(t, requests[0].Resource.Duplicate)
		require.Len(t, sim.Received[linktest.QPFault](b.fault), 1)
	})
}

// However requests, answers and responses meet, no answer leaves before the responses that it
// stands behind, and the last one of each queue pair does leave.
func TestAnswersMeetResponses(t *testing.T) {
	design, io := hdltest.Build(t, ackqueue.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		r := rand.New(rand.NewPCG(hdltest.Seed(t), 11))
		b := newBench(t, s, io, hdltest.Gaps(t, 30))
		var refs [qps]ackqueue.Reference
		var told [qps]int
		behind := map[linktest.Ack]int{}
		last := map[int]linktest.Ack{}
		waited := 0
		for psn := range uint32(4000) {
			qp := r.IntN(qps)
			ref := &refs[qp]
			p := placed{Commit: linktest.Commit{QP: qp, Reply: link.ReplyACK, PSN: psn, Message: true}}
			if r.IntN(3) == 0 {
				p = placed{Commit: linktest.Commit{QP: qp, Message: true, Resource: linktest.Resource{Kind: link.ResourceRead}}}
			}
			ref.Commit(request(p))
			if p.Reply == link.ReplyACK {
				a := linktest.Ack{QP: qp, Syndrome: format.SyndromeNoCredits, PSN: psn, MSN: ref.MSN}
				behind[a], last[qp] = ref.Accepted, a
			} else {
				delete(last, qp)
			}
			b.placed.Send(p)
			for range r.IntN(8) {
				s.Step()
			}
			if qp = r.IntN(qps); told[qp] < refs[qp].Accepted && b.placed.Pending() == 0 {
				told[qp] += 1 + r.IntN(refs[qp].Accepted-told[qp])
				for range 1 + r.IntN(3) {
					b.tell(qp, told[qp], 0)
				}
			}
			for _, a := range sim.Received[linktest.Ack](b.ack) {
				require.Contains(t, behind, a)
				require.LessOrEqual(t, behind[a], told[a.QP])
				delete(behind, a) // none leaves twice
				if last[a.QP] == a {
					delete(last, a.QP)
				}
			}
			if told[qp] < refs[qp].Accepted {
				waited++
			}
		}
		for qp := range qps {
			b.tell(qp, refs[qp].Accepted, 0)
		}
		s.Run(200)
		for _, a := range sim.Received[linktest.Ack](b.ack) {
			if last[a.QP] == a {
				delete(last, a.QP)
			}
		}
		require.Empty(t, last)
		require.Greater(t, waited, 100)
	}, verilator.Simulator)
}

// A fence passes behind the requests before it; a request takes two cycles.
func TestFenceAndCycles(t *testing.T) {
	design, io := hdltest.Build(t, ackqueue.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, sim.Pattern{})
		b.placed.SetPattern(sim.Pattern{})
		b.done.SetPattern(sim.Pattern{})
		const n = 40
		for i := range n {
			b.placed.Send(placed{Commit: linktest.Commit{QP: i % 3, Reply: link.ReplyACK, PSN: uint32(i), Complete: true}})
		}
		b.placed.Send(placed{Commit: linktest.Commit{Kind: link.CommitFence, PSN: 3}})
		s.Run(2*n + 10)
		require.Equal(t, []int{3}, sim.Received[int](b.fence))
		require.Equal(t, uint64(n), b.done.Count())
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params.Validate())
	require.Error(t, ackqueue.Params{}.Validate())
	require.Error(t, ackqueue.Params{Sizes: link.Sizes{QPBits: 2, CQBits: 2, ReadBits: 7}}.Validate())
}
