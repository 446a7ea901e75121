package standin

import (
	"fmt"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/frames/talk"
)

// answers judges what the NIC answers, and compares it with the capture.
type answers struct {
	c      *talk.Conversation
	base   int              // messages that were done before the queue pair's last reset
	done   map[talk.PSN]int // requests that were carried out since then: messages done with each
	asking []talk.PSN       // those that wait for an acknowledgement
	again  bool             // a duplicate waits for one
	acked  talk.PSN         // all before it are acknowledged
	naks   []talk.Packet    // of the NIC that nothing has been compared with
	told   bool             // a NAK asked for the expected request again: no other does (protocol section 3.3)

	known     map[talk.PSN]response // of READs and atomics
	owed      []talk.PSN            // responses that have to come, in order
	resources []*talk.Message       // READs and atomics that were taken

	count int // of the NIC's answers
}

// restart is a queue pair that has been reset and expects psn.
func (a *answers) restart(psn talk.PSN, done int) {
	a.base, a.done, a.asking, a.again, a.acked = done, map[talk.PSN]int{}, nil, false, psn
	a.known, a.owed, a.resources = map[talk.PSN]response{}, nil, nil
}

// asks takes note of a request that the NIC is given.
func (a *answers) asks(r *talk.Request) {
	asks := r.BTH.AckReq != 0
	switch r.Fate {
	case talk.Done:
		last := r.PSN().Plus(r.PSNs - 1)
		a.done[last], a.told = r.Completed, false
		if asks && !r.Message.Answers() {
			a.asking = append(a.asking, last)
		}
	case talk.Duplicate:
		plain := r.Op != format.OpReadRequest && !r.Has(format.ExtAtomicETH)
		a.again = a.again || asks && plain
	}
}

// owes tells that the NIC still has to answer something up to psn.
func (a *answers) owes(psn talk.PSN) bool {
	return len(a.asking) > 0 && a.asking[0].Behind(psn) <= 0 || len(a.owed) > 0 && a.owed[0].Behind(psn) <= 0
}

// waits tells that the NIC still has to answer something.
func (a *answers) waits() bool { return len(a.asking) > 0 || len(a.owed) > 0 || a.again }

// take judges a frame that the NIC sent.
func (a *answers) take(frame []byte) error {
	a.count++
	p, ok := talk.Parse(a.count, frame)
	if !ok || !p.Answers() || !p.Good || p.Op == format.OpAcknowledge && len(p.Payload) > 0 {
		got, want, _ := frames.CheckICRC(frame)
		return fmt.Errorf("the NIC sends %x (ICRC %#08x, computed %#08x), expected an answer", frame, got, want)
	}
	if got, want := headers(&p), a.headers(len(p.Payload)); got != want {
		return fmt.Errorf("answer with PSN %#x:\n got      %s\n expected %s", p.PSN(), got, want)
	}
	switch {
	case p.Responds():
		return a.response(&p)
	case a.passes(p.PSN()) && p.AETH.Syndrome < format.SyndromeRNR:
		return fmt.Errorf("an ACK of PSN %#x passes the response of PSN %#x", p.PSN(), a.owed[0])
	}
	if p.AETH.Syndrome >= format.SyndromeRNR {
		a.naks = append(a.naks, p)
		a.advance(p.PSN())
		return nil
	}
	return a.ack(&p)
}

// ack judges an ACK.
func (a *answers) ack(p *talk.Packet) error {
	done, ok := a.done[p.PSN()]
	switch {
	case p.AETH.Syndrome != format.SyndromeNoCredits:
		return fmt.Errorf("ACK of PSN %#x has the syndrome %#02x, expected %#02x", p.PSN(), p.AETH.Syndrome, format.SyndromeNoCredits)
	case !ok:
		return fmt.Errorf("ACK of PSN %#x, which was not carried out", p.PSN())
	case p.PSN().Plus(1).Behind(a.acked) < 0:
		return fmt.Errorf("ACK of PSN %#x, when all before %#x were acknowledged", p.PSN(), a.acked)
	case int(p.AETH.MSN) != (done-a.base)&0xFFFFFF:
		return fmt.Errorf("ACK of PSN %#x has the MSN %#x, expected %#x", p.PSN(), p.AETH.MSN, (done-a.base)&0xFFFFFF)
	}
	a.advance(p.PSN().Plus(1))
	a.again = false
	return nil
}

// advance notes that all before psn are acknowledged.
func (a *answers) advance(psn talk.PSN) {
	if psn.Behind(a.acked) > 0 {
		a.acked = psn
	}
	for len(a.asking) > 0 && a.asking[0].Behind(a.acked) < 0 {
		a.asking = a.asking[1:]
	}
}

// nak compares the NIC's next NAK with one of the capture, or one that the protocol
// says to send, with done messages before it.
func (a *answers) nak(psn talk.PSN, syndrome uint64, done int) error {
	p := a.naks[0]
	a.naks = a.naks[1:]
	a.told = syndrome <= format.SyndromeNAK
	msn := uint64(done-a.base) & 0xFFFFFF
	if p.PSN() != psn || p.AETH.Syndrome != syndrome || p.AETH.MSN != msn {
		return fmt.Errorf("NAK with PSN %#x, syndrome %#02x, MSN %#x, expected PSN %#x, syndrome %#02x, MSN %#x",
			p.PSN(), p.AETH.Syndrome, p.AETH.MSN, psn, syndrome, msn)
	}
	return nil
}

// headers are those fields of an answer that an address vector and a queue pair decide.
func headers(p *talk.Packet) string {
	return fmt.Sprintf("%+v, dest QP %#x, P_Key %#x, SE %d, AckReq %d, pad %d, TVer %d",
		p.Path, p.BTH.DestQP, p.BTH.PKey, p.BTH.SE, p.BTH.AckReq, p.BTH.PadCnt, p.BTH.TVer)
}

// headers are those of the responder's own answers of n bytes.
func (a *answers) headers(n int) string {
	bth := format.BTH[uint64]{DestQP: uint64(a.c.Peer), PKey: format.PKeyDefault, PadCnt: uint64(-n) & 3}
	return headers(&talk.Packet{Path: a.c.Path, BTH: bth})
}
