package requester_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/requester"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

const (
	qps        = 4
	replayBits = 3
)

func params(width int) requester.Params {
	return requester.Params{Sizes: link.Sizes{DataWidth: width, QPBits: 2, CQBits: 2, SlotBits: 2, ReplayBits: replayBits}}
}

// queue is the send queue of one queue pair, and what is known of it.
type queue struct {
	ref     requester.Reference
	wqes    [][]byte
	fault   []bool
	head    int
	here    int // WQEs that the queue admits to
	retired uint16
	jobs    []*requester.Packet // expected
}

// bench is the requester between models of its neighbours.
type bench struct {
	t  *testing.T
	s  *sim.Sim
	io *requester.IO

	grant, context, head, granule, retired, control, fence *sim.Source
	askContext, askHead, read, take, job, segment, again   *sim.Sink
	async                                                  *sim.Sink
	inline                                                 *hdltest.Frames
	queues                                                 [qps]*queue
	got                                                    [qps]int
	segments                                               []linktest.Segment
	payloads                                               [][]byte
	waiting                                                []expected
	fences                                                 []int
}

type expected struct {
	p      *requester.Packet
	inline bool
}

func newBench(t *testing.T, s *sim.Sim, io *requester.IO, gap uint32) *bench {
	g := hdltest.Gaps(t, gap)
	b := &bench{
		t: t, s: s, io: io,
		grant: sim.NewSource(s, io.Grant, g), context: sim.NewSource(s, io.Context.Reply, g), head: sim.NewSource(s, io.Queue.Head, g),
		granule: sim.NewSource(s, io.Queue.Granule, g), retired: sim.NewSource(s, io.Retired, g), control: sim.NewSource(s, io.Control, g),
		fence:      sim.NewSource(s, io.Fence, g),
		askContext: sim.NewSink(s, io.Context.Request, g), askHead: sim.NewSink(s, io.Queue.Request, g), read: sim.NewSink(s, io.Queue.Read, g),
		take: sim.NewSink(s, io.Queue.Take, g), job: sim.NewSink(s, io.Job, g), segment: sim.NewSink(s, io.Segment, g), again: sim.NewSink(s, io.Again, g),
		async:  sim.NewSink(s, io.Async, g),
		inline: hdltest.NewFrames(sim.NewSink(s, io.Inline, g)),
	}
	s.Reset(2)
	return b
}

// step is a cycle, in which the neighbours answer what was asked in the one before.
func (b *bench) step() {
	b.s.Step()
	require.NoError(b.t, b.s.Err())
	for _, q := range sim.Received[int](b.askContext) {
		r := b.queues[q].ref
		code := map[int]int{256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}[r.MTU]
		b.context.Send(linktest.Lookup{Context: linktest.Context{Exists: true, QPN: 0x100 + uint32(q), State: r.State, PD: 7 + uint32(q), PathMTU: code, SigAll: r.SigAll, SQStride: r.Stride}})
	}
	for _, a := range sim.Received[struct{ QP, Wait int }](b.askHead) {
		q := b.queues[a.QP]
		here := q.head < q.here
		b.head.Send(struct {
			Here, Empty, Fault bool
			Index              uint16
			Slot               int
		}{here, !here, here && q.fault[q.head], uint16(q.head), q.head & 7})
	}
	for _, r := range sim.Received[struct{ QP, Slot, Granule int }](b.read) {
		q := b.queues[r.QP]
		require.Equal(b.t, q.head&7, r.Slot)
		word := make([]byte, 16)
		if at := 16 * r.Granule; at < len(q.wqes[q.head]) {
			copy(word, q.wqes[q.head][at:])
		}
		b.granule.Send(word)
	}
	for _, q := range sim.Received[int](b.take) {
		b.queues[q].head++
	}
	b.collect()
}

// collect compares jobs with what the reference makes of the queue.
func (b *bench) collect() {
	b.segments = append(b.segments, sim.Received[linktest.Segment](b.segment)...)
	for _, f := range b.inline.Take() {
		b.payloads = append(b.payloads, f.Data)
	}
	for _, j := range sim.Received[linktest.TxJob](b.job) {
		if j.Kind == link.JobFence {
			b.fences = append(b.fences, int(j.Entry.PSN))
			continue
		}
		q := b.queues[j.QP]
		at := int(j.Entry.WQEIndex)
		want, _ := q.ref.Turn(q.wqes[at], q.fault[at])
		require.NotNil(b.t, want, "QP %d: a job too many: %+v", j.QP, j)
		b.compare(want, j)
		b.got[j.QP]++
		b.waiting = append(b.waiting, expected{want, want.Inline != nil})
	}
	for len(b.waiting) > 0 && b.payloadOf(b.waiting[0].p) {
		b.waiting = b.waiting[1:]
	}
}

