package hostqueue

import "gornic/format"

// Memory is host memory; an error of it is an error response.
type Memory interface {
	Read(addr uint64, b []byte) error
	Write(addr uint64, b []byte) error
}

// Reference is the two queues in plain Go: all is done at once.
type Reference struct {
	Memory   Memory
	FrameMax int  // bytes of the longest frame that can be sent
	Vectors  int  // a power of two
	Enabled  bool // the device is

	rings [2]ring
}

// The rings of a [Reference].
const (
	Receive = iota
	Send
)

// ring is one queue.
type ring struct {
	base            uint64
	log             int
	vector          int
	enabled, failed bool
	producer        uint16
	head            uint16 // the next entry
	consumer        uint16
	armed           bool
	seen            uint16
	dropped         uint32
	ahead           *format.FrameDescriptor[uint64] // the entry at the head, which is read when it is posted
}

// at is the ring of a register, and where in its registers that is.
func (r *Reference) at(offset uint32) (*ring, uint32) {
	return &r.rings[(offset-format.RegHostReceive)/format.HostQueueBytes%2], offset % format.HostQueueBytes
}

// Write writes a register; false: it cannot be written now.
func (r *Reference) Write(offset, value uint32) bool {
	q, at := r.at(offset)
	if offset >= format.RegHostFrameMax {
		return false
	}
	switch at {
	case format.HostBaseLow, format.HostBaseHigh:
		if q.enabled {
			return false
		}
		shift := 8 * (at - format.HostBaseLow)
		q.base = q.base&^(0xFFFFFFFF<<shift) | uint64(value)<<shift&^(format.FrameAlign-1)
	case format.HostControl:
		return q.control(value, r.Vectors)
	case format.HostProducer:
		room := 1<<q.log - uint32(q.producer-q.head)
		if q.enabled && uint32(uint16(value)-q.producer) <= room {
			q.producer = uint16(value)
		}
	case format.HostArm:
		q.armed, q.seen = q.enabled, uint16(value)
	default:
		return false
	}
	return true
}

// control enables or disables.
func (q *ring) control(value uint32, vectors int) bool {
	enables := value&format.HostEnable != 0
	switch {
	case !q.enabled:
		q.log, q.vector, q.enabled = int(value>>format.HostLogShift&15), int(value>>format.HostVectorShift)&(vectors-1), enables
	case enables:
		return false
	default:
		*q = ring{base: q.base, log: q.log, vector: q.vector, dropped: q.dropped}
	}
	return true
}

// Read reads a register; false: there is none.
func (r *Reference) Read(offset uint32) (uint32, bool) {
	if offset == format.RegHostFrameMax {
		return uint32(r.FrameMax), true
	}
	q, at := r.at(offset)
	bit := func(b bool, v uint32) uint32 {
		if b {
			return v
		}
		return 0
	}
	switch at {
	case format.HostBaseLow:
		return uint32(q.base), true
	case format.HostBaseHigh:
		return uint32(q.base >> 32), true
	case format.HostControl:
		return bit(q.enabled, format.HostEnable) | uint32(q.log)<<format.HostLogShift | uint32(q.vector)<<format.HostVectorShift, true
	case format.HostStatus:
		return bit(q.enabled, format.HostBusy) | bit(q.failed, format.HostFailed), true
	case format.HostProducer:
		return uint32(q.producer), true
	case format.HostConsumer:
		return uint32(q.consumer), true
	case format.HostDropped:
		return q.dropped, true
	}
	return 0, false
}

// Receive takes a frame for the host.
func (r *Reference) Receive(frame []byte) {
	q := &r.rings[Receive]
	d, ok := r.next(q)
	if !ok || len(frame) > int(d.Length) {
		q.dropped++
		return
	}
	d.Length, d.Status = uint64(len(frame)), uint64(format.FrameDone)
	for at := 0; at < len(frame); at++ { // bytes beside those that cannot be written are
		if r.Memory.Write(d.Addr+uint64(at), frame[at:at+1]) != nil {
			d.Status = uint64(format.FrameBusErr)
		}
	}
	if d.Status != uint64(format.FrameDone) {
		q.dropped++
	}
	r.done(q, d)
}

// Send returns the next frame to be sent; false: there is none.
func (r *Reference) Send() ([]byte, bool) {
	q := &r.rings[Send]
	for r.Enabled {
		d, ok := r.next(q)
		if !ok {
			break
		}
		frame := make([]byte, d.Length)
		switch {
		case len(frame) < format.FrameMin || len(frame) > r.FrameMax:
			d.Status = uint64(format.FrameLength)
		case r.Memory.Read(d.Addr, frame) != nil:
			d.Status = uint64(format.FrameBusErr)
		default:
			d.Status = uint64(format.FrameDone)
		}
		r.done(q, d)
		if d.Status == uint64(format.FrameDone) {
			return frame, true
		}
		q.dropped++
	}
	return nil, false
}

// next takes the entry at the head.
func (r *Reference) next(q *ring) (d format.FrameDescriptor[uint64], ok bool) {
	r.fetch()
	if q.ahead == nil || q.failed {
		return d, false
	}
	return *q.ahead, true
}

// fetch reads the entries at the heads, as they are posted.
func (r *Reference) fetch() {
	for i := range r.rings {
		q := &r.rings[i]
		if !q.enabled || q.failed || q.head == q.producer || q.ahead != nil {
			continue
		}
		b := make([]byte, format.Size[format.FrameDescriptor[uint64]]())
		if r.Memory.Read(q.entry(), b) != nil {
			q.failed = true
			continue
		}
		if d, err := format.DecodeHost[format.FrameDescriptor[uint64]](b); err == nil {
			d.Addr &^= format.FrameAlign - 1
			q.ahead = &d
		}
	}
}

// entry is the bus address of the entry at the head.
func (q *ring) entry() uint64 { return q.base | uint64(q.head)&(1<<q.log-1)<<logEntryBytes }

const logEntryBytes = 4

// done writes the second half of the entry at the head.
func (r *Reference) done(q *ring, d format.FrameDescriptor[uint64]) {
	d.Reserved, d.Phase = 0, uint64(q.head>>q.log&1)^1
	b, err := format.AppendHost(nil, d)
	at := q.entry()
	q.head, q.ahead = q.head+1, nil
	if err != nil || r.Memory.Write(at+8, b[8:]) != nil {
		q.failed = true
		return
	}
	q.consumer = q.head
}

// Interrupts returns the vectors that had an interrupt since the last call, of the receive queue first. It is
// called behind each of the others.
func (r *Reference) Interrupts() []int {
	r.fetch()
	var all []int
	for i := range r.rings {
		q := &r.rings[i]
		if q.armed && (q.failed || int16(q.consumer-q.seen-1) >= 0) {
			q.armed = false
			all = append(all, q.vector)
		}
	}
	return all
}
