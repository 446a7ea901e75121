package link

import "gornic/hdl"

// What psncheck found of a request.
const (
	PSNExpected  = 0
	PSNDuplicate = 1 // received before: acknowledged again, not executed
	PSNAhead     = 2 // one before it is missing: the first such draws a NAK
	PSNIgnored   = 3 // for no queue pair, or not now: dropped
	PSNFence     = 4 // no packet: a fence passes
)

// RxRequest is a request packet, judged by its PSN. Its payload, if it has any,
// waits at the scatter engine.
type RxRequest struct {
	Kind       hdl.Bits    `w:"3"` // PSNExpected and others
	QP         hdl.Bits    // index; where ignored it means nothing
	Opcode     hdl.Bits    `w:"8"`  // BTH
	Undefined  hdl.Bits    `w:"1"`  // the opcode is not in the table
	SE         hdl.Bits    `w:"1"`  // BTH
	AckReq     hdl.Bits    `w:"1"`  // BTH
	PadCnt     hdl.Bits    `w:"2"`  // BTH
	PSN        hdl.Bits    `w:"24"` // BTH; of a fence, the token in bit 0
	Expected   hdl.Bits    `w:"24"` // the PSN that was expected
	SendNAK    hdl.Bits    `w:"1"`  // PSNAhead: a NAK is due
	Ext        [7]hdl.Bits `w:"32"` // extension headers: format.ExtWords
	PayloadLen hdl.Bits    `w:"13"`
	Context    Context
}

// RxRequest returns the prototype.
func (s Sizes) RxRequest() RxRequest {
	return RxRequest{QP: hdl.W(s.QPBits), Context: s.Context()}
}

// Outcome is the responder's word on an expected request, which lets psncheck
// judge the next one of that queue pair.
type Outcome struct {
	QP      hdl.Bits
	Advance hdl.Bits `w:"24"` // PSNs that the request took: 0 where it was refused
	NAKSent hdl.Bits `w:"1"`  // a NAK (RNR) went out: no further one until the expected PSN comes
	Dead    hdl.Bits `w:"1"`  // the queue pair takes no more requests
}

// Outcome returns the prototype.
func (s Sizes) Outcome() Outcome { return Outcome{QP: hdl.W(s.QPBits)} }

// RxResponse is an acknowledgement for the requester's half of a queue pair.
type RxResponse struct {
	QP       hdl.Bits
	Opcode   hdl.Bits `w:"8"`
	PSN      hdl.Bits `w:"24"`
	Syndrome hdl.Bits `w:"8"`
	MSN      hdl.Bits `w:"24"`
	Context  Context
}

// RxResponse returns the prototype.
func (s Sizes) RxResponse() RxResponse {
	return RxResponse{QP: hdl.W(s.QPBits), Context: s.Context()}
}

// Replies of a Commit.
const (
	ReplyNone = 0
	ReplyACK  = 1 // an ACK of PSN
	ReplyNAK  = 2 // Syndrome, at PSN
)

// Commit is what becomes visible of a request once its payload is in memory: a
// message counted, an answer, a completion. A write that fails turns it into a
// NAK and an error.
type Commit struct {
	Kind       hdl.Bits `w:"1"` // 1: a fence passes, the rest means nothing
	QP         hdl.Bits
	Payload    hdl.Bits `w:"1"`  // the packet had payload, for which the scatter engine reports
	Placed     hdl.Bits `w:"1"`  // it was placed: a bus error counts
	Reply      hdl.Bits `w:"2"`  // ReplyNone, ReplyACK or ReplyNAK
	PSN        hdl.Bits `w:"24"` // of the reply
	RequestPSN hdl.Bits `w:"24"` // of the packet, for the NAK of a failed write
	Syndrome   hdl.Bits `w:"8"`  // of ReplyNAK
	Message    hdl.Bits `w:"1"`  // a message ended: the MSN counts it
	Fatal      hdl.Bits `w:"1"`  // the queue pair goes to ERR
	HasEvent   hdl.Bits `w:"1"`  // with Fatal
	Event      hdl.Bits `w:"8"`  // format.AsyncEvent
	Complete   hdl.Bits `w:"1"`  // a CQE is written
	Open       hdl.Bits `w:"1"`  // a receive WQE is held, which a failed write completes with an error
	Completion Completion
}

// Commit returns the prototype.
func (s Sizes) Commit() Commit {
	return Commit{QP: hdl.W(s.QPBits), Completion: s.Completion()}
}

// Placed is a Commit whose payload the memory has answered for.
type Placed struct {
	Commit Commit
	BusErr hdl.Bits `w:"1"`
}

// Placed returns the prototype.
func (s Sizes) Placed() Placed { return Placed{Commit: s.Commit()} }
