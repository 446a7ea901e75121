package readmatch

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
	s := p.Sizes
	switch s.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("readmatch: data width of %d bits: not 64, 128, 256 or 512", s.DataWidth)
	}
	if s.QPBits < 1 || s.QPBits > 16 {
		return fmt.Errorf("readmatch: 2^%d queue pairs: not 2^1 to 2^16", s.QPBits)
	}
	if s.CQBits < 1 || s.CQBits > 16 {
		return fmt.Errorf("readmatch: 2^%d completion queues: not 2^1 to 2^16", s.CQBits)
	}
	if s.ReadBits < 1 || s.ReadBits > 7 {
		return fmt.Errorf("readmatch: 2^%d READs and atomics of a queue pair: not 2^1 to 2^7", s.ReadBits)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Packet  hdl.Stream[link.RxRequest]  `hdl:"in"`
	Issue   hdl.Stream[link.ReadIssue]  `hdl:"in"`
	Ring    hdl.Stream[link.RingConfig] `hdl:"in"` // of send queues
	Control hdl.Stream[link.QPControl]  `hdl:"in"`
	Matched hdl.Stream[link.RxMatched]  `hdl:"out"`
	Source  hdl.Stream[hdl.Bits]        `hdl:"out"` // 0: rxpath, 1: Value
	Value   stream.Frame                `hdl:"out"`
	Read    link.ReadPort               `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("readmatch_%d_qp%d_cq%d_r%d", s.DataWidth, s.QPBits, s.CQBits, s.ReadBits),
		Doc:  "Finds the READ or atomic that a response answers, and where in its SGEs the data goes.",
		IO: IO{
			Packet: hdl.StreamOf(s.RxRequest()), Issue: hdl.StreamOf(s.ReadIssue()), Ring: hdl.StreamOf(s.RingConfig()),
			Control: hdl.StreamOf(s.QPControl()), Matched: hdl.StreamOf(s.RxMatched()), Source: hdl.StreamOf(hdl.W(1)),
			Value: stream.FrameOf(s.DataWidth), Read: s.ReadPort(),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.issue()
			b.read()
			b.rule()
			b.steps()
			b.save()
			b.fetch()
			b.give()
			b.properties()
		},
	}
}

// step is what is done for the packet at hand.
type step int

const (
	stIdle    step = iota // what is no data passes; else the state of its queue pair is read
	stRead                // the oldest READ or atomic, and the place of the next byte are read
	stCompare             // PSN and lengths are compared
	stJudge               // what the response is
	stPlace               // a Matched goes out
	stNext                // on to the next SGE
	stRing                // the place of the send ring is read
	stAddress             // that of the SGEs in it is computed
	stAsk                 // they are asked for
	stArrive              // and come
	stMeasure             // the SGE is compared with what is left of the payload
	stSave                // the state of the queue pair is written
)

func (s step) String() string {
	return [...]string{"idle", "read", "compare", "judge", "place", "next", "ring", "address", "ask", "arrive", "measure", "save"}[s]
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	states, tails *hdl.Memory // of each queue pair
	entries       *hdl.Memory // READs and atomics outstanding
	places        *hdl.Memory // of the oldest, if it has begun
	rings         *hdl.Memory // send rings
	sges          *hdl.Memory // granules 2 to 7 of the WQE at hand, by the beat

	st     *hdl.FSM[step]
	packet hdl.Stream[link.RxRequest] // the packet at hand
	judged hdl.Bits                   // if it is a response, it is judged
	before state                      // of its queue pair, in stIdle,
	state  state                      // and behind that
	tail   hdl.Bits                   // of its ring
	some   hdl.Bits                   // a READ or atomic is outstanding, and answers are taken: then oldest is the oldest
	oldest entry
	saved  place // its next byte, as saved or as it begins
	place  place // and as it is
	found  found

	owed hdl.Bits // bytes of the packet that have no place yet
	fits hdl.Bits // the SGE takes all of them
	none hdl.Bits // the SGE takes none

	told    hdl.Bits // the source of its payload is in the queue
	fetched hdl.Bits // the SGEs behind the first one of the packet are here
	failed  hdl.Bits // the WQE could not be read

	verdict   verdict              // on the response, in stJudge
	gives     hdl.Bits             // a Matched goes to the output's register
	free      hdl.Bits             // which has room
	room      hdl.Bits             // and so have the queues of Source and Value
	passes    hdl.Bits             // it is a packet that needs no judgement
	sources   hdl.Stream[hdl.Bits] // to the queues of Source
	originals hdl.Stream[hdl.Bits] // and Value
}

// state is what is kept of a queue pair.
type state struct {
	Head   hdl.Bits // of its ring
	Begun  hdl.Bits `w:"1"` // a response to the oldest has come: its place is in a memory
	Closed hdl.Bits `w:"1"` // no more answers are taken
}

// entry is a READ or atomic that is outstanding.
type entry struct {
	Atomic   hdl.Bits             `w:"1"`
	PSN      hdl.Bits             `w:"24"` // of its first response
	Length   hdl.Bits             `w:"32"` // bytes in all
	WQEIndex hdl.Bits             `w:"16"`
	NumSGE   hdl.Bits             `w:"3"`
	SGE      format.SGE[hdl.Bits] // the first one
}

// place is where the next response to the oldest goes.
type place struct {
	Due  hdl.Bits             `w:"24"` // its PSN
	Left hdl.Bits             `w:"32"` // bytes of the READ that are to come
	SGE  hdl.Bits             `w:"3"`  // number of the SGE that takes the next byte,
	Rest format.SGE[hdl.Bits] // and what of it has no data yet
}

// ring is where the send queue's WQEs of a queue pair are.
type ring struct {
	Page      hdl.Bits `w:"52"` // of 4 KiB
	LogSize   hdl.Bits `w:"4"`
	LogStride hdl.Bits `w:"1"`
}

func (p Params) state() state { return state{Head: hdl.W(p.Sizes.ReadBits + 1)} }

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	s := p.Sizes
	qps, words := 1<<s.QPBits, format.WQEBytesMax*8/s.DataWidth
	arrived := arrive(m, p.Sizes, io.Packet)
	return &block{
		m: m, p: p, io: io,
		states:  m.LUTRAM("states", qps, hdl.WidthOf(p.state())),
		tails:   m.LUTRAM("tails", qps, s.ReadBits+1),
		entries: m.RAM("entries", qps<<s.ReadBits, hdl.WidthOf(entry{}), hdl.Undefined),
		places:  m.RAM("places", qps, hdl.WidthOf(place{}), hdl.Undefined),
		rings:   m.RAM("rings", qps, hdl.WidthOf(ring{}), hdl.Undefined),
		sges:    m.LUTRAM("sges", words, s.DataWidth+1),

		st:     hdl.NewFSM(m, "step", stIdle, stRead, stCompare, stJudge, stPlace, stNext, stRing, stAddress, stAsk, stArrive, stMeasure, stSave),
		packet: stream.Map(arrived, func(a arrival) link.RxRequest { return a.Packet }), judged: arrived.Data.Judged,
		state: hdl.NewReg(m, "now", p.state()), tail: m.RegN("tail", s.ReadBits+1), some: m.RegN("some", 1),
		place: hdl.NewReg(m, "next", place{}), found: hdl.NewReg(m, "found", found{}),
		owed: m.RegN("owed", link.LengthBits), fits: m.RegN("fits", 1), none: m.RegN("none", 1),
		told: m.RegN("told", 1), fetched: m.RegN("fetched", 1), failed: m.RegN("failed", 1),

		gives: m.Wire("gives", 1), free: m.Wire("free", 1), room: m.Wire("room", 1), passes: m.Wire("passes", 1),
		sources: hdl.NewStream(m, "source_of", hdl.W(1)), originals: hdl.NewStream(m, "original", hdl.W(64)),
	}
}

// steps is what becomes of the packet at hand.
func (b *block) steps() {
	st := b.st
	b.st.Switch(
		hdl.On(stIdle, func() { b.begin() }),
		hdl.On(stRead, func() { st.Goto(stCompare) }),
		hdl.On(stCompare, func() { b.compare() }),
		hdl.On(stJudge, func() { b.judge() }),
		hdl.On(stPlace, func() { b.putPiece() }),
		hdl.On(stNext, func() { b.nextSGE() }),
		hdl.On(stRing, func() { st.Goto(stAddress) }),
		hdl.On(stAddress, func() { st.Goto(stAsk) }),
		hdl.On(stAsk, func() {
			b.m.If(b.io.Read.Burst.Ready, func() { st.Goto(stArrive) })
		}),
		hdl.On(stArrive, func() {
			b.m.If(b.io.Read.Beat.Fire().And(b.io.Read.Beat.Data.Last), func() { st.Goto(stNext) })
		}),
		hdl.On(stMeasure, func() {
			b.measure()
			st.Goto(stPlace)
		}),
		hdl.On(stSave, func() { st.Goto(stIdle) }),
	)
	b.packet.Ready.Set(st.Is(stSave).Or(b.passes))
}
