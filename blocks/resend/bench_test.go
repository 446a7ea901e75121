package resend_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/requester"
	"gornic/blocks/resend"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

const (
	qps        = 4
	replayBits = 3
)

func params(width int) resend.Params {
	return resend.Params{Sizes: link.Sizes{DataWidth: width, QPBits: 2, CQBits: 2, ReplayBits: replayBits}}
}

// bench is the block between models of its neighbours.
type bench struct {
	t     *testing.T
	s     *sim.Sim
	r     *rand.Rand
	mem   *linktest.Memory
	reads *linktest.Reads

	resend, context, found, ring, control, fence, wake *sim.Source
	resent, askContext, ask, job, segment, fault, pass *sim.Sink

	qps      [qps]*queuePair
	segments []linktest.Segment // that are to come for the jobs so far
	looks    int                // questions without an answer
	fences   []int              // on their way
	jobs     []linktest.TxJob   // since somebody took them
	faults   []linktest.ResendFault
	resents  []linktest.Resent
	at       []uint64       // cycles of jobs
	counts   map[string]int // of what has happened
	io       *resend.IO
	paced    [qps]bool // who has to wait for its rate
	hold     bool      // nothing of host memory, context and ring is answered while segments are to come
}

func newBench(t *testing.T, s *sim.Sim, io *resend.IO, gaps uint32, latency int) *bench {
	g := sim.Pattern{}
	if gaps > 0 {
		g = hdltest.Gaps(t, gaps)
	}
	b := &bench{
		t: t, s: s, r: rand.New(rand.NewPCG(hdltest.Seed(t), uint64(gaps))), mem: linktest.NewMemory(), counts: map[string]int{},
		resend: sim.NewSource(s, io.Resend, g), context: sim.NewSource(s, io.Context.Reply, g), found: sim.NewSource(s, io.Entries.Reply, g),
		ring: sim.NewSource(s, io.Ring, g), control: sim.NewSource(s, io.Control, g), fence: sim.NewSource(s, io.Fence, g),
		wake: sim.NewSource(s, io.Wake, g), io: io,
		resent: sim.NewSink(s, io.Resent, g), askContext: sim.NewSink(s, io.Context.Request, g), ask: sim.NewSink(s, io.Entries.Request, g),
		job: sim.NewSink(s, io.Job, g), segment: sim.NewSink(s, io.Segment, g), fault: sim.NewSink(s, io.Fault, g), pass: sim.NewSink(s, io.Passed, g),
	}
	b.reads = linktest.NewReads(s, io.Read, b.mem, g, hdltest.Seed(t))
	b.reads.Latency = latency
	s.Reset(2)
	return b
}

// item is an entry of a ring, the message that asks for it, and what it was when it was sent first.
type item struct {
	ref  resend.Entry
	link linktest.ReplayEntry
	sent *requester.Packet
	bad  bool // its WQE cannot be read, or is not what was sent
}

// run is a Resend and how far it has come.
type run struct {
	live   bool
	number int
	psn    uint32
	next   uint16
}

// queuePair is one that has sent packets.
type queuePair struct {
	index   int
	ref     resend.Reference
	first   requester.Reference // which has sent them
	state   format.QPState
	exists  bool
	logSize int
	base    uint64
	wqe     uint16 // index of the next one
	entries []item // in the ring
	count   uint16 // of those that have been in it
	now     run
	order   *run // that has been given, and of which no turn has begun
	late    int  // jobs since
	number  int  // of the last Resend
	found   *item
	index0  uint16 // of found
	newest  bool
	end     uint16 // behind the newest entry when none was found
	times   int    // that it was found one after another
	mayNot  bool   // since the Resend there was a state in which nothing may be sent
	mayNow  bool   // at the last look at its context it might send
	open    *message
}

func (q *queuePair) mayBegin() bool {
	return q.exists && (q.state == format.QPRTS || q.state == format.QPSQD)
}

