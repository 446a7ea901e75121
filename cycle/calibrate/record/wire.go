package record

import (
	"gornic/tb/frames/talk"
	"gornic/tb/wire"
)

// frame is a packet that left a core or reached one.
type frame struct {
	wire.Packet
	bytes int // of payload
	roce  bool
}

// seenWire is what crossed the wire: of each direction what was sent, and what arrived.
type seenWire struct {
	sent, arrived [2][]frame
}

func (s *seenWire) tap(c wire.Crossing) {
	f := frame{Packet: c.Packet, roce: c.RoCE}
	if p, ok := talk.Parse(0, c.Frame); ok {
		f.bytes = len(p.Payload)
	}
	d := c.Direction
	if !c.Late {
		s.sent[d] = append(s.sent[d], f)
	}
	for range arrivals(c) {
		s.arrived[d] = append(s.arrived[d], f)
	}
}

// arrivals is how many frames reach the other end.
func arrivals(c wire.Crossing) int {
	switch {
	case c.Late:
		return 1
	case c.Action == wire.Drop, c.Action == wire.Delay:
		return 0
	case c.Action == wire.Duplicate:
		return 2
	}
	return 1
}
