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
		Bytes: usualBytes, Messages: usualMessages, Replay: c.Replay,
	}
	for c.AckTick<<l.Timeout < answerCycles {
		l.Timeout++
	}
	for l.PathMTU < verbs.MTU4096 && l.PathMTU.Bytes() < c.PathMTU {
		l.PathMTU++
	}
	return l
}
