package program

import "gornic/verbs"

// Program is what two hosts do.
type Program struct {
	Seed   uint64
	Timing Timing
	Acts   []Act // one after the other, on the same devices
}

// Timing is how fast everything around the devices is.
type Timing struct {
	LatencyMin, LatencyMax int  // of host memory, cycles
	Reorder, Interleave    bool // of its answers
	MemoryPauses           int  // percent of cycles in which a channel of host memory stands still
	RegisterPauses         int  // and one of the registers
	WirePauses             int  // and the wire, in and out
	Slice                  int  // cycles that a device runs before it is the other's turn
	Wait                   int  // cycles that a driver waits, at most
	Strict                 bool // host memory looks at each cycle
	Moderation             uint32
	Events                 int // entries of event queue 0
}

// Act is some connections between two hosts, from their making to their end.
type Act struct {
	Hosts       [2]Station
	Connections []Connection
	// How often, in percent, a host in its turn looks after a queue: for messages
	// to send, receives to post, completions to take.
	Send, Receive, Poll int
}

// Station is what a host makes for an act besides queue pairs.
type Station struct {
	PDs     int
	EQs     []EQ // event queues 1 and on
	CQs     []CQ
	Regions []Region
}

// EQ is an event queue.
type EQ struct{ Entries, Vector int }

// CQ is a completion queue. It has room for all that its queues may complete.
type CQ struct {
	EQ   int // 0: event queue 0
	Page int // of its doorbells
	Use  CQUse
}

// CQUse is how a host takes completions.
type CQUse uint8

// Uses of a CQ.
const (
	Polled    CQUse = iota // now and then
	Armed                  // after an event
	Solicited              // now and then, and after an event where a solicited or failed one is sure to come
)

func (u CQUse) String() string { return [...]string{"polled", "armed", "armed for solicited"}[u%3] }

// Region is a memory region and the memory under it. Messages use pieces of it.
type Region struct {
	PD        int
	Access    verbs.Access
	Length    int    // bytes
	VA        uint64 // first virtual address, unless AtBus
	AtBus     bool   // the virtual address is the bus address
	Constant  bool   // nobody writes to it, messages may share its bytes
	PageSize  int    // of a page list; 0: contiguous
	Scattered bool   // each page is an allocation of its own; else they lie in one, in any order
}

// Piece is a part of a region: its index in Station.Regions, or noRegion.
type Piece struct{ Region, Offset, Length int }

// noRegion is the region of an SGE of no bytes whose key and address are nobody's.
const noRegion = -1

// Connection is a queue pair at each host.
type Connection struct {
	MTU  verbs.MTU
	IPv6 bool
	Ends [2]End
}

// End is a queue pair and what it does.
type End struct {
	PD             int
	SendCQ, RecvCQ int
	Cap            verbs.QPCap
	SigAll         bool
	Page           int    // of its doorbells
	QPN            uint32 // 0: the driver's choice
	PSN            uint32 // of its first request
	Access         verbs.Access
	Path           verbs.AHAttr // but for the addresses
	MinRNRTimer    uint8
	Messages       []Message
	Receives       []Receive
	Ending         Ending
	Late           []Message // posted after the Ending, if that is Failed
}

// Ending is what becomes of a queue pair when all messages have arrived.
type Ending uint8

// Endings.
const (
	Destroyed Ending = iota // in RTS
	Failed                  // moved to ERR: what is left in its queues is flushed
	Reset                   // moved to RESET, which forgets what is left
)

// Message is a message that an end sends.
type Message struct {
	Op        verbs.Opcode
	Length    int // bytes
	Inline    bool
	Signaled  bool
	Solicited bool
	Imm       uint32
	Source    []Piece // of the sender's regions; what Inline sends is the first
	Renewed   bool    // nobody else uses Source: it gets new contents after the completion
	Sink      Piece   // where a WRITE goes; noRegion: nowhere, and it has no bytes
	Receive   int     // index in the Receives of the peer, or noReceive
	Ring      bool    // a doorbell follows
}

// noReceive is the Message.Receive of a WRITE without immediate.
const noReceive = -1

// Receive is a receive work request. Those behind the last message's stay in the
// queue.
type Receive struct {
	Pieces  []Piece // of the receiver's regions
	Message int     // index in the Messages of the peer; -1: none uses it
	Late    bool    // posted only after its message, if the sender sends again
	Ring    bool    // a doorbell follows
}

// Messages counts the messages of an act.
func (a Act) Messages() int {
	n := 0
	for _, c := range a.Connections {
		n += len(c.Ends[0].Messages) + len(c.Ends[1].Messages)
	}
	return n
}
