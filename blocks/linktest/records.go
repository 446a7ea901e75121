package linktest

import "gornic/format"

// The messages of package link as a test writes and reads them with sim.Source
// and sim.Sink: the same fields under the same names, in the same order.

// Context is a link.Context.
type Context struct {
	Exists      bool
	QPN         uint32
	State       format.QPState
	PD, DestQPN uint32
	PathMTU     int // format.MTU256 and others
	Access      int // format.Access bits
	MinRNR      int
	Timeout     int
	RetryCnt    int
	RNRRetry    int
	SigAll      bool
	Congestion  bool
	SQStride    int // log2 of a slot's 64 bytes
	RQStride    int
	SendCQ      int
	RecvCQ      int
	MaxRD       int
	MaxDestRD   int
}

// Address is a link.Address.
type Address struct {
	DstMAC       uint64
	HopLimit     int
	TrafficClass int
	FlowLabel    int
	IPv6, VLAN   bool
	TCI          int
	SrcPort      int
	SrcHi, SrcLo uint64
	DstHi, DstLo uint64
}

// AddressOf is the address of an address vector.
func AddressOf(av format.AV[uint64]) Address {
	return Address{
		DstMAC: av.DstMAC, HopLimit: int(av.HopLimit), TrafficClass: int(av.TrafficClass), FlowLabel: int(av.FlowLabel),
		IPv6: av.IPv6 == 1, VLAN: av.VLAN == 1, TCI: int(av.TCI), SrcPort: int(av.SrcPort),
		SrcHi: av.SrcHi, SrcLo: av.SrcLo, DstHi: av.DstHi, DstLo: av.DstLo,
	}
}

// Lookup is a link.Lookup.
type Lookup struct {
	Context Context
	Address Address
}

// QPControl is a link.QPControl.
type QPControl struct {
	QP, Kind int
	PSN      uint32
}

// QPFault is a link.QPFault.
type QPFault struct {
	QP       int
	HasEvent bool
	Event    format.AsyncEvent
	Vendor   format.VendorCode
}

// Segment is a link.Segment.
type Segment struct {
	Key, PD, QPN     uint32
	Rights           int // format.Access bits, or link.RightRevoke
	VA               uint64
	Range            uint32
	Len              int
	Skip             bool
	Probe, Bus, Find bool
	Last, Probed     bool
}

// TxJob is a link.TxJob.
type TxJob struct {
	Kind, QP     int
	Opcode       format.Opcode
	SE, AckReq   bool
	PayloadLen   int
	VA           uint64
	RKey, DMALen uint32
	Imm          uint32
	Inline       bool
	Probes       bool
	Swap         uint64
	Compare      uint64
	MSN          uint32
	Failed       bool
	Entry        ReplayEntry
}

// ReplayEntry is a link.ReplayEntry.
type ReplayEntry struct {
	Kind        int // link.EntryRequest and others
	PSN         uint32
	LastPSN     uint32
	WQEIndex    uint16
	Offset      uint32
	Length      int
	First, Last bool
	Signaled    bool
	WC          format.WCOpcode
	WRID        uint64
	Status      format.Status
	Vendor      format.VendorCode
}

// ReplayRead is a link.ReplayRead.
type ReplayRead struct {
	QP     int
	Oldest bool
	Index  uint16
}

// ReplayFound is a link.ReplayFound.
type ReplayFound struct {
	Any    bool
	Index  uint16
	Newest bool
	Entry  ReplayEntry
}

// Record is a link.Record.
type Record struct {
	QP    int
	Entry ReplayEntry
}

// Retired is a link.Retired.
type Retired struct {
	QP    int
	Count uint16
	Reads uint8
}

// Ack is a link.Ack.
type Ack struct {
	QP, Syndrome int
	PSN, MSN     uint32
}

// RxRequest is a link.RxRequest.
type RxRequest struct {
	Kind, QP      int
	Opcode        format.Opcode
	Undefined     bool
	SE, AckReq    bool
	PadCnt        int
	PSN, Expected uint32
	SendNAK       bool
	Ext           [7]uint32
	PayloadLen    int
	Context       Context
}

// RxResponse is a link.RxResponse.
type RxResponse struct {
	QP       int
	Dead     bool
	Match    int // link.MatchACK and others
	PSN      uint32
	Syndrome int
	Fault    format.VendorCode
	QPN      uint32
	SendCQ   int
}

// RxMatched is a link.RxMatched.
type RxMatched struct {
	Packet     RxRequest
	Match      int // link.MatchACK and others
	Fault      format.VendorCode
	Skip, More bool
}

// Outcome is a link.Outcome.
type Outcome struct {
	QP            int
	Advance       uint32
	NAKSent, Dead bool
}

// Commit is a link.Commit.
type Commit struct {
	Kind, QP        int
	Payload, Placed bool
	Reply           int // link.ReplyNone and others
	PSN, RequestPSN uint32
	Syndrome        int
	Message, Fatal  bool
	HasEvent        bool
	Event           format.AsyncEvent
	Complete, Open  bool
	Match           int // link.MatchACK and others
	Fault           format.VendorCode
	Resource        Resource
	Completion      Completion
}

// Placed is a link.Placed.
type Placed struct {
	Commit Commit
	BusErr bool
}

// Completion is a link.Completion.
type Completion struct {
	CQ           int
	WRID         uint64
	ByteLen, Imm uint32
	QP           int
	QPN          uint32
	Status       format.Status
	WQEIndex     uint16
	Opcode       format.WCOpcode
	Flags        int // format.WCFlag bits
	Vendor       format.VendorCode
	Queue        int
	Solicited    bool
}
