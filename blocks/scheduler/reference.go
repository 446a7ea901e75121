package scheduler

// Reference is the scheduler in plain Go, without time.
type Reference struct {
	queue   []int
	waiting map[int]bool
}

// Wake enters a queue pair unless it waits for its turn.
func (r *Reference) Wake(qp int) {
	if r.waiting[qp] {
		return
	}
	if r.waiting == nil {
		r.waiting = map[int]bool{}
	}
	r.waiting[qp] = true
	r.queue = append(r.queue, qp)
}

// Grant takes the queue pair whose turn it is; false if there is none.
func (r *Reference) Grant() (qp int, ok bool) {
	if len(r.queue) == 0 {
		return 0, false
	}
	qp, r.queue = r.queue[0], r.queue[1:]
	delete(r.waiting, qp)
	return qp, true
}