// head is the index of the oldest entry.
func (q *queuePair) head() uint16 { return q.count - uint16(len(q.entries)) }

type config struct {
	QP                 int
	Keep               bool
	Base               uint64
	LogSize, LogStride int
}

type found struct {
	Any    bool
	Index  uint16
	Newest bool
	Entry  linktest.ReplayEntry
}

type token struct{ Token int }

// open makes a queue pair whose next PSN is psn.
func (b *bench) open(qp, mtuCode, logSize, logStride int, psn uint32) *queuePair {
	mtu := 128 << mtuCode
	q := &queuePair{
		index: qp, ref: resend.Reference{MTU: mtu, Entries: 1 << replayBits},
		first: requester.Reference{State: format.QPRTS, MTU: mtu, Stride: logStride, PSN: psn, Entries: 1 << replayBits, MaxRD: 1 << replayBits},
		state: format.QPRTS, exists: true, logSize: logSize, base: uint64(qp+1) << 40,
		count: uint16(b.r.Uint32()), number: b.r.IntN(4),
	}
	b.ring.Send(config{QP: qp, Base: q.base, LogSize: logSize, LogStride: logStride})
	b.ring.Send(config{QP: qp, Keep: true, Base: b.r.Uint64(), LogSize: 3, LogStride: 1 - logStride}) // changes nothing
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear, PSN: 5})
	b.until("open", func() bool { return b.ring.Pending()+b.control.Pending() == 0 })
	b.qps[qp] = q
	return q
}

// slot is the address of a WQE.
func (q *queuePair) slot(index uint16) uint64 {
	return q.base + uint64(index)&(1<<q.logSize-1)<<(6+q.first.Stride)
}

// room is how many more entries the ring takes.
func (q *queuePair) room() int { return 1<<replayBits - len(q.entries) }

// message is a WQE of which not all has been sent.
type message struct {
	wqe   []byte // its slot
	at    uint64 // that has this address
	begin uint32 // PSN of its first packet
}

// post begins a WQE and has it sent for the first time.
func (b *bench) post(q *queuePair, wqe []byte) {
	require.Nil(b.t, q.open)
	wqe = append(slices.Clone(wqe), make([]byte, 64<<q.first.Stride-len(wqe))...)
	q.open = &message{wqe: wqe, at: q.slot(q.wqe), begin: q.first.PSN}
	b.mem.Poke(q.open.at, wqe)
	b.goOn(q)
}

// goOn sends what the ring has room for.
func (b *bench) goOn(q *queuePair) {
	for q.room() > 0 && q.open != nil {
		o := q.open
		q.first.Used, q.first.Reads = len(q.entries), 0
		p, done := q.first.Turn(o.wqe, false)
		require.NotNil(b.t, p)
		require.Zero(b.t, p.Status)
		b.record(q, item{ref: resend.Entry{
			Index: q.count, Kind: resend.Kind(p.Entry), PSN: p.PSN, Begin: o.begin, WQE: o.wqe, Slot: o.at,
		}, sent: p})
		if done {
			q.wqe++
			q.open = nil
		}
	}
}

// record enters an entry.
func (b *bench) record(q *queuePair, i item) {
	p := i.sent
	i.link = linktest.ReplayEntry{
		Kind: int(p.Entry), PSN: p.PSN, LastPSN: p.LastPSN, WQEIndex: q.wqe, Offset: uint32(p.Offset), Length: p.Length, First: p.First, Last: p.Last,
		Signaled: p.Signaled, WC: p.WC, WRID: p.WRID, Status: p.Status, Vendor: p.Vendor,
	}
	q.entries = append(q.entries, i)
	q.count++
}

// local enters an entry that is no packet, or that failed.
func (b *bench) local(q *queuePair, status format.Status) {
	p := &requester.Packet{Entry: requester.EntryLocal, PSN: q.first.PSN, LastPSN: q.first.PSN, First: true, Last: true, Status: status}
	if status != 0 {
		p.Entry = requester.EntryRequest
	}
	b.record(q, item{ref: resend.Entry{Index: q.count, Kind: resend.Kind(p.Entry), Failed: status != 0, PSN: p.PSN}, sent: p})
	q.wqe++
}

