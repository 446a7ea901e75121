package format

import "strconv"

// CommandCode is an operation of the command mailbox.
type CommandCode uint8

// Commands. Each takes the struct of its name from the mailbox, in host layout,
// and leaves its result there. A command that fails changes nothing.
const (
	CmdNop        CommandCode = 0  // nothing
	CmdCreateEQ   CommandCode = 1  // CreateEQ
	CmdDestroyEQ  CommandCode = 2  // QueueRef
	CmdCreateCQ   CommandCode = 3  // CreateCQ
	CmdDestroyCQ  CommandCode = 4  // QueueRef
	CmdCreateQP   CommandCode = 5  // CreateQP
	CmdModifyQP   CommandCode = 6  // ModifyQP
	CmdQueryQP    CommandCode = 7  // QueueRef; gives QPStatus
	CmdDestroyQP  CommandCode = 8  // QueueRef
	CmdWriteKey   CommandCode = 9  // KeyEntry: makes the entry at Key's index
	CmdInvalidate CommandCode = 10 // KeyRef: the key is dead, and no DMA uses it any more, when this completes
	CmdQueryKey   CommandCode = 11 // KeyRef; gives KeyEntry
	CmdQPAt       CommandCode = 12 // QueueRef, of which the low bits are an index; gives QPStatus of the QP there, whatever its tag
	CmdForgetKeys CommandCode = 13 // the device holds nothing more of the key table, which may then move
)

// CommandStatus is the outcome of a command.
type CommandStatus uint8

// Outcomes of commands.
const (
	CmdOK           CommandStatus = 0 // done
	CmdBadCommand   CommandStatus = 1 // no such command
	CmdBadNumber    CommandStatus = 2 // no such QP, CQ, EQ or key, or it exists already
	CmdBadParameter CommandStatus = 3 // a value that the field cannot have
	CmdBadState     CommandStatus = 4 // the object's state does not allow it
	CmdBadAttribute CommandStatus = 5 // ModifyQP: a required attribute is missing, or one is not allowed
	CmdBusy         CommandStatus = 6 // something still refers to the object
	CmdBusError     CommandStatus = 7 // host memory did not answer well
)

func (s CommandStatus) String() string {
	names := [...]string{"ok", "no such command", "no such object", "bad parameter", "bad state", "bad attribute", "busy", "bus error"}
	if int(s) < len(names) {
		return names[s]
	}
	return "status " + strconv.Itoa(int(s))
}

// MailboxBytes is the size of the command mailbox.
const MailboxBytes = 128

// CreateEQ makes an event queue of EQEs.
type CreateEQ[V any] struct {
	EQN      V `w:"16"` // number of the event queue
	LogSize  V `w:"8"`  // log2 of its EQEs, 1 to 15
	Vector   V `w:"8"`  // interrupt vector, of which there are as many as event queues
	Reserved V `w:"32"` // 0
	Base     V `w:"64"` // bus address, a multiple of its size in bytes
}

// CreateCQ makes a completion queue of CQEs.
type CreateCQ[V any] struct {
	CQN      V `w:"16"` // number of the completion queue
	EQN      V `w:"16"` // where its events go
	LogSize  V `w:"8"`  // log2 of its CQEs, 1 to 15
	Reserved V `w:"8"`  // 0
	Page     V `w:"16"` // doorbell page that may update it
	Base     V `w:"64"` // bus address, a multiple of its size in bytes
}

