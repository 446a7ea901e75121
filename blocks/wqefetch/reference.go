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

// Credit is the credit code of what is posted and has not been taken (protocol section 1.6).
func (r *Reference) Credit(qp int) int {
	posted, code := int(r.rings[qp].producer-r.rings[qp].head), 0
	for i, n := range credits {
		if n <= posted {
			code = i
		}
	}
	return code
}

// credits is what each code stands for.
var credits = [...]int{
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
}

// Take steps to the next WQE.
func (r *Reference) Take(qp int) { r.rings[qp].head++ }
