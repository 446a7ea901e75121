package transmit

import (
	"gornic/blocks/link"
	"gornic/format"
)

// Reference is the transmit side of one queue pair in plain Go, without time.
type Reference struct {
	Exists bool
	State  format.QPState

	failed bool // its requests are flushed
	silent bool // it answers no more
}

// Job is what the outcome of a job depends on.
type Job struct {
	Kind   int // link.JobPacket, link.JobRecord, link.JobAnswer or link.JobResend
	Length int // bytes of payload
	Inline bool
	Fault  format.VendorCode // of its segments
	Failed bool              // an atomic that memory refused
	Status format.Status     // of a record
	Vendor format.VendorCode // of a record, or why it Failed
}

// Outcome is what becomes of a job.
type Outcome struct {
	Sent     bool  // its packet is sent,
	NAK      uint8 // or a NAK of this syndrome in its place
	Dropped  bool  // its payload is there to be dropped
	Recorded bool  // with
	Status   format.Status
	Vendor   format.VendorCode
	Event    format.AsyncEvent // with a NAK: the queue pair goes to ERR, and this is raised, with Vendor
	Missing  bool              // a packet that was to be sent again has no payload, for Vendor
}

// Judge says what becomes of a job.
func (r *Reference) Judge(j Job) Outcome {
	var o Outcome
	switch j.Kind {
	case link.JobAnswer:
		o = r.answer(j)
	case link.JobResend:
		o = r.resend(j)
	default:
		o = r.request(j)
	}
	o.Dropped = j.Kind != link.JobRecord && !o.Sent && j.Length > 0 && (j.Inline || j.Fault == 0)
	return o
}

// request is a packet of the requester, or what takes its place.
func (r *Reference) request(j Job) Outcome {
	o := Outcome{Recorded: true, Status: j.Status, Vendor: j.Vendor}
	if j.Kind == link.JobPacket {
		o.Vendor = format.VendorNone
		if j.Fault != 0 {
			o.Status, o.Vendor = format.StatusLocProt, j.Fault
		}
	}
	if !r.Exists || r.State == format.QPError || r.failed {
		o.Status = format.StatusFlush
		if j.Kind == link.JobPacket {
			o.Vendor = format.VendorNone
		}
	}
	r.failed = r.failed || o.Status != format.StatusSuccess
	o.Sent = j.Kind == link.JobPacket && o.Status == format.StatusSuccess
	return o
}

// resend is a request that was sent before: it changes nothing.
func (r *Reference) resend(j Job) Outcome {
	switch {
	case !r.Exists || r.silent || r.State != format.QPRTS && r.State != format.QPSQD:
		return Outcome{}
	case j.Fault != format.VendorNone:
		return Outcome{Missing: true, Vendor: j.Fault}
	}
	return Outcome{Sent: true}
}

// answer is a response to a READ or atomic (protocol section 3.8; section 10 rows 12 and 22). A queue pair
// in state ERR still owes those of requests that it accepted before.
func (r *Reference) answer(j Job) Outcome {
	if !r.Exists || r.State == format.QPReset || r.State == format.QPInit || r.silent {
		return Outcome{}
	}
	fault := j.Fault
	if j.Failed {
		fault = j.Vendor
	}
	switch {
	case fault == format.VendorNone && !j.Failed:
		return Outcome{Sent: true}
	case fault >= format.VendorKeyUnknown && fault <= format.VendorKeyRange:
		r.silent = true
		return Outcome{NAK: format.SyndromeNAKAccess, Event: format.EventQPAccessErr, Vendor: fault}
	}
	r.silent = true
	return Outcome{NAK: format.SyndromeNAKOp, Event: format.EventQPFatal, Vendor: fault}
}

// Acknowledges says whether an acknowledgement leaves.
func (r *Reference) Acknowledges() bool { return r.Exists && !r.silent }

// Notifies says whether a CNP leaves.
func (r *Reference) Notifies() bool {
	return r.Exists && (r.State == format.QPRTR || r.State == format.QPRTS || r.State == format.QPSQD)
}

// Headers is what the headers behind a BTH are made of.
type Headers struct {
	VA            uint64
	RKey, Length  uint32
	Imm           uint32 // or the key to invalidate
	Swap, Compare uint64
	MSN           uint32
}

// Words is the words behind the BTH of an opcode (protocol sections 1.4 and 1.5).
func (h Headers) Words(op format.Opcode) []uint64 {
	info, _ := format.Lookup(op)
	words := make([]uint64, info.ExtBytes()/4)
	put := func(header format.ExtHeader, values ...uint64) {
		if at, ok := info.ExtOffset(header); ok {
			copy(words[at/4:], values)
		}
	}
	high, low := func(v uint64) uint64 { return v >> 32 }, func(v uint64) uint64 { return v & 0xFFFFFFFF }
	put(format.ExtRETH, high(h.VA), low(h.VA), uint64(h.RKey), uint64(h.Length))
	put(format.ExtAtomicETH, high(h.VA), low(h.VA), uint64(h.RKey), high(h.Swap), low(h.Swap), high(h.Compare), low(h.Compare))
	put(format.ExtImmDt, uint64(h.Imm))
	put(format.ExtIETH, uint64(h.Imm))
	put(format.ExtAETH, uint64(format.SyndromeNoCredits)<<24|uint64(h.MSN))
	put(format.ExtAtomicAckETH, high(h.Swap), low(h.Swap))
	return words
}
