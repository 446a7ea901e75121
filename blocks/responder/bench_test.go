package responder_test

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/responder"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

const qps = 8

var params = responder.Params{Sizes: link.Sizes{QPBits: 3, CQBits: 2, SlotBits: 2}}

// pair is a queue pair as the neighbours know it.
type pair struct {
	ref   responder.Reference
	state format.QPState
	wqes  []responder.WQE
	owes  int // READs and atomics that were accepted, and have not been answered,
	most  int // and those that have
	here  int // of those, fetched
	head  int

	psn      uint32              // expected
	locked   bool                // a request is with the responder
	answers  []*responder.WQE    // what the queue said of its head, for packets that are not committed
	outcomes []linktest.Outcome  // expected
	results  []*responder.Result // of the packets

	last  responder.Request // of the expected ones
	again bool              // it drew an RNR NAK, and comes again
	dead  bool
}

// sent is a packet on its way.
type sent struct {
	qp     int
	q      responder.Request
	answer *responder.Response // it is one
	told   responder.Translation
}

// bench is the responder between models of its neighbours.
type bench struct {
	t  *testing.T
	s  *sim.Sim
	io *responder.IO

	request, translated, head, granule, flush, context, served, control *sim.Source
	segment, askHead, read, take, commit, operands, outcome, askContext *sim.Sink

	pairs     [qps]*pair
	sent      []sent              // not committed; a fence has qp -1
	untold    []sent              // of those, or none has been asked of them, the translation has not spoken
	executed  []linktest.Operands // expected
	gave      []linktest.Operands // and given
	segments  []linktest.Segment
	packets   [][]linktest.Segment // those of whole packets
	questions []struct {
		QP   int
		Wait bool
	}
	results []responder.Result
	commits []linktest.Commit
}

func newBench(t *testing.T, s *sim.Sim, io *responder.IO, g sim.Pattern) *bench {
	b := &bench{
		t: t, s: s, io: io,
		request: sim.NewSource(s, io.Request, g), translated: sim.NewSource(s, io.Translated, g), head: sim.NewSource(s, io.Queue.Head, g),
		granule: sim.NewSource(s, io.Queue.Granule, g), flush: sim.NewSource(s, io.Flush, g), context: sim.NewSource(s, io.Context.Reply, g),
		control: sim.NewSource(s, io.Control, g), served: sim.NewSource(s, io.Served, g), operands: sim.NewSink(s, io.Operands, g),
		segment: sim.NewSink(s, io.Segment, g), askHead: sim.NewSink(s, io.Queue.Request, g), read: sim.NewSink(s, io.Queue.Read, g),
		take: sim.NewSink(s, io.Queue.Take, g), commit: sim.NewSink(s, io.Commit, g), outcome: sim.NewSink(s, io.Outcome, g),
		askContext: sim.NewSink(s, io.Context.Request, g),
	}
	s.Reset(2)
	return b
}

// create makes a queue pair with an empty receive queue.
func (b *bench) create(qp int, ref responder.Reference) {
	b.pairs[qp] = &pair{ref: ref, state: format.QPRTS, psn: uint32(0xFFFFF0 + qp)}
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
	for b.control.Pending() > 0 {
		b.step()
	}
}

// post posts receive WQEs, which are fetched at once.
func (b *bench) post(qp int, wqes ...responder.WQE) {
	p := b.pairs[qp]
	p.wqes = append(p.wqes, wqes...)
	p.here = len(p.wqes)
}

func (b *bench) contextOf(qp int) linktest.Context {
	p := b.pairs[qp]
	return linktest.Context{
		Exists: true, QPN: uint32(0x100 + qp), State: p.state, PD: uint32(7 + qp), PathMTU: bits.Len(uint(p.ref.MTU)) - 8,
		Access: p.ref.Access, MaxDestRD: p.ref.MaxDest, MinRNR: int(p.ref.MinRNR), RQStride: p.ref.Stride, SendCQ: 3 - qp&3, RecvCQ: qp & 3,
	}
}

