package link

import "gornic/hdl"

// Context is what is known of a queue pair besides what one block owns: its
// state and what software set. Its owner is qpcontext; others ask for it.
type Context struct {
	Exists     hdl.Bits `w:"1"`  // the other fields mean nothing where it does not
	QPN        hdl.Bits `w:"24"` // whole, with its tag
	State      hdl.Bits `w:"3"`  // format.QPState
	PD         hdl.Bits `w:"24"`
	DestQPN    hdl.Bits `w:"24"`
	PathMTU    hdl.Bits `w:"3"` // format.MTU256 and others
	Access     hdl.Bits `w:"4"` // format.Access bits 3 to 0
	MinRNR     hdl.Bits `w:"5"`
	Timeout    hdl.Bits `w:"5"`
	RetryCnt   hdl.Bits `w:"3"`
	RNRRetry   hdl.Bits `w:"3"`
	SigAll     hdl.Bits `w:"1"`
	Congestion hdl.Bits `w:"1"` // it has congestion control
	SQStride   hdl.Bits `w:"1"` // log2 of a slot's 64 bytes
	RQStride   hdl.Bits `w:"1"`
	SendCQ     hdl.Bits
	RecvCQ     hdl.Bits
	MaxRD      hdl.Bits `w:"8"`
	MaxDestRD  hdl.Bits `w:"8"`
}

// Context returns the prototype.
func (s Sizes) Context() Context {
	return Context{SendCQ: hdl.W(s.CQBits), RecvCQ: hdl.W(s.CQBits)}
}

// Address is where the packets of a queue pair go and come from: its address
// vector.
type Address struct {
	DstMAC       hdl.Bits `w:"48"`
	HopLimit     hdl.Bits `w:"8"`
	TrafficClass hdl.Bits `w:"8"`
	FlowLabel    hdl.Bits `w:"20"`
	IPv6         hdl.Bits `w:"1" name:"ipv6"`
	VLAN         hdl.Bits `w:"1"`
	TCI          hdl.Bits `w:"16"`
	SrcPort      hdl.Bits `w:"16"`
	SrcHi        hdl.Bits `w:"64"` // own address
	SrcLo        hdl.Bits `w:"64"`
	DstHi        hdl.Bits `w:"64"`
	DstLo        hdl.Bits `w:"64"`
}

// Lookup is a queue pair's context and address.
type Lookup struct {
	Context Context
	Address Address
}

// ContextPort is a reader's side of qpcontext; the answers come in order.
type ContextPort struct {
	Request hdl.Stream[QPRef]
	Reply   hdl.Stream[Lookup] `hdl:"flip"`
}

// ContextPort returns the prototype.
func (s Sizes) ContextPort() ContextPort {
	return ContextPort{
		Request: hdl.StreamOf(s.QPRef()),
		Reply:   hdl.StreamOf(Lookup{Context: s.Context()}),
	}
}

// What a QPControl does to the state that a block owns.
const (
	ControlClear   = 0 // as after creation: no work, no packet outstanding, PSN and MSN 0
	ControlSendPSN = 1 // PSN is that of the first request to be sent
	ControlRecvPSN = 2 // PSN is that of the first request to be received
	ControlDrain   = 3 // bit 0 of PSN: an event is wanted once the send queue has drained
	ControlTimers  = 4 // the low bits of PSN: Timers
)

// QPControl prepares the state that a block owns for a queue pair. Nothing of
// that queue pair is in the pipelines when it comes.
type QPControl struct {
	QP   hdl.Bits
	Kind hdl.Bits `w:"3"`
	PSN  hdl.Bits `w:"24"`
}

// QPControl returns the prototype.
func (s Sizes) QPControl() QPControl { return QPControl{QP: hdl.W(s.QPBits)} }

// QPFault moves a queue pair to the state ERR. Only the first one of a queue
// pair raises an event.
type QPFault struct {
	QP       hdl.Bits
	HasEvent hdl.Bits `w:"1"`
	Event    hdl.Bits `w:"8"` // format.AsyncEvent
	Vendor   hdl.Bits `w:"5"`
}

// QPFault returns the prototype.
func (s Sizes) QPFault() QPFault { return QPFault{QP: hdl.W(s.QPBits)} }

// Fence is a token that goes through a pipeline behind everything that entered
// before it, with the responses of host memory to that.
type Fence struct {
	Token hdl.Bits `w:"2"` // returned as it came: bit 1 says whose it is, 0 command's, 1 that of keyops
}

// ContextWrite makes a queue pair what Lookup says: from command. State ERR is
// left for RESET only: a fault in the meantime is not undone.
type ContextWrite struct {
	QP     hdl.Bits
	Lookup Lookup
}

// ContextWrite returns the prototype.
func (s Sizes) ContextWrite() ContextWrite {
	return ContextWrite{QP: hdl.W(s.QPBits), Lookup: Lookup{Context: s.Context()}}
}

// Peek looks at a number that a block owns for a queue pair. Command holds QP
// for PeekCycles, during which nothing else happens to it but traffic, and then takes
// Value: the number as it was in one of the last of these cycles.
type Peek struct {
	QP    hdl.Bits
	Value hdl.Bits `hdl:"flip"`
}

// PeekCycles is how long a Peek takes.
const PeekCycles = 8

// Peek returns the prototype for a value of a width.
func (s Sizes) Peek(width int) Peek { return Peek{QP: hdl.W(s.QPBits), Value: hdl.W(width)} }
