package ackqueue_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/ackqueue"
	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
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
	t                       *testing.T
	s                       *sim.Sim
	placed, control         *sim.Source
	done, ack, fault, fence *sim.Sink
}

func newBench(t *testing.T, s *sim.Sim, io *ackqueue.IO, acks sim.Pattern) *bench {
	g := hdltest.Gaps(t, 25)
	b := &bench{
		t: t, s: s, placed: sim.NewSource(s, io.Placed, g), control: sim.NewSource(s, io.Control, g),
		done: sim.NewSink(s, io.Completion, g), ack: sim.NewSink(s, io.Ack, acks), fault: sim.NewSink(s, io.Fault, g), fence: sim.NewSink(s, io.Fence, g),
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

func request(p placed) ackqueue.Request {
	return ackqueue.Request{
		BusErr: p.BusErr, Reply: p.Reply, PSN: p.PSN, RequestPSN: p.RequestPSN, Syndrome: uint8(p.Syndrome), Message: p.Message, Fatal: p.Fatal,
		HasEvent: p.HasEvent, Event: format.AsyncEvent(p.Event), Complete: p.Complete, Open: p.Open, WQEIndex: p.Completion.WQEIndex,
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
	p.Open = !p.Complete && r.IntN(2) == 0
	if r.IntN(40) == 0 {
		p.Reply, p.Syndrome, p.Fatal, p.Message = link.ReplyNAK, format.SyndromeNAKAccess, true, false
		p.HasEvent, p.Event = !p.Complete, format.EventQPAccessErr
		p.Completion.Status = format.StatusLocProt * format.Status(bit(p.Complete))
	}
	return p
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
		for range 600 {
			if r.IntN(60) == 0 {
				qp := r.IntN(qps)
				b.clear(qp)
				refs[qp] = ackqueue.Reference{}
			}
			p := random(r)
			b.placed.Send(p)
			s.Run(40)
			want := refs[p.QP].Commit(request(p))

			acks := sim.Received[linktest.Ack](b.ack)
			require.Len(t, acks, count(want.Answer != nil))
			if a := want.Answer; a != nil {
				require.Equal(t, linktest.Ack{QP: p.QP, Syndrome: int(a.Syndrome), PSN: a.PSN, MSN: a.MSN}, acks[0])
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
	}, verilator.Simulator)
}

func count(b bool) int { return int(bit(b)) }

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
		b.placed.Send(placed{Commit: linktest.Commit{Kind: 1, PSN: 1}})
		s.Run(2*n + 10)
		require.Equal(t, []int{1}, sim.Received[int](b.fence))
		require.Equal(t, uint64(n), b.done.Count())
	}, verilator.Simulator)
}

func TestValidate(t *testing.T) {
	require.NoError(t, params.Validate())
	require.Error(t, ackqueue.Params{}.Validate())
}
