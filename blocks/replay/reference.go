package replay

// Entry is what matters of an entry.
type Entry struct {
	PSN, Last uint32 // that it takes; of a local one, the PSN of the packet to come
	Local     bool   // no packet
	Read      bool   // a READ or atomic
	Failed    bool   // its WQE failed, and it was not sent
	Index     uint16
	Rest      any
}

// Reference is the ring of one queue pair in plain Go.
type Reference struct {
	entries []Entry
	newest  uint32
	gone    uint16
	reads   uint8
	told    bool
	cause   int // place of the first entry that failed since none had, counted like gone
}

// Record enters an entry, and reports whether the completer is told.
func (r *Reference) Record(e Entry) bool {
	if e.Failed && !r.any(Entry.failed) {
		r.cause = int(r.gone) + len(r.entries)
	}
	r.entries = append(r.entries, e)
	switch {
	case e.Failed:
	case e.Local:
		r.newest = (e.PSN - 1) & 0xFFFFFF
	default:
		r.newest = e.Last
	}
	return e.Failed || e.Local || r.told
}

// Found is what is known of a ring that has an entry.
type Found struct {
	Oldest Entry
	Newest uint32 // the last PSN that was sent
	Local  bool   // some entry is no packet
	Failed bool   // some entry failed
}

// Peek returns the oldest entry and what is known of the others; false if there is no entry.
func (r *Reference) Peek() (Found, bool) {
	if len(r.entries) == 0 {
		return Found{}, false
	}
	return Found{Oldest: r.entries[0], Newest: r.newest, Local: r.any(Entry.local), Failed: r.any(Entry.failed)}, true
}

// Cause returns the WQE that failed first, while its entry is in the ring.
func (r *Reference) Cause() (index uint16, ok bool) {
	at := r.cause - int(r.gone)
	if !r.any(Entry.failed) || at < 0 {
		return 0, false
	}
	return r.entries[at].Index, true
}

func (e Entry) failed() bool { return e.Failed }

func (e Entry) local() bool { return e.Local }

func (r *Reference) any(is func(Entry) bool) bool {
	for _, e := range r.entries {
		if is(e) {
			return true
		}
	}
	return false
}

// Pop removes the oldest entry and returns how many have gone, and how many of those were READs
// and atomics.
func (r *Reference) Pop() (gone uint16, reads uint8) {
	if r.entries[0].Read {
		r.reads++
	}
	r.entries = r.entries[1:]
	r.gone++
	return r.gone, r.reads
}

// Fail makes Record tell of every entry.
func (r *Reference) Fail() { r.told = true }

// Len is the number of entries.
func (r *Reference) Len() int { return len(r.entries) }
