package resources

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/blocks/scheduler"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct{ Sizes link.Sizes }

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	s := p.Sizes
	if s.QPBits < 1 || s.QPBits > 16 {
		return fmt.Errorf("resources: 2^%d queue pairs: not 2^1 to 2^16", s.QPBits)
	}
	// Free-running counts of 8 bits tell apart what is in the ring, and as many to come.
	if s.ReadBits < 1 || s.ReadBits > 6 {
		return fmt.Errorf("resources: 2^%d resources a queue pair: not 2^1 to 2^6", s.ReadBits)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Request    hdl.Stream[link.ResourceRequest] `hdl:"in"`
	Context    link.ContextPort                 `hdl:"out"`
	Job        hdl.Stream[link.TxJob]           `hdl:"out"`
	Segment    hdl.Stream[link.Segment]         `hdl:"out"`
	Made       hdl.Bits                         `hdl:"out" w:"1"` // pulse: a packet is on its way to Job
	Served     hdl.Stream[link.Served]          `hdl:"out"`
	Atomic     hdl.Stream[link.AtomicCommand]   `hdl:"out"`
	Result     hdl.Stream[link.AtomicResult]    `hdl:"in"`
	Control    hdl.Stream[link.QPControl]       `hdl:"in"`
	Paced      link.PacedPort                   `hdl:"out"`
	Wake       hdl.Stream[link.QPRef]           `hdl:"in"`
	FenceIn    hdl.Stream[link.Fence]           `hdl:"in"`
	FenceOut   hdl.Stream[link.Fence]           `hdl:"out"`
	RxFenceIn  hdl.Stream[link.Fence]           `hdl:"in"`
	RxFenceOut hdl.Stream[link.Fence]           `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s, fence := p.Sizes, hdl.StreamOf(link.Fence{})
	return hdl.Def[IO]{
		Name: fmt.Sprintf("resources_qp%d_cq%d_rd%d", s.QPBits, s.CQBits, s.ReadBits) + s.Tag(link.Atomics),
		Doc:  "Responder resources: READs and atomics of each queue pair, and their responses, a packet a turn.",
		IO: IO{
			Request: hdl.StreamOf(s.ResourceRequest()), Context: s.ContextPort(), Job: hdl.StreamOf(s.TxJob()), Segment: hdl.StreamOf(link.Segment{}),
			Served: hdl.StreamOf(s.Served()), Atomic: hdl.StreamOf(s.AtomicCommand()), Result: hdl.StreamOf(s.AtomicResult()),
			Control: hdl.StreamOf(s.QPControl()), Paced: s.PacedPort(), Wake: hdl.StreamOf(s.QPRef()), FenceIn: fence, FenceOut: fence, RxFenceIn: fence, RxFenceOut: fence,
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.sweep()
			b.take()
			b.results()
			b.turns()
			b.serve()
			b.fences()
			b.properties()
		},
	}
}

// entry is a resource.
type entry struct {
	Kind   hdl.Bits `w:"2"` // link.ResourceRead and others
	Number hdl.Bits `w:"8"` // of an atomic: how many of its queue pair had been handed out before
	PSN    hdl.Bits `w:"24"`
	MSN    hdl.Bits `w:"24"`
	VA     hdl.Bits `w:"64"`
	RKey   hdl.Bits `w:"32"`
	Length hdl.Bits `w:"32"`
}

// value is what an atomic found.
type value struct {
	Value hdl.Bits `w:"64"`
	Fault hdl.Bits `w:"5"` // link.FaultBits
}

// filling is how many entries a ring has taken.
type filling struct {
	Tail    hdl.Bits `w:"8"` // free-running
	Wrapped hdl.Bits `w:"1"` // every place has an entry
}

// progress is how far a ring has been answered. Its counts are those of link.Served, whose Most has a memory of its own.
type progress struct {
	Next       hdl.Bits `w:"8"`
	Index      hdl.Bits `w:"24"` // packets of the READ Next that are answered, or not asked for again
	Anew       hdl.Bits `w:"1"`  // it was asked for from there: its next response is a first one
	Duplicates hdl.Bits `w:"8"`
}

// Who wakes queue pairs.
const (
	wakeRequest = iota
	wakeResult
	wakeAgain
	wakePaced
	wakers
)

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	ring     *hdl.Memory // entry
	values   *hdl.Memory // value
	fillings *hdl.Memory
	states   *hdl.Memory // progress
	mosts    *hdl.Memory // Most of link.Served
	handed   *hdl.Memory // atomics that were handed out, of each queue pair; free-running
	returned *hdl.Memory // and those whose results have come
	swept    hdl.Bits
	sweepAt  hdl.Bits
	waiting  *scheduler.IO // queue pairs that may have something to be answered

	paced hdl.Bits                       // the queue pair that is looked up has to wait for its rate
	wakes [wakers]hdl.Stream[link.QPRef] // to the scheduler
	tell  hdl.Stream[link.Served]

	inFlight    hdl.Bits // atomics without results, of all queue pairs
	isDuplicate hdl.Bits // the request is one that is looked for
	turn        turn
	look        looked // of the turn that begins

	st        *hdl.FSM[step]
	now       looked   // of the turn under way,
	was       progress // with how far its queue pair was answered,
	most      hdl.Bits
	tail      hdl.Bits // and how many entries had come
	at        hdl.Bits // the entry at hand,
	left      hdl.Bits // how many entries are left to be looked at, this one included,
	index     hdl.Bits // the packet of it
	entry     entry
	value     value
	remaining hdl.Bits // bytes of the READ from that packet on; negative beyond its end
	addr      hdl.Bits // where they are
	psn       hdl.Bits // of that packet
	executed  hdl.Bits // the result of the atomic is here
	last      hdl.Bits // it is the last packet of the entry,
	length    hdl.Bits // with so many bytes
	fits      hdl.Bits // the entry is as the duplicate says: operation, and bytes that are left,
	there     hdl.Bits // key and address, as far as they count
	open      hdl.Bits // there is room for what a turn has to tell

	answers *stream.FIFOIO[answer]
	reads   *stream.FIFOIO[source]
	makes   hdl.Bits // a packet is made
	settles hdl.Bits // the request, a duplicate, is done with
}

// remainingBits is the width of bytes of a READ less those of any number of packets.
const remainingBits = 37

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	s := p.Sizes
	qps, slots := 1<<s.QPBits, 1<<(s.QPBits+s.ReadBits)
	b := &block{
		m: m, p: p, io: io,
		ring:     m.RAM("ring", slots, hdl.WidthOf(entry{}), hdl.Undefined),
		fillings: m.LUTRAM("fillings", qps, hdl.WidthOf(filling{})),
		states:   m.LUTRAM("states", qps, hdl.WidthOf(progress{})),
		mosts:    m.LUTRAM("mosts", qps, 8),
		waiting:  hdl.Instance(m, "u_waiting", scheduler.Def(scheduler.Params{Sizes: s, Wakes: 1})), tell: hdl.NewStream(m, "tell", s.Served()),
		turn: turn{
			asks: m.Reg("turn_asks", 1, 0), waits: m.Reg("turn_waits", 1, 0), duplicate: m.RegN("turn_duplicate", 1),
			qp: m.RegN("turn_qp", s.QPBits), prefersGrant: m.Reg("turn_prefers_grant", 1, 0),
		},
		now: hdl.NewReg(m, "now", looked{QP: hdl.W(s.QPBits)}),
		was: hdl.NewReg(m, "was", progress{}), most: m.RegN("most", 8), tail: m.RegN("tail", 8),
		at: m.RegN("at", 8), left: m.RegN("left", s.ReadBits+1), index: m.RegN("index", 24),
		remaining: m.RegN("remaining", remainingBits), addr: m.RegN("addr", 64), psn: m.RegN("psn", 24),
		last: m.RegN("last", 1), length: m.RegN("length", link.LengthBits),
		fits: m.RegN("fits", 1), there: m.RegN("there", 1),
		st:      hdl.NewFSM(m, "step", stIdle, stFetch, stMatch, stWeigh, stSize, stMake, stJudge),
		answers: hdl.Instance(m, "u_answers", stream.FIFODef(answer{QP: hdl.W(s.QPBits)}, p.packets())),
		reads:   hdl.Instance(m, "u_reads", stream.FIFODef(source{}, p.packets())),
		paced:   m.RegN("turn_paced", 1),
		makes:   m.Wire("makes", 1), settles: m.Wire("settles", 1),
	}
	b.keepAtomics()
	b.join()
	hdl.Connect(io.Served, stream.Slice(m, "u_served", b.tell))
	b.open = b.wakes[wakeAgain].Ready.And(b.tell.Ready)
	return b
}

// join leads the wakes to the scheduler, with registers on the way.
func (b *block) join() {
	m := b.m
	var woken [wakers]hdl.Stream[link.QPRef]
	for i, name := range [wakers]string{wakeRequest: "request_wakes", wakeResult: "result_wakes", wakeAgain: "again", wakePaced: "paced_wakes"} {
		b.wakes[i] = hdl.NewStream(m, name, b.p.Sizes.QPRef())
		woken[i] = stream.Slice(m, "u_"+name, b.wakes[i])
	}
	hdl.Connect(b.wakes[wakePaced], b.io.Wake)
	wake, from := stream.RoundRobin(m, "u_wakes", woken[:]...)
	m.Unused(from)
	hdl.Connect(b.waiting.Wakes[0], stream.Slice(m, "u_wake", wake))
}

// place is where an entry of a ring is.
func (b *block) place(qp, count hdl.Bits) hdl.Bits {
	return hdl.Cat(qp, count.Trunc(b.p.Sizes.ReadBits))
}
