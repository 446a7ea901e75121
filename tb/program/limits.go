package program

import (
	"gornic/configs"
	"gornic/verbs"
)

// Limits bound a random program.
type Limits struct {
	QPs         int       // at each host
	Connections int       // most queue pairs of them that are used
	CQs         int       // at each host
	EQs         int       // at each host, event queue 0 among them
	Pages       int       // doorbell pages
	PathMTU     verbs.MTU // largest
	Reads       int       // READs and atomics of a queue pair at once
	Bytes       int       // payload that each host sends, about
	Messages    int       // of both hosts together, about
	Replay      int       // packets of a queue pair without acknowledgement
	Timeout     uint8     // code of an ACK timeout that is much more than an answer takes

	NoAtomics     bool // atomics are refused
	NoKeyRequests bool // and so are work requests that change keys
}

const (
	mostConnections = 16
	usualBytes      = 24 << 10
	usualMessages   = 64
	answerCycles    = 16000 // much more than an answer takes
)

// LimitsOf are the limits of a configuration of the core, for programs of some
// 20,000 cycles.
func LimitsOf(c configs.Config) Limits {
	l := Limits{
		QPs: c.QPs, Connections: min(c.QPs, mostConnections), CQs: c.CQs, EQs: c.EQs, Pages: c.QPs, PathMTU: verbs.MTU256, Reads: c.Reads,
		Bytes: usualBytes, Messages: usualMessages, Replay: c.Replay, NoAtomics: c.Atomics == 0, NoKeyRequests: c.KeyRequests == 0,
	}
	for c.AckTick<<l.Timeout < answerCycles {
		l.Timeout++
	}
	for l.PathMTU < verbs.MTU4096 && l.PathMTU.Bytes() < c.PathMTU {
		l.PathMTU++
	}
	return l
}

// operations are those of messages that there are.
func (l Limits) operations() []verbs.Opcode {
	switch {
	case l.Reads == 0:
		return operations[:4]
	case l.NoAtomics:
		return operations[:5]
	}
	return operations
}

// rights are those of peers that can be of use.
func (l Limits) rights() verbs.Access {
	switch {
	case l.Reads == 0:
		return verbs.AccessRemoteWrite
	case l.NoAtomics:
		return loanAccess &^ verbs.AccessRemoteAtomic
	}
	return loanAccess
}

// loan is a kind of key that can be lent, where one of any kind was drawn.
func (l Limits) loan(kind LoanKind) LoanKind {
	if l.NoKeyRequests {
		return Reregistered
	}
	return kind
}
