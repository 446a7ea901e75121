package completer

import (
	"gornic/blocks/link"
	"gornic/format"
)

// Entry is what matters of a replay entry.
type Entry struct {
	Kind      int // link.EntryRequest and others
	PSN, Last uint32
	Index     uint16
	Ends      bool // it is the last packet of its WQE
	Signaled  bool
	Opcode    format.WCOpcode
	Bytes     uint32 // of a READ or atomic
	WRID      uint64
	Status    format.Status
	Vendor    format.VendorCode
}

// answered tells whether a response of its own completes it.
func (e Entry) answered() bool { return e.Kind == link.EntryRead || e.Kind == link.EntryAtomic }

// Done is a completion.
type Done struct {
	WRID   uint64
	Index  uint16
	Opcode format.WCOpcode
	Bytes  uint32
	Status format.Status
	Vendor format.VendorCode
}

// Response is what matters of a response.
type Response struct {
	Match    int // link.MatchACK and others
	PSN      uint32
	Syndrome uint8
	Fault    format.VendorCode
}

// Heard is what the retry engine is told: a link.Heard.
type Heard struct {
	Kind  int
	PSN   uint32
	Cause int
	Code  uint8
}

// Reference is the block for one queue pair, with its replay ring, in plain Go.
type Reference struct {
	Ring  []Entry
	Dones []Done
	Heard []Heard
	Fault bool // the queue pair has been reported

	newest uint32
	left   bool     // an entry that is no packet has left the ring, and nothing was told since
	due    *uint32  // of the READ that is the oldest entry, once data of it has come: the PSN behind that
	dying  *refusal // what the oldest entry fails with, once the queue pair is dead
	failed bool
	ended  bool
	index  uint16
}

// refusal is how a WQE fails.
type refusal struct {
	status format.Status
	vendor format.VendorCode
}

// Record enters an entry into the ring.
func (r *Reference) Record(e Entry) {
	r.Ring = append(r.Ring, e)
	switch {
	case e.Status != format.StatusSuccess:
	case e.Kind == link.EntryLocal:
		r.newest = (e.PSN - 1) & 0xFFFFFF
	default:
		r.newest = e.Last
	}
	r.sweep()
}

// Die takes note that the queue pair is in state ERR, and that no more of its data is written.
func (r *Reference) Die() {
	if r.dying != nil {
		r.fail(*r.dying)
		r.dying = nil
	}
	r.failed = true
	r.sweep()
}

// diff is a - b as a signed number of 24 bits (protocol section 3.2).
func diff(a, b uint32) int {
	d := int((a - b) & 0xFFFFFF)
	if d >= 1<<23 {
		d -= 1 << 24
	}
	return d
}

// owed is the first PSN that the peer owes an answer to, if the ring is not empty.
func (r *Reference) owed() uint32 {
	if r.due != nil {
		return *r.due
	}
	return r.Ring[0].PSN
}

// Respond takes a response (protocol sections 4.3 and 4.4), and reports whether it answered something.
func (r *Reference) Respond(p Response) bool {
	refused, known := p.meaning()
	outstanding := len(r.Ring) > 0 && !r.answers(p) && diff(r.newest, p.PSN) >= 0
	if !known || !outstanding || r.failed || r.dying != nil {
		return false
	}
	before := len(r.Ring)
	r.implied(p.PSN)
	switch {
	case len(r.Ring) == 0 || r.Ring[0].Status != format.StatusSuccess || r.answers(p):
		r.sweep()
		return true
	case p.Match == link.MatchStray && r.Ring[0].answered() && r.covers(p.PSN): // what has come of it comes again
		r.sweep()
		return len(r.Ring) < before
	case r.Ring[0].answered() && (!r.covers(p.PSN) || p.skips(r.owed())):
		r.restart(p.loss())
	case refused != nil:
		r.dying, r.Fault = refused, true
	default:
		r.takes(p)
	}
	r.sweep()
	return true
}

// answers tells whether a response is for what has been answered. A READ may be refused at any of its PSNs, also where its data has
// come (protocol section 10, row 12).
func (r *Reference) answers(p Response) bool {
	if refused, _ := p.meaning(); refused != nil && p.Match != link.MatchStray {
		return diff(p.PSN, r.Ring[0].PSN) < 0
	}
	return diff(p.PSN, r.owed()) < 0
}

// fatal tells NAKs that fail a WQE.
func (p Response) fatal() bool {
	return p.Match == link.MatchACK && p.Syndrome > format.SyndromeNAK && p.Syndrome <= format.SyndromeNAKOp
}

// covers tells whether a PSN is one of the oldest entry.
func (r *Reference) covers(psn uint32) bool {
	return diff(psn, r.Ring[0].PSN) >= 0 && diff(r.Ring[0].Last, psn) >= 0
}

// takes is for a response that refuses nothing, at a PSN of the oldest entry.
func (r *Reference) takes(p Response) {
	e := r.Ring[0]
	switch {
	case p.Match == link.MatchACK && p.Syndrome == format.SyndromeNAK:
		r.restart(link.CauseSequence)
	case p.Match == link.MatchACK && p.Syndrome >= format.SyndromeRNR:
		r.tell(Heard{Kind: link.HeardRNR, Code: p.Syndrome & 0x1F})
	case p.Match == link.MatchData && e.answered():
		next := (p.PSN + 1) & 0xFFFFFF
		r.due = &next
		r.tell(Heard{Kind: link.HeardProgress})
	case p.Match == link.MatchACK && !e.answered(), p.Match == link.MatchDone && p.PSN == e.Last && e.answered():
		r.answer()
	}
}

