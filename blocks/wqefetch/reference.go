package wqefetch

// Reference is what the user of a set of queues sees, in plain Go and without
// time: whatever is posted is here.
type Reference struct {
	Read  func(addr uint64, b []byte) error // host memory
	rings map[int]*referenceRing
}

type referenceRing struct {
	base           uint64
	logSize        int
	stride         int // bytes
	producer, head uint16
}

// Entry is a WQE at the head of a queue.
type Entry struct {
	Index uint16
	Bytes []byte
	Fault bool // its bytes mean nothing
}

// Config makes a ring of 1 << logSize slots of 64 << logStride bytes, empty.
func (r *Reference) Config(qp int, base uint64, logSize, logStride int) {
	if r.rings == nil {
		r.rings = map[int]*referenceRing{}
	}
	r.rings[qp] = &referenceRing{base: base, logSize: logSize, stride: 64 << logStride}
}

// Bell sets the producer index.
func (r *Reference) Bell(qp int, producer uint16) { r.rings[qp].producer = producer }

// Head returns the WQE at the head; false if nothing is posted.
func (r *Reference) Head(qp int) (Entry, bool) {
	q := r.rings[qp]
	if q.head == q.producer {
		return Entry{}, false
	}
	e := Entry{Index: q.head, Bytes: make([]byte, q.stride)}
	slot := uint64(q.head) & (1<<q.logSize - 1)
	e.Fault = r.Read(q.base+slot*uint64(q.stride), e.Bytes) != nil
	return e, true
}

// Take steps to the next WQE.
func (r *Reference) Take(qp int) { r.rings[qp].head++ }
