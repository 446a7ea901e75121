package readmatch

import (
	"gornic/blocks/link"
	"gornic/format"
)

// Reference is the block for one queue pair in plain Go, without time. It keeps no place: where a byte
// goes it counts from the first one of the READ.
type Reference struct {
	Read      func(addr uint64, b []byte) error // host memory, to read SGEs from
	Base      uint64                            // of the send ring
	LogSize   int
	LogStride int
	MTU       int // bytes

	outstanding []*outstanding // oldest first
	closed      bool
}

// Request is a READ or atomic.
type Request struct {
	Atomic   bool
	PSN      uint32
	Length   int
	WQEIndex uint16
	NumSGE   int
	SGE      format.SGE[uint64] // the first one
}

type outstanding struct {
	Request
	received int // packets
}

// packets is how many PSNs a READ or atomic takes (protocol section 4.1).
func (o *outstanding) packets(mtu int) int { return max(1, (o.Length+mtu-1)/mtu) }

// Response is a packet for the requester's half.
type Response struct {
	Opcode   format.Opcode
	PSN      uint32
	Syndrome int // of its AETH; MIDDLE has none
	Length   int // of its payload
}

// Piece is where bytes of a payload go.
type Piece struct {
	SGE   int // its number
	Key   uint32
	VA    uint64
	Bytes int
}

// Answer is what becomes of a response.
type Answer struct {
	Match  int     // link.MatchACK and others
	Atomic bool    // 8 bytes of AtomicAckETH are the payload
	Pieces []Piece // of data that is placed
	Fault  bool    // and the rest of the payload has no place, as the WQE could not be read
}

// Clear begins anew: nothing is outstanding.
func (r *Reference) Clear() { r.outstanding, r.closed = nil, false }

// Issue makes a READ or atomic outstanding.
func (r *Reference) Issue(q Request) { r.outstanding = append(r.outstanding, &outstanding{Request: q}) }

// Outstanding is how many READs and atomics are.
func (r *Reference) Outstanding() int { return len(r.outstanding) }

// Oldest returns the oldest READ or atomic and how many of its packets have come.
func (r *Reference) Oldest() (Request, int) {
	return r.outstanding[0].Request, r.outstanding[0].received
}

// Closed tells whether nothing is taken any more.
func (r *Reference) Closed() bool { return r.closed }

// behind is how far a PSN is behind another (protocol section 3.2).
func behind(psn, than uint32) int {
	d := int(psn-than) & 0xFFFFFF
	if d >= 1<<23 {
		return d - 1<<24
	}
	return d
}

// Respond takes a response.
func (r *Reference) Respond(p Response) Answer {
	switch {
	case r.closed:
		return Answer{Match: link.MatchIgnored}
	case p.Opcode == format.OpAcknowledge:
		r.closed = r.refused(p)
		return Answer{Match: link.MatchACK}
	case len(r.outstanding) == 0:
		return Answer{Match: link.MatchStray}
	}
	o := r.outstanding[0]
	switch ahead := behind(p.PSN, o.PSN+uint32(o.received)); {
	case ahead < 0:
		return Answer{Match: link.MatchStray}
	case ahead > 0:
		return Answer{Match: link.MatchGap}
	}
	a := r.place(o, p)
	switch a.Match {
	case link.MatchDone:
		r.outstanding = r.outstanding[1:]
	case link.MatchData:
		o.received++
	default:
		r.closed = true
	}
	r.closed = r.closed || a.Fault
	return a
}

// refused tells whether a NAK ends the oldest READ or atomic (protocol section 4.4; the
// peer may name any of its PSNs, section 10).
func (r *Reference) refused(p Response) bool {
	if p.Syndrome < 0x61 || p.Syndrome > 0x63 || len(r.outstanding) == 0 {
		return false
	}
	o := r.outstanding[0]
	d := behind(p.PSN, o.PSN)
	return d >= 0 && d < o.packets(r.MTU)
}

// place takes the response that is due.
func (r *Reference) place(o *outstanding, p Response) Answer {
	bad, short := Answer{Match: link.MatchBad}, Answer{Match: link.MatchLength}
	if p.Opcode != format.OpReadResponseMiddle && p.Syndrome>>5 != 0 {
		return bad
	}
	if (p.Opcode == format.OpAtomicAck) != o.Atomic {
		return bad
	}
	if o.Atomic {
		if p.Length != 0 {
			return short
		}
		a := Answer{Match: link.MatchDone, Atomic: true}
		a.Pieces, a.Fault = r.pieces(o, 0, o.Length)
		return a
	}
	last := o.received == o.packets(r.MTU)-1
	from := o.received * r.MTU
	a := Answer{Match: link.MatchData}
	length := r.MTU
	switch p.Opcode {
	case format.OpReadResponseFirst, format.OpReadResponseMiddle:
		if last {
			return bad
		}
	default:
		if !last {
			return bad
		}
		a.Match, length = link.MatchDone, o.Length-from
	}
	if p.Length != length {
		return short
	}
	a.Pieces, a.Fault = r.pieces(o, from, length)
	return a
}

// pieces is where n bytes of a READ go, from byte from on, as far as its SGEs can be read.
func (r *Reference) pieces(o *outstanding, from, n int) (list []Piece, fault bool) {
	for k, begin := 0, 0; n > 0; k++ {
		sge, ok := r.sge(o, k)
		if !ok {
			return list, true
		}
		end := begin + int(sge.Length)
		if m := min(n, end-from); m > 0 {
			list = append(list, Piece{SGE: k, Key: uint32(sge.LKey), VA: sge.Addr + uint64(from-begin), Bytes: m})
			from, n = from+m, n-m
		}
		begin = end
	}
	return list, false
}

// sge is SGE k of a WQE: the first as it was issued, the others as they are in the ring.
func (r *Reference) sge(o *outstanding, k int) (format.SGE[uint64], bool) {
	switch {
	case k >= o.NumSGE:
		return format.SGE[uint64]{}, false
	case k == 0:
		return o.SGE, true
	}
	slot := uint64(o.WQEIndex) & (1<<r.LogSize - 1)
	var b [format.GranuleBytes]byte
	if r.Read(r.Base+slot<<(6+r.LogStride)+uint64(32+16*k), b[:]) != nil {
		return format.SGE[uint64]{}, false
	}
	s, err := format.DecodeHost[format.SGE[uint64]](b[:])
	return s, err == nil
}
