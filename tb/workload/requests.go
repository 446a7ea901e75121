package workload

import (
	"iter"
	"math"
	"math/rand/v2"

	"gornic/format"
)

// Request is a message that a host has to send.
//
// Where it is told in offsets: of the sender's source buffer, the receiver's sink
// and the receiver's slot. Each queue pair has one of each at each host
// ([Workload.Buffers]). A source never changes, so that a message can be compared
// at any time; a slot belongs to the receive work request of its index.
type Request struct {
	Number    int // of all requests of the workload, from 0
	From      Side
	QP        int // index of the queue pair, from 0; see Workload.Connection
	Op        format.WROpcode
	Length    int // bytes
	Inline    bool
	Signaled  bool
	Solicited bool
	Imm       uint32  // as it stands in memory
	Source    []Piece // of the source buffer; what Inline sends is the first
	Sink      int     // offset in the sink of a WRITE
	Recv      []Piece // of the slot, for the receive work request that is consumed
	Consumes  bool    // it consumes a receive work request, perhaps one without pieces
	Ring      bool    // a doorbell follows
	At        uint64  // cycle before which it is not posted
}

// Piece is a part of a buffer, in bytes.
type Piece struct{ Offset, Length int }

// Buffers are the sizes of the buffers of one queue pair at one host, in bytes.
type Buffers struct{ Source, Sink, Slot int }

const (
	slack     = 256 // bytes of a source and a sink beside the longest message
	slotSlack = 64  // and of a slot
)

// Buffers returns what each queue pair needs at each host.
func (w Workload) Buffers() Buffers {
	most := w.Sizes.Most()
	return Buffers{Source: most + slack, Sink: most + slack, Slot: most + slotSlack}
}

// Requests yields the requests of the workload for a seed. Those of one host and
// queue pair are in the order in which they are posted, and do not depend on the
// others, so that a model may take them queue by queue.
func (w Workload) Requests(seed uint64) iter.Seq[Request] {
	return func(yield func(Request) bool) {
		var streams []*stream
		for _, side := range w.Direction.Senders() {
			for qp := range w.Connections() {
				streams = append(streams, newStream(w, seed, side, qp))
			}
		}
		number := 0
		for range w.Messages {
			for _, s := range streams {
				q := s.next()
				q.Number = number
				number++
				if !yield(q) {
					return
				}
			}
		}
	}
}

// stream makes the requests of one host and queue pair.
type stream struct {
	w     Workload
	c     QueuePairs
	from  Side
	qp    int
	r     *rand.Rand
	made  int
	batch int    // requests until the next doorbell
	at    uint64 // of the last request
	quiet int    // requests without a completion
}

func newStream(w Workload, seed uint64, from Side, qp int) *stream {
	return &stream{
		w: w, c: w.Connection(qp), from: from, qp: qp,
		r: rand.New(rand.NewPCG(seed, uint64(qp)<<1|uint64(from))),
	}
}

func (s *stream) next() Request {
	q := Request{From: s.from, QP: s.qp, Op: s.operation(), Length: s.size(), Imm: s.r.Uint32(), At: s.arrival()}
	s.made++
	q.Consumes = q.Op != format.WRWrite
	stride := LogStride(s.c.SendSGEs, format.SendSGEs)
	q.Inline = q.Length <= format.InlineMax(stride) && s.hits(s.w.Inline)
	q.Signaled = s.signaled()
	q.Solicited = q.Consumes && s.hits(s.w.Solicited)
	q.Ring = s.rings()
	s.place(&q)
	return q
}

// LogStride is the stride that a queue needs for so many SGEs; fit is
// format.SendSGEs or format.RecvSGEs.
func LogStride(sges int, fit func(int) int) int {
	for stride := range format.LogStrideMax {
		if fit(stride) >= sges {
			return stride
		}
	}
	return format.LogStrideMax
}

// place chooses where a message comes from and goes to.
func (s *stream) place(q *Request) {
	pieces := 1
	if !q.Inline {
		pieces = 1 + s.r.IntN(s.c.SendSGEs)
	}
	if q.Length > 0 {
		for _, n := range s.cut(q.Length, pieces) {
			q.Source = append(q.Source, Piece{s.r.IntN(s.w.Buffers().Source - n + 1), n})
		}
	}
	switch q.Op {
	case format.WRWrite, format.WRWriteImm:
		q.Sink = s.r.IntN(s.w.Buffers().Sink - q.Length + 1)
		return
	}
	room := q.Length + s.r.IntN(slotSlack+1)
	at := 0
	for _, n := range s.cut(room, 1+s.r.IntN(s.c.RecvSGEs)) {
		q.Recv = append(q.Recv, Piece{at, n})
		at += n
	}
}

// cut makes count numbers of sum n; some may be 0.
func (s *stream) cut(n, count int) []int {
	var parts []int
	for range count - 1 {
		part := s.r.IntN(n + 1)
		parts = append(parts, part)
		n -= part
	}
	return append(parts, n)
}

func (s *stream) operation() format.WROpcode {
	weights := s.w.Operations.weights()
	sum := 0
	for _, x := range weights {
		sum += x.share
	}
	n := s.r.IntN(sum)
	for _, x := range weights {
		if n < x.share {
			return x.op
		}
		n -= x.share
	}
	return weights[0].op
}

func (s *stream) size() int {
	z := s.w.Sizes
	switch z.Distribution {
	case Uniform:
		return z.Min + s.r.IntN(z.Max-z.Min+1)
	case LogUniform:
		low, high := math.Log(float64(z.Min+1)), math.Log(float64(z.Max+2))
		n := int(math.Exp(low+s.r.Float64()*(high-low))) - 1
		return min(max(n, z.Min), z.Max)
	}
	return z.List[s.r.IntN(len(z.List))]
}

func (s *stream) arrival() uint64 {
	switch s.w.Arrival.Kind {
	case Every:
		s.at += uint64(s.w.Arrival.Cycles)
	case Poisson:
		s.at += uint64(s.r.ExpFloat64() * float64(s.w.Arrival.Cycles))
	}
	return s.at
}

// signaled tells whether a request has a completion. The last does, and one in
// each queue of them, or the queue would never have room again.
func (s *stream) signaled() bool {
	s.quiet++
	if s.hits(s.w.Signaled) || s.quiet >= s.c.Depth || s.made == s.w.Messages {
		s.quiet = 0
		return true
	}
	return false
}

// rings tells whether a doorbell follows. After the last one does.
func (s *stream) rings() bool {
	if s.batch == 0 {
		s.batch = s.w.Batch.Min + s.r.IntN(s.w.Batch.Max-s.w.Batch.Min+1)
	}
	s.batch--
	return s.batch == 0 || s.made == s.w.Messages
}

// hits is true in so many of a hundred cases.
func (s *stream) hits(share int) bool { return s.r.IntN(percent) < share }
