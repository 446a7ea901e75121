package resend

import (
	"fmt"
	"slices"

	"gornic/blocks/link"
	"gornic/blocks/wqe"
	"gornic/format"
	"gornic/hdl"
)

// Params are the parameters of the block.
type Params struct{ Sizes link.Sizes }

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	s := p.Sizes
	switch s.DataWidth {
	case 64, 128, 256, 512:
	default:
		return fmt.Errorf("resend: data width of %d bits: not 64, 128, 256 or 512", s.DataWidth)
	}
	if s.QPBits < 1 || s.QPBits > 16 {
		return fmt.Errorf("resend: 2^%d queue pairs: not 2^1 to 2^16", s.QPBits)
	}
	if s.CQBits < 1 || s.CQBits > 16 {
		return fmt.Errorf("resend: 2^%d completion queues: not 2^1 to 2^16", s.CQBits)
	}
	if s.ReplayBits < 1 || s.ReplayBits > 12 {
		return fmt.Errorf("resend: 2^%d replay entries a queue pair: not 2^1 to 2^12", s.ReplayBits)
	}
	return nil
}

// IO is the ports of the block.
type IO struct {
	Resend  hdl.Stream[link.Resend]      `hdl:"in"`
	Resent  hdl.Stream[link.Resent]      `hdl:"out"`
	Entries link.ReplayReader            `hdl:"out"`
	Context link.ContextPort             `hdl:"out"`
	Ring    hdl.Stream[link.RingConfig]  `hdl:"in"` // of send queues
	Read    link.ReadPort                `hdl:"out"`
	Job     hdl.Stream[link.TxJob]       `hdl:"out"`
	Segment hdl.Stream[link.Segment]     `hdl:"out"`
	Fault   hdl.Stream[link.ResendFault] `hdl:"out"`
	Control hdl.Stream[link.QPControl]   `hdl:"in"`
	Paced   link.PacedPort               `hdl:"out"`
	Wake    hdl.Stream[link.QPRef]       `hdl:"in"`
	Fence   hdl.Stream[link.Fence]       `hdl:"in"`
	Passed  hdl.Stream[link.Fence]       `hdl:"out"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	s := p.Sizes
	return hdl.Def[IO]{
		Name: fmt.Sprintf("resend_%d_qp%d_cq%d_r%d", s.DataWidth, s.QPBits, s.CQBits, s.ReplayBits) + s.Tag(link.Atomics|link.KeyRequests),
		Doc:  "Sends the packets again that wait for an answer in the replay rings, oldest first, a packet of a queue pair at a time.",
		IO: IO{
			Resend: hdl.StreamOf(s.Resend()), Resent: hdl.StreamOf(s.Resent()), Entries: s.ReplayReader(), Context: s.ContextPort(),
			Ring: hdl.StreamOf(s.RingConfig()), Read: s.ReadPort(), Job: hdl.StreamOf(s.TxJob()), Segment: hdl.StreamOf(link.Segment{}),
			Fault: hdl.StreamOf(s.ResendFault()), Control: hdl.StreamOf(s.QPControl()), Paced: s.PacedPort(), Wake: hdl.StreamOf(s.QPRef()),
			Fence: hdl.StreamOf(link.Fence{}), Passed: hdl.StreamOf(link.Fence{}),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := newBlock(m, p, io)
			b.clear()
			b.enter()
			b.order()
			b.begin()
			b.fence()
			b.lookPorts()
			b.pace()
			b.fetchPorts()
			b.measure()
			b.givePorts()
			b.steps()
			b.properties()
		},
	}
}

// step is what is done in a turn.
type step int

const (
	stIdle    step = iota // there is no turn
	stStart               // what is known of the queue pair is here
	stLook                // context and entry are looked up
	stDecide              // what becomes of the entry
	stAddress             // the address of the WQE
	stAsk                 // it is asked for
	stArrive              // and comes
	stBegin               // it is compared with the entry, which is looked at again
	stSum                 // SGEs are added up, one by one
	stPlan                // headers
	stCheck               // the entry has to be there still
	stJob                 // the packet
	stWalk                // its pieces of SGEs
	stNext                // the next SGE
	stMeasure             // what of it is payload
	stFault               // the WQE is not what was sent
	stResent              // all has been sent
	stEnd                 // the next entry is noted, and the queue pair goes behind all others
)

func (s step) String() string {
	return [...]string{
		"idle", "start", "look", "decide", "address", "ask", "arrive", "begin", "sum", "plan", "check", "job", "walk", "next", "measure", "fault", "resent", "end",
	}[s]
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	orders, places *hdl.Memory              // of each queue pair: the Resend, and the index of its next entry
	asked, begun   *hdl.Memory              // a bit each: they differ while the Resend has not begun
	sweep, swept   hdl.Bits                 // the place where both are cleared after reset; all are
	rings          *hdl.Memory              // send rings
	granules       *hdl.Memory              // the WQE, by the beat
	wakes          []hdl.Stream[link.QPRef] // queue pairs that have something to send
	queue          hdl.Stream[link.QPRef]   // and whose turn it is

	st      *hdl.FSM[step]
	begins  hdl.Bits // a turn begins
	touches hdl.Bits // the order of the turn's queue pair changes in this cycle
	turn    turn

	contextOwed, contextHere hdl.Bits
	paced                    hdl.Bits // the queue pair has to wait for its rate
	entryOwed, entryHere     hdl.Bits
	second                   hdl.Bits // the entry is looked at for the second time
	context                  context
	any, same, newest        hdl.Bits // of the last look: there is an entry, that of the first look, and the newest
	index                    hdl.Bits // of the entry,
	entry                    entry
	next                     hdl.Bits // and of the one that the next turn is for
	passed                   hdl.Bits // PSNs of a READ before the one that the Resend names
	span                     hdl.Bits // PSNs of the packet beyond its first

	kept    kept
	slot    hdl.Bits   // bus address of the WQE
	beat    hdl.Bits   // of the WQE, that comes next
	control []hdl.Bits // first granules, by the beat
	bad     hdl.Bits   // it could not be read, or is not what was sent

	number hdl.Bits // of an SGE
	total  hdl.Bits // bytes of the SGEs so far, or of the message
	offset hdl.Bits // bytes of the message before the packet, less the SGEs so far
	found  hdl.Bits // the payload begins
	first  hdl.Bits // in this SGE
	sge    format.SGE[hdl.Bits]
	at     hdl.Bits // byte in it that is next
	left   hdl.Bits // bytes of it from there on
	need   hdl.Bits // bytes of payload that are to come
	length hdl.Bits // of those, in the SGE
	enough hdl.Bits // all of them are
	header header
}

// turn is what is known of the turn that is under way, from its beginning on.
type turn struct {
	qp    hdl.Bits
	fresh hdl.Bits // it is the first one of its Resend
	flip  hdl.Bits // the bit that says so
	newer hdl.Bits // its order has changed since
	order order
	place place
	ring  ring
}

// order is a Resend.
type order struct {
	Live   hdl.Bits `w:"1"` // it is in force
	Number hdl.Bits `w:"2"`
	PSN    hdl.Bits `w:"24"`
}

// place is how far a Resend has come.
type place struct {
	Done  hdl.Bits `w:"1"`  // Resent has been given
	Index hdl.Bits `w:"16"` // of the next entry
}

// ring is where the send queue's WQEs of a queue pair are.
type ring struct {
	Page      hdl.Bits `w:"52"` // of 4 KiB
	LogSize   hdl.Bits `w:"4"`
	LogStride hdl.Bits `w:"1"`
}

// context is what matters of a link.Context.
type context struct {
	Sends   hdl.Bits `w:"1"` // packets may leave
	QPN     hdl.Bits `w:"24"`
	PD      hdl.Bits `w:"24"`
	PathMTU hdl.Bits `w:"3"`
}

// entry is what matters of a link.ReplayEntry.
type entry struct {
	Kind     hdl.Bits `w:"2"`
	PSN      hdl.Bits `w:"24"`
	LastPSN  hdl.Bits `w:"24"`
	WQEIndex hdl.Bits `w:"16"`
	Offset   hdl.Bits `w:"32"`
	Length   hdl.Bits `w:"13"`
	First    hdl.Bits `w:"1"`
	Last     hdl.Bits `w:"1"`
	Failed   hdl.Bits `w:"1"`
}

// kept says whose WQE is here. It is good until the first turn of a Resend: nobody knows what software has
// done with the slot until then.
type kept struct {
	Valid hdl.Bits `w:"1"`
	QP    hdl.Bits
	Index hdl.Bits `w:"16"`
}

// header is what the WQE says of the packet's headers.
type header struct {
	Opcode hdl.Bits `w:"8"`
	SE     hdl.Bits `w:"1"`
	AckReq hdl.Bits `w:"1"` // whatever else is in the ring
	PSN    hdl.Bits `w:"24"`
	VA     hdl.Bits `w:"64"`
	RKey   hdl.Bits `w:"32"`
	DMALen hdl.Bits `w:"32"`
	Imm    hdl.Bits `w:"32"`
}

func newBlock(m *hdl.Module, p Params, io *IO) *block {
	s := p.Sizes
	qps, words := 1<<s.QPBits, format.WQEBytesMax*8/s.DataWidth
	b := &block{
		m: m, p: p, io: io,
		orders: m.RAM("orders", qps, hdl.WidthOf(order{}), hdl.Undefined), places: m.RAM("places", qps, hdl.WidthOf(place{}), hdl.Undefined),
		asked: m.LUTRAM("asked", qps, 1), begun: m.LUTRAM("begun", qps, 1), sweep: m.Reg("sweep", s.QPBits+1, 0),
		rings: m.RAM("rings", qps, hdl.WidthOf(ring{}), hdl.Undefined), granules: m.LUTRAM("granules", words, s.DataWidth),

		st:     hdl.NewFSM(m, "step", stIdle, stStart, stLook, stDecide, stAddress, stAsk, stArrive, stBegin, stSum, stPlan, stCheck, stJob, stWalk, stNext, stMeasure, stFault, stResent, stEnd),
		begins: m.Wire("begins", 1), touches: m.Wire("touches", 1),
		turn: turn{qp: m.RegN("turn_qp", s.QPBits), fresh: m.RegN("fresh", 1), flip: m.RegN("flip", 1), newer: m.RegN("newer", 1)},

		contextOwed: m.Reg("context_owed", 1, 0), contextHere: m.Reg("context_here", 1, 0), paced: m.RegN("paced", 1),
		entryOwed: m.Reg("entry_owed", 1, 0), entryHere: m.Reg("entry_here", 1, 0), second: m.RegN("second_look", 1),
		context: hdl.NewReg(m, "of_qp", context{}), any: m.RegN("any", 1), same: m.RegN("same", 1), newest: m.RegN("newest", 1),
		index: m.RegN("index", 16), entry: hdl.NewReg(m, "entry", entry{}), next: m.RegN("next", 16),
		passed: m.RegN("passed_psns", 24), span: m.RegN("span", 24),

		kept: kept{Valid: m.Reg("kept", 1, 0), QP: m.RegN("kept_qp", s.QPBits), Index: m.RegN("kept_index", 16)},
		slot: m.RegN("slot", 64), beat: m.RegN("beat", hdl.Log2(words)), bad: m.RegN("bad", 1),

		number: m.RegN("number", 3), total: m.RegN("total", 32), offset: m.RegN("offset", 32),
		found: m.RegN("found", 1), first: m.RegN("first", 3), sge: hdl.NewReg(m, "sge", format.SGE[hdl.Bits]{}),
		at: m.RegN("at", 32), left: m.RegN("sge_left", 32), need: m.RegN("need", link.LengthBits),
		length: m.RegN("length", link.LengthBits), enough: m.RegN("enough", 1), header: hdl.NewReg(m, "header", header{}),
	}
	for i := range max(1, controlBits/s.DataWidth) {
		b.control = append(b.control, m.RegN(fmt.Sprintf("control_%d", i), min(s.DataWidth, controlBits)))
	}
	return b
}

// wqe is the control part of the WQE.
func (b *block) wqe() wqe.Control {
	parts := slices.Clone(b.control)
	slices.Reverse(parts)
	return hdl.UnpackLow(wqe.Control{}, hdl.Cat(parts...))
}

// steps is a turn.
func (b *block) steps() {
	m, st, io := b.m, b.st, b.io
	goOn := func(when hdl.Bits, to step) func() { return func() { m.If(when, func() { st.Goto(to) }) } }
	st.Switch(
		hdl.On(stIdle, goOn(b.begins, stStart)),
		hdl.On(stStart, b.start),
		hdl.On(stLook, b.look),
		hdl.On(stDecide, b.decide),
		hdl.On(stAddress, b.address),
		hdl.On(stAsk, goOn(io.Read.Burst.Ready, stArrive)),
		hdl.On(stArrive, b.arrive),
		hdl.On(stBegin, b.compare),
		hdl.On(stSum, b.sum),
		hdl.On(stPlan, b.plan),
		hdl.On(stCheck, b.check),
		hdl.On(stJob, b.announce),
		hdl.On(stWalk, b.walk),
		hdl.On(stNext, b.nextSGE),
		hdl.On(stMeasure, func() { st.Goto(stWalk) }),
		hdl.On(stFault, func() { m.If(io.Fault.Ready, b.done) }),
		hdl.On(stResent, goOn(io.Resent.Ready, stIdle)),
		hdl.On(stEnd, goOn(b.wakes[wakeAgain].Ready, stIdle)),
	)
}
