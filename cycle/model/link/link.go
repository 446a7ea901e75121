// Package link has what the parts of the cycle model hand each other: frames,
// bursts of host memory, doorbells, completions, and the work queues that lie in
// host memory. No payload: lengths and places alone.
package link

import (
	"gornic/cycle/simkit"
	"gornic/format"
)

// SGE is a piece of a buffer.
type SGE struct {
	Key    int32 // index of its key among those of the host
	Addr   uint64
	Length int32
}

// MaxSGEs is the most SGEs of a WQE of either queue.
const MaxSGEs = 7

// WQE is a work request as it lies in the ring of its queue pair.
type WQE struct {
	Op        format.WROpcode
	Length    int32 // bytes of the message
	SGEs      int32
	SGE       [MaxSGEs]SGE
	Remote    SGE // what a WRITE, READ or atomic is about
	Inline    bool
	Signaled  bool
	Solicited bool
	Posted    simkit.Cycle // of its doorbell
}

// Ring is a work queue in host memory, with what its host knows of it. Indices run freely.
type Ring struct {
	Slots    []WQE
	Stride   int32  // bytes of a slot
	Posted   uint32 // WQEs that software has written
	Rung     uint32 // and rung for
	Consumed uint32 // that software has seen completed
}

// At is the WQE of an index.
func (r *Ring) At(i uint32) *WQE { return &r.Slots[int(i)&(len(r.Slots)-1)] }

// Room is how many WQEs may be posted.
func (r *Ring) Room() int { return len(r.Slots) - int(r.Posted-r.Consumed) }

// Bell is a doorbell of a work queue.
type Bell struct {
	QP       int32
	Recv     bool
	CQ       bool // of the completion queue of the queue pair: its consumer index
	Producer uint32
	Rung     simkit.Cycle // when it was offered
}

// CQE is a completion.
type CQE struct {
	QP     int32
	Recv   bool
	WQE    uint32 // its index, and those before it
	Status format.Status
	Bytes  int32
}

// Frame is a packet on the wire.
type Frame struct {
	QP       int32 // index, the same at both ends
	From     int8  // node
	Op       format.Opcode
	PSN      uint32 // from 0 of its queue pair and direction
	LastPSN  uint32 // of a READ request: that of its last response
	Length   int32  // bytes of payload
	Bytes    int32  // of the frame on the core's stream
	Beats    int32
	WQE      uint32 // of a request: index in the ring of its sender
	Offset   int32  // of its payload in the message
	Total    int32  // of a READ or WRITE: bytes of the message, or of what is asked for
	Remote   SGE
	AckReq   bool
	Syndrome uint8
	MSN      uint32
	CE       bool // it carries the mark of congestion
	ECT      bool // its sender takes part in ECN
	Bad      bool // its ICRC is wrong
	First    simkit.Cycle
	Last     simkit.Cycle // beats, where the frame is
}

// Read is a burst that is asked for.
type Read struct {
	Client int8
	Tag    int32
	Beats  int32
	Bytes  int32
}

// ReadDone is its answer: when its first beat came, and its last one.
type ReadDone struct {
	Tag         int32
	Beats       int32
	First, Last simkit.Cycle
}

// Write is a burst with its beats.
type Write struct {
	Client int8
	Tag    int32
	Beats  int32
	Bytes  int32
	Last   simkit.Cycle // the cycle of its last beat
}

// WriteDone is its answer.
type WriteDone struct {
	Tag  int32
	Last simkit.Cycle // the cycle of its last beat
}

// IsResponse tells whether a packet answers a request: READ response, ACKNOWLEDGE, ATOMIC_ACK.
func IsResponse(op format.Opcode) bool {
	return op >= format.OpReadResponseFirst && op <= format.OpAtomicAck
}

// Syndromes of an AETH (protocol section 1.6).
const (
	SyndromeACK       = 0x1F
	SyndromeRNR       = 0x20
	SyndromeSequence  = 0x60
	SyndromeInvalid   = 0x61
	SyndromeAccess    = 0x62
	SyndromeOperation = 0x63
)
