package standin

import (
	"bytes"
	"fmt"
	"slices"

	"gornic/format"
	"gornic/tb/frames/talk"
)

// A response is what a PSN of a READ or atomic is answered with.
type response struct {
	message *talk.Message
	payload []byte
	value   uint64 // of an atomic
	last    bool
}

// responds expects a response, behind those that are owed already.
func (a *answers) responds(psn talk.PSN, x response) {
	a.known[psn] = x
	a.owed = append(a.owed, psn)
}

// unanswered is how many READs and atomics are owed responses.
func (a *answers) unanswered() int {
	messages := map[*talk.Message]bool{}
	for _, psn := range a.owed {
		messages[a.known[psn].message] = true
	}
	return len(messages)
}

// remembers tells that a READ or atomic is one of the last that a queue pair of so many
// resources took.
func (a *answers) remembers(m *talk.Message, resources int) bool {
	return slices.Contains(a.resources[max(0, len(a.resources)-resources):], m)
}

// response judges a READ response or ATOMIC_ACK: the next one that is owed, or one that
// was sent before, which may come again.
func (a *answers) response(p *talk.Packet) error {
	x, ok := a.known[p.PSN()]
	owed := len(a.owed) > 0 && a.owed[0] == p.PSN()
	switch {
	case !ok:
		return fmt.Errorf("%v of PSN %#x, which no READ or atomic has", p.Op, p.PSN())
	case !owed && slices.Contains(a.owed, p.PSN()):
		return fmt.Errorf("%v of PSN %#x before that of PSN %#x", p.Op, p.PSN(), a.owed[0])
	case (p.Op == format.OpAtomicAck) != (x.message.Kind == talk.Atomic):
		return fmt.Errorf("%v of PSN %#x, which is of another kind", p.Op, p.PSN())
	case p.Op != format.OpAtomicAck && p.Info().End != x.last:
		return fmt.Errorf("%v of PSN %#x, the last is %v", p.Op, p.PSN(), x.last)
	case !bytes.Equal(p.Payload, x.payload):
		return fmt.Errorf("%v of PSN %#x: % x, expected % x", p.Op, p.PSN(), p.Payload, x.payload)
	case p.AtomicAck.Original != x.value:
		return fmt.Errorf("%v of PSN %#x: the number was %#x, expected %#x", p.Op, p.PSN(), p.AtomicAck.Original, x.value)
	case p.Has(format.ExtAETH) && (p.AETH.Syndrome != format.SyndromeNoCredits || int(p.AETH.MSN) != (x.message.MSN-a.base)&0xFFFFFF):
		return fmt.Errorf("%v of PSN %#x has the syndrome %#02x and the MSN %#x, expected %#02x and %#x",
			p.Op, p.PSN(), p.AETH.Syndrome, p.AETH.MSN, format.SyndromeNoCredits, (x.message.MSN-a.base)&0xFFFFFF)
	}
	if owed {
		a.owed = a.owed[1:]
	}
	a.advance(p.PSN().Plus(1))
	return nil
}

// passes tells that an answer of a PSN would overtake a response (protocol section 10, row
// 28).
func (a *answers) passes(psn talk.PSN) bool { return len(a.owed) > 0 && psn.Behind(a.owed[0]) >= 0 }
