package program

import (
	"context"

	"gornic/tb/wire"
	"gornic/verbs"
)

// postReceives posts receives as far as there is room.
func (e *end) postReceives(ctx context.Context) (int, error) {
	var wrs []verbs.RecvWR
	n := 0
	for free := e.qp.RecvFree(); free > 0 && e.mayReceive(); free-- {
		r := e.Receives[e.offered]
		wrs = append(wrs, verbs.RecvWR{WRID: recvID(e.offered), SGL: e.side.list(r.Pieces)})
		e.offered++
		n++
		if !r.Ring && free > 1 && e.mayReceive() {
			continue
		}
		if err := e.qp.PostRecv(ctx, wrs...); err != nil {
			return n, err
		}
		wrs = nil
	}
	return n, nil
}

// mayReceive tells whether there is a receive that may be posted now: one that is late
// waits for its message, if the peer is able to wait.
func (e *end) mayReceive() bool {
	if e.offered == len(e.Receives) {
		return false
	}
	r := e.Receives[e.offered]
	return !r.Late || r.Message < 0 || !e.peer.side.Retries || e.peer.posted > r.Message
}

// recvID and sendID are the numbers of work requests.
func recvID(i int) uint64 { return wire.Hash(uint64(i), 1) }

func sendID(i int) uint64 { return wire.Hash(uint64(i), 2) }

// lateID is that of a message that is posted in ERR.
func lateID(i int) uint64 { return wire.Hash(uint64(i), 3) }

// postSends posts messages as far as there is room, and the receiver ready.
func (e *end) postSends(ctx context.Context) (int, error) {
	var wrs []verbs.SendWR
	n := 0
	for free := e.qp.SendFree(); free > 0 && e.maySend(); free-- {
		m := e.Messages[e.posted]
		wrs = append(wrs, e.sendWR(m))
		e.expect(m)
		e.posted++
		n++
		if !m.Ring && free > 1 && e.maySend() {
			continue
		}
		if err := e.qp.PostSend(ctx, wrs...); err != nil {
			return n, err
		}
		wrs = nil
	}
	return n, nil
}

func (e *end) maySend() bool {
	if e.posted == len(e.Messages) {
		return false
	}
	return e.side.Retries || e.Messages[e.posted].Receive < e.peer.offered
}

func (e *end) sendWR(m Message) verbs.SendWR {
	wr := verbs.SendWR{WRID: sendID(e.posted), Opcode: m.Op, Imm: m.Imm}
	if m.Signaled {
		wr.Flags |= verbs.SendSignaled
	}
	if m.Solicited {
		wr.Flags |= verbs.SendSolicited
	}
	if m.Inline {
		wr.Flags, wr.Inline = wr.Flags|verbs.SendInline, e.payload(m)
	} else {
		wr.SGL = e.side.list(m.Source)
	}
	if isWrite(m.Op) {
		sink := e.peer.side.list([]Piece{m.Sink})[0]
		wr.RemoteAddr, wr.RKey = sink.Addr, sink.LKey
	}
	return wr
}

// list is pieces as SGEs.
func (s *side) list(pieces []Piece) []verbs.SGE {
	var l []verbs.SGE
	for i, p := range pieces {
		if p.Region == noRegion {
			h := wire.Hash(uint64(i), 4)
			l = append(l, verbs.SGE{Addr: h, LKey: uint32(h >> 7)})
			continue
		}
		l = append(l, s.areas[p.Region].mr.SGE(uint64(p.Offset), uint32(p.Length)))
	}
	return l
}

// payload is what a message sends.
func (e *end) payload(m Message) []byte {
	var data []byte
	for _, p := range m.Source {
		if p.Region != noRegion {
			data = append(data, e.side.areas[p.Region].holds(p)...)
		}
	}
	return data
}

// expect notes what comes of a message that is posted.
func (e *end) expect(m Message) {
	data := e.payload(m)
	e.payloads = append(e.payloads, data)
	if m.Signaled || e.SigAll {
		e.signaled = append(e.signaled, e.posted)
	}
	to := []Piece{m.Sink}
	if !isWrite(m.Op) {
		to = e.peer.Receives[m.Receive].Pieces
	}
	for _, p := range to {
		if p.Region != noRegion {
			data = data[copy(e.peer.side.areas[p.Region].holds(p), data):]
		}
	}
}

// renew gives the sources new contents that the messages before index alone used.
func (e *end) renew(ctx context.Context, index int) error {
	for ; e.renewed < index; e.renewed++ {
		m := e.Messages[e.renewed]
		if !m.Renewed {
			continue
		}
		for _, p := range m.Source {
			if p.Region == noRegion || p.Length == 0 {
				continue
			}
			a := e.side.areas[p.Region]
			if err := a.write(ctx, a.lead+p.Offset, noise(wire.Hash(uint64(e.renewed), 5), p.Length)); err != nil {
				return err
			}
		}
	}
	return nil
}
