package workload

import (
	"iter"
	"math"
	"math/rand/v2"

	"gornic/format"
)

// Request is a message that a host has to send.
//
// Where it is told in offsets: of source buffers, sinks, words, and slots. Each queue pair has
// its own at each host ([Workload.Buffers]). A source never changes, so that a message can be
// compared at any time; a slot belongs to the work request of its index, of either queue. What a
// SEND_WITH_INV invalidates is a key that the receiver has made for that, and of which nothing depends.
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
	Sink      int     // offset in the receiver's sink, of a WRITE
	Origin    int     // offset in the receiver's source buffer, of a READ
	Word      int     // offset in the receiver's words, of an atomic
	Operand   uint64  // what an atomic adds, or swaps in
	Matches   bool    // a CMP_SWAP compares with what there is
	Into      []Piece // of the sender's slot: where a READ or atomic brings what it brings
	Recv      []Piece // of the receiver's slot, for the receive work request that is consumed
	Consumes  bool    // it consumes a receive work request, perhaps one without pieces
	Ring      bool    // a doorbell follows
	At        uint64  // cycle before which it is not posted
}

// Piece is a part of a buffer, in bytes.
type Piece struct{ Offset, Length int }

// Buffers are the sizes of the buffers of one queue pair at one host, in bytes.
type Buffers struct{ Source, Sink, Slot, Words int }

const (
	slack     = 256 // bytes of a source and a sink beside the longest message
	slotSlack = 64  // and of a slot
	wordBytes = 8   // of an atomic
	words     = 4
)

// Buffers returns what each queue pair needs at each host.
func (w Workload) Buffers() Buffers {
	most := w.Sizes.Most()
	return Buffers{Source: most + slack, Sink: most + slack, Slot: most + slotSlack, Words: words * wordBytes}
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
	q.Consumes = consumes(q.Op)
	stride := LogStride(s.c.SendSGEs, format.SendSGEs)
	if isAtomic(q.Op) {
		q.Length = wordBytes
	}
	q.Inline = !HasResponse(q.Op) && q.Length <= format.InlineMax(stride) && s.hits(s.w.Inline)
	q.Signaled = s.signaled()
	q.Solicited = q.Consumes && s.hits(s.w.Solicited)
	q.Ring = s.rings()
	s.place(&q)
	return q
}

// HasResponse tells that an operation brings something back: a READ or an atomic.
func HasResponse(op format.WROpcode) bool { return op == format.WRRead || isAtomic(op) }

// Packets is how many request packets a request is; those of READs and atomics are answered
// with packets of data.
func (q Request) Packets(mtu int) int {
	if HasResponse(q.Op) {
		return 1
	}
	return max(1, (q.Length+mtu-1)/mtu)
}

func isAtomic(op format.WROpcode) bool { return op == format.WRCompSwap || op == format.WRFetchAdd }

func consumes(op format.WROpcode) bool {
	switch op {
	case format.WRWriteImm, format.WRSend, format.WRSendImm, format.WRSendInv:
		return true
	}
	return false
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
	if HasResponse(q.Op) {
		s.placeResponse(q)
		return
	}
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
	q.Recv = s.slot(0, q.Length+s.r.IntN(slotSlack+1), 1+s.r.IntN(s.c.RecvSGEs))
}

// placeResponse chooses where a READ or atomic takes from, and where it brings that.
func (s *stream) placeResponse(q *Request) {
	buffers, pieces := s.w.Buffers(), 1
	if isAtomic(q.Op) {
		q.Word, q.Operand, q.Matches = wordBytes*s.r.IntN(words), s.r.Uint64(), s.r.IntN(2) == 0
	} else {
		q.Origin, pieces = s.r.IntN(buffers.Source-q.Length+1), 1+s.r.IntN(s.c.SendSGEs)
	}
	if q.Length > 0 {
		q.Into = s.slot(s.r.IntN(slotSlack-wordBytes), q.Length, pieces)
	}
}

// slot is n bytes of a slot in so many pieces, from an offset on.
func (s *stream) slot(at, n, pieces int) []Piece {
	var list []Piece
	for _, n := range s.cut(n, pieces) {
		list = append(list, Piece{at, n})
		at += n
	}
	return list
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
		s.at = uint64(float64(s.made+1) * s.w.gap())
	case Poisson:
		s.at += uint64(s.r.ExpFloat64() * s.w.gap())
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
