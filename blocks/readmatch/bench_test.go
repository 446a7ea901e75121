package readmatch_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/readmatch"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

const qps = 8

func params(width int) readmatch.Params {
	return readmatch.Params{Sizes: link.Sizes{DataWidth: width, QPBits: 3, CQBits: 2, ReadBits: 2}}
}

// bench is the block between models of its neighbours.
type bench struct {
	t     *testing.T
	s     *sim.Sim
	r     *rand.Rand
	mem   *linktest.Memory
	reads *linktest.Reads

	packet, issue, ring, control *sim.Source
	matched, source, value       *sim.Sink
	frames                       *hdltest.Frames

	qps     [qps]queuePair
	want    []linktest.RxMatched
	sources []int
	values  [][]byte
	pieces  int // given in all
}

// queuePair is the requester's half of one.
type queuePair struct {
	ref     readmatch.Reference
	mtuCode int
	psn     uint32 // of the next request
	index   uint16 // of the next WQE
	used    int    // READs and atomics that were outstanding when all had come, and those since
}

// capacity is how many READs and atomics the requester has outstanding.
func (q *queuePair) capacity() int { return min(1<<params(64).Sizes.ReadBits, 1<<q.ref.LogSize) }

func newBench(t *testing.T, s *sim.Sim, io *readmatch.IO, gaps uint32, latency int) *bench {
	g := sim.Pattern{}
	if gaps > 0 {
		g = hdltest.Gaps(t, gaps)
	}
	b := &bench{
		t: t, s: s, r: rand.New(rand.NewPCG(hdltest.Seed(t), uint64(gaps))), mem: linktest.NewMemory(),
		packet: sim.NewSource(s, io.Packet, g), issue: sim.NewSource(s, io.Issue, g),
		ring: sim.NewSource(s, io.Ring, g), control: sim.NewSource(s, io.Control, g),
		matched: sim.NewSink(s, io.Matched, g), source: sim.NewSink(s, io.Source, g), value: sim.NewSink(s, io.Value, g),
	}
	b.frames = hdltest.NewFrames(b.value)
	b.reads = linktest.NewReads(s, io.Read, b.mem, g, hdltest.Seed(t))
	b.reads.Latency = latency
	s.Reset(2)
	return b
}

// step is a cycle.
func (b *bench) step() {
	b.s.Step()
	b.reads.Step()
	require.NoError(b.t, b.s.Err())
	require.NoError(b.t, b.reads.Broken)
	for _, got := range sim.Received[linktest.RxMatched](b.matched) {
		require.NotEmpty(b.t, b.want, "one too many: %+v", got)
		require.Equal(b.t, b.want[0], meant(got))
		b.want = b.want[1:]
	}
	for _, got := range sim.Received[int](b.source) {
		require.NotEmpty(b.t, b.sources)
		require.Equal(b.t, b.sources[0], got)
		b.sources = b.sources[1:]
	}
	for _, got := range b.frames.Take() {
		require.NotEmpty(b.t, b.values)
		require.Equal(b.t, b.values[0], got.Data)
		b.values = b.values[1:]
	}
}

// meant is what of a Matched has a meaning.
func meant(x linktest.RxMatched) linktest.RxMatched {
	if x.Packet.Kind != link.PSNResponse {
		x.Match, x.Fault, x.Skip, x.More = 0, 0, false, false
		return x
	}
	x.Packet.Ext[5], x.Packet.Ext[6] = 0, 0
	data := x.Match == link.MatchData || x.Match == link.MatchDone
	if !data || x.Skip || x.Packet.PayloadLen == 0 {
		x.Packet.Ext = [7]uint32{4: x.Packet.Ext[4]}
	}
	return x
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
	b.t.Fatalf("in vain: %s; first: %+v", what, b.want)
}