// pop removes the oldest entry; the slot of a WQE that has none left is software's, which changes it.
func (b *bench) pop(q *queuePair) {
	i := q.entries[0]
	q.entries = q.entries[1:]
	if i.sent.Last && i.ref.WQE != nil {
		junk := make([]byte, 64<<q.first.Stride)
		for k := range junk {
			junk[k] = byte(b.r.Uint32())
		}
		b.mem.Poke(i.ref.Slot, junk)
	}
}

// send gives a Resend; due is the first PSN that is owed.
func (b *bench) send(q *queuePair, stop bool, due uint32) {
	q.number = (q.number + 1) & 3
	b.resend.Send(linktest.Resend{QP: q.index, Stop: stop, Number: q.number, PSN: due & 0xFFFFFF})
	b.until("Resend", func() bool { return b.resend.Pending() == 0 })
	if q.order == nil {
		q.late = 0
	}
	q.order = &run{live: !stop, number: q.number, psn: due & 0xFFFFFF}
	q.mayNot = !q.mayBegin()
}

// again has all of a ring sent again; of a READ that is the oldest, some data may have come.
func (b *bench) again(q *queuePair) {
	due := q.first.PSN
	if len(q.entries) > 0 {
		e := q.entries[0].link
		due = e.PSN + b.r.Uint32N((e.LastPSN-e.PSN)&0xFFFFFF+1)
	}
	b.send(q, false, due)
}

// step is a cycle.
func (b *bench) step() {
	b.reads.Hold = b.hold && len(b.segments) > 0
	waits := uint64(0)
	if b.paced[b.s.Get(b.io.Paced.QP)] {
		waits = 1
	}
	b.s.Set(b.io.Paced.Waits, waits)
	b.s.Step()
	b.reads.Step()
	require.NoError(b.t, b.s.Err())
	require.NoError(b.t, b.reads.Broken)
	for _, got := range sim.Received[linktest.TxJob](b.job) {
		b.took(got)
	}
	for _, got := range sim.Received[linktest.Segment](b.segment) {
		require.NotEmpty(b.t, b.segments, "one too many: %+v", got)
		require.Equal(b.t, b.segments[0], got)
		b.segments = b.segments[1:]
	}
	for _, got := range sim.Received[linktest.ResendFault](b.fault) {
		b.failed(got)
	}
	for _, got := range sim.Received[linktest.Resent](b.resent) {
		b.through(got)
	}
	for _, got := range sim.Received[int](b.pass) {
		require.NotEmpty(b.t, b.fences)
		require.Equal(b.t, b.fences[0], got)
		require.Empty(b.t, b.segments, "a fence in the middle of a packet")
		require.True(b.t, b.reads.Idle() && b.context.Pending()+b.found.Pending()+b.looks == 0, "a fence in the middle of a turn")
		b.fences = b.fences[1:]
		b.counts["fence"]++
	}
	if b.hold && len(b.segments) > 0 {
		return
	}
	for _, qp := range sim.Received[int](b.askContext) {
		b.context.Send(b.lookup(qp))
	}
	for _, a := range sim.Received[linktest.ReplayRead](b.ask) {
		b.found.Send(b.find(a))
	}
}

// lookup is what qpcontext answers.
func (b *bench) lookup(qp int) linktest.Lookup {
	q := b.qps[qp]
	q.mayNow = q.mayBegin()
	mtuCode := 1
	for 128<<mtuCode < q.ref.MTU {
		mtuCode++
	}
	return linktest.Lookup{Context: linktest.Context{
		Exists: q.exists, QPN: 0x100 + uint32(qp), State: q.state, PD: 7 + uint32(qp), PathMTU: mtuCode, SQStride: q.first.Stride, MaxRD: 1,
	}}
}