// CreateQP makes a queue pair in state RESET. The low bits of QPN are its index,
// the bits above a tag that the driver changes for each new QP of that index, so
// that packets and doorbells for an old one do not reach the new one.
type CreateQP[V any] struct {
	QPN         V `w:"24"` // neither 0 nor 1
	SigAll      V `w:"8"`  // 1: every send WQE is signaled
	PD          V `w:"24"` // protection domain
	Congestion  V `w:"8"`  // 1: it has congestion control, by the parameters of Congestion
	SendCQ      V `w:"16"` // CQN for its send WQEs
	RecvCQ      V `w:"16"` // CQN for its receive WQEs
	Page        V `w:"16"` // doorbell page that may ring for it
	SQLogSize   V `w:"4"`  // log2 of its WQEs, 0 to 15
	SQLogStride V `w:"4"`  // slots of 64 << SQLogStride bytes
	RQLogSize   V `w:"4"`  // as SQLogSize, of the receive queue
	RQLogStride V `w:"4"`  // as SQLogStride, of the receive queue
	SQBase      V `w:"64"` // bus address, a multiple of 4096
	RQBase      V `w:"64"` // as SQBase, of the receive queue
}

// AV is an address vector: where a QP's packets go.
type AV[V any] struct {
	DstMAC       V `w:"48"`            // destination MAC address
	HopLimit     V `w:"8"`             // or TTL
	TrafficClass V `w:"8"`             // or IPv4 TOS
	FlowLabel    V `w:"20"`            // IPv6 flow label
	IPv6         V `w:"1" name:"ipv6"` // 1: IPv6, 0: IPv4
	VLAN         V `w:"1"`             // 1: an 802.1Q tag
	Reserved     V `w:"10"`            // 0
	TCI          V `w:"16"`            // tag control information
	SrcPort      V `w:"16"`            // UDP source port, see SourcePort
	SrcHi        V `w:"64"`            // own address; IPv4: 0
	SrcLo        V `w:"64"`            // IPv4: in the low 32 bits
	DstHi        V `w:"64"`            // the peer's address; IPv4: 0
	DstLo        V `w:"64"`            // IPv4: in the low 32 bits
}

// ModifyQP changes the state and the attributes whose bits are in Mask.
type ModifyQP[V any] struct {
	QPN       V     `w:"24"` // of the queue pair
	State     V     `w:"8"`  // QPState; the present one where AttrState is not in Mask
	Mask      V     `w:"32"` // Attr...
	DestQPN   V     `w:"24"` // the peer's QPN
	PathMTU   V     `w:"8"`  // MTU256 and others
	RQPSN     V     `w:"24"` // first PSN to be received
	MinRNR    V     `w:"8"`  // RNR timer code
	SQPSN     V     `w:"24"` // first PSN to be sent
	Timeout   V     `w:"8"`  // ACK timeout, 4.096 us << Timeout; 0: never
	Access    V     `w:"8"`  // AccessRemoteWrite and others
	RetryCnt  V     `w:"8"`  // resends before the QP fails, 0 to 7
	RNRRetry  V     `w:"8"`  // 7: for ever
	MaxRD     V     `w:"8"`  // READs and atomics in flight as requester
	MaxDestRD V     `w:"8"`  // and as responder
	PKeyIndex V     `w:"8"`  // 0
	Port      V     `w:"8"`  // 1
	Notify    V     `w:"8"`  // 1: an event when the send queue has drained
	AV        AV[V] // where its packets go
}

// QueueRef names a QP, CQ or EQ.
type QueueRef[V any] struct {
	Number   V `w:"24"` // QPN, CQN or EQN
	Reserved V `w:"8"`  // 0
}

// KeyRef names a key.
type KeyRef[V any] struct {
	Key V `w:"32"` // the whole key
}

// QPStatus is what QueryQP gives.
type QPStatus[V any] struct {
	QPN        V `w:"24"` // of the queue pair
	State      V `w:"8"`  // QPState
	NextPSN    V `w:"24"` // of the next request
	Reserved0  V `w:"8"`  // 0
	OldestPSN  V `w:"24"` // oldest PSN without acknowledgement; NextPSN where there is none
	Reserved1  V `w:"8"`  // 0
	ExpPSN     V `w:"24"` // of the next request to be received
	Reserved2  V `w:"8"`  // 0
	MSN        V `w:"24"` // messages received
	Reserved3  V `w:"8"`  // 0
	SQConsumer V `w:"16"` // send WQEs done with
	RQConsumer V `w:"16"` // receive WQEs done with
}
