package program

import (
	"math"

	"gornic/format"
	"gornic/verbs"
)

// operations are those that a program chooses among, in the order of kinds.weights: those without a response, READ, atomics.
var operations = []verbs.Opcode{
	verbs.WRWrite, verbs.WRWriteImm, verbs.WRSend, verbs.WRSendImm, verbs.WRRead, verbs.WRCompSwap, verbs.WRFetchAdd,
}

// kinds are the shares of kinds of messages: weights of operations, and percentages.
type kinds struct {
	weights                            [7]int
	inline, signaled, solicited, fence int
	shared                             int // of atomics, on words of other queue pairs, too
}

func (d *draft) kinds() kinds {
	k := kinds{inline: percentOf(d.r, 100), signaled: d.r.IntN(101), solicited: percentOf(d.r, 100), fence: percentOf(d.r, 30), shared: percentOf(d.r, 100)}
	for i := range d.limits.operations() {
		k.weights[i] = d.r.IntN(3)
	}
	if k.weights == [7]int{} {
		k.weights[d.r.IntN(4)] = 1
	}
	return k
}

func (d *draft) operation(weights [7]int) verbs.Opcode {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := d.r.IntN(sum)
	for i, w := range weights {
		if n < w {
			return operations[i]
		}
		n -= w
	}
	return operations[0]
}

// MostResponses is how many packets a READ brings at most.
const MostResponses = 7

// mostBytes is the longest message at a path MTU: a few packets.
func mostBytes(m verbs.MTU) int { return min((MostResponses-1)*m.Bytes()+100, 10000) }

func (d *draft) hits(percent int) bool { return d.r.IntN(100) < percent }

// nothing is a message of an operation that has no place anywhere.
func nothing(op verbs.Opcode) Message {
	return Message{Op: op, Sink: Piece{Region: noRegion}, Lent: noLoan, Receive: noReceive}
}

// message draws any message but those of loans.
func (t *talk) message(s *speaker) Message {
	m := nothing(t.operation(s.kinds.weights))
	m.Signaled, m.Imm = t.hits(s.kinds.signaled), t.r.Uint32()
	switch {
	case m.Op == verbs.WRRead:
		m.Length = t.length(t.c.MTU, s.most())
		if m.Sink, m.Shared = t.arenaPart(s, m.Length); !m.Shared {
			m.Sink = t.origin(s, m.Length)
		}
		m.Source = t.room(s.host, s.e.PD, m.Length, 1+t.r.IntN(sendSGEs(s.e.Cap)))
	case isAtomic(m.Op):
		t.atomic(s, &m)
	default:
		t.payload(s, &m)
		if !isWrite(m.Op) {
			break
		}
		if m.Sink, m.Shared = t.arenaPart(s, m.Length); !m.Shared {
			m.Sink = t.sink(s, m.Length)
		}
	}
	return m
}

// payload draws what a SEND or WRITE sends.
func (t *talk) payload(s *speaker, m *Message) {
	m.Solicited = consumes(m.Op) && t.hits(s.kinds.solicited)
	if room := inlineRoom(s.e.Cap); t.hits(s.kinds.inline) {
		m.Inline, m.Length = true, t.r.IntN(room+1)
		if m.Length > 0 {
			m.Source = []Piece{t.layouts[s.host].shared(s.e.PD, m.Length, 0)}
		}
		return
	}
	if p, ok := t.passOn(s); ok {
		m.Length, m.Source = p.Length, []Piece{p}
		return
	}
	m.Length = t.length(t.c.MTU, s.most())
	m.Renewed = t.r.IntN(3) == 0
	m.Source = t.source(s.host, s.e.PD, m.Length, 1+t.r.IntN(sendSGEs(s.e.Cap)), m.Renewed)
}

// passOn is a part of what a READ or atomic brought, now and then.
func (t *talk) passOn(s *speaker) (Piece, bool) {
	if len(s.brought) == 0 || t.r.IntN(6) > 0 {
		return Piece{}, false
	}
	p := t.part(s.brought[t.r.IntN(len(s.brought))])
	return p, p.Length <= s.most()
}

// atomic draws the word and the operands of an atomic: of the connection's own, or one
// that other queue pairs work on, too.
func (t *talk) atomic(s *speaker, m *Message) {
	m.Length, m.Operand, m.Matches = wordBytes, t.r.Uint64(), t.r.IntN(3) > 0
	m.Source = []Piece{t.layouts[s.host].fresh(s.e.PD, wordBytes, verbs.AccessLocalWrite)}
	host := 1 - s.host
	if t.hits(s.kinds.shared) {
		m.Shared, m.Sink = true, t.sharedWord(host, s.peer.PD)
		return
	}
	if len(s.words) == 0 || t.r.IntN(3) == 0 {
		rights := verbs.AccessLocalWrite | verbs.Access(t.r.IntN(2))*verbs.AccessRemoteWrite | verbs.Access(t.r.IntN(2))*verbs.AccessRemoteRead
		s.words = append(s.words, t.layouts[host].word(s.peer.PD, rights))
	}
	m.Sink = s.words[t.r.IntN(len(s.words))]
}

// sharedWord is a word of a host that atomics of all queue pairs work on, and nothing else.
func (d *draft) sharedWord(host, pd int) Piece {
	l := d.layouts[host]
	i, ok := d.counters[host][pd]
	if !ok {
		i = l.kept(Region{PD: pd, Length: wordBytes * (1 + d.r.IntN(4)), Access: verbs.AccessLocalWrite | verbs.AccessRemoteAtomic})
		d.counters[host][pd] = i
	}
	return Piece{i, wordBytes * d.r.IntN(l.regions[i].Length/wordBytes), wordBytes}
}

// sendSGEs, recvSGEs and inlineRoom are what the driver makes of what it is asked
// for.
func sendSGEs(c verbs.QPCap) int { return format.SendSGEs(sendStride(c)) }

func inlineRoom(c verbs.QPCap) int { return format.InlineMax(sendStride(c)) }

func sendStride(c verbs.QPCap) int {
	if c.MaxSendSGE > format.SendSGEs(0) || c.MaxInline > format.InlineMax(0) {
		return 1
	}
	return 0
}

func recvSGEs(c verbs.QPCap) int {
	if c.MaxRecvSGE > format.RecvSGEs(0) {
		return format.RecvSGEs(1)
	}
	return format.RecvSGEs(0)
}

// length is the bytes of a message: none, a few, a number of packets and one more
// or less, or any.
func (d *draft) length(m verbs.MTU, most int) int {
	n := 0
	switch d.r.IntN(8) {
	case 0:
	case 1, 2:
		n = 1 + d.r.IntN(64)
	case 3, 4:
		n = m.Bytes()*(1+d.r.IntN(4)) + d.r.IntN(5) - 2
	case 5:
		n = d.r.IntN(most + 1)
	default:
		n = int(math.Exp(d.r.Float64() * math.Log(float64(most+1))))
	}
	return min(n, most)
}
