package replay

// Entry is what matters of an entry.
type Entry struct {
	PSN    uint32
	Failed bool // its WQE failed
	Index  uint16
	Rest   any
}

// Reference is the ring of one queue pair in plain Go.
type Reference struct {
	entries []Entry
	newest  uint32
	gone    uint16
	told    bool
	cause   int // place of the first entry that failed since none had, counted like gone
}

// Record enters an entry, and reports whether the completer is told.
func (r *Reference) Record(e Entry) bool {
	if e.Failed && !r.anyFailed() {
		r.cause = int(r.gone) + len(r.entries)
	}
	r.entries = append(r.entries, e)
	r.newest = e.PSN
	return e.Failed || r.told
}

// Peek returns the oldest entry, the newest PSN, and whether some entry failed;
// false if there is no entry.
func (r *Reference) Peek() (oldest Entry, newest uint32, failed, ok bool) {
	if len(r.entries) == 0 {
		return Entry{}, 0, false, false
	}
	return r.entries[0], r.newest, r.anyFailed(), true
}

// Cause returns the WQE that failed first, while its entry is in the ring.
func (r *Reference) Cause() (index uint16, ok bool) {
	at := r.cause - int(r.gone)
	if !r.anyFailed() || at < 0 {
		return 0, false
	}
	return r.entries[at].Index, true
}

func (r *Reference) anyFailed() bool {
	for _, e := range r.entries {
		if e.Failed {
			return true
		}
	}
	return false
}

// Pop removes the oldest entry and returns how many have gone.
func (r *Reference) Pop() uint16 {
	r.entries = r.entries[1:]
	r.gone++
	return r.gone
}

// Fail makes Record tell of every entry.
func (r *Reference) Fail() { r.told = true }

// Len is the number of entries.
func (r *Reference) Len() int { return len(r.entries) }