// payloadOf compares the payload of a packet, if it has come whole.
func (b *bench) payloadOf(p *requester.Packet) bool {
	if p.Length == 0 || p.Status != 0 {
		return true
	}
	if p.Inline != nil {
		if len(b.payloads) == 0 {
			return false
		}
		require.Equal(b.t, p.Inline, b.payloads[0])
		b.payloads = b.payloads[1:]
		return true
	}
	if len(b.segments) < len(p.Pieces) {
		return false
	}
	for i, piece := range p.Pieces {
		s := b.segments[i]
		require.Equal(b.t, piece, requester.Piece{VA: s.VA, Length: s.Len, LKey: s.Key})
		require.Equal(b.t, i == len(p.Pieces)-1, s.Last)
		require.Equal(b.t, uint32(s.Len), s.Range)
		require.Equal(b.t, s.PD+0x100-7, s.QPN)
		require.False(b.t, s.Skip)
		require.Zero(b.t, s.Rights)
	}
	b.segments = b.segments[len(p.Pieces):]
	return true
}

func (b *bench) compare(p *requester.Packet, j linktest.TxJob) {
	t, e := b.t, j.Entry
	require.Equal(t, p.Status, e.Status)
	require.Equal(t, p.Vendor, e.Vendor)
	require.Equal(t, p.WRID, e.WRID)
	require.Equal(t, p.Index, e.WQEIndex)
	if p.Status != format.StatusSuccess {
		require.Equal(t, link.JobRecord, j.Kind)
		require.True(t, e.Last)
		return
	}
	require.Equal(t, link.JobPacket, j.Kind)
	require.Equal(t, p.Opcode, j.Opcode)
	require.Equal(t, p.PSN, e.PSN)
	require.Equal(t, []bool{p.SE, p.AckReq, p.First, p.Last, p.Signaled, p.Inline != nil}, []bool{j.SE, j.AckReq, e.First, e.Last, e.Signaled, j.Inline})
	require.Equal(t, []int{p.Length, p.Length, p.Offset, p.Total}, []int{j.PayloadLen, e.Length, int(e.Offset), int(j.DMALen)})
	require.Equal(t, []uint64{p.VA, uint64(p.RKey), uint64(p.Imm)}, []uint64{j.VA, uint64(j.RKey), uint64(j.Imm)})
	wc := format.WCSend
	if p.Write {
		wc = format.WCWrite
	}
	require.Equal(t, wc, e.WC)
}

// clear puts a queue pair into its first state.
func (b *bench) clear(qp int, psn uint32) {
	for _, kind := range []int{link.ControlClear, link.ControlSendPSN} {
		b.control.Send(linktest.QPControl{QP: qp, Kind: kind, PSN: psn})
	}
	for b.control.Pending() > 0 {
		b.step()
	}
}

// randomWQE returns a WQE, now and then one that cannot be.
func randomWQE(r *rand.Rand, stride, mtu int) []byte {
	c := format.SendControl[uint64]{
		Opcode: r.Uint64N(4), Flags: r.Uint64N(4) << 1, WRID: r.Uint64(), Imm: uint64(r.Uint32()), RemoteAddr: r.Uint64(), RKey: uint64(r.Uint32()),
		NumSGE: r.Uint64N(uint64(format.SendSGEs(stride)) + 1),
	}
	if r.IntN(4) == 0 {
		c.Flags |= format.WRFlagInline
		c.InlineLen, c.NumSGE = r.Uint64N(uint64(format.InlineMax(stride))+1), 0
	}
	large := uint64(0)
	switch r.IntN(60) {
	case 0:
		c.Opcode = 4 + r.Uint64N(200)
	case 1:
		c.NumSGE = uint64(format.SendSGEs(stride)) + 1 + r.Uint64N(200)
	case 2:
		c.Flags |= format.WRFlagInline
		c.InlineLen, c.NumSGE = uint64(format.InlineMax(stride))+1, 0
	case 3:
		large = 1 << 31
	}
	wqe, err := format.AppendHost(nil, c)
	if err != nil {
		panic(err)
	}
	for len(wqe) < 64<<stride {
		s := format.SGE[uint64]{Addr: r.Uint64(), Length: r.Uint64N(uint64(mtu)) * r.Uint64N(3) / 2, LKey: uint64(r.Uint32())}
		if r.IntN(4) == 0 {
			s.Length = uint64(mtu)
		}
		s.Length += large
		if wqe, err = format.AppendHost(wqe, s); err != nil {
			panic(err)
		}
	}
	return wqe
}

