package gather

import "gornic/format"

// Piece is a piece of a packet's payload in bus addresses.
type Piece struct {
	Addr uint64
	Len  int
}

// Packet is what the translator gives for a packet: its pieces, those up to the
// fault if there is one.
type Packet struct {
	Pieces []Piece
	Fault  format.VendorCode // of a key
	Probe  bool              // it has no pieces, as its keys alone are looked at
}

// Reference is what becomes of a packet, in plain Go and without time: its
// payload, or why there is none; nil of a Probe. Read is host memory.
func Reference(read func(addr uint64, b []byte) error, p Packet) ([]byte, format.VendorCode) {
	if p.Fault != format.VendorNone {
		return nil, p.Fault
	}
	if p.Probe {
		return nil, format.VendorNone
	}
	var payload []byte
	for _, piece := range p.Pieces {
		b := make([]byte, piece.Len)
		if read(piece.Addr, b) != nil {
			return nil, format.VendorBusRead
		}
		payload = append(payload, b...)
	}
	return payload, format.VendorNone
}
