package simkit

import "github.com/sarchlab/akita/v4/sim"

// wakeup is a wake that is farther away than the wheel reaches.
type wakeup struct {
	at Cycle
	id int
}

func (w wakeup) Before(o wakeup) bool { return w.at < o.at }

// foreignEvent is an event of Akita's own.
type foreignEvent struct {
	at        Cycle
	secondary bool
	seq       int64
	event     sim.Event
}

func (f foreignEvent) Before(o foreignEvent) bool {
	switch {
	case f.at != o.at:
		return f.at < o.at
	case f.secondary != o.secondary:
		return o.secondary
	}
	return f.seq < o.seq
}

// Heap is a binary heap with the first in front.
type Heap[T interface{ Before(T) bool }] []T

type wakeHeap = Heap[wakeup]

// Push adds an element.
func (h *Heap[T]) Push(x T) {
	*h = append(*h, x)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s[i].Before(s[up]) {
			break
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

// Pop takes the first element; there has to be one.
func (h *Heap[T]) Pop() T {
	s := *h
	first, n := s[0], len(s)-1
	s[0] = s[n]
	*h = s[:n]
	s = s[:n]
	for i := 0; ; {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && s[down+1].Before(s[down]) {
			down++
		}
		if !s[down].Before(s[i]) {
			break
		}
		s[i], s[down] = s[down], s[i]
		i = down
	}
	return first
}

// eventHeap keeps the order in which events of a cycle were scheduled.
type eventHeap []foreignEvent

func (h *eventHeap) sequence() int64 {
	if len(*h) == 0 {
		return 0
	}
	last := int64(0)
	for _, f := range *h {
		last = max(last, f.seq)
	}
	return last + 1
}

func (h *eventHeap) push(f foreignEvent) {
	f.seq = h.sequence()
	(*Heap[foreignEvent])(h).Push(f)
}

func (h *eventHeap) pop() foreignEvent { return (*Heap[foreignEvent])(h).Pop() }