// send sends a packet; where the translation is asked, it says told.
func (b *bench) send(qp int, q responder.Request, told responder.Translation) {
	p := b.pairs[qp]
	info, _ := format.Lookup(q.Opcode)
	r := linktest.RxRequest{
		Kind: q.Kind, QP: qp, Opcode: q.Opcode, SE: q.SE, AckReq: q.AckReq, PadCnt: q.PadCnt, PSN: q.PSN, Expected: q.Expected,
		SendNAK: q.SendNAK, PayloadLen: q.Length, Context: b.contextOf(qp),
	}
	if _, has := info.ExtOffset(format.ExtRETH); has {
		r.Ext = [7]uint32{uint32(q.RETH.VA >> 32), uint32(q.RETH.VA), uint32(q.RETH.RKey), uint32(q.RETH.DMALen)}
	}
	if _, has := info.ExtOffset(format.ExtAtomicETH); has {
		a := q.Atomic
		r.Ext = [7]uint32{
			uint32(a.VA >> 32), uint32(a.VA), uint32(a.RKey), uint32(a.SwapAdd >> 32), uint32(a.SwapAdd), uint32(a.Compare >> 32), uint32(a.Compare),
		}
	}
	for _, h := range []format.ExtHeader{format.ExtImmDt, format.ExtIETH} {
		if at, has := info.ExtOffset(h); has {
			r.Ext[at/4] = q.Imm
		}
	}
	b.request.Send(linktest.RxMatched{Packet: r})
	b.sent = append(b.sent, sent{qp: qp, q: q, told: told})
	b.untold = append(b.untold, sent{qp: qp, q: q, told: told})
	if q.Kind == link.PSNExpected {
		p.locked = true
	}
}

// respond sends a response, piece by piece.
func (b *bench) respond(qp int, x responder.Response, told responder.Translation) {
	for i, p := range x.Pieces {
		last := i == len(x.Pieces)-1
		m := linktest.RxMatched{Packet: linktest.RxRequest{
			Kind: link.PSNResponse, QP: qp, Opcode: format.OpReadResponseOnly, PSN: x.PSN, PayloadLen: p.Length, Context: b.contextOf(qp),
			Ext: [7]uint32{uint32(p.RETH.VA >> 32), uint32(p.RETH.VA), uint32(p.RETH.RKey), uint32(p.RETH.DMALen), uint32(x.Syndrome)<<24 | 77},
		}, Match: x.Match, Skip: p.Skip, More: !last}
		if last {
			m.Fault = x.Fault
		}
		b.request.Send(m)
	}
	b.sent = append(b.sent, sent{qp: qp, answer: &x, told: told})
	b.untold = append(b.untold, sent{qp: qp, answer: &x, told: told})
}

// sendFence sends a fence.
func (b *bench) sendFence(token uint32) {
	b.request.Send(linktest.RxMatched{Packet: linktest.RxRequest{Kind: link.PSNFence, PSN: token}})
	b.sent = append(b.sent, sent{qp: -1, q: responder.Request{Kind: link.PSNFence, PSN: token}})
}

// sendDead says that a queue pair is in ERR.
func (b *bench) sendDead(qp int) {
	b.request.Send(linktest.RxMatched{Packet: linktest.RxRequest{Kind: link.PSNDead, QP: qp, Context: b.contextOf(qp)}})
	b.sent = append(b.sent, sent{qp: qp, q: responder.Request{Kind: link.PSNDead}})
}

// serve answers n READs and atomics of a queue pair that has no request with the responder.
func (b *bench) serve(qp, n int) {
	p := b.pairs[qp]
	require.False(b.t, p.locked)
	p.most, p.owes = p.most+n, p.owes-n
	p.ref.Answered(n)
	b.served.Send(linktest.Served{QP: qp, Next: uint8(77 * p.most), Most: uint8(p.most), Duplicates: 5})
	for b.served.Pending() > 0 {
		b.step()
	}
}

// step is a cycle, in which the neighbours answer what was asked in the one before.
func (b *bench) step() {
	b.s.Step()
	require.NoError(b.t, b.s.Err())
	b.translate()
	b.queue()
	for _, qp := range sim.Received[int](b.askContext) {
		b.context.Send(linktest.Lookup{Context: b.contextOf(qp)})
	}
	for _, c := range sim.Received[linktest.Commit](b.commit) {
		b.committed(c)
	}
	b.gave = append(b.gave, sim.Received[linktest.Operands](b.operands)...)
	for len(b.gave) > 0 && len(b.executed) > 0 {
		require.Equal(b.t, b.executed[0], b.gave[0])
		b.executed, b.gave = b.executed[1:], b.gave[1:]
	}
	for _, o := range sim.Received[linktest.Outcome](b.outcome) {
		b.told(o)
	}
}

// translated is a link.Translated.
type translated struct {
	Fault       format.VendorCode
	Probe, Tail bool
	Addr        uint64
}

// translate answers packets whose segments are there.
func (b *bench) translate() {
	for _, s := range sim.Received[linktest.Segment](b.segment) {
		b.segments = append(b.segments, s)
		if !s.Last || s.Probed {
			continue
		}
		b.translated.Send(b.answer(b.asked().told))
		b.packets = append(b.packets, b.segments)
		b.segments = nil
	}
}

