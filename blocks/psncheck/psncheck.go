package psncheck

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// Params are the parameters of the block.
type Params struct{ Sizes link.Sizes }

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	if p.Sizes.QPBits < 1 || p.Sizes.QPBits > 16 {
		return fmt.Errorf("psncheck: 2^%d queue pairs: not 2^1 to 2^16", p.Sizes.QPBits)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Header     hdl.Stream[format.RxDescriptor[hdl.Bits]] `hdl:"in"`
	Dead       hdl.Stream[link.QPRef]                    `hdl:"in"`
	Context    link.ContextPort                          `hdl:"out"`
	Request    hdl.Stream[link.RxRequest]                `hdl:"out"`
	Async      hdl.Stream[link.Async]                    `hdl:"out"`
	CNP        hdl.Stream[link.QPRef]                    `hdl:"out"`
	Marked     hdl.Stream[link.QPRef]                    `hdl:"out"`
	Outcome    hdl.Stream[link.Outcome]                  `hdl:"in"`
	AtomicDone hdl.Stream[link.QPRef]                    `hdl:"in"`
	Control    hdl.Stream[link.QPControl]                `hdl:"in"`
	Fence      hdl.Stream[link.Fence]                    `hdl:"in"`
	Peek       link.Peek                                 `hdl:"in"` // the expected PSN

	// Pulses, for counters.
	BadQP      hdl.Bits `hdl:"out" w:"1"` // a packet for no queue pair
	BadAddress hdl.Bits `hdl:"out" w:"1"` // one for a queue pair with other addresses
	BadState   hdl.Bits `hdl:"out" w:"1"` // one for a queue pair whose state does not take it
	Duplicate  hdl.Bits `hdl:"out" w:"1"` // a request that came before
	Ahead      hdl.Bits `hdl:"out" w:"1"` // a request before which one is missing
	CNPIgnored hdl.Bits `hdl:"out" w:"1"` // a CNP for a queue pair without congestion control
	ECNMarked  hdl.Bits `hdl:"out" w:"1"` // a packet with the mark of congestion
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("psncheck_qp%d_cq%d", s.QPBits, s.CQBits),
		Doc:  "Finds the queue pair of a packet, and judges requests by their PSN.",
		IO: IO{
			Header: hdl.StreamOf(format.RxDescriptor[hdl.Bits]{}), Dead: hdl.StreamOf(s.QPRef()), Context: s.ContextPort(),
			Request: hdl.StreamOf(s.RxRequest()), Async: hdl.StreamOf(link.Async{}),
			CNP: hdl.StreamOf(s.QPRef()), Marked: hdl.StreamOf(s.QPRef()),
			Outcome: hdl.StreamOf(s.Outcome()), AtomicDone: hdl.StreamOf(s.QPRef()),
			Control: hdl.StreamOf(s.QPControl()), Fence: hdl.StreamOf(link.Fence{}), Peek: s.Peek(24),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.find()
			b.judge()
			b.keep()
			b.properties()
		},
	}
}

// state is what is kept of a queue pair.
type state struct {
	Expected    hdl.Bits `w:"24"` // PSN of the next request
	NAKSent     hdl.Bits `w:"1"`  // since the last request with that PSN
	Dead        hdl.Bits `w:"1"`  // it takes no more requests
	Established hdl.Bits `w:"1"`  // an event told of its first request
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	states *hdl.Memory
	locks  *locks
	found  hdl.Stream[found] // packets with their queue pair
	inside hdl.Bits          // packets are on their way to the judge
	fences hdl.Bits          // nothing is, and a fence passes
	now    judged            // the packet that is judged
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	return &block{
		m: m, p: p, io: io,
		states: m.LUTRAM("states", 1<<p.Sizes.QPBits, hdl.WidthOf(state{})),
		locks:  newLocks(m, p),
	}
}

// packet is what is needed of a header, or of the word that a queue pair is dead.
type packet struct {
	Dead       hdl.Bits    `w:"1"` // no packet: DestQP has the index, and there is no payload; the rest means nothing
	IPv6       hdl.Bits    `w:"1" name:"ipv6"`
	SrcHi      hdl.Bits    `w:"64"`
	SrcLo      hdl.Bits    `w:"64"`
	DstHi      hdl.Bits    `w:"64"`
	DstLo      hdl.Bits    `w:"64"`
	Opcode     hdl.Bits    `w:"8"`
	Undefined  hdl.Bits    `w:"1"`
	CNP        hdl.Bits    `w:"1"`
	Marked     hdl.Bits    `w:"1"` // congestion was experienced (RFC 3168)
	SE         hdl.Bits    `w:"1"`
	PadCnt     hdl.Bits    `w:"2"`
	DestQP     hdl.Bits    `w:"24"`
	AckReq     hdl.Bits    `w:"1"`
	PSN        hdl.Bits    `w:"24"`
	Ext        [7]hdl.Bits `w:"32"`
	PayloadLen hdl.Bits    `w:"13"`
}

