package talk

import (
	"encoding/binary"

	"gornic/format"
)

// A walker goes through a conversation as its responder did, and judges each request
// by the answers.
type walker struct {
	c        *Conversation
	expected PSN
	done     int              // messages
	open     *Message         // that has begun; nil: none
	begun    bool             // a message has begun: the capture may start inside one
	failed   bool             // the queue pair is in error
	nakSent  bool             // 0x60 for the expected PSN
	left     map[PSN]bool     // PSNs of messages that are left out
	counts   map[PSN]int      // messages that are done with each PSN
	answered map[PSN]*Message // READs and atomics, by each of their PSNs
}

func newWalker(c *Conversation) *walker {
	return &walker{c: c, expected: c.FirstPSN, left: map[PSN]bool{}, counts: map[PSN]int{}, answered: map[PSN]*Message{}}
}

func (w *walker) walk() {
	for i := range w.c.Steps {
		if r := w.c.Steps[i].Request; r != nil && r.Good && r.Op.Transport() == format.RC {
			w.request(i, r)
		}
	}
	asked := false
	for i := range w.c.Steps {
		s := &w.c.Steps[i]
		if s.Request != nil {
			s.LeftOut, asked = s.Request.Fate == LeftOut, true
			continue
		}
		s.LeftOut = w.left[s.PSN()] || !asked || s.PSN().Behind(w.c.FirstPSN) < 0
	}
	w.firstMSN()
}

// firstMSN finds out how many messages the responder had taken before, from its first ACK or response,
// or else from its first NAK, which counts those before its PSN.
func (w *walker) firstMSN() {
	known := false
	for _, s := range w.c.Steps {
		if s.Request != nil || s.LeftOut || !s.Good || !s.Has(format.ExtAETH) {
			continue
		}
		nak := s.AETH.Syndrome >= format.SyndromeRNR
		count, counted := w.counts[s.PSN()]
		if nak {
			count, counted = w.counts[s.PSN().Plus(-1)], !known
		}
		if counted {
			w.c.FirstMSN, known = int(s.AETH.MSN)-count, true
		}
		if counted && !nak {
			return
		}
	}
}

// returned is what a READ or atomic was answered with behind step i, as far as the capture
// has it before the same is asked for again.
func (w *walker) returned(i int, r *Request) []Piece {
	var all []Piece
	first, last := r.Message.PSN, r.PSN().Plus(r.PSNs-1)
	for _, s := range w.c.Steps[i+1 : min(i+farthest, len(w.c.Steps))] {
		inside := s.PSN().Behind(r.PSN()) >= 0 && s.PSN().Behind(last) <= 0
		switch {
		case !inside || !s.Good:
		case s.Request != nil:
			return all
		case s.Op == format.OpAtomicAck:
			return []Piece{{0, binary.LittleEndian.AppendUint64(nil, s.AtomicAck.Original)}}
		case s.Responds():
			all = append(all, Piece{s.PSN().Behind(first) * w.c.PathMTU, s.Payload})
		}
	}
	return all
}

// nak looks for a NAK at a PSN behind step i, before the next request of that PSN.
func (w *walker) nak(i int, psn PSN) (syndrome uint8, ok bool) {
	for _, s := range w.c.Steps[i+1 : min(i+farthest, len(w.c.Steps))] {
		switch {
		case s.Request != nil && s.PSN() == psn:
			return 0, false
		case s.Request == nil && s.Good && s.Op == format.OpAcknowledge && s.PSN() == psn && s.AETH.Syndrome >= format.SyndromeRNR:
			return uint8(s.AETH.Syndrome), true
		}
	}
	return 0, false
}

func (w *walker) request(i int, r *Request) {
	ahead := r.PSN().Behind(w.expected)
	r.Expected, r.Open, r.Before, r.Completed = w.expected, w.open, w.done, w.done
	syndrome, refused := w.nak(i, r.PSN())
	w.begun = w.begun || r.Info().Start || refused && syndrome != format.SyndromeNAK
	switch {
	case w.failed:
	case !w.begun:
		r.Fate, w.expected = LeftOut, r.PSN().Plus(1)
		w.left[r.PSN()] = true
	case ahead < 0:
		w.again(i, r)
	case ahead > 0:
		r.Fate = Lost
		if gap, ok := w.nak(i, w.expected); w.nakSent || ok && gap == format.SyndromeNAK {
			r.Fate, w.nakSent = Ahead, true
		}
	case refused && syndrome == format.SyndromeNAK:
		r.Fate = Lost
	case refused:
		w.refuse(r, syndrome)
	default:
		w.take(i, r)
	}
}

// again is a request that was carried out before. A READ or atomic is answered again, if
// it is one that was.
func (w *walker) again(i int, r *Request) {
	r.Fate = Duplicate
	m := w.answered[r.PSN()]
	if m == nil || m.Kind != kindOf(r) {
		return
	}
	r.PSNs, r.Offset = psnsOf(r, w.c.PathMTU), r.PSN().Behind(m.PSN)*w.c.PathMTU
	if m.Kind == Read && (int(r.RETH.DMALen) != m.Length-r.Offset || r.RETH.VA != m.VA+uint64(r.Offset) || uint32(r.RETH.RKey) != m.RKey) {
		return // not the rest of that one: it is dropped (protocol section 3.7)
	}
	r.Message = m
	r.Returned = w.returned(i, r)
}

