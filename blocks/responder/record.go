package responder

import "gornic/hdl"

// record is what has been decided of a turn, but for what its translation says.
type record struct {
	Kind       hdl.Bits `w:"3"` // of the turn
	QP         hdl.Bits
	Dead       hdl.Bits `w:"1"` // the queue pair takes no more requests
	Payload    hdl.Bits `w:"1"` // it has payload
	Segments   hdl.Bits `w:"1"` // it has, or a key was asked for, so the translation has a word to say of it,
	Keyed      hdl.Bits `w:"1"` // and a fault in it refuses the request
	Verdict    verdict  // if there is no such fault
	HoldsOnKey hdl.Bits `w:"1"`  // if there is, a receive WQE completes with an error
	Answers    hdl.Bits `w:"1"`  // a reply is due, if all is well
	PSN        hdl.Bits `w:"24"` // of the reply
	RequestPSN hdl.Bits `w:"24"`
	Advance    hdl.Bits `w:"24"` // PSNs that it takes, if all is well
	Resource   hdl.Bits `w:"2"`  // link.ResourceNone and others; what it is of is in Next
	Match      hdl.Bits `w:"3"`  // of a response, as the following: what readmatch said,
	Fault      hdl.Bits `w:"5"`  // and its fault or else the translation's,
	Syndrome   hdl.Bits `w:"8"`
	End        hdl.Bits `w:"1"` // of the message
	Local      hdl.Bits `w:"1"` // it is a SEND
	Written    hdl.Bits `w:"1"` // it is a WRITE
	Consumes   hdl.Bits `w:"1"` // it ends with a receive WQE
	Solicited  hdl.Bits `w:"1"`
	WithImm    hdl.Bits `w:"1"`
	WithInv    hdl.Bits `w:"1"` // a key is to be invalidated
	Imm        hdl.Bits `w:"32"`
	WRID       hdl.Bits `w:"64"`
	Index      hdl.Bits `w:"16"` // of the receive WQE
	Context    recordContext
	Next       message // the message in progress behind this packet
}

// recordContext is what of a queue pair is needed at the end.
type recordContext struct {
	QPN    hdl.Bits `w:"24"`
	MinRNR hdl.Bits `w:"5"`
	CQ     hdl.Bits
}

func (p Params) record() record {
	return record{QP: hdl.W(p.Sizes.QPBits), Context: recordContext{CQ: hdl.W(p.Sizes.CQBits)}}
}

// Codes of a refusal: the low bits of its NAK's syndrome.
const (
	refuseInvalid = 1
	refuseAccess  = 2
	refuseFailed  = 3
)

// verdict is why a request is refused.
type verdict struct {
	Refused hdl.Bits `w:"1"` // with a NAK that ends the queue pair
	RNR     hdl.Bits `w:"1"` // with an RNR NAK: there is no receive WQE
	Code    hdl.Bits `w:"2"` // refuseInvalid and others
	Status  hdl.Bits `w:"8"` // of the receive WQE, if Holds
	Vendor  hdl.Bits `w:"5"`
	Holds   hdl.Bits `w:"1"` // a receive WQE completes with it; else there is an event
}
