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

// Record enters an entry, and reports whether the completer is told, and whether a timer starts for it.
func (r *Reference) Record(e Entry) (told, starts bool) {
	starts = e.packet() && !r.Waits()
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
	return e.Failed || e.Local || r.told, starts
}

// Read returns the entry of a free-running index, or the oldest one if it has been removed, with its index and whether
// none is behind it; false if there is no such entry yet.
func (r *Reference) Read(oldest bool, index uint16) (e Entry, at uint16, newest, ok bool) {
	place := int(int16(index - r.gone))
	if oldest {
		place = 0
	}
	place = max(place, 0)
	if place >= len(r.entries) {
		return Entry{}, 0, false, false
	}
	return r.entries[place], r.gone + uint16(place), place == len(r.entries)-1, true
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

func (e Entry) packet() bool { return !e.Local && !e.Failed }

// Waits reports whether packets are in the ring.
func (r *Reference) Waits() bool { return r.any(Entry.packet) }

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

// Gone is how many entries have been removed: the index of the oldest.
func (r *Reference) Gone() uint16 { return r.gone }

// Len is the number of entries.
func (r *Reference) Len() int { return len(r.entries) }
