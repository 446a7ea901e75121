// Package nic is one core of the cycle model: a component for each block of the
// RTL, with its name, and the streams between them (docs/core.md). Start with
// [New]; the streams of a [NIC] that have a capital lead to its host and the wire.
//
//	nic.go      what the blocks share: parameters, state of queue pairs
//	send.go     doorbell, wqefetch, scheduler, requester
//	payload.go  translate, keycache, gather
//	transmit.go transmit, packetbuild, replay
//	receive.go  rxpath, psncheck, readmatch
//	respond.go  responder, scatter, ackqueue
//	answer.go   resources, atomic
//	complete.go completer, cqewriter
//	again.go    retry, resend
//	rate.go     dcqcn, cnp
//	memory.go   dma
//
// State of queue pairs is owned by the block that owns it in the RTL; what another
// block hears of it comes through a stream, but for what the RTL tells with wires (Held, Waits, replay
// entries, heads of queues), which is looked at.
package nic

import (
	"errors"
	"fmt"

	"gornic/cycle/model/link"
	"gornic/cycle/simkit"
	"gornic/cycle/table"
	"gornic/format"
)

// Cycle is a number of cycles.
type Cycle = simkit.Cycle

// Conn is what a queue pair was made with.
type Conn struct {
	MTU    int32
	IP     int // 4 or 6
	MaxRD  uint32
	SQ, RQ *link.Ring // in host memory
	ECT    bool       // it takes part in congestion control
}

// Cache is a cache of state that may lie in host memory.
type Cache struct{ Entries, Ways, Misses, Bytes int }

// Params are the parameters of a core.
type Params struct {
	Node      int
	Width     int // bits
	QPs       int // that the core has
	Replay    int // entries of each queue pair
	Reads     int // READs and atomics of each queue pair, in each direction
	WQEs      int // of 128 bytes that are held of each queue
	AllWQEs   int // of 128 bytes that are held of all send queues; 0: of each WQEs
	RxBeats   int // of the packet buffer
	RxPackets int
	AckTick   int
	Context   Cache // Entries 0: all are on chip
	Keys      Cache
	Lines     Cache // of page lists, in each direction
	Paged     bool
	PageBits  int
	BeatTime  int64 // 1024ths of a cycle that a byte takes on the wire; 0: as fast as the stream
	Framing   int32 // bytes of a frame on the wire beside those of the stream
	Timeout   int   // of the retry timers, exponent; 0: none
	Retries   int
	RNRTimer  int
	RNRs      int
	Rates     *format.Congestion[uint64] // nil: no congestion control
	Conns     []Conn
	Table     *table.Table
	Log       func(Event)
}

// Event is what happened at the ports.
type Event struct {
	Cycle Cycle
	Kind  EventKind
	QP    int32
	WQE   uint32
	Recv  bool        // of a completion: of a receive WQE
	Frame *link.Frame // of a packet
}

// EventKind is a kind of event.
type EventKind uint8

// Kinds of events.
const (
	WQERead EventKind = iota
	FrameOut
	Completed
)

// NIC is a core.
type NIC struct {
	p     Params
	e     *simkit.Engine
	times times
	qps   []qp

	comps []*simkit.Component
	names []string

	Bells  *simkit.Stream[link.Bell]  // from the host
	CQEs   *simkit.Stream[link.CQE]   // to the host
	Out    *simkit.Stream[link.Frame] // to the wire
	In     *simkit.Stream[link.Frame] // from the wire; a frame comes in the cycle behind its last beat
	Stats  Stats
	Blocks Blocks

	mem  memory
	db   doorbell
	sq   wqefetch
	rq   wqefetch
	sch  scheduler
	req  requester
	ctx  contexts
	ttx  translate
	trx  translate
	keys keycache
	gat  gather
	trm  transmit
	pb   packetbuild
	rx   rxpath
	psn  psncheck
	rm   readmatch
	rsp  responder
	sca  scatter
	ack  ackqueue
	res  resources
	atm  atomic
	cmp  completer
	cqw  cqewriter
	rep  replay
	ret  retry
	rsd  resend
	rate rates
}

// Blocks are components that the outside wires.
type Blocks struct{ Doorbell, CQEWriter, PacketBuild, RxPath, DMA *simkit.Component }

// Stats are counts of a core.
type Stats struct {
	TxPackets, TxBeats, RxPackets, RxBeats int64
	ReadBeats, WriteBeats                  int64
	Doorbells, CQEs                        int64
	Dropped                                int64 // for want of room in the packet buffer
	ContextHits, ContextMisses             int64
	KeyHits, KeyMisses                     int64
	LineHits, LineMisses                   [2]int64 // tx, rx
	WQEHits, WQEMisses                     int64    // heads that were here when they were wanted, or not
}

// QPStats are counts of a queue pair.
type QPStats struct{ Packets, Resent, Retries, CNPs, RNRs int64 }

