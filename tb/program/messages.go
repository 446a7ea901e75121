package program

import (
	"math"

	"gornic/format"
	"gornic/verbs"
)

// messages draws what one end sends, n messages of so many bytes, and the receives
// at the other that they use.
func (d *draft) messages(c *Connection, from, n, bytes int) {
	e, peer := &c.Ends[from], &c.Ends[1-from]
	k := kinds{[4]int{d.r.IntN(3), d.r.IntN(3), d.r.IntN(3), d.r.IntN(3)}, percentOf(d.r, 100), d.r.IntN(101), percentOf(d.r, 100)}
	if k.weights == [4]int{} {
		k.weights = [4]int{1, 1, 1, 1}
	}
	batch, quiet, recvBatch := 1+d.r.IntN(8), 0, 1+d.r.IntN(4)
	var sinks []Piece
	for i := range n {
		m := d.message(c, e, from, k, min(bytes, mostBytes(c.MTU)))
		bytes -= min(bytes, m.Length)
		quiet++
		if quiet >= depthOf(e.Cap.MaxSendWR) || i == n-1 {
			m.Signaled = true
		}
		if m.Signaled || e.SigAll {
			quiet = 0
		}
		m.Ring = i == n-1 || d.r.IntN(batch) == 0
		if isWrite(m.Op) {
			m.Sink = d.sink(1-from, peer, m.Length, sinks)
			sinks = append(sinks, m.Sink)
		}
		if m.Op != verbs.WRWrite {
			m.Receive = len(peer.Receives)
			peer.Receives = append(peer.Receives, d.receive(1-from, peer, m, i, recvBatch))
		}
		e.Messages = append(e.Messages, m)
	}
}

// kinds are the shares of kinds of messages: weights of WRITE, with immediate, SEND,
// with immediate, and percentages.
type kinds struct {
	weights                     [4]int
	inline, signaled, solicited int
}

// mostBytes is the longest message at a path MTU: a few packets.
func mostBytes(m verbs.MTU) int { return min(6*m.Bytes()+100, 10000) }

func isWrite(op verbs.Opcode) bool { return op == verbs.WRWrite || op == verbs.WRWriteImm }

func (d *draft) hits(percent int) bool { return d.r.IntN(100) < percent }

func (d *draft) message(c *Connection, e *End, from int, k kinds, most int) Message {
	m := Message{
		Op: d.operation(k.weights), Signaled: d.hits(k.signaled), Imm: d.r.Uint32(), Sink: Piece{Region: noRegion}, Receive: noReceive,
	}
	m.Solicited = m.Op != verbs.WRWrite && d.hits(k.solicited)
	if room := inlineRoom(e.Cap); d.hits(k.inline) {
		m.Inline, m.Length = true, d.r.IntN(room+1)
		if m.Length > 0 {
			m.Source = []Piece{d.layouts[from].shared(e.PD, m.Length)}
		}
		return m
	}
	if sges := sendSGEs(e.Cap); sges > 0 {
		m.Length = d.length(c.MTU, most)
		m.Renewed = d.r.IntN(3) == 0
		m.Source = d.source(from, e.PD, m.Length, 1+d.r.IntN(sges), m.Renewed)
	}
	return m
}

func (d *draft) operation(weights [4]int) verbs.Opcode {
	n := d.r.IntN(weights[0] + weights[1] + weights[2] + weights[3])
	for i, op := range []verbs.Opcode{verbs.WRWrite, verbs.WRWriteImm, verbs.WRSend} {
		if n < weights[i] {
			return op
		}
		n -= weights[i]
	}
	return verbs.WRSendImm
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

// source cuts n bytes into pieces, some of which have none.
func (d *draft) source(host, pd, n, count int, renewed bool) []Piece {
	var pieces []Piece
	for _, part := range d.cut(n, count) {
		switch {
		case part == 0:
			if n > 0 || d.r.IntN(2) == 0 {
				pieces = append(pieces, d.empty(host, pd))
			}
		case renewed:
			pieces = append(pieces, d.layouts[host].fresh(pd, part, 0))
		default:
			pieces = append(pieces, d.layouts[host].shared(pd, part))
		}
	}
	return pieces
}

// empty is an SGE of no bytes: somewhere in a region, or nowhere.
func (d *draft) empty(host, pd int) Piece {
	if d.r.IntN(2) == 0 {
		return Piece{Region: noRegion}
	}
	p := d.layouts[host].shared(pd, 1)
	p.Length = 0
	return p
}

// cut makes count numbers of sum n; some may be 0.
func (d *draft) cut(n, count int) []int {
	var parts []int
	for range count - 1 {
		part := d.r.IntN(n + 1)
		if d.r.IntN(4) == 0 {
			part = min(n, d.r.IntN(20))
		}
		parts = append(parts, part)
		n -= part
	}
	return append(parts, n)
}

// sink is where a WRITE of n bytes goes: a place of its own, or in part that of one
// of the same connection before it.
func (d *draft) sink(host int, e *End, n int, before []Piece) Piece {
	if n == 0 {
		return Piece{Region: noRegion}
	}
	if len(before) > 0 && d.r.IntN(3) == 0 {
		if p := before[d.r.IntN(len(before))]; p.Length > n {
			return Piece{p.Region, p.Offset + d.r.IntN(p.Length-n+1), n}
		}
	}
	return d.layouts[host].fresh(e.PD, n, verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
}

// receive is the receive work request for message i.
func (d *draft) receive(host int, e *End, m Message, i, batch int) Receive {
	n := 0
	if !isWrite(m.Op) {
		n = m.Length + d.r.IntN(2)*d.r.IntN(100)
	} else if d.r.IntN(4) == 0 { // a WRITE does not touch it
		n = d.r.IntN(100)
	}
	return Receive{Pieces: d.landing(host, e, n), Message: i, Late: d.r.IntN(8) == 0, Ring: d.r.IntN(batch) == 0}
}

// landing is a list with room for n bytes that nobody else writes to.
func (d *draft) landing(host int, e *End, n int) []Piece {
	var pieces []Piece
	for _, part := range d.cut(n, 1+d.r.IntN(recvSGEs(e.Cap))) {
		switch {
		case part > 0:
			pieces = append(pieces, d.layouts[host].fresh(e.PD, part, verbs.AccessLocalWrite))
		case n > 0:
			pieces = append(pieces, d.empty(host, e.PD))
		}
	}
	return pieces
}
