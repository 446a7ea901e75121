package script

import (
	"net/netip"

	"gornic/format"
	"gornic/verbs"
)

// Step is a step of a case.
type Step struct {
	Line  int
	Verb  string
	Label string // later steps call it so
	Do    Action
}

// Action is what a step does: one of the types below.
type Action interface{ action() }

// PostSend posts a send work request (ibv_post_send).
type PostSend struct {
	QP         string
	WRID       Num
	Opcode     verbs.Opcode
	Flags      verbs.SendFlags
	SGL        []SGE
	Inline     *Data
	Imm        Num
	InvRKey    Num
	RemoteAddr Num
	RKey       Num
	CompareAdd Num
	Swap       Num
	Bind       *Bind
	Reg        *Reg
}

// SGE is a piece of a region (ibv_sge).
type SGE struct {
	MR     string
	Offset Num
	Length Num
	LKey   *Num // nil: that of the region
}

// Bind binds a window.
type Bind struct {
	MW, MR         string
	Offset, Length Num
	Access         verbs.Access
}

// Reg registers a region for fast registration, under the next key.
type Reg struct {
	MR     string
	Access verbs.Access
}

// PostRecv posts a receive work request (ibv_post_recv).
type PostRecv struct {
	QP   string
	WRID Num
	SGL  []SGE
}

// ModifyQP changes the state of a queue pair, and attributes (ibv_modify_qp).
type ModifyQP struct {
	QP   string
	Attr verbs.QPAttr
	Mask verbs.AttrMask
}

// DestroyQP destroys a queue pair, CreateQP makes it again as it was defined.
type (
	DestroyQP struct{ QP string }
	CreateQP  struct{ QP string }
)

// DeregMR ends a region's key (ibv_dereg_mr); nothing is checked of it any more.
type DeregMR struct{ MR string }

// WriteMemory writes to a region as software of the host.
type WriteMemory struct {
	MR     string
	Offset Num
	Data   Data
}

// InjectFault makes the bus answer accesses to a piece of a region with errors.
type InjectFault struct {
	MR             string
	Offset, Length Num
	Reads, Writes  bool
}

// HoldWire stops the wire from taking what the NIC sends, or lets it.
type HoldWire struct{ Hold bool }

// WriteRegister writes a register of the device.
type WriteRegister struct {
	Register format.Register
	Value    uint32
}

// ReqNotify arms a completion queue (ibv_req_notify_cq).
type ReqNotify struct {
	QP            string
	Recv          bool
	SolicitedOnly bool
}

// Packet is a packet of the peer, or one that is expected.
type Packet struct {
	QP         string
	Fields     []FieldValue
	Src, Dst   netip.Addr // zero: the right ones, or any
	ECN        *uint64
	Payload    *Data
	PayloadLen *Num
}

// SendPacket is what the peer sends.
type SendPacket struct {
	Packet
	Again   string // label of the step whose frame is sent again; then there are no fields
	BadICRC bool
	Trailer int
	Count   Num
}

// SendRaw sends a frame as it is.
type SendRaw struct{ Frame []byte }

// Times say when a thing has to happen, counted from a step.
type Times struct {
	Since         string // label; empty: from the last step that did or saw something
	After, Within Time
}

// ExpectPacket expects the next packet of a queue pair.
type ExpectPacket struct {
	Packet
	Times
	Optional bool     // it need not come
	Skip     []Packet // those that may come before
}

// Streams of packets of a queue pair, which are in order each.
type Stream uint8

// Streams.
const (
	Requests Stream = iota
	Responses
	CNPs
)

// ExpectNothing expects that no packet comes.
type ExpectNothing struct {
	QP      string // empty: of any
	For     Time
	Streams []Stream // empty: all
}

// Wait lets time pass.
type Wait struct {
	For   Time
	Until string // "packet", "cqe", "event": or until there is one
}

