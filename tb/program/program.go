package program

import (
	"gornic/tb/wire"
	"gornic/verbs"
)

// Program is what two hosts do.
type Program struct {
	Seed   uint64
	Timing Timing
	Faults wire.Faults // of the wire, until the last of Trials
	Acts   []Act       // one after the other, on the same devices
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
	Races       []Race
	Trials      []Trial
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
	Loans   []Loan
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
	Words     bool   // multiples of 8 bytes from its first byte on are so in virtual addresses and on the bus
	Kept      bool   // for what it was made for alone: a loan, or words that many queue pairs share
	Fast      bool   // it is registered by work requests
}

// Loan is a key that a host lends to the peer of one connection, again and again: each
// time it is another key, and gives other rights.
type Loan struct {
	Kind   LoanKind
	Region int // in Station.Regions: lent itself, or what the window is of
}

// LoanKind is how a key is lent.
type LoanKind uint8

// Kinds of a loan.
const (
	FastRegion   LoanKind = iota // by REG_MR
	Window1                      // by the bind of a window of type 1
	Window2                      // by that of one of type 2
	Reregistered                 // by the host, which registers the region anew
)

func (k LoanKind) String() string {
	return [...]string{"fast registration", "window of type 1", "window of type 2", "re-registration"}[k&3]
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
	MaxRD          uint8        // READs and atomics of its own at once
	MaxDestRD      uint8        // and of the peer's
	Path           verbs.AHAttr // but for the addresses
	MinRNRTimer    uint8
	Timeout        uint8 // of an ACK
	RetryCnt       uint8
	RNRRetry       uint8
	Messages       []Message
	Receives       []Receive
	Ending         Ending
	Late           []Message // posted after the Ending, if that is Failed
	Offence        *Offence  // of one whose Ending is Refused
}

// Ending is what becomes of a queue pair when all messages have arrived.
type Ending uint8

// Endings.
const (
	Destroyed Ending = iota // in RTS
	Failed                  // moved to ERR: what is left in its queues is flushed
	Reset                   // moved to RESET, which forgets what is left
	Refused                 // in ERR, as a last message is refused; so is the peer, if it refuses
)

// Message is a work request of a send queue.
type Message struct {
	Op        verbs.Opcode
	Length    int // bytes
	Inline    bool
	Signaled  bool
	Solicited bool
	Fence     bool
	Imm       uint32
	Source    []Piece // of the sender's regions: what is sent, where what is read goes; what Inline sends is the first
	Renewed   bool    // nobody else uses Source: it gets new contents after the completion
	Sink      Piece   // of the peer's regions, of WRITEs, READs and atomics; noRegion: nowhere, and it has no bytes
	Lent      int     // of the peer's loans: the one whose key names Sink, or that a SEND invalidates; or noLoan
	Operand   uint64  // of an atomic: what is added or swapped in
	Matches   bool    // a CMP_SWAP compares with what there is, as far as its host knows
	Shared    bool    // Sink is of other queue pairs, too: a word, or an arena of READs and WRITEs
	Receive   int     // index in the Receives of the peer, or noReceive
	Ring      bool    // a doorbell follows
	Cue       Cue     // before which it is not posted
	Lending   *Lending
}

// Cue is what has to have come: numbers of messages, from the first one on.
type Cue struct {
	Peer int // of the peer's, whose completions its host has
	Own  int // of the own ones
	Here int // receives that are complete
}

// Lending is what a message does for a loan of its own host. A REG_MR or BIND_MW begins it, or
// any message before which the host registers the region anew; a LOCAL_INV, or the
// BIND_MW of a window of type 1 to nothing, ends it.
type Lending struct {
	Loan   int
	Range  Piece  // of the region; of a window alone it is a part of it. No bytes: the window is bound to nothing
	Shift  uint64 // of a region, by so many pages or words, from its first virtual address
	Access verbs.Access
}

// noLoan is the Message.Lent of one that needs none.
const noLoan = -1

// noReceive is the Message.Receive of one that uses none.
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