// drain waits until all has come that was expected, and a bit longer.
func (b *bench) drain() {
	b.t.Helper()
	b.until("drain", func() bool {
		return len(b.want)+len(b.sources)+len(b.values)+b.packet.Pending()+b.issue.Pending()+b.control.Pending()+b.ring.Pending() == 0
	})
	for range 20 {
		b.step()
	}
	for qp := range b.qps {
		b.qps[qp].used = b.qps[qp].ref.Outstanding()
	}
}

// make makes a queue pair, of which nothing is on its way any more; others go on.
func (b *bench) make(qp, mtuCode, logSize, logStride int, psn uint32) {
	b.until("its packets", func() bool {
		return !slices.ContainsFunc(b.want, func(x linktest.RxMatched) bool { return x.Packet.QP == qp })
	})
	q := &b.qps[qp]
	q.used = 0
	q.ref = readmatch.Reference{
		Read: b.mem.Read, Base: uint64(qp+1) << 32, LogSize: logSize, LogStride: logStride, MTU: 128 << mtuCode,
	}
	psn &= 0xFFFFFF
	q.mtuCode, q.psn, q.index = mtuCode, psn, uint16(b.r.Uint32())
	b.ring.Send(config{QP: qp, Base: q.ref.Base, LogSize: logSize, LogStride: logStride})
	b.ring.Send(config{QP: qp, Keep: true, Base: b.r.Uint64(), LogSize: 3}) // changes nothing
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear, PSN: 5})
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlSendPSN, PSN: psn}) // nothing to this block
	b.until("make", func() bool { return b.ring.Pending()+b.control.Pending() == 0 })
}

type config struct {
	QP                 int
	Keep               bool
	Base               uint64
	LogSize, LogStride int
}

// read posts a READ, or an atomic, with SGEs of these lengths.
func (b *bench) read(qp int, atomic bool, lengths ...uint32) {
	q := &b.qps[qp]
	if q.ref.Outstanding() == 0 || q.used == q.capacity() {
		b.drain() // what was sent before finds none, and those that it answers are gone
	}
	q.used++
	slot := q.ref.Base + uint64(q.index)&(1<<q.ref.LogSize-1)<<(6+q.ref.LogStride)
	var sges []format.SGE[uint64]
	total := 0
	for k, length := range lengths {
		sge := format.SGE[uint64]{Addr: b.r.Uint64(), Length: uint64(length), LKey: uint64(b.r.Uint32())}
		bytes, err := format.AppendHost(nil, sge)
		require.NoError(b.t, err)
		b.mem.Poke(slot+32+16*uint64(k), bytes)
		sges = append(sges, sge)
		total += int(length)
	}
	if atomic { // its SGE stands behind the operands
		b.mem.Poke(slot+32, make([]byte, 16))
	}
	q.ref.Issue(readmatch.Request{Atomic: atomic, PSN: q.psn, Length: total, WQEIndex: q.index, NumSGE: len(lengths), SGE: sges[0]})
	b.issue.Send(linktest.ReadIssue{
		QP: qp, Atomic: atomic, PSN: q.psn, Length: uint32(total), WQEIndex: q.index, NumSGE: len(lengths),
		SGE: linktest.SGE{Addr: sges[0].Addr, Length: lengths[0], LKey: uint32(sges[0].LKey)},
	})
	b.until("issue", func() bool { return b.issue.Pending() == 0 })
	q.psn = (q.psn + uint32(max(1, (total+q.ref.MTU-1)/q.ref.MTU))) & 0xFFFFFF
	q.index++
}

// random is a packet with random fields.
func (b *bench) random(kind, qp int, op format.Opcode, psn uint32, length int) linktest.RxRequest {
	r := b.r
	p := linktest.RxRequest{
		Kind: kind, QP: qp, Opcode: op, Undefined: r.IntN(2) == 0, SE: r.IntN(2) == 0, AckReq: r.IntN(2) == 0, PadCnt: r.IntN(4),
		PSN: psn & 0xFFFFFF, Expected: r.Uint32N(1 << 24), SendNAK: r.IntN(2) == 0, PayloadLen: length,
		Context: linktest.Context{
			Exists: true, QPN: r.Uint32N(1 << 24), State: format.QPRTS, PD: r.Uint32N(1 << 24), PathMTU: b.qps[qp].mtuCode, SendCQ: r.IntN(4), RecvCQ: r.IntN(4),
		},
	}
	for i := range p.Ext {
		p.Ext[i] = r.Uint32()
	}
	return p
}

