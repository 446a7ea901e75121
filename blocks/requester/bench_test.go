package requester_test

import (
	"fmt"
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
	return requester.Params{Sizes: link.Sizes{DataWidth: width, QPBits: 2, CQBits: 2, SlotBits: 2, ReplayBits: replayBits, ReadBits: 3}}
}

// queue is the send queue of one queue pair, and what is known of it.
type queue struct {
	ref     requester.Reference
	wqes    [][]byte
	fault   []bool
	head    int
	here    int // WQEs that the queue admits to
	retired uint16
	reads   uint8  // of those READs and atomics
	sent    []bool // entries that have not been retired, oldest first: whether they are one
	parked  bool   // a local operation is with its neighbour
	held    bool   // as retry says; ref.Held from its mark on
	paced   bool   // as congestion control says; ref.Paced when that has been seen
}

// bench is the requester between models of its neighbours.
type bench struct {
	t  *testing.T
	s  *sim.Sim
	io *requester.IO

	grant, context, head, granule, retired, keyDone, control, fence, mark *sim.Source
	askContext, askHead, read, take, issue, job, segment, keyOp           *sim.Sink
	again, async                                                          *sim.Sink
	inline                                                                *hdltest.Frames
	queues                                                                [qps]*queue
	got                                                                   [qps]int
	kinds                                                                 map[string]int // jobs of each sort
	issues                                                                []linktest.ReadIssue
	segments                                                              []linktest.Segment
	payloads                                                              [][]byte
	waiting                                                               []*requester.Packet
	fences                                                                []int
	marks                                                                 []int
	jobs                                                                  []linktest.TxJob // as they came
	keyOps                                                                []linktest.KeyOp
	probes                                                                []linktest.Segment
	follow                                                                bool // who may have more gets another turn
}