// found is a packet with its queue pair, and which of the comparisons hold.
type found struct {
	QP         hdl.Bits
	Dead       hdl.Bits    `w:"1"` // no packet: of the comparisons none matters
	Number     hdl.Bits    `w:"1"` // the queue pair exists and has that number
	Source     hdl.Bits    `w:"1"`
	Dest       hdl.Bits    `w:"1"`
	Resource   hdl.Bits    `w:"1"` // a READ or atomic,
	Atomic     hdl.Bits    `w:"1"` // an atomic
	Opcode     hdl.Bits    `w:"8"`
	Undefined  hdl.Bits    `w:"1"`
	CNP        hdl.Bits    `w:"1"`
	Marked     hdl.Bits    `w:"1"`
	SE         hdl.Bits    `w:"1"`
	PadCnt     hdl.Bits    `w:"2"`
	AckReq     hdl.Bits    `w:"1"`
	PSN        hdl.Bits    `w:"24"`
	Ext        [7]hdl.Bits `w:"32"`
	PayloadLen hdl.Bits    `w:"13"`
	Context    link.Context
}

// lookups is how many packets wait for their context at most.
func (p Params) lookups() int { return p.Sizes.Ahead(4) }

// find asks for the context of each packet, and compares it with the headers. A dead
// queue pair goes the same way, before packets and fences that wait.
func (b *block) find() {
	m, io, d := b.m, b.io, b.io.Header.Data
	dead, fencing := io.Dead, m.Reg("fence_offered", 1, 0) // one that is offered stays so
	qpBits := b.p.Sizes.QPBits
	asks := hdl.NewWire(m, "asks", hdl.StreamOf(b.p.Sizes.QPRef()))
	enters := hdl.NewWire(m, "enters", hdl.StreamOf(packet{}))
	room := asks.Ready.And(enters.Ready)
	buries := hdl.AndAll(dead.Valid, fencing.Not(), room)
	taken := hdl.AndAll(io.Header.Valid, io.Fence.Valid.Not(), dead.Valid.Not(), room)
	dead.Ready.Set(buries)
	io.Header.Ready.Set(taken)
	asks.Valid.Set(taken.Or(buries))
	asks.Data.QP.Set(hdl.Mux(dead.Valid, dead.Data.QP, d.DestQP.Trunc(qpBits)))
	enters.Valid.Set(taken.Or(buries))
	hdl.Set(enters.Data, packet{
		Dead: dead.Valid,
		IPv6: d.IPv6, SrcHi: d.SrcHi, SrcLo: d.SrcLo, DstHi: d.DstHi, DstLo: d.DstLo,
		Opcode: d.Opcode, Undefined: d.Undefined, CNP: d.CNP, Marked: d.TrafficClass.Trunc(2).All(), SE: d.SE, PadCnt: d.PadCnt,
		DestQP: hdl.Mux(dead.Valid, dead.Data.QP.ZExt(24), d.DestQP), AckReq: d.AckReq, PSN: d.PSN,
		Ext: d.Ext, PayloadLen: hdl.Mux(dead.Valid, d.PayloadLen.K(0), d.PayloadLen),
	})
	m.Unused(d.VLAN, d.TCI, d.TrafficClass.Slice(7, 2), d.SrcPort, d.MigReq, d.FECN, d.BECN)

	hdl.Connect(io.Context.Request, stream.FIFO(m, "u_asks", asks, b.p.lookups()))
	waiting := stream.FIFO(m, "u_packets", enters, b.p.lookups())
	both := stream.Join(m, "u_both", waiting, io.Context.Reply)
	b.found = link.Stage(m, b.p.Sizes, "u_found", stream.Map(both, func(x stream.Pair[packet, link.Lookup]) found {
		p, c, a := x.A, x.B.Context, x.B.Address
		m.Unused(a.DstMAC, a.HopLimit, a.TrafficClass, a.FlowLabel, a.VLAN, a.TCI, a.SrcPort)
		return found{
			QP: p.DestQP.Trunc(qpBits), Dead: p.Dead, Number: c.Exists.And(c.QPN.Eq(p.DestQP)),
			Source:   hdl.AndAll(p.SrcHi.Eq(a.DstHi), p.SrcLo.Eq(a.DstLo), p.IPv6.Eq(a.IPv6)),
			Dest:     hdl.AndAll(p.DstHi.Eq(a.SrcHi), p.DstLo.Eq(a.SrcLo)),
			Resource: isResource(p.Opcode), Atomic: isAtomic(p.Opcode),
			Opcode: p.Opcode, Undefined: p.Undefined, CNP: p.CNP, Marked: p.Marked, SE: p.SE, PadCnt: p.PadCnt, AckReq: p.AckReq, PSN: p.PSN,
			Ext: p.Ext, PayloadLen: p.PayloadLen, Context: c,
		}
	}))
	b.inside = waiting.Valid.Or(b.found.Valid)
	b.fences = hdl.AndAll(io.Fence.Valid, b.inside.Not(), fencing.Or(dead.Valid.Not()))
	fencing.Set(b.fences.And(io.Request.Ready.Not()))
}
