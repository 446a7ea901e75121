package scatter

// Piece is where a part of a packet's payload goes. With Skip, the rest is dropped.
type Piece struct {
	Addr uint64
	Len  int
	Skip bool
}

// Packet is a received packet.
type Packet struct {
	Payload []byte  // empty: there are no pieces
	Pieces  []Piece // together no longer than Payload
	Placed  bool    // the responder has taken the packet: a bus error counts
}

// Reference is what becomes of a packet, in plain Go and without time: it writes the payload, and returns
// whether Placed has BusErr. Write is host memory.
func Reference(write func(addr uint64, b []byte) error, p Packet) (busErr bool) {
	rest := p.Payload
	for _, piece := range p.Pieces {
		if piece.Skip {
			break
		}
		if write(piece.Addr, rest[:piece.Len]) != nil {
			busErr = true
		}
		rest = rest[piece.Len:]
	}
	return busErr && p.Placed
}