// asked is the packet whose segments are there. Those before it had none.
func (b *bench) asked() sent {
	at := slices.IndexFunc(b.untold, func(x sent) bool {
		return x.q.Length > 0 || x.answer != nil && x.answer.Pieces[0].Length > 0
	})
	if first := b.segments[0]; first.Probe { // of the request of its queue pair that is with the responder
		for i, x := range b.untold {
			if x.answer == nil && x.q.Kind == link.PSNExpected && 0x100+x.qp == int(first.QPN) {
				at = i
			}
		}
	}
	require.GreaterOrEqual(b.t, at, 0, "segments of no packet")
	x := b.untold[at]
	b.untold = b.untold[at+1:]
	return x
}

// answer is the translator's to the segments that are there.
func (b *bench) answer(told responder.Translation) translated {
	x := translated{Probe: true, Addr: told.Addr}
	for i, s := range b.segments {
		x.Probe = x.Probe && s.Probe
		fault := told.Fault
		if s.Rights == link.RightRevoke {
			fault = told.Revoke
		}
		if s.Rights != 0 && fault != 0 && x.Fault == 0 {
			x.Fault, x.Tail = fault, i > 0 && s.Probe
		}
	}
	return x
}

// queue is the receive queues.
func (b *bench) queue() {
	for _, qp := range sim.Received[int](b.take) {
		p := b.pairs[qp]
		require.Less(b.t, p.head, p.here)
		p.head++
	}
	b.questions = append(b.questions, sim.Received[struct {
		QP   int
		Wait bool
	}](b.askHead)...)
	for len(b.questions) > 0 {
		ask := b.questions[0]
		p := b.pairs[ask.QP]
		here, empty := p.head < p.here, p.head == len(p.wqes)
		if !here && !empty && ask.Wait {
			break
		}
		b.questions = b.questions[1:]
		b.head.Send(struct {
			Here, Empty, Fault bool
			Index              uint16
			Slot               int
		}{here, empty, here && p.wqes[p.head].Unreadable, uint16(p.head), p.head & 7})
		var wqe *responder.WQE
		if here {
			wqe = &p.wqes[p.head]
		}
		if ask.Wait { // not a flush
			p.answers = append(p.answers, wqe)
		}
	}
	for _, r := range sim.Received[struct{ QP, Slot, Granule int }](b.read) {
		p := b.pairs[r.QP]
		require.Equal(b.t, p.head&7, r.Slot)
		word := make([]byte, 16)
		if wqe := p.wqes[p.head].Bytes; 16*r.Granule < len(wqe) {
			copy(word, wqe[16*r.Granule:])
		}
		b.granule.Send(word)
	}
}

// told compares an outcome. Those of a queue pair come one by one.
func (b *bench) told(o linktest.Outcome) {
	p := b.pairs[o.QP]
	require.True(b.t, p.locked, "an outcome too many: %+v", o)
	p.locked = false
	p.psn = (p.psn + uint32(o.Advance)) & 0xFFFFFF
	p.again, p.dead = o.NAKSent, o.Dead
	p.outcomes = append(p.outcomes, o)
	b.pairOutcomes(o.QP)
}

// pairOutcomes compares outcomes with results, whichever came first.
func (b *bench) pairOutcomes(qp int) {
	p := b.pairs[qp]
	for len(p.outcomes) > 0 && len(p.results) > 0 {
		o, x := p.outcomes[0], p.results[0]
		require.Equal(b.t, linktest.Outcome{QP: qp, Advance: uint32(x.Advance), NAKSent: x.NAKSent, Dead: x.Dead}, o)
		p.outcomes, p.results = p.outcomes[1:], p.results[1:]
	}
}