// skips tells whether a response at a PSN of a READ or atomic implies that one before it is lost, which is owed.
func (p Response) skips(owed uint32) bool {
	switch p.Match {
	case link.MatchGap:
		return true
	case link.MatchACK:
		return p.Syndrome < format.SyndromeRNR || !p.fatal() && p.PSN != owed
	}
	return false
}

// loss is the cause of a restart that a response implies.
func (p Response) loss() int {
	if p.Match == link.MatchGap {
		return link.CauseGap
	}
	return link.CauseImplied
}

// restart tells that the oldest entry is to be sent again.
func (r *Reference) restart(cause int) { r.tell(Heard{Kind: link.HeardRestart, Cause: cause}) }

// tell tells something, with what is owed now.
func (r *Reference) tell(h Heard) {
	h.PSN, r.left = r.owed(), false
	r.Heard = append(r.Heard, h)
}

// Fail takes what the retry engine decided: the oldest WQE fails, if the PSN that was owed then still is.
func (r *Reference) Fail(psn uint32, status format.Status, vendor format.VendorCode) {
	if !r.failed && r.dying == nil {
		r.free()
		if len(r.Ring) > 0 && r.Ring[0].Status == format.StatusSuccess && r.owed() == psn {
			r.dying, r.Fault = &refusal{status, vendor}, true
		}
	}
	r.sweep()
}

// meaning says how a response fails the WQE that it is for, if it does, and whether it means anything
// (protocol sections 1.6 and 4.4).
func (p Response) meaning() (refused *refusal, known bool) {
	switch p.Match {
	case link.MatchIgnored:
		return nil, false
	case link.MatchGap:
		return nil, true
	case link.MatchBad, link.MatchStray:
		return &refusal{format.StatusBadResp, format.VendorResponse}, true
	case link.MatchLength:
		return &refusal{format.StatusLocLen, format.VendorLength}, true
	case link.MatchData, link.MatchDone:
		if p.Fault != format.VendorNone {
			return &refusal{format.StatusLocProt, p.Fault}, true
		}
		return nil, true
	}
	switch s := p.Syndrome; {
	case s < format.SyndromeRNR+32, s == format.SyndromeNAK:
		return nil, true
	case s == format.SyndromeNAKInv:
		return &refusal{format.StatusRemInvReq, format.VendorNAK}, true
	case s == format.SyndromeNAKAccess:
		return &refusal{format.StatusRemAccess, format.VendorNAK}, true
	case s == format.SyndromeNAKOp:
		return &refusal{format.StatusRemOp, format.VendorNAK}, true
	}
	return nil, false // reserved
}

// implied completes the SENDs and WRITEs before a PSN: up to a READ or atomic that has not been answered.
func (r *Reference) implied(psn uint32) {
	for {
		r.free()
		if len(r.Ring) == 0 || r.Ring[0].Status != format.StatusSuccess || r.Ring[0].answered() || diff(r.Ring[0].PSN, psn) >= 0 {
			return
		}
		r.answer()
	}
}

// answer retires the oldest entry, which the peer has answered.
func (r *Reference) answer() {
	r.Heard = append(r.Heard, Heard{Kind: link.HeardProgress, PSN: (r.Ring[0].Last + 1) & 0xFFFFFF})
	r.left = false
	r.succeed()
}

// succeed retires the oldest entry.
func (r *Reference) succeed() {
	e := r.Ring[0]
	r.Ring, r.due = r.Ring[1:], nil
	d := Done{WRID: e.WRID, Index: e.Index, Opcode: e.Opcode}
	if e.answered() {
		d.Bytes = e.Bytes
	}
	if e.Ends && e.Signaled {
		r.Dones = append(r.Dones, d)
	}
}

// fail fails the WQE of the oldest entry, and the queue pair.
func (r *Reference) fail(why refusal) {
	e := r.Ring[0]
	r.Ring = r.Ring[1:]
	r.Dones = append(r.Dones, Done{WRID: e.WRID, Index: e.Index, Opcode: e.Opcode, Status: why.status, Vendor: why.vendor})
	r.failed, r.ended, r.index = true, true, e.Index
}

// free retires what needs no response once it is the oldest: entries that are no packet, and packets of
// a WQE that were sent before it failed, which nobody may ever acknowledge.
func (r *Reference) free() {
	for len(r.Ring) > 0 && r.Ring[0].Status == format.StatusSuccess {
		cause := r.cause()
		if r.Ring[0].Kind != link.EntryLocal && (cause == nil || cause.Index != r.Ring[0].Index) {
			return
		}
		r.succeed()
		r.left = true
	}
}

// cause is the first entry that failed, nil if none did.
func (r *Reference) cause() *Entry {
	for i := range r.Ring {
		if r.Ring[i].Status != format.StatusSuccess {
			return &r.Ring[i]
		}
	}
	return nil
}

// sweep completes what needs no response, then what has failed and is the oldest, and flushes what is behind. While
// a failure waits for the queue pair to be dead, nothing completes.
func (r *Reference) sweep() {
	if r.dying != nil {
		return
	}
	if !r.failed {
		r.free()
	}
	if !r.failed && len(r.Ring) > 0 && r.Ring[0].Status != format.StatusSuccess {
		r.Fault = true
		r.fail(refusal{r.Ring[0].Status, r.Ring[0].Vendor})
	}
	if r.left && !r.failed && len(r.Ring) > 0 {
		r.tell(Heard{Kind: link.HeardLocal})
	}
	r.left = false
	for r.failed && len(r.Ring) > 0 {
		e := r.Ring[0]
		r.Ring = r.Ring[1:]
		if e.Ends && (!r.ended || e.Index != r.index) {
			r.Dones = append(r.Dones, Done{WRID: e.WRID, Index: e.Index, Opcode: e.Opcode, Status: format.StatusFlush})
		}
	}
}
