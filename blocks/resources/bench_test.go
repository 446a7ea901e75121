package resources_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/resources"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

const (
	qps  = 4
	size = 4 // entries of a ring
)

var params = resources.Params{Sizes: link.Sizes{DataWidth: 64, QPBits: 2, CQBits: 2, ReadBits: 2}}

// request is a link.ResourceRequest.
type request struct {
	QP       int
	Cancel   bool
	PSN, MSN uint32
	Resource struct {
		Kind      int
		Duplicate bool
		VA        uint64
		RKey      uint32
		Length    uint32
	}
}

// command is a link.AtomicCommand.
type command struct {
	QP, Slot, Kind int
	Cancel         bool
	Addr           uint64
}

// result is a link.AtomicResult.
type result struct {
	QP, Slot int
	Value    uint64
	Fault    format.VendorCode
}

// served is a link.Served.
type served struct {
	QP                     int
	Next, Most, Duplicates uint8
}

// bench is the block among models of its neighbours.
type bench struct {
	t  *testing.T
	s  *sim.Sim
	io *resources.IO

	request, result, reply, control, wake, fenceIn, rxFenceIn *sim.Source
	job, segment, served, atomic, asks, fenceOut, rxFenceOut  *sim.Sink
	contexts                                                  [qps]linktest.Context
	paced                                                     [qps]bool // who has to wait for its rate
	auto                                                      bool      // atomics are executed, in their order
	executing                                                 []command
	r                                                         *rand.Rand
	delay                                                     int // cycles that an atomic takes at most
	wait                                                      int // cycles left of the one under way
	outcome                                                   func(c command) (value uint64, fault format.VendorCode)
	made                                                      uint64             // packets, as told
	commands                                                  []command          // all of them
	jobs                                                      []linktest.TxJob   // that have not been looked at
	segments                                                  []linktest.Segment // that have no job yet
}

func newBench(t *testing.T, s *sim.Sim, io *resources.IO, g sim.Pattern) *bench {
	b := &bench{
		t: t, s: s, io: io,
		request: sim.NewSource(s, io.Request, g), result: sim.NewSource(s, io.Result, g), reply: sim.NewSource(s, io.Context.Reply, g),
		control: sim.NewSource(s, io.Control, g), wake: sim.NewSource(s, io.Wake, g), fenceIn: sim.NewSource(s, io.FenceIn, g), rxFenceIn: sim.NewSource(s, io.RxFenceIn, g),
		job: sim.NewSink(s, io.Job, g), segment: sim.NewSink(s, io.Segment, g), served: sim.NewSink(s, io.Served, g),
		atomic: sim.NewSink(s, io.Atomic, g), asks: sim.NewSink(s, io.Context.Request, g),
		fenceOut: sim.NewSink(s, io.FenceOut, g), rxFenceOut: sim.NewSink(s, io.RxFenceOut, g),
		auto: true, r: rand.New(rand.NewPCG(hdltest.Seed(t), 3)),
		outcome: func(c command) (uint64, format.VendorCode) { return c.Addr * 3, 0 },
	}
	s.Reset(2)
	for qp := range qps {
		b.contexts[qp] = linktest.Context{
			Exists: true, QPN: uint32(0x100 + qp), State: format.QPRTS, PD: uint32(0x20 + qp), PathMTU: format.MTU256 + qp%3,
		}
		b.clear(qp)
	}
	return b
}

func mtu(code int) int { return 128 << code }

func (b *bench) clear(qp int) {
	b.control.Send(linktest.QPControl{QP: qp, Kind: link.ControlClear})
	b.run(40)
	require.Zero(b.t, b.control.Pending())
}

// run goes on for some cycles.
func (b *bench) run(cycles int) {
	for range cycles {
		b.pace()
		b.s.Step()
		b.made += b.s.Get(b.io.Made)
		require.LessOrEqual(b.t, b.job.Count(), b.made, "packets that nobody was told of")
		for _, qp := range sim.Received[int](b.asks) {
			b.reply.Send(linktest.Lookup{Context: b.contexts[qp]})
		}
		came := sim.Received[command](b.atomic)
		b.commands = append(b.commands, came...)
		for _, c := range came {
			if !c.Cancel {
				b.executing = append(b.executing, c)
			}
		}
		b.execute()
	}
	require.NoError(b.t, b.s.Err())
}

