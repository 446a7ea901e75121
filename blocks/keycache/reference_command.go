package keycache

import (
	"gornic/blocks/link"
	"gornic/format"
)

// Outcome is what a command comes to.
type Outcome struct {
	Status format.CommandStatus
	Vendor format.VendorCode // of what a queue pair asked for: why it was refused
	Ended  bool              // what was valid is so no more, or another key
	Entry  Entry             // of a KeyQuery
}

func failed(s format.CommandStatus) Outcome { return Outcome{Status: s} }

// Command runs a command: Kind and Entry of a link.KeyCommand.
func (r Reference) Command(kind int, e Entry) Outcome {
	was, _ := r.lookIndex(uint32(e.Key))
	out := r.run(kind, e)
	if now, _ := r.lookIndex(uint32(e.Key)); was.State == format.KeyValid {
		out.Ended = now != was
	}
	return out
}

func (r Reference) run(kind int, e Entry) Outcome {
	switch kind {
	case link.KeyWrite:
		return failed(r.create(e))
	case link.KeyInvalidate:
		return failed(r.end(uint32(e.Key)))
	case link.KeyQuery:
		entry, status := r.query(uint32(e.Key))
		return Outcome{Status: status, Entry: entry}
	case link.KeyLocalInv:
		return outcomeOf(r.localInv(e))
	case link.KeyRegister:
		return outcomeOf(r.register(e))
	case link.KeyBind:
		return outcomeOf(r.bind(e))
	}
	return Outcome{} // KeyForget: it holds nothing
}

// outcomeOf is the outcome of what a queue pair asked for.
func outcomeOf(why format.VendorCode) Outcome {
	switch why {
	case format.VendorNone:
		return Outcome{}
	case format.VendorBusRead, format.VendorBusWrite:
		return Outcome{Status: format.CmdBusError, Vendor: why}
	}
	return Outcome{Status: format.CmdBadNumber, Vendor: why}
}

func (r Reference) create(e Entry) format.CommandStatus {
	addr, ok := r.place(uint32(e.Key))
	if !ok {
		return format.CmdBadNumber
	}
	old, ok := r.entry(addr)
	switch {
	case !ok:
		return format.CmdBusError
	case old.State != format.KeyInvalid:
		return format.CmdBadNumber
	}
	return r.store(addr, e)
}

func (r Reference) end(key uint32) format.CommandStatus {
	e, status := r.query(key)
	if status != format.CmdOK {
		return status
	}
	if e.Windows != 0 {
		return format.CmdBusy
	}
	was := e
	e.State = format.KeyInvalid
	if status := r.put(e); status != format.CmdOK {
		return status
	}
	if r.unbound(was) != format.VendorNone {
		return format.CmdBusError
	}
	return format.CmdOK
}

func (r Reference) query(key uint32) (Entry, format.CommandStatus) {
	e, fault := r.look(key)
	switch fault {
	case format.VendorNone:
		return e, format.CmdOK
	case format.VendorBusRead:
		return Entry{}, format.CmdBusError
	}
	return Entry{}, format.CmdBadNumber
}

// put writes an entry to the place of its key.
func (r Reference) put(e Entry) format.CommandStatus {
	addr, _ := r.place(uint32(e.Key))
	return r.store(addr, e)
}

// change is put for what a queue pair asked for.
func (r Reference) change(e Entry) format.VendorCode {
	if r.put(e) != format.CmdOK {
		return format.VendorBusWrite
	}
	return format.VendorNone
}

// lookIndex reads an entry, whatever the tag of its key.
func (r Reference) lookIndex(key uint32) (Entry, format.VendorCode) {
	addr, ok := r.place(key)
	if !ok {
		return Entry{}, format.VendorKeyUnknown
	}
	e, ok := r.entry(addr)
	switch {
	case !ok:
		return e, format.VendorBusRead
	case e.State == format.KeyInvalid:
		return e, format.VendorKeyUnknown
	}
	return e, format.VendorNone
}

// stranger tells whether a key is not that of a queue pair, by its domain and number.
func stranger(e Entry, pd, qpn uint64) bool {
	return e.PD != pd || e.Type == format.KeyWindow2 && e.State == format.KeyValid && e.QPN != qpn
}

// mayEnd judges a LOCAL_INV, or a SEND with invalidate (protocol section 3.9).
func mayEnd(e Entry, pd, qpn uint64) format.VendorCode {
	switch {
	case stranger(e, pd, qpn):
		return format.VendorKeyPD
	case e.Type != format.KeyFastRegion && e.Type != format.KeyWindow2:
		return format.VendorKeyType
	case e.State != format.KeyValid:
		return format.VendorKeyState
	case e.Windows != 0:
		return format.VendorKeyBound
	}
	return format.VendorNone
}

func (r Reference) localInv(c Entry) format.VendorCode {
	e, fault := r.look(uint32(c.Key))
	if fault == format.VendorNone {
		fault = mayEnd(e, c.PD, c.QPN)
	}
	if fault != format.VendorNone {
		return fault
	}
	was := e
	e.State = format.KeyFree
	if fault := r.change(e); fault != format.VendorNone {
		return fault
	}
	return r.unbound(was)
}