// psnsOf is how many PSNs a request takes.
func psnsOf(r *Request, mtu int) int {
	if r.Op != format.OpReadRequest {
		return 1
	}
	return max(1, (int(r.RETH.DMALen)+mtu-1)/mtu)
}

func kindOf(r *Request) Kind {
	switch {
	case r.Op == format.OpReadRequest:
		return Read
	case r.Has(format.ExtAtomicETH):
		return Atomic
	case r.Op >= format.OpWriteFirst && r.Op <= format.OpWriteOnlyImm:
		return Write
	}
	return Send
}

// begin makes r part of its message.
func (w *walker) begin(r *Request) {
	if r.Info().Start {
		w.open = &Message{Kind: kindOf(r), VA: r.RETH.VA, RKey: uint32(r.RETH.RKey), Length: int(r.RETH.DMALen), PSN: r.PSN()}
		if w.open.Kind == Atomic {
			w.open.VA, w.open.RKey, w.open.Length = r.AtomicETH.VA, uint32(r.AtomicETH.RKey), atomicBytes
			w.open.Compares = r.Op == format.OpCmpSwap
		}
	}
	if m := w.open; m != nil {
		r.Message, r.Offset = m, len(m.Payload)
		m.Solicited = r.BTH.SE != 0
		if m.HasImm = r.Has(format.ExtImmDt); m.HasImm {
			m.Imm = r.Imm
		}
		if m.Invalidates = r.Has(format.ExtIETH); m.Invalidates {
			m.Ends = uint32(r.IETH.RKey)
		}
	}
}

// refuse is a request at the expected PSN that drew a NAK.
func (w *walker) refuse(r *Request, syndrome uint8) {
	fits := w.wellFormed(r)
	before := w.open
	w.begin(r)
	r.Fate, r.Syndrome = Refused, syndrome
	right := rights[kindOf(r)]
	switch {
	case syndrome&^0x1F == format.SyndromeRNR:
		r.Cause, w.c.MinRNR, w.open, w.nakSent = NotReady, syndrome&0x1F, before, true
		return
	case !fits:
		r.Cause, r.Syndrome, r.Lenient = Malformed, format.SyndromeNAKInv, syndrome != format.SyndromeNAKInv
	case syndrome == format.SyndromeNAKInv && right != 0:
		r.Cause, w.c.NoAccess = NoRight, w.c.NoAccess|right
	case syndrome == format.SyndromeNAKInv:
		r.Cause = TooLong
	case syndrome == format.SyndromeNAKAccess:
		r.Cause = BadKey
	default:
		r.Cause = LocalFault
	}
	w.failed = true
}

// take is a request at the expected PSN that was carried out, unless the protocol
// says to refuse it.
func (w *walker) take(i int, r *Request) {
	fits := w.wellFormed(r)
	w.begin(r)
	if !fits {
		r.Fate, r.Cause, r.Syndrome, r.Lenient = Refused, Malformed, format.SyndromeNAKInv, true
		w.failed = true
		return
	}
	w.open.Payload = append(w.open.Payload, r.Payload...)
	r.Fate, w.nakSent, r.PSNs = Done, false, psnsOf(r, w.c.PathMTU)
	w.expected = w.expected.Plus(r.PSNs)
	if r.Info().End {
		w.open.Ended, w.open = true, nil
		w.done++
	}
	r.Completed = w.done
	for n := range r.PSNs {
		w.counts[r.PSN().Plus(n)] = w.done
	}
	if m := r.Message; m.Answers() {
		m.MSN = w.done
		for n := range r.PSNs {
			w.answered[r.PSN().Plus(n)] = m
		}
		r.Returned = w.returned(i, r)
	}
}

// atomicBytes is what an atomic works on.
const atomicBytes = 8

// rights are what queue pairs have to allow.
var rights = map[Kind]uint8{
	Write: format.AccessRemoteWrite, Read: format.AccessRemoteRead, Atomic: format.AccessRemoteAtomic,
}

// wellFormed tells that a packet has its place in the message that is open, and its length
// (protocol sections 3.4, steps 1, 2, 5, 6 and 8, and 3.5).
func (w *walker) wellFormed(r *Request) bool {
	info, known := format.Lookup(r.Op)
	kind := kindOf(r)
	if !known || info.Start != (w.open == nil) || w.open != nil && w.open.Kind != kind {
		return false
	}
	switch kind {
	case Read:
		return len(r.Payload) == 0 && r.RETH.DMALen <= format.MessageMax
	case Atomic:
		return len(r.Payload) == 0 && r.AtomicETH.VA%atomicBytes == 0
	}
	n, mtu := len(r.Payload), w.c.PathMTU
	switch info.Payload {
	case format.PayloadFull:
		if n != mtu {
			return false
		}
	case format.PayloadSome:
		if n == 0 || n > mtu {
			return false
		}
	default:
		if n > mtu {
			return false
		}
	}
	if kind == Send {
		return true
	}
	left := int(r.RETH.DMALen)
	if w.open != nil {
		left = w.open.Length - len(w.open.Payload)
	}
	return left <= format.MessageMax && (n == left) == info.End && n <= left
}