// find is what replay answers.
func (b *bench) find(a linktest.ReplayRead) found {
	q := b.qps[a.QP]
	at := int(int16(a.Index - q.head()))
	if a.Oldest || at < 0 {
		at = 0
	}
	if a.Oldest { // the first look of a Resend
		if q.order != nil {
			q.now, q.order = *q.order, nil
		}
		q.now.next = q.head()
	}
	if at >= len(q.entries) {
		q.found, q.end = nil, q.count
		return found{Index: uint16(b.r.Uint32()), Newest: b.r.IntN(2) == 0}
	}
	i, index := q.entries[at], q.head()+uint16(at)
	if q.found == nil || q.index0 != index {
		q.times = 0
	}
	q.found, q.index0, q.newest = &i, index, at == len(q.entries)-1
	q.times++
	return found{Any: true, Index: index, Newest: q.newest, Entry: i.link}
}

// owed returns the entries of the ring from an index on that make packets.
func (q *queuePair) owed(from, to uint16) []item {
	var list []item
	for at, i := range q.entries {
		index := q.head() + uint16(at)
		_, sends := q.ref.Packet(i.ref, 0, false)
		if int16(index-from) >= 0 && int16(index-to) < 0 && sends {
			list = append(list, i)
		}
	}
	return list
}

// advance requires that the entry that was found last may be given in this turn, and returns it.
func (b *bench) advance(qp int) *item {
	t, q := b.t, b.qps[qp]
	require.NotNil(t, q.found)
	require.GreaterOrEqual(t, q.times, 2, "looks at the entry")
	require.True(t, q.mayNow, "a packet in a state that has none")
	require.True(t, q.now.live, "a packet without a Resend")
	if q.order != nil {
		q.late++
		require.Equal(t, 1, q.late, "packets of a Resend that is over")
		b.counts["late"]++
	}
	require.GreaterOrEqual(t, int16(q.index0-q.now.next), int16(0), "again")
	require.Empty(t, q.owed(q.now.next, q.index0), "entries have been left out")
	q.now.next = q.index0 + 1
	q.times = 0
	return q.found
}

// took compares a job with what the reference makes of the entry that was found.
func (b *bench) took(j linktest.TxJob) {
	t, q := b.t, b.qps[j.QP]
	i := b.advance(j.QP)
	require.False(t, i.bad)
	require.Empty(t, b.segments, "a job before the segments of the one before it")
	want, sends := q.ref.Packet(i.ref, q.now.psn, q.newest)
	require.True(t, sends)
	b.jobs, b.at = append(b.jobs, j), append(b.at, b.s.Cycle())
	b.counts[want.Opcode.String()]++
	require.Equal(t, []any{link.JobResend, want.Opcode, want.SE, want.AckReq, want.Length},
		[]any{j.Kind, j.Opcode, j.SE, j.AckReq, j.PayloadLen})
	require.Equal(t, linktest.ReplayEntry{PSN: want.PSN}, j.Entry)
	require.Equal(t, []bool{false, false, false}, []bool{j.Inline, j.Probes, j.Failed})
	switch want.Opcode {
	case format.OpWriteFirst, format.OpWriteOnly, format.OpWriteOnlyImm, format.OpReadRequest:
		require.Equal(t, []any{want.VA, want.RKey, want.DMALen}, []any{j.VA, j.RKey, j.DMALen})
	case format.OpCmpSwap, format.OpFetchAdd:
		require.Equal(t, []any{want.VA, want.RKey}, []any{j.VA, j.RKey})
		operands := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, j.Swap), j.Compare)
		require.Equal(t, want.Operands, operands)
	}
	switch want.Opcode {
	case format.OpSendLastImm, format.OpSendOnlyImm, format.OpWriteLastImm, format.OpWriteOnlyImm, format.OpSendLastInv, format.OpSendOnlyInv:
		require.Equal(t, want.Imm, j.Imm)
	}
	for k, p := range want.Pieces {
		if p.Bus {
			b.counts["bus"]++
		}
		b.segments = append(b.segments, linktest.Segment{
			Key: p.LKey, PD: 7 + uint32(j.QP), QPN: 0x100 + uint32(j.QP), VA: p.VA, Range: uint32(p.Length), Len: p.Length, Bus: p.Bus, Last: k == len(want.Pieces)-1,
		})
	}
	if want.PSN != i.ref.PSN {
		b.counts["moved"]++
		return
	}
	b.asBefore(j, i.sent)
}