// revoke is a localInv that is over before memory has been told: of an error of that
// nobody hears.
func (r Reference) revoke(q Question) format.VendorCode {
	e, fault := r.look(q.Key)
	if fault == format.VendorNone {
		fault = mayEnd(e, uint64(q.PD), uint64(q.QPN))
	}
	if fault == format.VendorNone {
		r.localInv(Entry{Key: uint64(q.Key), PD: uint64(q.PD), QPN: uint64(q.QPN)})
	}
	return fault
}

// unbound takes a window that was bound off the count of its region.
func (r Reference) unbound(e Entry) format.VendorCode {
	if e.State != format.KeyValid || e.Type < format.KeyWindow1 {
		return format.VendorNone
	}
	return r.count(uint32(e.Parent), -1)
}

// count counts a region's windows. What is no such region is left alone.
func (r Reference) count(region uint32, by int) format.VendorCode {
	e, fault := r.look(region)
	switch {
	case fault == format.VendorBusRead:
		return fault
	case fault != format.VendorNone, by < 0 && e.Windows == 0:
		return format.VendorNone
	}
	e.Windows += uint64(by)
	return r.change(e)
}

const peerWrites = format.AccessRemoteWrite | format.AccessRemoteAtomic

func (r Reference) register(c Entry) format.VendorCode {
	e, fault := r.lookIndex(uint32(c.Key))
	listed := c.PageShift >= format.PageShiftMin && c.PageShift <= format.PageShiftMax
	beyond := func(start, length uint64) bool { return length != 0 && start+(length-1) < start }
	switch {
	case fault != format.VendorNone:
		return fault
	case stranger(e, c.PD, c.QPN):
		return format.VendorKeyPD
	case e.Type != format.KeyFastRegion:
		return format.VendorKeyType
	case e.State != format.KeyFree:
		return format.VendorKeyState
	case c.Rights >= 2*format.AccessZeroBased, c.Rights&peerWrites != 0 && c.Rights&format.AccessLocalWrite == 0:
		return format.VendorKeyRights
	case beyond(c.VA, c.Length), c.PageShift == 0 && beyond(c.Translation, c.Length), c.PageShift != 0 && !listed, listed && c.Translation%8 != 0:
		return format.VendorKeyRange
	}
	e.State, e.Key, e.VA, e.Length = format.KeyValid, c.Key, c.VA, c.Length
	e.Translation, e.Rights, e.PageShift = c.Translation, c.Rights, c.PageShift
	return r.change(e)
}

func (r Reference) bind(c Entry) format.VendorCode {
	w, fault := r.lookIndex(uint32(c.Key))
	second := w.Type == format.KeyWindow2
	switch {
	case fault != format.VendorNone:
		return fault
	case stranger(w, c.PD, c.QPN):
		return format.VendorKeyPD
	case w.Type != format.KeyWindow1 && !second:
		return format.VendorKeyType
	case second && w.State != format.KeyFree:
		return format.VendorKeyState
	case second && c.Length == 0:
		return format.VendorKeyRange
	case c.Length == 0:
		return r.unbind(w, c.Key)
	case c.Rights&^(peerWrites|format.AccessRemoteRead) != 0:
		return format.VendorKeyRights
	}
	m, fault := r.look(uint32(c.Parent))
	if fault == format.VendorNone {
		fault = mayBind(m, c)
	}
	if fault != format.VendorNone {
		return fault
	}
	was := w
	w.State, w.Key, w.VA, w.Length, w.Rights, w.Parent = format.KeyValid, c.Key, c.VA, c.Length, c.Rights, c.Parent
	w.PageShift, w.Translation = m.PageShift, m.Translation+(c.VA-m.VA)
	if m.PageShift != 0 {
		w.Translation = m.Translation + 8*(c.VA>>m.PageShift-m.VA>>m.PageShift)
	}
	if second {
		w.QPN = c.QPN
	}
	for _, step := range []func() format.VendorCode{
		func() format.VendorCode { return r.count(uint32(c.Parent), 1) },
		func() format.VendorCode { return r.change(w) },
		func() format.VendorCode { return r.unbound(was) },
	} {
		if fault := step(); fault != format.VendorNone {
			return fault
		}
	}
	return format.VendorNone
}

// mayBind judges the region that a window is to be bound to.
func mayBind(m, c Entry) format.VendorCode {
	switch {
	case m.PD != c.PD:
		return format.VendorKeyPD
	case m.Type != format.KeyRegion && m.Type != format.KeyFastRegion:
		return format.VendorKeyType
	case m.State != format.KeyValid:
		return format.VendorKeyState
	case m.Rights&format.AccessMWBind == 0, c.Rights&peerWrites != 0 && m.Rights&format.AccessLocalWrite == 0:
		return format.VendorKeyRights
	case c.VA < m.VA, c.Length > m.Length, c.VA-m.VA > m.Length-c.Length:
		return format.VendorKeyRange
	}
	return format.VendorNone
}

// unbind ends the binding of a window of type 1, which gets another tag.
func (r Reference) unbind(w Entry, key uint64) format.VendorCode {
	was := w
	w.State, w.Key = format.KeyFree, key
	if fault := r.change(w); fault != format.VendorNone {
		return fault
	}
	return r.unbound(was)
}
