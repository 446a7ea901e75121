package play

import (
	"fmt"

	"gornic/format"
	"gornic/tb/drill/packet"
	"gornic/tb/drill/script"
)

const (
	peerPort     = 0xC0DE
	peerHopLimit = 64
)

// base is a packet of a queue pair's peer with the usual headers.
func (p *player) base(q *queuePair) *packet.Packet {
	a := q.attr.AH
	t := &packet.Packet{
		DstMAC: macNumber(hostMAC), SrcMAC: macNumber(peerMAC), Src: a.Dst, Dst: a.Src, HopLimit: peerHopLimit,
		SrcPort: peerPort, DstPort: format.PortRoCEv2,
		BTH: format.BTH[uint64]{PKey: format.PKeyDefault, DestQP: uint64(q.number)},
	}
	if a.VLAN.Tagged {
		t.Tagged, t.TCI = true, uint64(a.VLAN.ID)
	}
	return t
}

// build makes the peer's packet of a step: what is given, the rest as a peer in its right mind has it.
func (p *player) build(q *queuePair, a *script.SendPacket) (*packet.Packet, error) {
	t := p.base(q)
	op, err := a.Fields[opcodeIndex(a.Fields)].Any[0].Eval(p.env(q))
	if err != nil {
		return nil, err
	}
	t.BTH.Opcode = op
	response := t.Response()
	e := p.env(q).counting(q.firstPSN(!response))
	if err := p.fillPayload(q, t, a, e); err != nil {
		return nil, err
	}
	p.usual(q, t)
	for _, f := range a.Fields {
		v, err := f.Any[0].Eval(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		f.Set(t, v)
	}
	if a.ECN != nil {
		t.TrafficClass = t.TrafficClass&^3 | *a.ECN
	}
	if a.Src.IsValid() {
		t.Src = a.Src
	}
	if a.Dst.IsValid() {
		t.Dst = a.Dst
	}
	if t.Src.Is4() != t.Dst.Is4() {
		return nil, fmt.Errorf("from %v to %v: expected addresses of one family", t.Src, t.Dst)
	}
	t.BadICRC, t.Trailer = a.BadICRC, a.Trailer
	return t, nil
}

func opcodeIndex(fields []script.FieldValue) int {
	for i, f := range fields {
		if f.Kind == packet.Opcode {
			return i
		}
	}
	return 0
}

func (p *player) fillPayload(q *queuePair, t *packet.Packet, a *script.SendPacket, e env) (err error) {
	switch info := t.Info(); {
	case a.Payload != nil:
		t.Payload, err = a.Payload.Eval(e)
	case info.Payload == format.PayloadFull:
		t.Payload, err = script.Data{Length: script.Plain(uint64(q.MTU))}.Eval(e)
	case info.Payload == format.PayloadSixteen:
		t.Payload = make([]byte, 16)
	}
	return err
}

// usual fills in what depends on opcode and payload.
func (p *player) usual(q *queuePair, t *packet.Packet) {
	info := t.Info()
	t.BTH.PadCnt = uint64(-len(t.Payload) & 3)
	switch {
	case opcodeOf(t) == format.OpCNP:
		t.BTH.BECN = 1
	case t.Response():
		t.AETH.Syndrome = format.SyndromeNoCredits
	default:
		t.BTH.PSN = uint64(q.next)
		if info.End {
			t.BTH.AckReq = 1
		}
	}
	if len(p.c.MRs) > 0 {
		first := p.mrs[p.c.MRs[0].Name]
		t.RETH.VA, t.Atomic.VA, t.RETH.RKey = first.VA, first.VA, uint64(first.mr.RKey())
		t.Atomic.RKey, t.IETH.RKey = t.RETH.RKey, t.RETH.RKey
	}
	t.RETH.DMALen = uint64(len(t.Payload))
}

// advance moves the PSN of the peer's next request behind one that is the next in order.
func (q *queuePair) advance(t *packet.Packet) {
	if t.Response() || opcodeOf(t) == format.OpCNP || uint32(t.BTH.PSN) != q.next {
		return
	}
	n := uint32(1)
	if opcodeOf(t) == format.OpReadRequest {
		n = uint32(max(1, (t.RETH.DMALen+uint64(q.MTU)-1)/uint64(q.MTU)))
	}
	q.next = (q.next + n) & 0xFFFFFF
}

// sendPacket has the peer send a packet.
func (p *player) sendPacket(s script.Step, a script.SendPacket) error {
	q := p.qps[a.QP]
	count, err := a.Count.Eval(p.env(q))
	if err != nil {
		return err
	}
	if a.Again != "" {
		return p.sendAgain(s, a.Again, int(count))
	}
	var raws [][]byte
	for range count {
		t, err := p.build(q, &a)
		if err != nil {
			return err
		}
		raw, err := t.Frame()
		if err != nil {
			return err
		}
		if p.tracing() {
			p.trace(s.Line, "peer sends  %s", p.words(q, t, false))
		}
		if err := p.send(raw); err != nil {
			return err
		}
		q.advance(t)
		if s.Label != "" {
			raws = append(raws, raw)
		}
	}
	p.remember(s, raws)
	return nil
}

func (p *player) sendAgain(s script.Step, label string, count int) error {
	raws := p.frames[label]
	for range count {
		for _, raw := range raws {
			p.trace(s.Line, "peer sends  the frame of %s again", label)
			if err := p.send(raw); err != nil {
				return err
			}
		}
	}
	p.remember(s, raws)
	return nil
}

func (p *player) sendRaw(s script.Step, a script.SendRaw) error {
	p.trace(s.Line, "peer sends  a frame of %d bytes", len(a.Frame))
	p.remember(s, [][]byte{a.Frame})
	return p.send(a.Frame)
}

func (p *player) remember(s script.Step, raws [][]byte) {
	if s.Label != "" {
		p.frames[s.Label] = raws
	}
}

func (p *player) send(raw []byte) error {
	err := p.m.receive(append([]byte(nil), raw...))
	p.mark()
	return err
}

func macNumber(mac [6]byte) (n uint64) {
	for _, b := range mac {
		n = n<<8 | uint64(b)
	}
	return n
}
