package play

import (
	"fmt"

	"gornic/format"
	"gornic/tb/drill/packet"
)

// env is what names and signs stand for in a step.
type env struct {
	p     *player
	first uint32 // PSN
}

// env returns that of a step about a queue pair, whose PSNs are those of requests that come; nil: about none.
func (p *player) env(q *queuePair) env {
	e := env{p: p}
	if q != nil {
		e.first = q.attr.RQPSN
	}
	return e
}

// counting returns an env whose PSNs count from another.
func (e env) counting(from uint32) env {
	e.first = from
	return e
}

func (e env) FirstPSN() uint64 { return uint64(e.first) }

func (e env) Symbol(kind packet.Kind, name string) (uint64, error) {
	if name == "i" && len(e.p.rounds) > 0 {
		return uint64(e.p.rounds[len(e.p.rounds)-1]), nil
	}
	switch r, w, q := e.p.mrs[name], e.p.mws[name], e.p.qps[name]; {
	case kind == packet.Address && r != nil:
		return r.VA, nil
	case kind == packet.Key && r != nil:
		return uint64(r.mr.RKey()), nil
	case kind == packet.Key && w != nil:
		return uint64(w.RKey()), nil
	case kind == packet.QPN && q != nil:
		return uint64(q.number), nil
	}
	return 0, fmt.Errorf("%q stands for nothing here", name)
}

// Memory reads a region.
func (e env) Memory(name string, offset, length int) ([]byte, error) {
	r := e.p.mrs[name]
	if offset+length > r.Length {
		return nil, fmt.Errorf("%d bytes from %d on: region %s has %d", length, offset, name, r.Length)
	}
	b := make([]byte, length)
	return b, e.p.m.Read(r.addr+uint64(offset), b)
}

// namer names the numbers in packets of a queue pair.
type namer struct {
	p    *player
	q    *queuePair
	sent bool // by the NIC, else by the peer
}

// PSN shows a PSN with its distance from the first one.
func (n namer) PSN(p *packet.Packet) string {
	psn := uint32(p.BTH.PSN)
	return fmt.Sprintf("0x%06x (%+d)", psn, distance(psn, n.q.firstPSN(p.Response() == n.sent)))
}

// distance is how far a PSN is behind another.
func distance(psn, from uint32) int32 { return int32((psn-from)<<8) >> 8 }

// firstPSN is the first one of requests that come, or that go.
func (q *queuePair) firstPSN(coming bool) uint32 {
	if coming {
		return q.attr.RQPSN
	}
	return q.attr.SQPSN
}

// Key shows a key with the name of who has it.
func (n namer) Key(key uint64) string {
	for name, r := range n.p.mrs {
		if uint64(r.mr.RKey()) == key {
			return fmt.Sprintf("%#x (%s)", key, name)
		}
	}
	for name, w := range n.p.mws {
		if uint64(w.RKey()) == key {
			return fmt.Sprintf("%#x (%s)", key, name)
		}
	}
	return fmt.Sprintf("%#x", key)
}

// Place shows an address with the name of its region.
func (n namer) Place(va uint64) string {
	for _, r := range n.p.c.MRs {
		if va-r.VA < uint64(r.Length) {
			return fmt.Sprintf("%#x (%s + %d)", va, r.Name, va-r.VA)
		}
	}
	return fmt.Sprintf("%#x", va)
}

// QPN shows a number with the name of the queue pair whose it is, or whose peer's.
func (n namer) QPN(number uint64) string {
	for _, q := range n.p.pairs() {
		if !n.sent && uint64(q.number) == number {
			return fmt.Sprintf("0x%06x (%s)", number, q.Name)
		}
		if n.sent && uint64(q.DestQPN) == number {
			return fmt.Sprintf("0x%06x (peer of %s)", number, q.Name)
		}
	}
	return fmt.Sprintf("0x%06x", number)
}

// words says what a packet of a queue pair is.
func (p *player) words(q *queuePair, f *packet.Packet, sent bool) string {
	return f.Words(namer{p, q, sent})
}

// opcodeOf is the opcode of a packet.
func opcodeOf(p *packet.Packet) format.Opcode { return format.Opcode(p.BTH.Opcode) }