// Random WQEs on four queue pairs with random grants: every job, segment and
// inline payload is the reference's.
func TestAgainstReference(t *testing.T) {
	for _, width := range []int{64, 128, 256, 512} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			design, io := hdltest.Build(t, requester.Def(params(width)))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				r := rand.New(rand.NewPCG(hdltest.Seed(t), 7))
				b := newBench(t, s, io, 25)
				for range 4 {
					b.round(r)
				}
			}, linktest.Others(width)...)
		})
	}
}

func (b *bench) round(r *rand.Rand) {
	for qp := range qps {
		q := &queue{ref: requester.Reference{
			State: format.QPRTS, SigAll: r.IntN(2) == 0, Stride: r.IntN(2), MTU: 256 << r.IntN(5), PSN: r.Uint32N(1 << 24), Entries: 1 << replayBits,
		}}
		if qp == 3 {
			q.ref.State = format.QPError
		}
		for i := range 12 {
			q.wqes = append(q.wqes, randomWQE(r, q.ref.Stride, q.ref.MTU))
			q.fault = append(q.fault, r.IntN(60) == 0 || qp == 2 && i == 2)
		}
		b.queues[qp], b.got[qp] = q, 0
	}
	for qp := range qps {
		b.clear(qp, b.queues[qp].ref.PSN)
	}
	for range 600 {
		qp := r.IntN(qps)
		q := b.queues[qp]
		if r.IntN(3) == 0 {
			q.here = min(q.here+r.IntN(3), len(q.wqes))
		}
		b.grant.Send(qp)
		for range 20 {
			b.step()
		}
		if r.IntN(3) == 0 {
			// A packet asks for an acknowledgement by what is used when it is made.
			for range 300 {
				b.step()
			}
			if q.ref.Used == 0 {
				continue
			}
			n := 1 + r.IntN(q.ref.Used)
			q.retired += uint16(n)
			b.retired.Send(struct {
				QP    int
				Count uint16
			}{qp, q.retired})
			for b.retired.Pending() > 0 {
				b.step()
			}
			q.ref.Used -= n
		}
	}
	for range 2000 {
		b.step()
	}
	require.Empty(b.t, b.waiting)
	require.Empty(b.t, b.segments)
	require.Empty(b.t, b.payloads)
	total := 0
	for qp := range qps {
		b.s.Set(b.io.Peek.QP, uint64(qp))
		for range link.PeekCycles {
			b.step()
		}
		require.EqualValues(b.t, b.queues[qp].ref.PSN, b.s.Get(b.io.Peek.Value))
		total += b.got[qp]
	}
	require.Greater(b.t, total, 40)
	b.again.Take()
}

// async is an asynchronous event.
type async struct {
	Code, Vendor int
	Number       uint32
}

// A queue pair in SQD begins nothing, and says once that what had begun is done, if
// somebody asked.
func TestDrained(t *testing.T) {
	design, io := hdltest.Build(t, requester.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io, 25)
		send, err := format.AppendHost(nil, format.SendControl[uint64]{Opcode: uint64(format.WRSend)})
		require.NoError(t, err)
		q := &queue{ref: requester.Reference{State: format.QPRTS, MTU: 1024, PSN: 5, Entries: 1 << replayBits}, here: 3}
		for range 3 {
			q.wqes, q.fault = append(q.wqes, append(send, make([]byte, 32)...)), append(q.fault, false)
		}
		b.queues[1] = q
		b.clear(1, 5)
		turn := func() []async {
			b.grant.Send(1)
			for range 100 {
				b.step()
			}
			return sim.Received[async](b.async)
		}
		drain := func(wish uint32) {
			b.control.Send(linktest.QPControl{QP: 1, Kind: link.ControlDrain, PSN: wish})
			for b.control.Pending() > 0 {
				b.step()
			}
		}
		retire := func() {
			q.retired++
			q.ref.Used--
			b.retired.Send(struct {
				QP    int
				Count uint16
			}{1, q.retired})
		}
		event := []async{{Code: int(format.EventSQDrained), Number: 0x101}}
		require.Empty(t, turn())
		drain(1)
		q.ref.State = format.QPSQD
		require.Empty(t, turn(), "a packet is on its way")
		require.Equal(t, 1, b.got[1])
		retire()
		require.Equal(t, event, turn())
		require.Empty(t, turn(), "once")

		q.ref.State = format.QPRTS
		require.Empty(t, turn())
		require.Equal(t, 2, b.got[1])
		drain(0)
		q.ref.State = format.QPSQD
		retire()
		require.Empty(t, turn(), "nobody asked")
		drain(1)
		require.Equal(t, event, turn(), "nothing had to be done")
		require.Equal(t, 2, b.got[1])
	}, linktest.Others(64)...)
}