// qp is the state of a queue pair.
type qp struct {
	Conn
	stats QPStats

	// requester
	active              bool
	offset, total       int32
	sge                 int32
	sgeAt               int32
	psn                 uint32 // the next one
	issued, retired     uint32 // entries
	readsOut, readsGone uint32 // READs and atomics among them
	failed              bool

	sendHeads, recvHeads heads

	// replay
	ring       []entry
	head, tail uint32

	retry   retryState
	resend  resendState
	waits   bool  // it waits for its rate
	next    Cycle // when it may send, in 1024ths of a cycle
	flow    flow
	cnpSent Cycle // when it sent the last CNP, -1: never

	// psncheck
	expected uint32
	nakSent  bool
	locked   bool
	atomics  int32 // that are being executed

	// readmatch
	out      []outstanding
	outHead  uint32
	outTail  uint32
	due      uint32 // PSN of the oldest that is due
	got      int32  // bytes of it that have come
	intoSGE  int32
	intoAt   int32
	begun    bool
	haveSGEs uint32 // index+1 of the WQE whose further SGEs have been read

	// responder
	recvSGE, recvAt int32
	recvBytes       int32

	// resources
	resources []resource
	taken     uint32
	answered  uint32
	serving   uint32 // the first that is not answered whole
	sentPkts  int32  // packets of it that have been sent
	resumed   int32  // packet from which on it is answered again
	reanswer  uint32 // READs and atomics that are answered again
	resQueued bool
	accepted  uint32 // READs and atomics that ackqueue passed on

	// ackqueue
	msn    uint32
	owed   bool
	owedAs owed
	inAcks bool
}

// heads is what wqefetch knows of a queue.
type heads struct {
	producer, fetched, here, head uint32
	due                           bool
}

// entry is a packet that waits for its answer.
type entry struct {
	psn, last uint32
	wqe       uint32
	offset    int32
	length    int32
	total     int32
	op        format.Opcode
	ends      bool // its WQE
	response  bool // it is a READ or atomic
}

// New makes the core's components on an engine, from the far end of its pipelines on.
func New(e *simkit.Engine, p Params, bus Bus) (*NIC, error) {
	n := &NIC{p: p, e: e, times: times{table: p.Table, width: p.Width}}
	n.qps = make([]qp, len(p.Conns))
	for i := range n.qps {
		q := &n.qps[i]
		q.Conn = p.Conns[i]
		q.ring = make([]entry, p.Replay)
		q.out = make([]outstanding, p.Reads)
		q.resources = make([]resource, p.Reads)
		q.cnpSent = -1
	}
	n.components()
	n.streams(bus)
	n.stages()
	return n, n.times.err()
}

func (n *NIC) component(rtl, name string) *simkit.Component {
	c := n.e.Component(fmt.Sprintf("NIC[%d].%s", n.p.Node, name))
	n.comps, n.names = append(n.comps, c), append(n.names, rtl)
	return c
}

// Each calls f for each block, with its name in the RTL.
func (n *NIC) Each(f func(name string, c *simkit.Component)) {
	for i, c := range n.comps {
		f(n.names[i], c)
	}
}

// QP returns the counts of a queue pair.
func (n *NIC) QP(i int) QPStats { return n.qps[i].stats }

// WireTime is how many cycles the port to the wire has been taken.
func (n *NIC) WireTime() Cycle { return n.pb.taken >> 10 }

// beatBytes is the bytes of a beat.
func (n *NIC) beatBytes() int32 { return int32(n.p.Width / 8) }

// beats is how many beats n bytes at an address touch.
func (n *NIC) beats(addr uint64, length int32) int32 {
	if length == 0 {
		return 0
	}
	b := uint64(n.beatBytes())
	return int32((addr+uint64(length)-1)/b - addr/b + 1)
}

// chunk is what of a piece goes into one burst: up to 4 KiB or 256 beats.
func (n *NIC) chunk(addr uint64, length int32) int32 {
	most := uint64(min(4096, 256*int(n.beatBytes())))
	return int32(min(uint64(length), most-addr%most))
}

// times looks times up, and keeps what is wrong.
type times struct {
	table    *table.Table
	width    int
	mistakes []error
}

func (t *times) get(block, name string) Cycle {
	v, err := t.table.Get(block, name, t.width)
	if err != nil {
		t.mistakes = append(t.mistakes, err)
	}
	return Cycle(v)
}

func (t *times) err() error { return errors.Join(t.mistakes...) }

// ringOf is a queue of queue pairs, each at most once in it as who uses it says.
type ringOf[T any] struct {
	items      []T
	head, size int
}

func (r *ringOf[T]) push(v T) {
	if r.size == len(r.items) {
		bigger := make([]T, max(16, 2*len(r.items)))
		for i := range r.size {
			bigger[i] = r.items[(r.head+i)%len(r.items)]
		}
		r.items, r.head = bigger, 0
	}
	r.items[(r.head+r.size)%len(r.items)] = v
	r.size++
}

func (r *ringOf[T]) front() *T   { return &r.items[r.head] }
func (r *ringOf[T]) at(i int) *T { return &r.items[(r.head+i)%len(r.items)] }

func (r *ringOf[T]) pop() T {
	v := r.items[r.head]
	r.head = (r.head + 1) % len(r.items)
	r.size--
	return v
}
