package monitor

import (
	"gornic/format"
	"gornic/tb/wire"
)

// Tries is how often a sender was told, or had to guess, that a packet did not get through.
type Tries struct {
	Resent   int // it was sent again while nothing before it was owed
	NotReady int // an RNR NAK for it got to the sender
	Waits    int // the same, but one alone of those between which it was not sent
}

// Tries returns the most that were counted for one of count packets from a PSN on, on their way from a side to
// a queue pair.
func (m *Monitor) Tries(from wire.Direction, qpn, psn uint32, count int) Tries {
	f := m.flows[flowKey{from, qpn}]
	if f == nil {
		return Tries{}
	}
	var most Tries
	first := f.index(psn)
	for i := max(first, 0); i < min(first+count, f.next()); i++ {
		most.Resent = max(most.Resent, f.sent[i].tries.Resent)
		most.NotReady = max(most.NotReady, f.sent[i].tries.NotReady)
		most.Waits = max(most.Waits, f.sent[i].tries.Waits)
	}
	return most
}

// sentAgain counts packet i, which crosses the wire once more.
func (f *flow) sentAgain(i int) {
	f.sent[i].told = false
	if i == f.oldest {
		f.sent[i].tries.Resent++
	}
}

// heard notes what an answer that gets to the sender tells of packet i. Behind a READ or atomic that has not been answered whole
// it tells nothing, nor does data that is not the next (protocol section 4.4).
func (f *flow) heard(i int, op format.Opcode, syndrome uint64) {
	switch {
	case i < 0 || i >= f.next():
	case op != format.OpAcknowledge:
		f.passTo(f.sent[i].begin)
		if i == f.oldest && hasResponse(f.sent[i].op) {
			f.oldest++
		}
	case syndrome >= format.SyndromeRNR:
		f.passTo(i)
	default:
		f.passTo(i + 1)
	}
}

// passTo: packets before i are not owed any more, but from a READ or atomic on.
func (f *flow) passTo(i int) {
	for f.oldest < i && !hasResponse(f.sent[f.oldest].op) {
		f.oldest++
	}
}

// notReady counts an RNR NAK for packet i that gets to the sender.
func (f *flow) notReady(i int, syndrome uint64) {
	if syndrome&^0x1F == format.SyndromeRNR && i >= 0 && i < f.next() {
		s := &f.sent[i]
		s.tries.NotReady++
		if !s.told {
			s.tries.Waits++
		}
		s.told = true
	}
}
