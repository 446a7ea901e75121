package standin

import (
	"fmt"
	"slices"

	"gornic/format"
	"gornic/tb/frames/talk"
)

// A Deviation is a request of a capture whose responder did not do what the protocol says.
type Deviation struct {
	Capture  string // name of the file without its ending
	Frame    int    // number of the request in it
	Cause    talk.Cause
	Syndrome uint8 // of the NAK that it draws
	Why      string
}

// SoftRoCE is where soft-RoCE (kernel 6.1) deviates in the captures of ../shared/rxe (end of protocol section 10). A NIC in
// its place does what the protocol says.
var SoftRoCE = []Deviation{
	{"guest_naks", 26, talk.TooLong, format.SyndromeNAKInv, "a SEND that the receive WQE has no room for draws 0x63 (section 3.4, step 9: 0x61)"},
	{"guest_naks", 28, talk.Malformed, format.SyndromeNAKInv, "a FIRST of less than the path MTU is accepted (section 3.4, step 5)"},
	{"guest_naks", 33, talk.Malformed, format.SyndromeNAKInv, "a FIRST of more than the path MTU draws 0x63 (section 3.4, step 5: 0x61)"},
	{"guest_naks", 37, talk.Malformed, format.SyndromeNAKInv, "a LAST of no bytes is accepted (section 3.4, step 5)"},
	{"guest_naks", 53, talk.BadKey, format.SyndromeNAKAccess, "a SEND with an invalidate that is refused draws an ACK (section 3.9; section 10, row 10: 0x62)"},
	{"guest_naks", 58, talk.Malformed, format.SyndromeNAKInv, "the reserved opcode 0x18 is dropped (section 10, rows 7 and 21: 0x61)"},
}

// Judge makes the conversations of a capture what its responders had to do: each request of a list is refused as the
// list says, and what comes behind it is ignored. A request that was judged otherwise than in the capture, and is not in the list, is an error, and
// so is one of the list that is not in the capture.
func Judge(capture string, all []*talk.Conversation, list []Deviation) error {
	listed := map[int]bool{}
	for _, d := range list {
		if d.Capture != capture {
			continue
		}
		listed[d.Frame] = true
		if !slices.ContainsFunc(all, d.judge) {
			return fmt.Errorf("%s has no request in frame %d: %s", capture, d.Frame, d.Why)
		}
	}
	for _, c := range all {
		for _, r := range c.Requests() {
			if r.Lenient && !listed[r.Number] {
				return fmt.Errorf("%s, frame %d, %v: the protocol refuses it (%v, NAK %#02x), the capture's responder did not, and no list of deviations has it",
					capture, r.Number, r.Op, r.Cause, r.Syndrome)
			}
		}
	}
	return nil
}

// judge does so for one request, false if it is not of the conversation.
func (d Deviation) judge(c *talk.Conversation) bool {
	all := c.Requests()
	i := slices.IndexFunc(all, func(r *talk.Request) bool { return r.Number == d.Frame })
	if i < 0 {
		return false
	}
	r := all[i]
	if r.Fate == talk.Done {
		r.Message.Ended = false
		r.Message.Payload = r.Message.Payload[:r.Offset]
	}
	r.Fate, r.Cause, r.Syndrome, r.Lenient, r.Completed = talk.Refused, d.Cause, d.Syndrome, true, r.Before
	c.FirstMSN = max(c.FirstMSN, 0) // who answers what he refuses counts less than there is
	for _, later := range all[i+1:] {
		later.Fate = talk.Ignored
	}
	return true
}
