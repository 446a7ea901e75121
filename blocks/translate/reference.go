package translate

import (
	"encoding/binary"

	"gornic/blocks/keycache"
	"gornic/format"
)

// Segment is a piece of one packet's payload in virtual addresses; see link.Segment.
type Segment struct {
	keycache.Question
	Len        int
	Skip, Last bool
}

// Piece is a piece of one packet's payload in bus addresses. With Skip, Addr is 0; so is the
// length of what a fault leaves.
type Piece struct {
	Addr       uint64
	Len        int
	Skip, Last bool
}

// Reference translates without a cache.
type Reference struct {
	Ask  func(keycache.Question) keycache.Answer
	Read func(addr uint64, b []byte) error // host memory
}

// Packet translates the segments of one packet.
func (r Reference) Packet(segments []Segment) ([]Piece, format.VendorCode) {
	var out []Piece
	for _, s := range segments {
		if s.Skip {
			if s.Rights != 0 {
				if fault := r.Ask(s.Question).Fault; fault != format.VendorNone {
					return append(out, Piece{Skip: true, Last: true}), fault
				}
			}
			out = append(out, Piece{Len: s.Len, Skip: true})
			continue
		}
		pieces, fault := r.segment(s)
		out = append(out, pieces...)
		if fault != format.VendorNone {
			return append(out, Piece{Skip: true, Last: true}), fault
		}
	}
	out[len(out)-1].Last = true
	return out, format.VendorNone
}

// segment gives the pieces up to the first page that is not there.
func (r Reference) segment(s Segment) ([]Piece, format.VendorCode) {
	a := r.Ask(s.Question)
	if a.Fault != format.VendorNone {
		return nil, a.Fault
	}
	if a.PageShift == 0 {
		return []Piece{{Addr: a.Translation + a.Offset, Len: s.Len}}, format.VendorNone
	}
	var out []Piece
	page := uint64(1) << a.PageShift
	first := s.VA - a.Offset // of the key
	for va, left := s.VA, s.Len; left > 0; {
		b := make([]byte, 8)
		if r.Read(a.Translation+8*(va/page-first/page), b) != nil {
			return out, format.VendorBusRead
		}
		n := min(left, int(page-va%page))
		out = append(out, Piece{Addr: binary.LittleEndian.Uint64(b)/page*page + va%page, Len: n})
		va, left = va+uint64(n), left-n
	}
	return out, format.VendorNone
}
