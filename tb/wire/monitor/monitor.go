package monitor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"gornic/format"
	"gornic/tb/golden"
	"gornic/tb/wire"
)

// Connection is what a bystander knows of two connected queue pairs. The first of
// each pair is of host A.
type Connection struct {
	QPN     [2]uint32
	PSN     [2]uint32 // of the first request from there
	PathMTU int       // bytes
	// Fails tells that a queue pair may give up for a reason that the other does not see, for want of answers
	// or at the will of its host: requests may stay without an acknowledgement.
	Fails bool
}

// Monitor watches one link. It is used by one goroutine at a time.
type Monitor struct {
	// Payloads makes a packet that is sent again have the same payload, which
	// holds as long as software leaves its buffers alone.
	Payloads bool

	flows map[flowKey]*flow
	err   *Violation
}

// flowKey names a flow by its sender and the queue pair that it goes to.
type flowKey struct {
	from wire.Direction
	qpn  uint32
}

func (k flowKey) compare(other flowKey) int {
	return cmp.Or(cmp.Compare(k.from, other.from), cmp.Compare(k.qpn, other.qpn))
}

// New returns a monitor that knows no connection.
func New() *Monitor { return &Monitor{flows: map[flowKey]*flow{}} }

// Add tells the monitor of a connection, new or in place of an old one of the
// same queue pairs.
func (m *Monitor) Add(c Connection) {
	ab, ba := newFlow(c.PSN[0], c.PathMTU), newFlow(c.PSN[1], c.PathMTU)
	ab.back, ba.back = ba, ab
	ab.fails, ba.fails = c.Fails, c.Fails
	m.flows[flowKey{wire.AToB, c.QPN[1]}] = ab
	m.flows[flowKey{wire.BToA, c.QPN[0]}] = ba
}

// Violation is a packet that breaks a rule.
type Violation struct {
	Number    int // of the frame on the wire, from 1
	Direction wire.Direction
	Opcode    format.Opcode
	QPN       uint32 // it goes to
	PSN       uint32
	Text      string // what is wrong, what was expected
	Section   string // of docs/protocol
}

func (v *Violation) Error() string {
	return fmt.Sprintf("frame %d, %v, %v to QP %#x, PSN %#x: %s (protocol section %s)",
		v.Number, v.Direction, v.Opcode, v.QPN, v.PSN, v.Text, v.Section)
}

// Err is the first violation, nil if there was none.
func (m *Monitor) Err() error {
	if m.err == nil {
		return nil
	}
	return m.err
}

// Finish is Err when all work is done: then every request is acknowledged, unless
// its flow ended with a fatal NAK, or may end without.
func (m *Monitor) Finish() error {
	for _, key := range slices.SortedFunc(maps.Keys(m.flows), flowKey.compare) {
		f := m.flows[key]
		if m.err == nil && !f.dead && !f.fails && f.acked != f.next() {
			return fmt.Errorf("%v, QP %#x: PSN %#x was sent and not acknowledged", key.from, key.qpn, f.psn(f.acked))
		}
	}
	return m.Err()
}

// Tap looks at a frame. After the first violation it looks at none.
func (m *Monitor) Tap(c wire.Crossing) {
	if m.err != nil || !c.RoCE {
		return
	}
	r := golden.Receive(c.Frame, false)
	p := packet{c: c, frame: c.Frame, Received: r}
	if r.BTH != nil {
		p.op, p.psn = format.Opcode(r.BTH.Opcode), uint32(r.BTH.PSN)
	}
	if f := m.judge(p); f != nil {
		m.err = &Violation{
			Number: c.Number, Direction: c.Direction, Opcode: p.op, QPN: c.Packet.QP, PSN: c.Packet.PSN, Text: f.text, Section: f.section,
		}
	}
}

// fault is what is wrong with a packet; nil: nothing.
type fault struct{ section, text string }

func wrong(section, text string, args ...any) *fault {
	return &fault{section, fmt.Sprintf(text, args...)}
}

// packet is a packet on the wire.
type packet struct {
	golden.Received
	c     wire.Crossing
	frame []byte
	op    format.Opcode
	psn   uint32
}

// arrives tells whether the receiver takes the packet for what was sent, now.
func (p packet) arrives() bool {
	if p.c.Action == wire.Flip { // where nobody looks it does no harm
		return golden.Receive(p.c.Arriving, false).Reason == format.ReasonOK
	}
	return p.c.Arrives()
}

func (m *Monitor) judge(p packet) *fault {
	if f := checkFrame(p); f != nil {
		return f
	}
	flow, ok := m.flows[flowKey{p.c.Direction, p.c.Packet.QP}]
	switch {
	case !ok:
		return wrong("2", "no connection has this queue pair")
	case flow.port == 0:
		flow.port = p.Descriptor.SrcPort
	case flow.port != p.Descriptor.SrcPort:
		return wrong("1.2", "UDP source port %#x, expected %#x as before", p.Descriptor.SrcPort, flow.port)
	}
	switch {
	case p.c.Late && p.c.Packet.Response:
		flow.back.tells(p)
	case p.c.Late:
		flow.arrives(flow.index(p.psn))
	case p.c.Packet.Response:
		return flow.back.answer(p)
	default:
		return flow.request(p, m.Payloads)
	}
	return nil
}
