package talk

import (
	"net/netip"
	"slices"

	"gornic/format"
	"gornic/tb/frames"
)

// Conversation is what a queue pair was asked by its peer, and answered.
type Conversation struct {
	QPN, Peer uint32 // of the responder and of the requester
	Path      Path   // of what the responder sends: Src is its own
	PathMTU   int    // bytes
	FirstPSN  PSN
	FirstMSN  int   // messages that the responder had taken before
	MinRNR    uint8 // code of the responder's RNR timer
	NoAccess  uint8 // format.AccessRemoteWrite and others: what the queue pair does not allow
	Silent    bool  // it answered nothing: Peer is unknown, and stands for any number
	Steps     []Step
}

// Step is a packet of a conversation: a request, or an answer, where Request is nil.
type Step struct {
	*Packet
	Request *Request
	LeftOut bool // belongs to a message that is [LeftOut], or answers what the capture does not have
}

// Requests are the requests of a conversation in order.
func (c *Conversation) Requests() []*Request {
	var all []*Request
	for _, s := range c.Steps {
		if s.Request != nil {
			all = append(all, s.Request)
		}
	}
	return all
}

// Fate is what became of a request.
type Fate uint8

// Fates.
const (
	Done      Fate = iota // carried out
	Refused               // drew a NAK: see Request.Cause
	Duplicate             // was carried out before
	Ahead                 // came before what was expected
	Lost                  // never reached the responder, as its answers show
	LeftOut               // of a message whose beginning is not there
	Ignored               // damaged, of another transport, or for a queue pair that had failed
)

func (f Fate) String() string {
	return [...]string{"done", "refused", "duplicate", "ahead", "lost", "left out", "ignored"}[f]
}

// Cause is why a request can have been refused.
type Cause uint8

// Causes.
const (
	NotReady   Cause = iota + 1 // no receive WQE was there
	Malformed                   // opcode out of sequence, or wrong length
	TooLong                     // a SEND that the receive WQE has no room for
	NoRight                     // a WRITE, READ or atomic that the queue pair does not allow
	BadKey                      // a WRITE, READ or atomic whose key is unknown, or whose range it does not cover; a key that a SEND may not end
	LocalFault                  // the responder's own: key of a receive WQE, or memory
)

func (c Cause) String() string {
	return [...]string{"", "not ready", "malformed", "too long", "no right", "bad key", "local fault"}[c]
}

// Request is a packet that asks for something.
type Request struct {
	*Packet
	Fate      Fate
	Cause     Cause    // of Refused
	Syndrome  uint8    // of Refused: what the protocol says that it draws
	Lenient   bool     // the responder of the capture did not do what the protocol says
	Message   *Message // that it belongs to; nil where it belongs to none. Of a duplicate, the READ or atomic that it was
	Open      *Message // that was open when it came; nil: none
	Offset    int      // bytes of the message before it
	Expected  PSN      // that the responder expected when it came
	Before    int      // messages that were done then, since the start
	Completed int      // and with it
	PSNs      int      // that it takes: of a READ, those of its responses
	Returned  []Piece  // of a READ, what it was answered with; of an atomic, the 8 bytes that memory had
}

// Piece is bytes of a message, at an offset.
type Piece struct {
	Offset int
	Bytes  []byte
}

// Kind is what a message does.
type Kind uint8

// Kinds of message.
const (
	Send Kind = iota
	Write
	Read
	Atomic
)

// Message is a SEND, a WRITE, a READ or an atomic.
type Message struct {
	Kind        Kind
	HasImm      bool
	Imm         [4]byte // as on the wire
	Invalidates bool
	Ends        uint32 // the key that it invalidates
	Solicited   bool
	Compares    bool   // an atomic is a compare-and-swap
	VA          uint64 // of all but a SEND
	RKey        uint32
	Length      int    // of a WRITE or READ: as announced
	Payload     []byte // that was taken
	Ended       bool   // its last packet was taken
	PSN         PSN    // the first
	MSN         int    // messages that were done with it
}

// Receives tells that the message takes a receive WQE.
func (m *Message) Receives() bool { return m.Kind == Send || m.HasImm }

// Answers tells that the message is answered by responses of its own.
func (m *Message) Answers() bool { return m.Kind == Read || m.Kind == Atomic }

