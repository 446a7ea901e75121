package cnp

// Reference is the notification point in plain Go (protocol section 7): a CNP is sent for a marked packet
// if none was sent for that flow within the gap. Times are in ticks, or in any unit that Gap has.
type Reference struct {
	Gap  int64
	last map[int]int64 // when the last CNP of a queue pair was sent
}

// Mark is a marked packet of a queue pair at a time. It says whether a CNP is sent.
func (r *Reference) Mark(qp int, now int64) bool {
	if at, ok := r.last[qp]; ok && now-at < r.Gap {
		return false
	}
	if r.last == nil {
		r.last = map[int]int64{}
	}
	r.last[qp] = now
	return true
}

// Clear forgets a queue pair.
func (r *Reference) Clear(qp int) { delete(r.last, qp) }
