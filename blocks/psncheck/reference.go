package psncheck

import (
	"gornic/blocks/link"
	"gornic/format"
)

// Peer is what decides whether a packet is one of a queue pair.
type Peer struct {
	Exists bool
	QPN    uint64
	State  format.QPState
	AV     format.AV[uint64] // Src is the own address, Dst the peer's
}

// Fits tells whether a packet passes protocol section 2, steps 3 to 6, for the
// queue pair at its index.
func (q Peer) Fits(d format.RxDescriptor[uint64]) bool {
	if !q.Exists || d.DestQP != q.QPN {
		return false
	}
	switch q.State {
	case format.QPRTS, format.QPSQD:
	case format.QPRTR:
		if response(d) {
			return false
		}
	default:
		return false
	}
	a := q.AV
	return d.IPv6 == a.IPv6 && d.DstHi == a.SrcHi && d.DstLo == a.SrcLo && d.SrcHi == a.DstHi && d.SrcLo == a.DstLo
}

// response tells whether a packet goes to the requester's half of a queue pair.
func response(d format.RxDescriptor[uint64]) bool { return d.Opcode >= 0x0D && d.Opcode <= 0x12 }

// Reference is the block for one queue pair in plain Go, without time.
type Reference struct {
	Expected uint32 // PSN of the next request
	nakSent  bool
	dead     bool
	told     bool // of its first request
}

// Verdict is what becomes of a packet.
type Verdict struct {
	Request  bool // a Request is made of it,
	Kind     int  // of this kind: link.PSNExpected and others
	Expected uint32
	SendNAK  bool
	Tell     bool // an Async is: it is the first request in RTR

	BadQP, Duplicate, Ahead, CNP bool // it counts as such
}

// Judge judges a packet, whose queue pair waits for nothing.
func (r *Reference) Judge(d format.RxDescriptor[uint64], q Peer) Verdict {
	ignored := Verdict{Request: d.PayloadLen > 0, Kind: link.PSNIgnored}
	switch {
	case !q.Fits(d):
		ignored.BadQP = true
		return ignored
	case d.CNP == 1:
		ignored.CNP = true
		return ignored
	case response(d):
		return Verdict{Request: true, Kind: link.PSNResponse}
	case r.dead:
		ignored.BadQP = true
		return ignored
	}
	v := Verdict{Request: true, Expected: r.Expected, Tell: q.State == format.QPRTR && !r.told}
	r.told = r.told || v.Tell
	switch distance := (uint32(d.PSN) - r.Expected) & 0xFFFFFF; {
	case distance == 0:
		v.Kind = link.PSNExpected
	case distance >= 1<<23:
		v.Kind, v.Duplicate = link.PSNDuplicate, true
	default:
		v.Kind, v.Ahead, v.SendNAK = link.PSNAhead, true, !r.nakSent
		r.nakSent = true
	}
	return v
}

// Outcome is the responder's word on an expected request.
func (r *Reference) Outcome(advance uint32, nakSent, dead bool) {
	r.Expected = (r.Expected + advance) & 0xFFFFFF
	r.nakSent, r.dead = nakSent, dead
}
