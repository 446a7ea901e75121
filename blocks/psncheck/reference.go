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

	Congestion bool // it has congestion control
}

// Reasons why a packet is none of a queue pair.
const (
	MisfitNumber  = "number"
	MisfitAddress = "address"
	MisfitState   = "state"
)

// Misfit says why a packet does not pass protocol section 2, steps 3 to 6, for the
// queue pair at its index; "" if it does. A queue pair has its addresses from RTR on.
func (q Peer) Misfit(d format.RxDescriptor[uint64]) string {
	a := q.AV
	switch {
	case !q.Exists || d.DestQP != q.QPN:
		return MisfitNumber
	case q.State == format.QPReset, q.State == format.QPInit:
		return MisfitState
	case d.IPv6 != a.IPv6, d.DstHi != a.SrcHi, d.DstLo != a.SrcLo, d.SrcHi != a.DstHi, d.SrcLo != a.DstLo:
		return MisfitAddress
	case q.State == format.QPRTR && !response(d), q.State == format.QPRTS, q.State == format.QPSQD:
		return ""
	}
	return MisfitState
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

	Misfit                string // "", or why it is dropped
	Duplicate, Ahead      bool   // it counts as such,
	CNPIgnored, ECNMarked bool   // and as such

	CNP       bool // congestion control hears of a CNP,
	Congested bool // or of a packet that is marked
}

// Judge judges a packet, whose queue pair waits for nothing.
func (r *Reference) Judge(d format.RxDescriptor[uint64], q Peer) Verdict {
	v := r.judge(d, q)
	if q.Misfit(d) != "" {
		return v
	}
	v.CNP, v.CNPIgnored = d.CNP == 1 && q.Congestion, d.CNP == 1 && !q.Congestion
	v.ECNMarked = d.CNP == 0 && d.TrafficClass&3 == 3 // ECN says CE
	v.Congested = v.ECNMarked && q.Congestion
	return v
}

func (r *Reference) judge(d format.RxDescriptor[uint64], q Peer) Verdict {
	ignored := Verdict{Request: d.PayloadLen > 0, Kind: link.PSNIgnored, Misfit: q.Misfit(d)}
	switch {
	case ignored.Misfit != "":
		return ignored
	case d.CNP == 1:
		return ignored
	case response(d):
		return Verdict{Request: true, Kind: link.PSNResponse}
	case r.dead:
		ignored.Misfit = MisfitState
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
