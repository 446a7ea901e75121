package coverage

import (
	"gornic/format"
	"gornic/tb/frames/talk"
	"gornic/tb/wire"
)

// Watch sees what one core sends and receives. A nil Watch counts nothing. It is used by one
// goroutine at a time.
type Watch struct {
	table *Table
	asked [ways]map[talk.PSN]int // bytes that READs asked for, until the response begins
}

// Watch returns one that counts in the table; nil for a nil Table.
func (t *Table) Watch() *Watch {
	if t == nil {
		return nil
	}
	return &Watch{table: t, asked: [ways]map[talk.PSN]int{{}, {}}}
}

// Tap watches the ends of a link that are cores, host A's first. A frame that was lost on the way was
// sent, but not received.
func (t *Table) Tap(cores [2]bool) wire.Tap {
	var ends [2]*Watch
	for i, is := range cores {
		if is {
			ends[i] = t.Watch()
		}
	}
	return func(c wire.Crossing) {
		if !c.Late {
			ends[c.Direction].Sent(c.Frame)
		}
		if c.Arrives() {
			ends[1-c.Direction].Received(c.Frame)
		}
	}
}

// Sent counts a frame that the core sent.
func (w *Watch) Sent(frame []byte) { w.see(Sent, frame) }

// Received counts a frame that the core was given.
func (w *Watch) Received(frame []byte) { w.see(Received, frame) }

// see counts a frame that is a whole packet of an opcode that there is.
func (w *Watch) see(way Way, frame []byte) {
	if w == nil {
		return
	}
	p, ok := talk.Parse(0, frame)
	info, known := format.Lookup(p.Op)
	if !ok || !p.Good || !known || !p.Op.Ours() {
		return
	}
	count := func(is bool, c Column) {
		if is {
			w.table.add(cell{p.Op, c, way})
		}
	}
	read := p.Op == format.OpReadRequest
	count(true, Any)
	count(!info.Start || !info.End, MultiPacket)
	count(read && p.RETH.DMALen == 0 || info.Payload == format.PayloadAny && len(p.Payload) == 0, ZeroLength)
	count(has(info, format.ExtImmDt) || has(info, format.ExtIETH), ImmInv)
	count(p.BTH.SE != 0, Solicited)
	if read {
		w.asked[way][p.PSN()] = int(p.RETH.DMALen)
	}
	if p.Op == format.OpReadResponseFirst {
		w.begins(1-way, &p)
	}
}

// begins is the first packet of a response, and so tells that a READ which went the other way is
// of several packets. The READ's own path MTU is that packet's length.
func (w *Watch) begins(way Way, p *talk.Packet) {
	if n := w.asked[way][p.PSN()]; n > len(p.Payload) {
		w.table.add(cell{format.OpReadRequest, MultiPacket, way})
		delete(w.asked[way], p.PSN())
	}
}