func newBench(t *testing.T, s *sim.Sim, io *requester.IO, gap uint32) *bench {
	g := hdltest.Gaps(t, gap)
	b := &bench{
		t: t, s: s, io: io,
		grant: sim.NewSource(s, io.Grant, g), context: sim.NewSource(s, io.Context.Reply, g), head: sim.NewSource(s, io.Queue.Head, g),
		granule: sim.NewSource(s, io.Queue.Granule, g), retired: sim.NewSource(s, io.Retired, g), keyDone: sim.NewSource(s, io.KeyOpDone, g), control: sim.NewSource(s, io.Control, g),
		fence: sim.NewSource(s, io.Fence, g), mark: sim.NewSource(s, io.Mark, g),
		askContext: sim.NewSink(s, io.Context.Request, g), askHead: sim.NewSink(s, io.Queue.Request, g), read: sim.NewSink(s, io.Queue.Read, g),
		issue: sim.NewSink(s, io.Issue, g), keyOp: sim.NewSink(s, io.KeyOp, g), kinds: map[string]int{},
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
	q := b.queues[b.s.Get(b.io.Held.QP)] // a register asks: so the answer is there in this cycle
	b.s.Set(b.io.Held.Held, map[bool]uint64{true: 1}[q != nil && q.held])
	q = b.queues[b.s.Get(b.io.Paced.QP)]
	b.s.Set(b.io.Paced.Waits, map[bool]uint64{true: 1}[q != nil && q.paced])
	for _, q := range sim.Received[int](b.askContext) {
		r := b.queues[q].ref
		code := map[int]int{256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}[r.MTU]
		b.context.Send(linktest.Lookup{Context: linktest.Context{Exists: true, QPN: 0x100 + uint32(q), State: r.State, PD: 7 + uint32(q), PathMTU: code, SigAll: r.SigAll, SQStride: r.Stride, MaxRD: r.MaxRD}})
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
	for _, q := range sim.Received[int](b.again) {
		if b.follow {
			b.grant.Send(q)
		}
	}
	b.collect()
}

// run is so many cycles.
func (b *bench) run(n int) {
	for range n {
		b.step()
	}
}

// collect compares what comes with what the reference makes of the queues.
func (b *bench) collect() {
	b.issues = append(b.issues, sim.Received[linktest.ReadIssue](b.issue)...)
	b.segments = append(b.segments, sim.Received[linktest.Segment](b.segment)...)
	for _, f := range b.inline.Take() {
		b.payloads = append(b.payloads, f.Data)
	}
	for _, op := range sim.Received[linktest.KeyOp](b.keyOp) {
		b.compareKeyOp(op)
	}
	for _, j := range sim.Received[linktest.TxJob](b.job) {
		if j.Kind == link.JobFence {
			b.fences = append(b.fences, int(j.Entry.PSN))
			continue
		}
		if j.Kind == link.JobMark {
			b.marks = append(b.marks, j.QP)
			b.queues[j.QP].ref.Held = true
			continue
		}
		q := b.queues[j.QP]
		at := int(j.Entry.WQEIndex)
		want, _ := q.ref.Turn(q.wqes[at], q.fault[at])
		require.NotNil(b.t, want, "QP %d: a job too many: %+v", j.QP, j)
		require.Nil(b.t, want.KeyOp, "QP %d: a job for a local operation: %+v", j.QP, j)
		b.compare(want, j)
		b.got[j.QP]++
		b.jobs = append(b.jobs, j)
		q.sent = append(q.sent, j.Entry.Kind == link.EntryRead || j.Entry.Kind == link.EntryAtomic)
		b.waiting = append(b.waiting, want)
	}
	for len(b.waiting) > 0 && b.payloadOf(b.waiting[0]) {
		b.waiting = b.waiting[1:]
	}
}

// payloadOf compares the payload of a packet, if it has come whole.
func (b *bench) payloadOf(p *requester.Packet) bool {
	switch {
	case p.Status != 0:
		return true
	case p.Inline != nil:
		if len(p.Inline) == 0 {
			return true
		}
		if len(b.payloads) == 0 {
			return false
		}
		require.Equal(b.t, p.Inline, b.payloads[0])
		b.payloads = b.payloads[1:]
		return true
	case len(b.segments) < len(p.Pieces):
		return false
	}
	for i, piece := range p.Pieces {
		b.compareSegment(p, piece, i == len(p.Pieces)-1, b.segments[i])
	}
	b.segments = b.segments[len(p.Pieces):]
	return true
}

func (b *bench) compareSegment(p *requester.Packet, piece requester.Piece, last bool, s linktest.Segment) {
	t, probe := b.t, p.Entry != requester.EntryRequest
	require.Equal(t, piece, requester.Piece{VA: s.VA, Length: int(s.Range), LKey: s.Key})
	require.Equal(t, []bool{last, probe, false, false, false, false}, []bool{s.Last, s.Probe, s.Bus, s.Find, s.Skip, s.Probed})
	require.Equal(t, s.PD+0x100-7, s.QPN)
	if probe {
		require.Equal(t, format.AccessLocalWrite, s.Rights)
		b.probes = append(b.probes, s)
		return
	}
	require.Zero(t, s.Rights)
	require.Equal(t, piece.Length, s.Len)
}

func (b *bench) compare(p *requester.Packet, j linktest.TxJob) {
	t, e := b.t, j.Entry
	require.Equal(t, p.Status, e.Status)
	require.Equal(t, p.Vendor, e.Vendor)
	require.Equal(t, p.WRID, e.WRID)
	require.Equal(t, p.Index, e.WQEIndex)
	require.Equal(t, entryKinds[p.Entry], e.Kind)
	b.kinds[fmt.Sprint("entry ", p.Entry, ", ", p.Status, ", ", p.Vendor)]++
	if p.Status != format.StatusSuccess || p.Entry == requester.EntryLocal {
		require.Equal(t, link.JobRecord, j.Kind)
		require.True(t, e.Last)
	}
	if p.Status != format.StatusSuccess {
		return
	}
	require.Equal(t, []uint32{p.PSN, p.LastPSN}, []uint32{e.PSN, e.LastPSN})
	require.Equal(t, []bool{p.First, p.Last, p.Signaled}, []bool{e.First, e.Last, e.Signaled})
	require.Equal(t, p.WC, e.WC)
	if p.Entry == requester.EntryLocal {
		return
	}
	require.Equal(t, link.JobPacket, j.Kind)
	require.Equal(t, p.Opcode, j.Opcode)
	require.Equal(t, []bool{p.SE, p.AckReq, p.Inline != nil}, []bool{j.SE, j.AckReq, j.Inline})
	require.Equal(t, []int{p.Length, p.Length, p.Offset, p.Total}, []int{j.PayloadLen, e.Length, int(e.Offset), int(j.DMALen)})
	require.Equal(t, []uint64{p.VA, uint64(p.RKey)}, []uint64{j.VA, uint64(j.RKey)})
	require.False(t, j.Failed)
	switch p.Entry {
	case requester.EntryRequest:
		require.Equal(t, p.Imm, j.Imm)
		require.False(t, j.Probes)
		return
	case requester.EntryAtomic:
		require.Equal(t, []uint64{p.Swap, p.Compare}, []uint64{j.Swap, j.Compare})
	}
	require.Equal(t, len(p.Pieces) > 0, j.Probes)
	b.compareIssue(p, j.QP)
}

var entryKinds = map[requester.Entry]int{
	requester.EntryRequest: link.EntryRequest, requester.EntryRead: link.EntryRead,
	requester.EntryAtomic: link.EntryAtomic, requester.EntryLocal: link.EntryLocal,
}

// compareIssue compares what readmatch has heard of a READ or atomic, before its job.
func (b *bench) compareIssue(p *requester.Packet, qp int) {
	require.NotEmpty(b.t, b.issues)
	want := linktest.ReadIssue{
		QP: qp, Atomic: p.Entry == requester.EntryAtomic, PSN: p.PSN, Length: uint32(p.Total), WQEIndex: p.Index, NumSGE: p.NumSGE,
		SGE: b.issues[0].SGE, // means nothing without SGEs
	}
	if p.NumSGE > 0 {
		want.SGE = linktest.SGE{Addr: p.List[0].VA, Length: uint32(p.List[0].Length), LKey: p.List[0].LKey}
	}
	require.Equal(b.t, want, b.issues[0])
	b.issues = b.issues[1:]
}

// compareKeyOp compares a local operation with the one that the reference gives away.
func (b *bench) compareKeyOp(op linktest.KeyOp) {
	t, q := b.t, b.queues[op.QP]
	p, _ := q.ref.Turn(q.wqes[q.head], q.fault[q.head])
	require.NotNil(t, p)
	require.NotNil(t, p.KeyOp)
	kinds := map[format.WROpcode]int{format.WRLocalInv: link.KeyLocalInv, format.WRRegMR: link.KeyRegister, format.WRBindMW: link.KeyBind}
	want := linktest.KeyOp{
		QP: op.QP, Kind: kinds[p.KeyOp.Op], QPN: 0x100 + uint32(op.QP), PD: 7 + uint32(op.QP), Key: p.KeyOp.Key, VA: p.KeyOp.VA, Operands: p.KeyOp.Operands,
	}
	require.Equal(t, want, op)
	b.kinds[p.KeyOp.Op.String()]++
	q.parked = true
	b.keyOps = append(b.keyOps, op)
}

// settle says what became of the local operation of a queue pair.
func (b *bench) settle(qp int, o requester.Outcome) {
	b.keyDone.Send(linktest.KeyOpDone{QP: qp, Status: o.Status, Vendor: o.Vendor})
	for b.keyDone.Pending() > 0 {
		b.step()
	}
	b.queues[qp].parked = false
	b.queues[qp].ref.Settle(o)
}

// retire takes the oldest n entries of a queue pair.
func (b *bench) retire(qp, n int) {
	q := b.queues[qp]
	q.retired += uint16(n)
	for _, read := range q.sent[:n] {
		if read {
			q.reads++
			q.ref.Reads--
		}
	}
	q.sent = q.sent[n:]
	b.retired.Send(linktest.Retired{QP: qp, Count: q.retired, Reads: q.reads})
	for b.retired.Pending() > 0 {
		b.step()
	}
	q.ref.Used -= n
}

// hold holds a queue pair, and has a mark of it come behind what has begun.
func (b *bench) hold(qp int) {
	b.queues[qp].held = true
	b.mark.Send(qp)
}

// release ends that.
func (b *bench) release(qp int) {
	b.queues[qp].held, b.queues[qp].ref.Held = false, false
}

// pace has a queue pair wait for its rate, or not any more. A turn that has begun goes on.
func (b *bench) pace(qp int, waits bool) {
	q := b.queues[qp]
	q.paced = waits
	if waits {
		b.run(300)
	}
	q.ref.Paced = waits
}

// still requires that the reference would do nothing in a turn of any queue pair.
func (b *bench) still() {
	for qp, q := range b.queues {
		if q == nil || q.head == q.here {
			continue
		}
		ref := q.ref
		p, _ := ref.Turn(q.wqes[q.head], q.fault[q.head])
		require.Nil(b.t, p, "QP %d has not done this", qp)
	}
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

// open gives queue pair qp a new queue.
func (b *bench) open(qp int, ref requester.Reference) *queue {
	ref.Entries = 1 << replayBits
	q := &queue{ref: ref}
	b.queues[qp] = q
	b.clear(qp, ref.PSN)
	return q
}

// post adds WQEs to the queue.
func (q *queue) post(wqes ...wqe) {
	for _, w := range wqes {
		q.wqes, q.fault = append(q.wqes, w.bytes()), append(q.fault, false)
		q.here++
	}
}

// turns gives a queue pair turns as long as it has work, and returns the jobs that come.
func (b *bench) turns(qp int) []linktest.TxJob {
	b.jobs = nil
	b.follow = true
	b.grant.Send(qp)
	before := -1
	for len(b.jobs) > before {
		before = len(b.jobs)
		b.run(300)
	}
	b.follow = false
	return b.jobs
}
