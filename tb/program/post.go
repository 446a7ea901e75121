package program

import (
	"bytes"
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

// postSends posts messages as far as there is room, and they may be.
func (e *end) postSends(ctx context.Context) (int, error) {
	var wrs []verbs.SendWR
	n := 0
	for free := e.qp.SendFree(); free > 0 && e.maySend(); free-- {
		m := e.Messages[e.posted]
		if m.Lending != nil && len(wrs) > 0 { // what is behind it may need the key that it makes
			break
		}
		wr, err := e.sendWR(ctx, m)
		if err != nil {
			return n, err
		}
		wrs = append(wrs, wr)
		e.expect(m)
		e.posted++
		n++
		if !m.Ring && m.Lending == nil && free > 1 && e.maySend() {
			continue
		}
		if err := e.post(ctx, m, wrs); err != nil {
			return n, err
		}
		wrs = nil
	}
	if len(wrs) == 0 {
		return n, nil
	}
	return n, e.qp.PostSend(ctx, wrs...)
}

// post posts work requests of which m is the last.
func (e *end) post(ctx context.Context, m Message, wrs []verbs.SendWR) error {
	if m.Op == verbs.WRBindMW {
		if l := e.side.loans[m.Lending.Loan]; l.Kind == Window1 {
			wr := wrs[0]
			return e.qp.BindMW(ctx, l.mw, verbs.MWBind{WRID: wr.WRID, Flags: wr.Flags, Info: wr.Bind.Info})
		}
	}
	return e.qp.PostSend(ctx, wrs...)
}

// maySend tells whether there is a message that may be posted now.
func (e *end) maySend() bool {
	if e.posted == len(e.Messages) {
		return false
	}
	m := e.Messages[e.posted]
	if m.Cue.Peer > e.peer.finished || m.Cue.Own > e.finished || m.Cue.Here > e.received {
		return false
	}
	return e.side.Retries || m.Receive < e.peer.offered
}

func (e *end) sendWR(ctx context.Context, m Message) (verbs.SendWR, error) {
	wr := verbs.SendWR{WRID: sendID(e.posted), Opcode: m.Op, Flags: e.flags(m), Imm: m.Imm}
	if m.Lending != nil {
		if err := e.side.lend(ctx, m.Op, m.Lending, &wr); err != nil {
			return wr, err
		}
	}
	switch {
	case isLocal(m.Op):
		return wr, nil
	case m.Inline:
		wr.Inline = e.payload(m)
	default:
		wr.SGL = e.side.list(m.Source)
	}
	switch {
	case m.Op == verbs.WRSendInv:
		wr.InvalidateRKey = e.peer.side.loans[m.Lent].rkey()
	case !isSend(m.Op):
		sink := e.peer.side.list([]Piece{m.Sink})[0]
		wr.RemoteAddr, wr.RKey = sink.Addr, sink.LKey
		if m.Lent != noLoan {
			wr.RKey = e.peer.side.loans[m.Lent].rkey()
		}
	}
	if isAtomic(m.Op) {
		wr.CompareAdd, wr.Swap = e.operands(m)
	}
	return wr, nil
}

func (e *end) flags(m Message) verbs.SendFlags {
	var f verbs.SendFlags
	for _, x := range []struct {
		is   bool
		flag verbs.SendFlags
	}{{m.Signaled, verbs.SendSignaled}, {m.Solicited, verbs.SendSolicited}, {m.Inline, verbs.SendInline}, {m.Fence, verbs.SendFence}} {
		if x.is {
			f |= x.flag
		}
	}
	return f
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
	data := []byte{}
	to := []Piece{m.Sink}
	switch {
	case m.Shared && isAtomic(m.Op):
		e.tries(m)
		to = nil
	case m.Shared:
		e.mixes(m)
		to = nil
	case hasResponse(m.Op):
		data, to = e.brings(m), m.Source
	case isLocal(m.Op):
		to = nil
	default:
		data = e.payload(m)
		if isSend(m.Op) {
			to = e.peer.Receives[m.Receive].Pieces
		}
	}
	e.payloads = append(e.payloads, data)
	if m.Signaled || e.SigAll {
		e.signaled = append(e.signaled, e.posted)
	}
	at := e.peer.side
	if hasResponse(m.Op) {
		at = e.side
	}
	for _, p := range to {
		if p.Region != noRegion {
			data = data[copy(at.areas[p.Region].holds(p), data):]
		}
	}
}

// brings is what a READ or atomic brings.
func (e *end) brings(m Message) []byte {
	if m.Sink.Region == noRegion {
		return nil
	}
	data := bytes.Clone(e.peer.side.areas[m.Sink.Region].holds(m.Sink))
	if isAtomic(m.Op) {
		e.execute(m)
	}
	return data
}

// finish checks what messages before index have brought, and gives their sources new contents.
func (e *end) finish(ctx context.Context, index int) error {
	for ; e.finished < index; e.finished++ {
		m := e.Messages[e.finished]
		var err error
		switch {
		case m.Shared && isAtomic(m.Op):
			err = e.found(ctx, e.finished)
		case m.Shared:
			err = e.mixed(ctx, e.finished)
		case hasResponse(m.Op):
			err = e.arrived(ctx, e.finished, e.side, m.Source)
		}
		if err != nil {
			return err
		}
		if m.Renewed {
			if err := e.renew(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// renew gives a source new contents.
func (e *end) renew(ctx context.Context, m Message) error {
	for _, p := range m.Source {
		if p.Region == noRegion || p.Length == 0 {
			continue
		}
		a := e.side.areas[p.Region]
		if err := a.write(ctx, a.lead+p.Offset, noise(wire.Hash(uint64(e.finished), 5), p.Length)); err != nil {
			return err
		}
	}
	return nil
}
