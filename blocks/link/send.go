package link

import "gornic/hdl"

// Kinds of TxJob.
const (
	JobPacket = 0 // a packet
	JobRecord = 1 // no packet: an entry of Status for the completer
	JobFence  = 2 // a fence passes
	JobAnswer = 3 // a packet of responder resources: a READ response or ATOMIC_ACK, which is not recorded
	JobResend = 4 // a packet that is sent again: it is in the replay ring, and is not recorded; a fault is a ResendFault
	JobMark   = 5 // no packet: all jobs of its queue pair that were given before have left, and been recorded
)

// TxJob is a request packet, or what takes a packet's place in the order of its
// queue pair. Its payload's segments go to the translator in the same order.
type TxJob struct {
	Kind       hdl.Bits `w:"3"`
	QP         hdl.Bits
	Opcode     hdl.Bits    `w:"8"`
	SE         hdl.Bits    `w:"1"`
	AckReq     hdl.Bits    `w:"1"`
	PayloadLen hdl.Bits    `w:"13"`
	VA         hdl.Bits    `w:"64"` // RETH
	RKey       hdl.Bits    `w:"32"`
	DMALen     hdl.Bits    `w:"32"`
	Imm        hdl.Bits    `w:"32"` // immediate or key to invalidate, as a number of the wire
	Inline     hdl.Bits    `w:"1"`  // the payload comes on the stream of inline data
	Probes     hdl.Bits    `w:"1"`  // the segments are probes: Gathered comes, and no payload
	Swap       hdl.Bits    `w:"64"` // AtomicETH: SwapOrAdd; of an ATOMIC_ACK, the original value
	Compare    hdl.Bits    `w:"64"` // AtomicETH
	MSN        hdl.Bits    `w:"24"` // of a JobAnswer
	Failed     hdl.Bits    `w:"1"`  // of a JobAnswer: an atomic that memory refused, which a NAK answers
	Entry      ReplayEntry // of a JobAnswer or JobResend, PSN alone; of a JobAnswer that Failed, Vendor, too
}

// Kinds of ReplayEntry: what completes them.
const (
	EntryRequest = 0 // SEND or WRITE: the acknowledgement of its PSN, or of a later one
	EntryRead    = 1 // READ: its last response, and nothing else
	EntryAtomic  = 2 // atomic: its response, and nothing else
	EntryLocal   = 3 // no packet: that it is the oldest. PSN is that of the packet to come
)

// ReplayEntry is a packet that has been sent and not been acknowledged, or a
// failed WQE that waits for those before it. It names the packet; its payload is
// gathered again when it is sent again.
type ReplayEntry struct {
	Kind     hdl.Bits `w:"2"` // EntryRequest and others
	PSN      hdl.Bits `w:"24"`
	LastPSN  hdl.Bits `w:"24"` // the last one that it takes: that of a READ's last response; else PSN
	WQEIndex hdl.Bits `w:"16"`
	Offset   hdl.Bits `w:"32"` // bytes of the message before it; of a READ or atomic, its bytes in all
	Length   hdl.Bits `w:"13"` // bytes of payload
	First    hdl.Bits `w:"1"`  // of its message
	Last     hdl.Bits `w:"1"`
	Signaled hdl.Bits `w:"1"` // a CQE is wanted
	WC       hdl.Bits `w:"3"` // format.WCOpcode below 8
	WRID     hdl.Bits `w:"64"`
	Status   hdl.Bits `w:"8"` // format.Status; not success: nothing was sent, and the WQE fails with it
	Vendor   hdl.Bits `w:"5"`
}

// HasSegments returns one bit: segments of the job go to the translator, and Gathered comes for it.
func (j TxJob) HasSegments() hdl.Bits {
	packet := hdl.OrAll(j.Kind.Is(JobPacket), j.Kind.Is(JobAnswer), j.Kind.Is(JobResend))
	return hdl.AndAll(packet, j.Inline.Not(), j.PayloadLen.Any().Or(j.Probes))
}

// TxJob returns the prototype.
func (s Sizes) TxJob() TxJob { return TxJob{QP: hdl.W(s.QPBits)} }

// Record enters an entry at the tail of a queue pair's replay ring.
type Record struct {
	QP    hdl.Bits
	Entry ReplayEntry
}

// Record returns the prototype.
func (s Sizes) Record() Record { return Record{QP: hdl.W(s.QPBits)} }

// Retired says how many entries of a queue pair have left its replay ring since
// it was cleared.
type Retired struct {
	QP    hdl.Bits
	Count hdl.Bits `w:"16"` // free-running
	Reads hdl.Bits `w:"8"`  // how many of those were READs and atomics; free-running
}

// Retired returns the prototype.
func (s Sizes) Retired() Retired { return Retired{QP: hdl.W(s.QPBits)} }

// Ack is an acknowledgement that is owed: the newest of its queue pair.
type Ack struct {
	QP       hdl.Bits
	Syndrome hdl.Bits `w:"8"`
	PSN      hdl.Bits `w:"24"`
	MSN      hdl.Bits `w:"24"`
}

// Ack returns the prototype.
func (s Sizes) Ack() Ack { return Ack{QP: hdl.W(s.QPBits)} }

// Operations of a ReplayRequest.
const (
	ReplayPeek  = 0 // answer with the oldest entry
	ReplayPop   = 1 // remove it, which ReplayPeek has just answered with
	ReplayFail  = 2 // from now on tell of every new entry of this queue pair
	ReplayClear = 3 // empty its ring, and tell no more
)

// ReplayRequest works on the entries of a queue pair, oldest first.
type ReplayRequest struct {
	QP hdl.Bits
	Op hdl.Bits `w:"2"`
}

// Oldest answers ReplayPeek.
type Oldest struct {
	Any    hdl.Bits `w:"1"`  // there is an entry; else the rest means nothing
	Newest hdl.Bits `w:"24"` // the last PSN that has been sent, or is reserved for responses
	Local  hdl.Bits `w:"1"`  // some entry, this one or a later one, may be an EntryLocal: else none is
	Failed hdl.Bits `w:"1"`  // some entry, this one or a later one, is of a WQE that failed,
	Cause  hdl.Bits `w:"16"` // the first one of this index, until it is removed
	Entry  ReplayEntry
}

// ReplayPort is the completer's side of the replay ring.
type ReplayPort struct {
	Request  hdl.Stream[ReplayRequest]
	Oldest   hdl.Stream[Oldest] `hdl:"flip"`
	Recorded hdl.Stream[QPRef]  `hdl:"flip"` // an entry came that failed, is an EntryLocal, or is of a queue pair that has failed
}

// ReplayPort returns the prototype.
func (s Sizes) ReplayPort() ReplayPort {
	return ReplayPort{
		Request: hdl.StreamOf(ReplayRequest{QP: hdl.W(s.QPBits)}), Oldest: hdl.StreamOf(Oldest{}), Recorded: hdl.StreamOf(s.QPRef()),
	}
}