// flow names one direction between two hosts, to a queue pair.
type flow struct {
	src, dst netip.Addr
	qpn      uint64
}

func flowOf(p *Packet) flow { return flow{p.Path.Src, p.Path.Dst, p.BTH.DestQP} }

// Learn takes a capture apart, of which no frame may be cut. Conversations without an
// answer are left out: of their responder nothing is known.
func Learn(capture []frames.Frame) []*Conversation {
	return slices.DeleteFunc(learnAll(capture), func(c *Conversation) bool { return c.Silent })
}

// LearnSilent returns the conversations that [Learn] leaves out, as far as they are of the reliable connection: what
// their requester did without an answer is known.
func LearnSilent(capture []frames.Frame) []*Conversation {
	return slices.DeleteFunc(learnAll(capture), func(c *Conversation) bool { return !c.Silent })
}

func learnAll(capture []frames.Frame) []*Conversation {
	var packets []*Packet
	for _, f := range capture {
		if p, ok := Parse(f.Number, f.Data); ok {
			packets = append(packets, &p)
		}
	}
	partners := pair(packets)
	found := map[flow]*Conversation{}
	var all []*Conversation
	for _, p := range packets {
		at := flowOf(p)
		if p.Answers() {
			at = partners[at]
		}
		c := found[at]
		if c == nil {
			c = &Conversation{QPN: uint32(at.qpn)}
			found[at] = c
			all = append(all, c)
		}
		c.add(p)
	}
	usual := usualMTU(packets)
	var known []*Conversation
	for _, c := range all {
		if c.learn(usual) {
			known = append(known, c)
		}
	}
	return known
}

// farthest is how many packets lie between a request and its answer at most.
const farthest = 4096

// pair finds for each flow of answers that of their requests: most of them have the
// PSN of the newest request to a queue pair of their sender.
func pair(packets []*Packet) map[flow]flow {
	votes := map[flow]map[flow]int{}
	for i, p := range packets {
		if !p.Answers() || !p.Good {
			continue
		}
		at := flowOf(p)
		if votes[at] == nil {
			votes[at] = map[flow]int{}
		}
		for k := i - 1; k >= max(0, i-farthest); k-- {
			q := packets[k]
			if !q.Answers() && q.Path.Src == p.Path.Dst && q.Path.Dst == p.Path.Src && q.PSN() == p.PSN() {
				votes[at][flowOf(q)]++
				break
			}
		}
	}
	partners := map[flow]flow{}
	for at, count := range votes {
		most := 0
		for to, n := range count {
			if n > most || n == most && to.qpn < partners[at].qpn {
				most, partners[at] = n, to
			}
		}
	}
	return partners
}

func (c *Conversation) add(p *Packet) {
	s := Step{Packet: p}
	if !p.Answers() {
		s.Request = &Request{Packet: p, Fate: Ignored}
	}
	c.Steps = append(c.Steps, s)
}

// answered returns the first answer that is a packet of its own, nil without one.
func (c *Conversation) answered() *Packet {
	for _, s := range c.Steps {
		if s.Request == nil && s.Good {
			return s.Packet
		}
	}
	return nil
}

// reliable returns the first request of the reliable connection.
func (c *Conversation) reliable() *Packet {
	for _, r := range c.Requests() {
		if r.Good && r.Op.Transport() == format.RC {
			return r.Packet
		}
	}
	return nil
}

// learn fills the conversation in, false if too little is known.
func (c *Conversation) learn(usual int) bool {
	answer, first := c.answered(), c.reliable()
	if first == nil || c.QPN == 0 {
		return false
	}
	c.FirstPSN, c.PathMTU = first.PSN(), c.mtu(usual)
	if answer != nil {
		c.Peer, c.Path = uint32(answer.BTH.DestQP), answer.Path
	} else {
		c.Peer, c.Path, c.Silent = c.QPN, first.Path.back(), true
	}
	newWalker(c).walk()
	return true
}

// Playable tells that there is something in the conversation that a NIC answers.
func (c *Conversation) Playable() bool {
	for _, r := range c.Requests() {
		if r.Fate == Done || r.Fate == Refused {
			return true
		}
	}
	return false
}