// ExpectCQE expects the next completion of a queue.
type ExpectCQE struct {
	QP       string
	Recv     *bool // nil: as the work request of that number was posted
	WRID     *Num
	Statuses []verbs.WCStatus
	Opcodes  []verbs.WCOpcode
	ByteLen  *Num
	Imm      *Num
	InvRKey  *Num
	Flags    *verbs.WCFlags
	Times
}

// ExpectNoCQE expects that there is none.
type ExpectNoCQE struct {
	QP  string
	For Time
}

// ExpectEvent expects an event: an asynchronous one, or a completion event.
type ExpectEvent struct {
	QP         string
	Event      []verbs.EventType
	Completion bool
	Recv       bool // completion event: of the receive queue's CQ
	Times
}

// ExpectNoEvent expects that there is none.
type ExpectNoEvent struct {
	QP  string
	For Time
}

// ExpectMemory expects that a region holds something.
type ExpectMemory struct {
	MR        string
	Offset    Num
	Data      *Data
	Unchanged bool // all but what earlier expectations looked at is as it was at first
	Times
}

// ExpectQP expects a queue pair to be in a state (ibv_query_qp).
type ExpectQP struct {
	QP     string
	State  *verbs.QPState
	Fields []QPField
	Times
}

// QPField is a number of verbs.QPStatus.
type QPField struct {
	Name string
	Num  Num
}

// ExpectCounter expects counters to have moved, since they were last looked at.
type ExpectCounter struct{ Counters []CounterDelta }

// CounterDelta is how far a counter moved.
type CounterDelta struct {
	Line    int
	Counter format.Counter
	Low     Num
	AtLeast bool
}

// Repeat plays steps several times, with i counting from 0.
type Repeat struct {
	Times int
	Steps []Step
}

func (PostSend) action()      {}
func (PostRecv) action()      {}
func (ModifyQP) action()      {}
func (DestroyQP) action()     {}
func (CreateQP) action()      {}
func (DeregMR) action()       {}
func (WriteMemory) action()   {}
func (InjectFault) action()   {}
func (HoldWire) action()      {}
func (WriteRegister) action() {}
func (ReqNotify) action()     {}
func (SendPacket) action()    {}
func (SendRaw) action()       {}
func (ExpectPacket) action()  {}
func (ExpectNothing) action() {}
func (Wait) action()          {}
func (ExpectCQE) action()     {}
func (ExpectNoCQE) action()   {}
func (ExpectEvent) action()   {}
func (ExpectNoEvent) action() {}
func (ExpectMemory) action()  {}
func (ExpectQP) action()      {}
func (ExpectCounter) action() {}
func (Repeat) action()        {}

// Set changes the attributes that the step names, but the state.
func (a ModifyQP) Set(to *verbs.QPAttr) {
	for bit, set := range map[verbs.AttrMask]func(){
		verbs.AttrAccess:          func() { to.Access = a.Attr.Access },
		verbs.AttrMinRNRTimer:     func() { to.MinRNRTimer = a.Attr.MinRNRTimer },
		verbs.AttrTimeout:         func() { to.Timeout = a.Attr.Timeout },
		verbs.AttrRetryCnt:        func() { to.RetryCnt = a.Attr.RetryCnt },
		verbs.AttrRNRRetry:        func() { to.RNRRetry = a.Attr.RNRRetry },
		verbs.AttrRQPSN:           func() { to.RQPSN = a.Attr.RQPSN },
		verbs.AttrSQPSN:           func() { to.SQPSN = a.Attr.SQPSN },
		verbs.AttrMaxRDAtomic:     func() { to.MaxRDAtomic = a.Attr.MaxRDAtomic },
		verbs.AttrMaxDestRDAtomic: func() { to.MaxDestRDAtomic = a.Attr.MaxDestRDAtomic },
		verbs.AttrSQDNotify:       func() { to.SQDNotify = a.Attr.SQDNotify },
	} {
		if a.Mask&bit != 0 {
			set()
		}
	}
}
