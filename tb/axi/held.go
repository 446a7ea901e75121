package axi

import (
	"slices"

	"gornic/blocks/link"
	"gornic/hdl"
	"gornic/hdl/ir"
)

// held is a channel from the master, watched for the rule that what is offered is
// offered until it is taken.
type held struct {
	name         string
	valid, ready *ir.Signal
	payload      []*ir.Signal
	waits        bool     // it was offered in the cycle before, and not taken
	before, now  []uint64 // payload
}

func heldChannels(p link.AXI) []held {
	return []held{
		newHeld("AR", p.ARValid, p.ARReady, p.ARID, p.ARAddr, p.ARLen, p.ARSize, p.ARBurst, p.ARLock, p.ARCache, p.ARProt),
		newHeld("AW", p.AWValid, p.AWReady, p.AWID, p.AWAddr, p.AWLen, p.AWSize, p.AWBurst, p.AWLock, p.AWCache, p.AWProt),
		newHeld("W", p.WValid, p.WReady, p.WData, p.WStrb, p.WLast),
	}
}

func newHeld(name string, valid, ready hdl.Bits, payload ...hdl.Bits) held {
	h := held{name: name, valid: valid.Signal(), ready: ready.Signal()}
	n := 0
	for _, x := range payload {
		h.payload = append(h.payload, x.Signal())
		n += ir.WordCount(x.Width())
	}
	h.before, h.now = make([]uint64, n), make([]uint64, n)
	return h
}

// checkHeld looks at the channels in the present cycle.
func (m *Memory) checkHeld() error {
	if m.looked == m.now {
		return nil // it is another look at the same cycle
	}
	m.looked = m.now
	for i := range m.held {
		if what := m.held[i].look(m); what != "" {
			return &ProtocolError{Channel: m.held[i].name, Cycle: m.now, What: what}
		}
	}
	return nil
}

// look returns what is wrong, if anything.
func (h *held) look(m *Memory) string {
	get := func(s *ir.Signal, to []uint64) []uint64 {
		to = to[:ir.WordCount(s.Width)]
		m.sim.Backend().Get(s, to)
		return to
	}
	var flag [1]uint64
	valid := get(h.valid, flag[:])[0] == 1
	if h.waits && !valid {
		return "no longer valid before it was ready"
	}
	h.now, h.before = h.before, h.now
	for at, i := 0, 0; i < len(h.payload); i++ {
		at += len(get(h.payload[i], h.now[at:]))
	}
	if h.waits && !slices.Equal(h.now, h.before) {
		return "changed before it was ready"
	}
	h.waits = valid && get(h.ready, flag[:])[0] == 0
	return ""
}