// other sends a packet that is no response.
func (b *bench) other(kind, qp, length int) {
	p := b.random(kind, qp, format.OpWriteOnly, b.r.Uint32(), length)
	b.packet.Send(p)
	b.want = append(b.want, linktest.RxMatched{Packet: p})
	if length > 0 {
		b.sources = append(b.sources, 0)
	}
}

// respond sends a response, and returns what it is to the reference.
func (b *bench) respond(qp int, op format.Opcode, psn uint32, syndrome, length int) readmatch.Answer {
	p := b.random(link.PSNResponse, qp, op, psn, length)
	p.Ext[0] = uint32(syndrome)<<24 | p.Ext[0]&0xFFFFFF
	b.packet.Send(p)
	a := b.qps[qp].ref.Respond(readmatch.Response{Opcode: op, PSN: p.PSN, Syndrome: syndrome, Length: length})
	if length > 0 || a.Atomic {
		source := 0
		if a.Atomic {
			source = 1
			b.values = append(b.values, binary.LittleEndian.AppendUint64(nil, uint64(p.Ext[1])<<32|uint64(p.Ext[2])))
			length = 8
		}
		b.sources = append(b.sources, source)
	}
	b.expect(p, a, length)
	return a
}

// expect expects the pieces of a response.
func (b *bench) expect(p linktest.RxRequest, a readmatch.Answer, length int) {
	aeth := p.Ext[0]
	if p.Opcode == format.OpReadResponseMiddle {
		aeth = 0
	}
	p.Ext = [7]uint32{4: aeth}
	x := linktest.RxMatched{Packet: p, Match: a.Match}
	left := length
	for _, piece := range a.Pieces {
		left -= piece.Bytes
		y := x
		y.Packet.PayloadLen, y.More = piece.Bytes, left > 0
		copy(y.Packet.Ext[:], []uint32{uint32(piece.VA >> 32), uint32(piece.VA), piece.Key, uint32(piece.Bytes)})
		b.want = append(b.want, y)
	}
	b.pieces += len(a.Pieces)
	if left == 0 && length > 0 {
		return
	}
	x.Packet.PayloadLen, x.Skip = left, left > 0
	if a.Fault {
		x.Fault = format.VendorWQERead
	}
	b.want = append(b.want, x)
}

// due is the response that the oldest READ or atomic of a queue pair waits for: opcode, PSN,
// and bytes of payload.
func (b *bench) due(qp int) (op format.Opcode, psn uint32, length int) {
	q := &b.qps[qp]
	o, n := q.ref.Oldest()
	from := n * q.ref.MTU
	left := o.Length - from
	psn = (o.PSN + uint32(n)) & 0xFFFFFF
	switch {
	case o.Atomic:
		return format.OpAtomicAck, psn, 0
	case left > q.ref.MTU && n == 0:
		return format.OpReadResponseFirst, psn, q.ref.MTU
	case left > q.ref.MTU:
		return format.OpReadResponseMiddle, psn, q.ref.MTU
	case n == 0:
		return format.OpReadResponseOnly, psn, left
	}
	return format.OpReadResponseLast, psn, left
}

// answer sends the response that is due.
func (b *bench) answer(qp int) readmatch.Answer {
	op, psn, length := b.due(qp)
	return b.respond(qp, op, psn, 0x1F, length)
}

// address is that of an SGE of a WQE in memory.
func (b *bench) address(qp int, index, sge uint64) uint64 {
	q := &b.qps[qp]
	slot := q.ref.Base + index&(1<<q.ref.LogSize-1)<<(6+q.ref.LogStride)
	return binary.LittleEndian.Uint64(b.mem.Peek(slot+32+16*sge, 8))
}
