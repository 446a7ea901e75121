package translate

import (
	"encoding/binary"

	"gornic/blocks/keycache"
	"gornic/format"
)

// Segment is a piece of one packet's payload in virtual addresses; see link.Segment.
type Segment struct {
	keycache.Question
	Len                                  int
	Skip, Probe, Bus, Find, Last, Probed bool
}

// Piece is a piece of one packet's payload in bus addresses. With Skip, Addr is 0; so is the
// length of what a fault leaves.
type Piece struct {
	Addr       uint64
	Len        int
	Skip, Last bool
}

// Fate is what becomes of a packet; see link.Translated. Addr is 0 where it means nothing.
type Fate struct {
	Fault       format.VendorCode
	Probe, Tail bool
	Addr        uint64
}

// Reference translates without a cache.
type Reference struct {
	Ask  func(keycache.Question) keycache.Answer
	Read func(addr uint64, b []byte) error // host memory
}

// Packet translates the segments of one packet.
func (r Reference) Packet(segments []Segment) ([]Piece, Fate) {
	last := len(segments) - 1
	switch {
	case segments[0].Probe:
		fate := r.probes(segments)
		fate.Probe = true
		return nil, fate
	case last > 0 && segments[last-1].Probed:
		pieces, fault := r.payload(segments[:last])
		if fault != format.VendorNone {
			return pieces, Fate{Fault: fault}
		}
		fate := r.probes(segments[last:])
		fate.Tail = fate.Fault != format.VendorNone
		return pieces, fate
	}
	pieces, fault := r.payload(segments)
	return pieces, Fate{Fault: fault}
}

// probes looks at keys, up to the first fault.
func (r Reference) probes(segments []Segment) Fate {
	var fate Fate
	for _, s := range segments {
		s.Len = 1 // that of a probe means nothing
		if !s.Find {
			fate = Fate{Fault: r.Ask(s.Question).Fault}
		} else if pieces, fault := r.segment(s); fault != format.VendorNone {
			fate = Fate{Fault: fault}
		} else {
			fate = Fate{Addr: pieces[0].Addr}
		}
		if fate.Fault != format.VendorNone {
			break
		}
	}
	return fate
}

// payload translates segments that are no probes.
func (r Reference) payload(segments []Segment) ([]Piece, format.VendorCode) {
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
		if s.Bus {
			out = append(out, Piece{Addr: s.VA, Len: s.Len})
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
