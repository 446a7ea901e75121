package standin

import (
	"bytes"
	"encoding/binary"

	"gornic/format"
	"gornic/tb/frames/talk"
)

// prepare makes the host what a request has to find: the key, and for a READ or atomic
// memory as the capture's responder had it. Where that changes something that the NIC may still
// be about, it waits until the NIC is done.
func (p *player) prepare(r *talk.Request) error {
	m := r.Message
	if m == nil || r.Fate != talk.Done && r.Fate != talk.Duplicate && r.Fate != talk.Refused {
		return nil
	}
	if p.races(r) {
		if err := p.quiet(); err != nil {
			return err
		}
	}
	if r.Fate != talk.Duplicate && r.Cause != talk.BadKey {
		if err := p.hold(r); err != nil {
			return err
		}
	}
	if !m.Answers() || r.Fate == talk.Refused || m.Kind == talk.Atomic && r.Fate == talk.Duplicate {
		return nil
	}
	return p.load(r)
}

// races tells that a request must not come while responses are owed: it may change what
// they read, it is one that came before, or the queue pair has no resource for it.
func (p *player) races(r *talk.Request) bool {
	switch {
	case len(p.answers.owed) == 0:
		return false
	case r.Fate == talk.Duplicate:
		return true
	case r.Message.Answers():
		return r.Message.Kind == talk.Atomic || p.answers.unanswered() >= p.reads
	}
	return r.Message.Kind == talk.Write || r.Has(format.ExtIETH)
}

// hold makes the keys that a request needs. An index has one at a time.
func (p *player) hold(r *talk.Request) error {
	for _, t := range []*region{p.target(r), p.ends(r)} {
		if t == nil || t.held || !r.Info().Start && !r.Has(format.ExtIETH) {
			continue
		}
		if err := p.quiet(); err != nil {
			return err
		}
		index := t.key >> format.KeyTagBits
		if before := p.holders[index]; before != nil {
			if err := before.end(); err != nil {
				return err
			}
		}
		p.holders[index] = t
		if err := t.hold(); err != nil {
			return err
		}
	}
	return nil
}

// ends is the region whose key a request ends, nil for none.
func (p *player) ends(r *talk.Request) *region {
	if !r.Has(format.ExtIETH) {
		return nil
	}
	return p.targets[r.Message.Ends]
}

// load writes what the capture's responder read, where memory has something else.
func (p *player) load(r *talk.Request) error {
	t := p.target(r)
	if t == nil {
		return nil
	}
	start := int(r.Message.VA - t.va)
	for _, piece := range r.Returned {
		b := piece.Bytes[:min(len(piece.Bytes), max(0, r.Message.Length-piece.Offset))]
		at := start + piece.Offset
		if bytes.Equal(t.want[at:at+len(b)], b) {
			continue
		}
		if err := p.quiet(); err != nil {
			return err
		}
		if err := t.load(at, b); err != nil {
			return err
		}
	}
	return nil
}

// modify expects an atomic to be executed.
func (p *player) modify(r *talk.Request) {
	t := p.targets[r.Message.RKey]
	at := int(r.Message.VA - t.va)
	old := binary.LittleEndian.Uint64(t.want[at:])
	h := r.AtomicETH
	switch {
	case r.Op == format.OpFetchAdd:
		old += h.SwapAdd
	case old == h.Compare:
		old = h.SwapAdd
	}
	t.put(at, binary.LittleEndian.AppendUint64(nil, old))
}

// expectResponses expects a READ or atomic to be answered, as memory is now; one that came before
// from where it is asked for, if the queue pair still knows of it.
func (p *player) expectResponses(r *talk.Request) {
	m := r.Message
	if m == nil || !m.Answers() || r.Fate != talk.Done && r.Fate != talk.Duplicate {
		return
	}
	if r.Fate == talk.Duplicate && !p.answers.remembers(m, p.reads) {
		return
	}
	for n := range r.PSNs {
		psn := r.PSN().Plus(n)
		x := response{message: m, last: n == r.PSNs-1}
		switch t := p.target(r); {
		case m.Kind == talk.Read && t != nil:
			offset := psn.Behind(m.PSN) * p.c.PathMTU
			at := int(m.VA-t.va) + offset
			x.payload = bytes.Clone(t.want[at : at+min(p.c.PathMTU, m.Length-offset)])
		case m.Kind == talk.Atomic && r.Fate == talk.Done:
			x.value = binary.LittleEndian.Uint64(t.want[m.VA-t.va:])
		case m.Kind == talk.Atomic:
			x.value = p.answers.known[psn].value
		}
		p.answers.responds(psn, x)
	}
	if r.Fate == talk.Done {
		p.answers.resources = append(p.answers.resources, m)
	}
}