// pace answers who has to wait.
func (b *bench) pace() {
	waits := uint64(0)
	if b.paced[b.s.Get(b.io.Paced.QP)] {
		waits = 1
	}
	b.s.Set(b.io.Paced.Waits, waits)
}

// goes has a queue pair wait no more.
func (b *bench) goes(qp int) {
	b.paced[qp] = false
	b.wake.Send(qp)
}

// execute ends the oldest atomic after a while.
func (b *bench) execute() {
	if !b.auto || len(b.executing) == 0 {
		return
	}
	if b.wait > 0 {
		b.wait--
		return
	}
	c := b.executing[0]
	b.executing = b.executing[1:]
	value, fault := b.outcome(c)
	b.result.Send(result{QP: c.QP, Slot: c.Slot, Value: value, Fault: fault})
	b.wait = b.r.IntN(b.delay + 1)
}

// send queues a request of a queue pair.
func (b *bench) send(qp int, q resources.Request, duplicate bool) {
	r := request{QP: qp, PSN: q.PSN, MSN: q.MSN}
	r.Resource.Kind, r.Resource.Duplicate = q.Kind, duplicate
	r.Resource.VA, r.Resource.RKey, r.Resource.Length = q.VA, q.RKey, q.Length
	b.request.Send(r)
}

// packet is a response with the segment that it came with.
type packet struct {
	QP int
	resources.Packet
}

// took returns the packets since the last call that are here with their segments, in order.
func (b *bench) took() []packet {
	b.jobs = append(b.jobs, sim.Received[linktest.TxJob](b.job)...)
	b.segments = append(b.segments, sim.Received[linktest.Segment](b.segment)...)
	var got []packet
	for len(b.jobs) > 0 {
		j := b.jobs[0]
		p := packet{QP: j.QP, Packet: resources.Packet{Opcode: j.Opcode, PSN: j.Entry.PSN, MSN: j.MSN, Length: j.PayloadLen}}
		if j.Opcode == format.OpAtomicAck {
			p.Outcome = resources.Outcome{Value: j.Swap, Fault: j.Entry.Vendor}
		}
		if j.PayloadLen > 0 {
			if len(b.segments) == 0 {
				break
			}
			p.VA, p.RKey = b.place(j)
		}
		b.onlyAnswers(j)
		b.jobs = b.jobs[1:]
		got = append(got, p)
	}
	return got
}

// onlyAnswers checks that a job says nothing but what an answer says. Of a READ response Swap means nothing.
func (b *bench) onlyAnswers(j linktest.TxJob) {
	failed := j.Entry.Vendor != format.VendorNone && j.Opcode == format.OpAtomicAck
	require.Equal(b.t, linktest.TxJob{
		Kind: link.JobAnswer, QP: j.QP, Opcode: j.Opcode, PayloadLen: j.PayloadLen, Swap: j.Swap, MSN: j.MSN, Failed: failed,
		Entry: linktest.ReplayEntry{PSN: j.Entry.PSN, Vendor: j.Entry.Vendor},
	}, j)
}

// place takes the segment of a job, and returns where its payload is.
func (b *bench) place(j linktest.TxJob) (va uint64, key uint32) {
	g, c := b.segments[0], b.contexts[j.QP]
	b.segments = b.segments[1:]
	require.Equal(b.t, linktest.Segment{
		Key: g.Key, PD: c.PD, QPN: c.QPN, Rights: format.AccessRemoteRead, VA: g.VA, Range: uint32(j.PayloadLen), Len: j.PayloadLen, Last: true,
	}, g)
	return g.VA, g.Key
}

// fence sends a fence through both pipelines, the receiving one first, and waits for it.
func (b *bench) fence() {
	tx, rx := b.fenceOut.Count(), b.rxFenceOut.Count()
	b.rxFenceIn.Send(2)
	b.fenceIn.Send(1)
	for range 2000 {
		b.run(1)
		if b.fenceOut.Count() > tx && b.rxFenceOut.Count() > rx {
			return
		}
	}
	require.Fail(b.t, "the fences do not pass")
}
