package link

import "gornic/hdl"

// What psncheck found of a request.
const (
	PSNExpected  = 0
	PSNDuplicate = 1 // received before: acknowledged again, not executed
	PSNAhead     = 2 // one before it is missing: the first such draws a NAK
	PSNIgnored   = 3 // for no queue pair, or not now: dropped
	PSNFence     = 4 // no packet: a fence passes
	PSNResponse  = 5 // a response, for the requester's half
	PSNDead      = 6 // no packet: the queue pair has gone to ERR. What passed psncheck before is ahead of this
)

// RxRequest is a packet: a request, judged by its PSN, or a response. Its payload, if it has any,
// waits at the scatter engine.
type RxRequest struct {
	Kind       hdl.Bits    `w:"3"` // PSNExpected and others
	QP         hdl.Bits    // index; where ignored it means nothing
	Opcode     hdl.Bits    `w:"8"`  // BTH
	Undefined  hdl.Bits    `w:"1"`  // the opcode is not in the table
	SE         hdl.Bits    `w:"1"`  // BTH
	AckReq     hdl.Bits    `w:"1"`  // BTH
	PadCnt     hdl.Bits    `w:"2"`  // BTH
	PSN        hdl.Bits    `w:"24"` // BTH; of a fence, the token in the low bits
	Expected   hdl.Bits    `w:"24"` // the PSN that was expected
	SendNAK    hdl.Bits    `w:"1"`  // PSNAhead: a NAK is due
	Ext        [7]hdl.Bits `w:"32"` // extension headers: format.ExtWords
	PayloadLen hdl.Bits    `w:"13"` // 0 of what is no packet
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

// What readmatch found of a response.
const (
	MatchACK     = 0 // an acknowledgement: its syndrome says more
	MatchData    = 1 // data of the oldest READ, and more is to come. It acknowledges what is before that READ
	MatchDone    = 2 // the last data of the oldest READ, or the answer to the oldest atomic
	MatchIgnored = 3 // it answers nothing: the queue pair takes no more responses
	MatchGap     = 4 // data behind the one that is due: the oldest READ or atomic has lost a response
	MatchBad     = 5 // it is none that the oldest READ or atomic may have
	MatchLength  = 6 // its length is not that of the READ
	MatchStray   = 7 // data before the one that is due, or none is: has it come before, or does it answer a SEND or WRITE? The completer knows
)

// RxMatched is a packet on its way to the responder. Requests and what is no packet pass
// readmatch as they came. A response is one for each piece of an SGE that its data goes to.
type RxMatched struct {
	Packet RxRequest // of a response: Ext 0 to 3 are a RETH of local memory, of this piece; Ext 4 its AETH; PayloadLen the bytes of this piece
	Match  hdl.Bits  `w:"3"` // of a response: MatchACK and others
	Fault  hdl.Bits  `w:"5"` // of a response: FaultBits; the WQE could not be read
	Skip   hdl.Bits  `w:"1"` // of a response: the payload, or its rest, is dropped
	More   hdl.Bits  `w:"1"` // of a response: a further piece of it follows
}

// RxMatched returns the prototype.
func (s Sizes) RxMatched() RxMatched { return RxMatched{Packet: s.RxRequest()} }

// RxResponse is a response for the requester's half of a queue pair, whose data is in memory.
type RxResponse struct {
	QP       hdl.Bits
	Dead     hdl.Bits `w:"1"` // no packet: the queue pair has gone to ERR, and no more of its data is written. Match, PSN and Syndrome mean nothing
	Match    hdl.Bits `w:"3"`
	PSN      hdl.Bits `w:"24"`
	Syndrome hdl.Bits `w:"8"`
	Fault    hdl.Bits `w:"5"` // its data could not be placed
	QPN      hdl.Bits `w:"24"`
	SendCQ   hdl.Bits
}

// RxResponse returns the prototype.
func (s Sizes) RxResponse() RxResponse {
	return RxResponse{QP: hdl.W(s.QPBits), SendCQ: hdl.W(s.CQBits)}
}

// Replies of a Commit.
const (
	ReplyNone = 0
	ReplyACK  = 1 // an ACK of PSN
	ReplyNAK  = 2 // Syndrome, at PSN
)

// Kinds of Commit.
const (
	CommitRequest  = 0
	CommitFence    = 1 // a fence passes: PSN has its token
	CommitResponse = 2 // a response: QP, Payload, Placed, PSN, Match, Syndrome and Fault; the Completion's CQ and QPN
	CommitDead     = 3 // PSNDead passes: QP, and the Completion's CQ and QPN
)

// Commit is what becomes visible of a packet once its payload is in memory: of a request a
// message counted, an answer, a completion. A write that fails turns it into a
// NAK and an error. Of a response, that it has come.
type Commit struct {
	Kind       hdl.Bits `w:"2"` // CommitRequest and others
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
	Match      hdl.Bits `w:"3"`  // of a response: MatchACK and others
	Fault      hdl.Bits `w:"5"`  // of a response: its data could not be placed
	Resource   Resource // a READ or atomic that is to be answered, by PSN RequestPSN
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
