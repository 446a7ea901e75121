package resources

import (
	"gornic/blocks/link"
	"gornic/format"
)

// Reference is the resources of one queue pair in plain Go, without time (protocol sections 3.7 to 3.10).
type Reference struct {
	MTU  int // bytes
	Size int // entries of the ring

	Duplicates int // that came
	next, most int // entries answered whole, now and at best
	index      int // packets of the READ next that need no answer
	anew       bool
	entries    []Request       // all that ever came; the last Size of them are in the ring
	values     map[int]Outcome // of atomics, by entry
}

// Request is a READ or atomic.
type Request struct {
	Kind   int // link.ResourceRead and others
	PSN    uint32
	MSN    uint32
	VA     uint64
	RKey   uint32
	Length uint32
}

// Outcome is what came of an atomic.
type Outcome struct {
	Value uint64
	Fault format.VendorCode // of memory: a NAK answers
}

// Packet is a response. Of one without payload, VA and RKey mean nothing.
type Packet struct {
	Opcode format.Opcode
	PSN    uint32
	MSN    uint32
	VA     uint64
	RKey   uint32
	Length int
	Outcome
}

const psnMask = 1<<24 - 1

// Take takes a new request, and returns its number.
func (r *Reference) Take(q Request) int {
	r.entries = append(r.entries, q)
	if oldest := r.oldest(); r.next < oldest {
		r.moveTo(oldest, 0)
	}
	return len(r.entries) - 1
}

// Finish keeps what came of the atomic of a number.
func (r *Reference) Finish(number int, o Outcome) {
	if r.values == nil {
		r.values = map[int]Outcome{}
	}
	r.values[number] = o
}

// oldest is the oldest entry of the ring.
func (r *Reference) oldest() int { return max(0, len(r.entries)-r.Size) }

func (r *Reference) moveTo(entry, index int) {
	r.next, r.index, r.anew = entry, index, true
}

// packets is how many responses a request draws.
func (r *Reference) packets(q Request) int {
	if q.Kind != link.ResourceRead {
		return 1
	}
	return max(1, (int(q.Length)+r.MTU-1)/r.MTU)
}

// Again takes a duplicate, and reports whether it is answered.
func (r *Reference) Again(q Request) bool {
	r.Duplicates++
	for i := r.oldest(); i < len(r.entries); i++ {
		index := int((q.PSN - r.entries[i].PSN) & psnMask)
		if index >= r.packets(r.entries[i]) {
			continue
		}
		if !r.same(r.entries[i], q, index) {
			return false
		}
		if i < r.next || i == r.next && r.index > 0 {
			r.moveTo(i, index)
		}
		return true
	}
	return false
}

// same reports whether the duplicate asks for what is left of a request from the packet index on.
func (r *Reference) same(was, q Request, index int) bool {
	offset := index * r.MTU
	switch {
	case was.Kind != q.Kind:
		return false
	case was.Kind != link.ResourceRead:
		return true
	case was.Length == 0:
		return q.Length == 0
	}
	return was.RKey == q.RKey && q.VA == was.VA+uint64(offset) && int(q.Length) == int(was.Length)-offset
}

// Packet makes the next response; false if there is none, or none yet.
func (r *Reference) Packet() (p Packet, ok bool) {
	if r.next == len(r.entries) {
		return Packet{}, false
	}
	q := r.entries[r.next]
	p = Packet{PSN: (q.PSN + uint32(r.index)) & psnMask, MSN: q.MSN}
	if q.Kind != link.ResourceRead {
		p.Opcode = format.OpAtomicAck
		p.Outcome, ok = r.values[r.next]
		if p.Fault != format.VendorNone {
			p.MSN = (p.MSN - 1) & psnMask // a NAK does not count its request (protocol section 3.6)
		}
		if ok {
			r.answered()
		}
		return p, ok
	}
	first, last := r.index == 0 || r.anew, r.index == r.packets(q)-1
	p.Opcode = map[[2]bool]format.Opcode{
		{true, true}: format.OpReadResponseOnly, {true, false}: format.OpReadResponseFirst,
		{false, true}: format.OpReadResponseLast, {false, false}: format.OpReadResponseMiddle,
	}[[2]bool{first, last}]
	p.VA, p.RKey = q.VA+uint64(r.index*r.MTU), q.RKey
	p.Length = min(r.MTU, int(q.Length)-r.index*r.MTU)
	r.index, r.anew = r.index+1, false
	if last {
		r.answered()
	}
	return p, true
}

// answered goes on to the next entry.
func (r *Reference) answered() {
	r.next, r.index, r.anew = r.next+1, 0, false
	r.most = max(r.most, r.next)
}

// Served returns what link.Served says.
func (r *Reference) Served() (next, most, duplicates uint8) {
	return uint8(r.next), uint8(r.most), uint8(r.Duplicates)
}

// Unanswered is how many entries have not been answered at all.
func (r *Reference) Unanswered() int { return len(r.entries) - r.most }