// asBefore requires that a job makes the packet that was sent first.
func (b *bench) asBefore(j linktest.TxJob, p *requester.Packet) {
	t := b.t
	require.Equal(t, []any{p.Opcode, p.PSN, p.SE, p.Length}, []any{j.Opcode, j.Entry.PSN, j.SE, j.PayloadLen})
	require.Equal(t, []any{p.VA, p.RKey}, []any{j.VA, j.RKey})
	require.True(t, j.AckReq || !p.Last)
	if p.Entry != requester.EntryRequest {
		require.Equal(t, uint32(p.Total), j.DMALen)
		return
	}
	require.Equal(t, p.Imm, j.Imm)
	if p.Inline != nil {
		return
	}
	var pieces []requester.Piece
	for _, s := range b.segments {
		pieces = append(pieces, requester.Piece{VA: s.VA, Length: s.Len, LKey: s.Key})
	}
	require.Equal(t, p.Pieces, pieces)
}

// failed compares a fault.
func (b *bench) failed(f linktest.ResendFault) {
	i := b.advance(f.QP)
	require.True(b.t, i.bad)
	psn := i.ref.PSN
	if i.ref.Kind == resend.Read {
		p, _ := b.qps[f.QP].ref.Packet(i.ref, b.qps[f.QP].now.psn, false)
		psn = p.PSN
	}
	require.Equal(b.t, linktest.ResendFault{QP: f.QP, PSN: psn, Vendor: format.VendorWQERead}, f)
	b.faults = append(b.faults, f)
}

// through requires that all has been given since a Resend.
func (b *bench) through(r linktest.Resent) {
	t, q := b.t, b.qps[r.QP]
	require.True(t, q.now.live, "QP %d is through without a Resend", r.QP)
	require.Equal(t, q.now.number, r.Number)
	if !q.mayNot {
		require.Empty(t, q.owed(q.now.next, q.end), "QP %d is not through", r.QP)
	}
	if q.order != nil {
		b.counts["crossed"]++
	}
	q.now.live = false
	b.resents = append(b.resents, r)
}

// busy reports whether something is to come for a Resend.
func (q *queuePair) busy() bool {
	return q.now.live && q.order == nil || q.order != nil && q.order.live
}

// until steps until ok, for at most some cycles.
func (b *bench) until(what string, ok func() bool) {
	b.t.Helper()
	for range 20000 {
		if ok() {
			return
		}
		b.step()
	}
	b.t.Fatalf("in vain: %s", what)
}

// goes has a queue pair wait no more.
func (b *bench) goes(qp int) {
	b.paced[qp] = false
	b.wake.Send(qp)
}

// drain waits until all is through, and a bit longer; nobody waits for its rate any more.
func (b *bench) drain() {
	b.t.Helper()
	for qp := range b.paced {
		if b.paced[qp] {
			b.goes(qp)
		}
	}
	b.until("drain", func() bool {
		return len(b.segments)+len(b.fences) == 0 && !slices.ContainsFunc(b.qps[:], func(q *queuePair) bool { return q != nil && q.busy() })
	})
	b.run(60)
}

func (b *bench) run(n int) {
	for range n {
		b.step()
	}
}

// pass sends a token.
func (b *bench) token(token int) {
	b.fence.Send(token)
	b.fences = append(b.fences, token)
}
