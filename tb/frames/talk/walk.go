package talk

import "gornic/format"

// A walker goes through a conversation as its responder did, and judges each request
// by the answers.
type walker struct {
	c        *Conversation
	expected PSN
	done     int      // messages
	open     *Message // that has begun; nil: none
	begun    bool     // a message has begun: the capture may start inside one
	failed   bool     // the queue pair is in error
	nakSent  bool     // 0x60 for the expected PSN
	ops      map[PSN]format.Opcode
	left     map[PSN]bool // PSNs of messages that are left out
	counts   map[PSN]int  // messages that are done with each PSN
}

func newWalker(c *Conversation) *walker {
	w := &walker{c: c, expected: c.FirstPSN, ops: map[PSN]format.Opcode{}, left: map[PSN]bool{}, counts: map[PSN]int{}}
	for _, r := range c.Requests() {
		if r.Good && r.Op.Transport() == format.RC {
			w.ops[r.PSN()] = r.Op
		}
	}
	return w
}

func (w *walker) walk() {
	for i := range w.c.Steps {
		if r := w.c.Steps[i].Request; r != nil && r.Good && r.Op.Transport() == format.RC {
			w.request(i, r)
		}
	}
	known := false
	for i := range w.c.Steps {
		s := &w.c.Steps[i]
		if s.Request != nil {
			s.LeftOut = s.Request.Fate == LeftOut
			continue
		}
		s.LeftOut = s.Op != format.OpAcknowledge || w.left[s.PSN()]
		count, counted := w.counts[s.PSN()]
		if !known && counted && s.Op == format.OpAcknowledge && s.AETH.Syndrome < format.SyndromeRNR {
			w.c.FirstMSN, known = int(s.AETH.MSN)-count, true
		}
	}
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
	w.begun = w.begun || r.Info().Start || refused
	switch {
	case w.failed:
	case !w.begun:
		r.Fate, w.expected = LeftOut, r.PSN().Plus(1)
		w.left[r.PSN()] = true
	case w.leaves(r.PSN(), r.Op):
		w.leave(r, refused && syndrome > format.SyndromeNAK)
	case ahead < 0:
		r.Fate = Duplicate
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
		w.take(r)
	}
}

// leaves tells that a packet belongs to a message that is neither SEND nor WRITE, as
// its end shows.
func (w *walker) leaves(psn PSN, op format.Opcode) bool {
	for {
		info, _ := format.Lookup(op)
		if info.End || op > format.OpWriteOnlyImm {
			return op > format.OpWriteOnlyImm
		}
		psn = psn.Plus(1)
		next, ok := w.ops[psn]
		if !ok {
			return false
		}
		op = next
	}
}

// leave steps over a packet.
func (w *walker) leave(r *Request, failed bool) {
	r.Fate, w.open, w.nakSent = LeftOut, nil, false
	psns := 1
	if r.Op == format.OpReadRequest {
		psns = max(1, (int(r.RETH.DMALen)+w.c.PathMTU-1)/w.c.PathMTU)
	}
	for n := range psns {
		w.left[r.PSN().Plus(n)] = true
	}
	next := r.PSN().Plus(psns)
	if next.Behind(w.expected) > 0 {
		w.expected = next
		if r.Info().End {
			w.done++
		}
	}
	w.failed = failed
}

// begin makes r part of its message.
func (w *walker) begin(r *Request) {
	if r.Info().Start {
		w.open = &Message{
			Write: r.Has(format.ExtRETH), VA: r.RETH.VA, RKey: uint32(r.RETH.RKey), Length: int(r.RETH.DMALen),
		}
	}
	if m := w.open; m != nil {
		r.Message, r.Offset = m, len(m.Payload)
		m.Solicited = r.BTH.SE != 0
		if m.HasImm = r.Has(format.ExtImmDt); m.HasImm {
			m.Imm = r.Imm
		}
	}
}

// refuse is a request at the expected PSN that drew a NAK.
func (w *walker) refuse(r *Request, syndrome uint8) {
	fits := w.wellFormed(r)
	before := w.open
	w.begin(r)
	r.Fate, r.Syndrome = Refused, syndrome
	write := r.Op >= format.OpWriteFirst
	switch {
	case syndrome&^0x1F == format.SyndromeRNR:
		r.Cause, w.c.MinRNR, w.open, w.nakSent = NotReady, syndrome&0x1F, before, true
		return
	case !fits:
		r.Cause, r.Syndrome, r.Lenient = Malformed, format.SyndromeNAKInv, syndrome != format.SyndromeNAKInv
	case syndrome == format.SyndromeNAKInv && write:
		r.Cause, w.c.NoWrite = NoRight, true
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
func (w *walker) take(r *Request) {
	fits := w.wellFormed(r)
	w.begin(r)
	if !fits {
		r.Fate, r.Cause, r.Syndrome, r.Lenient = Refused, Malformed, format.SyndromeNAKInv, true
		w.failed = true
		return
	}
	w.open.Payload = append(w.open.Payload, r.Payload...)
	r.Fate, w.nakSent = Done, false
	w.expected = w.expected.Plus(1)
	if r.Info().End {
		w.open.Ended, w.open = true, nil
		w.done++
	}
	r.Completed = w.done
	w.counts[r.PSN()] = w.done
}

// wellFormed tells that a SEND or WRITE packet has its place in the message that is
// open, and its length (protocol sections 3.4, steps 2, 5 and 8, and 3.5).
func (w *walker) wellFormed(r *Request) bool {
	info, write := r.Info(), r.Op >= format.OpWriteFirst
	if info.Start != (w.open == nil) || w.open != nil && w.open.Write != write {
		return false
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
	if !write {
		return true
	}
	left := int(r.RETH.DMALen)
	if w.open != nil {
		left = w.open.Length - len(w.open.Payload)
	}
	return left <= format.MessageMax && (n == left) == info.End && n <= left
}