// committed compares a commit with what the reference makes of its packet.
func (b *bench) committed(c linktest.Commit) {
	b.commits = append(b.commits, c)
	if c.Kind == link.CommitRequest && c.Complete && c.Completion.Status == format.StatusFlush {
		p := b.pairs[c.QP]
		require.NotEqual(b.t, format.QPRTS, p.state)
		index := int(c.Completion.WQEIndex)
		b.compare(c, c.QP, responder.Request{PSN: c.RequestPSN}, &p.wqes[index], p.ref.Flush())
		return
	}
	require.NotEmpty(b.t, b.sent, "a commit too many: %+v", c)
	at := b.sent[0]
	b.sent = b.sent[1:]
	if at.qp < 0 {
		require.Equal(b.t, []any{link.CommitFence, at.q.PSN}, []any{c.Kind, c.PSN})
		return
	}
	p := b.pairs[at.qp]
	if at.answer != nil || at.q.Kind == link.PSNDead {
		b.compareResponse(c, at)
		return
	}
	var wqe *responder.WQE
	expected := at.q.Kind == link.PSNExpected
	if expected && needsWQE(at.q.Opcode, &p.ref) {
		require.NotEmpty(b.t, p.answers, "the queue was not asked")
		wqe, p.answers = p.answers[0], p.answers[1:]
	}
	x := p.ref.Take(at.q, wqe, at.told)
	b.results = append(b.results, x)
	if x.Resource != nil && !x.Resource.Duplicate {
		p.owes++
	}
	if x.Operands != nil {
		b.executed = append(b.executed, linktest.Operands{Swap: x.Operands[0], Compare: x.Operands[1]})
	}
	if expected {
		p.results = append(p.results, &x)
		b.pairOutcomes(at.qp)
	}
	b.compare(c, at.qp, at.q, wqe, x)
	b.compareSegments(at.qp, x)
}

// needsWQE tells whether a request has to do with a receive WQE.
func needsWQE(op format.Opcode, r *responder.Reference) bool {
	info, _ := format.Lookup(op)
	_, imm := info.ExtOffset(format.ExtImmDt)
	return op <= format.OpSendOnlyImm || op == format.OpSendLastInv || op == format.OpSendOnlyInv || imm && op <= format.OpWriteOnlyImm || r.InSend()
}

// compareResponse compares what the completer hears.
func (b *bench) compareResponse(c linktest.Commit, at sent) {
	ctx := b.contextOf(at.qp)
	want := linktest.Commit{Kind: link.CommitDead, QP: at.qp, Completion: linktest.Completion{CQ: ctx.SendCQ, QPN: ctx.QPN}}
	c.Completion = linktest.Completion{CQ: c.Completion.CQ, QPN: c.Completion.QPN}
	c.RequestPSN, c.Event = 0, 0
	if c.Resource.Kind == link.ResourceNone {
		c.Resource = linktest.Resource{}
	}
	if at.answer == nil {
		c.PSN, c.Syndrome, c.Match = 0, 0, 0
		require.Equal(b.t, want, c)
		return
	}
	x := responder.Place(*at.answer, at.told)
	b.results = append(b.results, x)
	want.Kind, want.PSN, want.Match, want.Syndrome, want.Fault = link.CommitResponse, at.answer.PSN, at.answer.Match, int(at.answer.Syndrome), x.Fault
	want.Payload, want.Placed = len(x.Segments) > 0, x.Placed
	require.Equal(b.t, want, c)
	b.compareSegments(at.qp, x)
}

// compare compares all that has a meaning.
func (b *bench) compare(c linktest.Commit, qp int, q responder.Request, wqe *responder.WQE, x responder.Result) {
	ctx := b.contextOf(qp)
	want := linktest.Commit{
		QP: qp, Payload: q.Length > 0, Placed: x.Placed, Reply: x.Reply, PSN: x.ReplyPSN, RequestPSN: q.PSN, Syndrome: int(x.Syndrome),
		Message: x.Message, Fatal: x.Fatal, HasEvent: x.HasEvent, Event: x.Event, Complete: x.Complete, Open: x.Open,
		Completion: linktest.Completion{
			CQ: ctx.RecvCQ, QP: qp, QPN: ctx.QPN, Queue: 1, ByteLen: uint32(x.ByteLen), Opcode: x.Opcode, Status: x.Status,
			Vendor: x.Vendor, Solicited: x.Solicited,
		},
	}
	if x.Resource != nil {
		want.Resource = linktest.Resource{
			Kind: x.Resource.Kind, Duplicate: x.Resource.Duplicate, VA: x.Resource.VA, RKey: x.Resource.RKey, Length: uint32(x.Resource.Length),
		}
	}
	if x.Inv != nil {
		want.Completion.Imm, want.Completion.Flags = *x.Inv, format.WCFlagWithInv
	}
	if x.Imm != nil {
		want.Completion.Imm, want.Completion.Flags = bits.ReverseBytes32(*x.Imm), format.WCFlagWithImm
	}
	if x.Complete || x.Open {
		want.Completion.WQEIndex = c.Completion.WQEIndex
		if !wqe.Unreadable {
			control, err := format.DecodeHost[format.RecvControl[uint64]](wqe.Bytes)
			require.NoError(b.t, err)
			want.Completion.WRID = control.WRID
		}
	}
	defined(&c)
	defined(&want)
	require.Equal(b.t, want, c, "QP %d: %v %+v", qp, q.Opcode, q)
}

// defined sets what has no meaning to zero.
func defined(c *linktest.Commit) {
	if c.Reply == link.ReplyNone {
		c.PSN = 0
	}
	if c.Reply != link.ReplyNAK {
		c.Syndrome = 0
	}
	if !c.HasEvent {
		c.Event = 0
	}
	c.Match = 0 // of a response
	switch r := &c.Resource; {
	case r.Kind == link.ResourceNone:
		*r = linktest.Resource{}
	case r.Kind != link.ResourceRead && r.Duplicate:
		*r = linktest.Resource{Kind: r.Kind, Duplicate: true}
	case r.Kind != link.ResourceRead:
		*r = linktest.Resource{Kind: r.Kind, VA: r.VA}
	}
	d := &c.Completion
	switch {
	case !c.Complete && !c.Open:
		*d = linktest.Completion{Vendor: d.Vendor}
	case !c.Complete: // for a write that fails later
		*d = linktest.Completion{CQ: d.CQ, QP: d.QP, QPN: d.QPN, Queue: d.Queue, WRID: d.WRID, WQEIndex: d.WQEIndex}
	case d.Status != format.StatusSuccess:
		d.ByteLen, d.Opcode, d.Imm, d.Flags = 0, 0, 0, 0
	case d.Flags == 0:
		d.Imm = 0
	}
}

// compareSegments compares where the payload goes.
func (b *bench) compareSegments(qp int, x responder.Result) {
	if len(x.Segments) == 0 {
		return
	}
	ctx := b.contextOf(qp)
	var want []linktest.Segment
	for i, s := range x.Segments {
		last := i == len(x.Segments)-1
		tail := !s.Probe && !last && x.Segments[i+1].Probe
		w := linktest.Segment{Len: s.Length, Skip: s.Skip, Probe: s.Probe, Find: s.Find, Last: last || tail, Probed: tail}
		if s.Rights != 0 {
			w.Key, w.PD, w.QPN, w.Rights, w.VA, w.Range = s.Key, ctx.PD, ctx.QPN, s.Rights, s.VA, uint32(s.Range)
		}
		want = append(want, w)
	}
	require.NotEmpty(b.t, b.packets)
	got := b.packets[0]
	b.packets = b.packets[1:]
	for i, s := range got {
		switch {
		case s.Rights == 0:
			got[i] = linktest.Segment{Len: s.Len, Skip: s.Skip, Last: s.Last}
		case s.Rights == link.RightRevoke:
			got[i].VA, got[i].Range, got[i].Len = 0, 0, 0
		case s.Probe:
			got[i].Len = 0
		}
	}
	require.Equal(b.t, want, got)
}

// drain waits until nothing is on its way.
func (b *bench) drain() {
	for range 4000 {
		if len(b.sent) == 0 && b.request.Pending() == 0 && !b.anyLocked() {
			break
		}
		b.step()
	}
	require.Empty(b.t, b.sent)
	require.False(b.t, b.anyLocked(), "an outcome is missing")
	for range 30 {
		b.step()
	}
	require.Empty(b.t, b.packets)
	require.Empty(b.t, b.segments)
	require.Empty(b.t, b.executed)
	require.Empty(b.t, b.gave)
	b.untold = nil // nothing was asked of them
	for _, p := range b.pairs {
		if p != nil {
			require.Empty(b.t, p.answers, "the queue was asked in vain")
			require.Empty(b.t, p.results)
			require.Empty(b.t, p.outcomes)
		}
	}
}

func (b *bench) anyLocked() bool {
	for _, p := range b.pairs {
		if p != nil && p.locked {
			return true
		}
	}
	return false
}

// wqeOf makes a receive WQE of pieces.
func wqeOf(t *testing.T, wrid uint64, sges ...format.SGE[uint64]) responder.WQE {
	wqe, err := format.AppendHost(nil, format.RecvControl[uint64]{WRID: wrid, NumSGE: uint64(len(sges))})
	require.NoError(t, err)
	for _, s := range sges {
		wqe, err = format.AppendHost(wqe, s)
		require.NoError(t, err)
	}
	return responder.WQE{Bytes: append(wqe, make([]byte, 128)...)[:128]}
}

// each runs a test in the simulators.
func each(t *testing.T, gap uint32, f func(*testing.T, *bench), others ...sim.Simulator) {
	design, io := hdltest.Build(t, responder.Def(params))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		f(t, newBench(t, s, io, hdltest.Gaps(t, gap)))
	}, others...)
}
