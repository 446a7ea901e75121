package monitor_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
)

const (
	qpnA, qpnB = 0x11, 0x22
	psnA, psnB = 0xFFFFFE, 500
)

// step is a packet on the wire: a request from A unless it says otherwise, PSN
// behind the first.
type step struct {
	op     format.Opcode
	psn    uint64
	size   int
	a      uint64
	dma    uint64 // RETH
	aeth   uint64 // an ACKNOWLEDGE is from B
	action wire.Action
	change func(*format.TxDescriptor[uint64])
	damage func(frame []byte) []byte
	fromB  bool // a request of B
	late   bool // it was delayed, and arrives
}

func (s step) crossing(t *testing.T, number int) wire.Crossing {
	t.Helper()
	d := format.TxDescriptor[uint64]{
		PKey: format.PKeyDefault, SrcPort: 0xC123, Opcode: uint64(s.op), PSN: (psnA + s.psn) & 0xFFFFFF, DestQP: qpnB,
		AckReq: s.a, PadCnt: uint64(-s.size) & 3, SrcLo: 1, DstLo: 2,
	}
	c := wire.Crossing{Number: number, RoCE: true, Action: s.action, Late: s.late}
	info, _ := format.Lookup(s.op)
	if at, ok := info.ExtOffset(format.ExtRETH); ok {
		d.Ext[at/4+3] = s.dma
	}
	if s.op >= format.OpReadResponseFirst && s.op <= format.OpAtomicAck {
		d.DestQP, c.Direction, c.Packet.Response = qpnA, wire.BToA, true
	}
	if _, ok := info.ExtOffset(format.ExtAETH); ok {
		d.Ext[0] = s.aeth
	}
	if s.fromB {
		d.PSN, d.DestQP, c.Direction = (psnB+s.psn)&0xFFFFFF, qpnA, wire.BToA
	}
	if s.change != nil {
		s.change(&d)
	}
	frame, err := frames.Build(d, make([]byte, s.size))
	require.NoError(t, err)
	if s.damage != nil {
		frame = s.damage(frame)
	}
	c.Frame, c.Packet.QP, c.Packet.PSN = frame, uint32(d.DestQP), uint32(d.PSN)
	return c
}

func watch(t *testing.T, steps []step) *monitor.Monitor {
	t.Helper()
	m := monitor.New()
	m.Payloads = true
	m.Add(monitor.Connection{QPN: [2]uint32{qpnA, qpnB}, PSN: [2]uint32{psnA, psnB}, PathMTU: 256})
	for i, s := range steps {
		if i < len(steps)-1 {
			require.NoError(t, m.Err(), "before the last step")
		}
		m.Tap(s.crossing(t, i+1))
	}
	return m
}

// Shorthand for packets.
func first(psn uint64) step { return step{op: format.OpSendFirst, psn: psn, size: 256} }
func last(psn uint64) step  { return step{op: format.OpSendLast, psn: psn, size: 9, a: 1} }
func only(psn uint64) step  { return step{op: format.OpSendOnly, psn: psn, size: 3, a: 1} }
func write(psn uint64) step { return step{op: format.OpWriteOnly, psn: psn, size: 8, dma: 8, a: 1} }
func answer(psn, syndrome, msn uint64) step {
	return step{op: format.OpAcknowledge, psn: psn, aeth: syndrome<<24 | msn}
}
func ack(psn, msn uint64) step { return answer(psn, 0x1F, msn) }

func (s step) lost() step { s.action = wire.Drop; return s }

func (s step) delayed() step { s.action = wire.Delay; return s }

func (s step) arrives() step { s.action, s.late = wire.Delay, true; return s }

func (s step) with(change func(*format.TxDescriptor[uint64])) step { s.change = change; return s }

// What the protocol allows.
func TestAllows(t *testing.T) {
	for name, steps := range map[string][]step{
		"messages":                     {first(0), last(1), ack(1, 1), only(2), ack(2, 2), write(3), ack(3, 3)},
		"one ACK for all":              {only(0), only(1), write(2), ack(2, 3)},
		"an ACK of the middle":         {first(0), ack(0, 0), last(1), ack(1, 1)},
		"MSN ahead of the PSN":         {only(0), only(1), ack(0, 2), ack(1, 2)},
		"both ways":                    {only(0), {op: format.OpSendOnly, psn: 0, a: 1, fromB: true}, ack(0, 1)},
		"a gap, and again from there":  {only(0), only(1).lost(), only(2), ack(0, 1), answer(1, 0x60, 1), only(1), only(2), ack(2, 3)},
		"lost ACK, timeout, duplicate": {only(0), ack(0, 1).lost(), only(0), ack(0, 1)},
		"a duplicate draws the newest": {only(0), only(1), ack(1, 2).lost(), only(0), ack(1, 2)},
		"RNR, and again":               {only(0), only(1), answer(0, 0x20, 0), only(0), only(1), ack(1, 2)},
		"RNR of LAST_IMM": {
			{op: format.OpWriteFirst, size: 256, dma: 260}, {op: format.OpWriteLastImm, psn: 1, size: 4, a: 1}, answer(1, 0x21, 0),
			{op: format.OpWriteLastImm, psn: 1, size: 4, a: 1}, ack(1, 1),
		},
		"the end": {only(0), write(1), ack(0, 1), answer(1, 0x62, 1)},
		"what was acknowledged is not sent again": {only(0), only(1), only(2), only(0), ack(1, 2), only(2)},
		"overtaken":                       {only(0).delayed(), only(1), answer(0, 0x60, 0), only(0).arrives(), ack(0, 1), only(0), only(1), ack(1, 2)},
		"a late ACK lets the sender skip": {only(0), only(1), only(2), only(0), ack(1, 2).delayed(), ack(1, 2).arrives(), only(2)},
		"a solicited event":               {only(0).with(func(d *format.TxDescriptor[uint64]) { d.SE = 1 })},
		"padded by a MAC":                 {{op: format.OpSendOnly, a: 1, damage: func(b []byte) []byte { return append(b, 0, 0) }}},
	} {
		require.NoError(t, watch(t, steps).Err(), name)
	}
}

// READs and atomics, as the protocol allows them. A READ of 600 bytes has three responses.
func TestAllowsReads(t *testing.T) {
	whole := func(psn uint64) []step { return responses(psn, 600, 1) }
	for name, steps := range map[string][]step{
		"a READ":                      join(read(0, 600), whole(0)),
		"a READ of no bytes":          join(read(0, 0), respond(0, format.OpReadResponseOnly, 0, 1)),
		"the next PSN":                join(read(0, 600), only(3), whole(0), ack(3, 2)),
		"a message of then":           join(read(0, 600), only(3), responses(0, 600, 2), ack(3, 2)),
		"an atomic":                   {atomic(0), respond(0, format.OpAtomicAck, 0, 1)},
		"an answer for all before":    join(only(0), read(1, 10), responses(1, 10, 2)),
		"a SEND with invalidate":      {{op: format.OpSendFirst, size: 256}, {op: format.OpSendLastInv, psn: 1, size: 1, a: 1}, ack(1, 1)},
		"again, what is missing":      join(read(0, 600), whole(0)[0], whole(0)[1].lost(), whole(0)[2], readFrom(1, 256, 344), responses(1, 344, 1)),
		"again in the middle":         join(read(0, 600), whole(0)[0], readFrom(1, 256, 344), whole(0)[1], responses(1, 344, 1)),
		"an atomic again":             {atomic(0), respond(0, format.OpAtomicAck, 0, 1).lost(), atomic(0), respond(0, format.OpAtomicAck, 0, 1)},
		"it arrives twice":            {doubled(read(0, 10)), responses(0, 10, 1)[0], responses(0, 10, 1)[0]},
		"and what is behind it, too":  {atomic(0), atomic(1), respond(0, format.OpAtomicAck, 0, 1), respond(1, format.OpAtomicAck, 0, 2), atomic(0), respond(0, format.OpAtomicAck, 0, 1), respond(1, format.OpAtomicAck, 0, 2)},
		"refused in the middle":       join(read(0, 600), whole(0)[0], answer(1, 0x62, 1)),
		"refused behind what follows": join(read(0, 600), only(3), answer(0, 0x62, 2)),
		"refused at once":             join(only(0), read(1, 600), answer(1, 0x62, 1)),
		"refused when it comes again": join(read(0, 600), whole(0), read(0, 600), answer(0, 0x62, 1)),
		"RNR behind a READ":           join(read(0, 10), only(1), responses(0, 10, 1), answer(1, 0x21, 1), only(1), ack(1, 2)),
	} {
		require.NoError(t, watch(t, steps).Err(), name)
	}
}

// And each of their rules, broken by the last packet.
func TestRefusesReads(t *testing.T) {
	type descriptor = format.TxDescriptor[uint64]
	whole := func(psn uint64) []step { return responses(psn, 600, 1) }
	for _, c := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"a PSN of the READ", join(read(0, 600), only(2)), "sent again, it was READ_REQUEST"},
		{"PSN too high", join(read(0, 600), only(4)), "expected PSN 0x1, the next one"},
		{"longer than 2^31", join(read(0, 1<<31+1)), "a READ of 2147483649 bytes, expected no more than 2^31 (protocol section 1.4)"},
		{"in a message", join(first(0), read(1, 1)), "a message begins before the one before it ends"},
		{"with payload", []step{{op: format.OpReadRequest, size: 4, a: 1}}, "4 bytes of payload, expected 0 to 0"},
		{"without AckReq", []step{{op: format.OpReadRequest}}, "does not ask for an acknowledgement"},
		{"reserved", []step{{op: 0x15, a: 1}}, "no request that there is"},
		{"solicited", []step{read(0, 1).with(func(d *descriptor) { d.SE = 1 })}, "SE is set"},
		{"again, the wrong part", join(read(0, 600), readFrom(1, 255, 344)), "a READ of 344 bytes at 0xff with key 0x0, what is missing there are 344 at 0x100 with key 0x0 (protocol section 4.5)"},
		{"another atomic again", []step{atomic(0), atomic(0).with(func(d *descriptor) { d.Ext[4]++ })}, "sent again with other headers"},

		{"answered before it arrived", []step{read(0, 9).lost(), respond(0, format.OpReadResponseOnly, 9, 1)}, "answered, but PSN 0xfffffe did not arrive"},
		{"ATOMIC_ACK of a READ", []step{read(0, 9), respond(0, format.OpAtomicAck, 0, 1)}, "an answer to READ_REQUEST"},
		{"data of an atomic", []step{atomic(0), respond(0, format.OpReadResponseOnly, 8, 1)}, "an answer to "},
		{"acknowledged", []step{read(0, 9), ack(0, 1)}, "acknowledged, but the READ or atomic of PSN 0xfffffe has not been answered whole (protocol section 3.8)"},
		{"overtaken by an ACK", join(read(0, 600), only(3), whole(0)[:2], ack(3, 2)), "PSN 0xfffffe has not been answered whole"},
		{"overtaken by a NAK", join(read(0, 600), only(3), whole(0)[:2], answer(3, 0x61, 1)), "refused, but the READ or atomic of PSN 0xfffffe has not been answered whole"},
		{"out of order", []step{read(0, 9), atomic(1), respond(1, format.OpAtomicAck, 0, 2)}, "answered before the READ or atomic of PSN 0xfffffe"},
		{"LAST too early", join(read(0, 600), whole(0)[0], respond(1, format.OpReadResponseLast, 256, 1)), "the last response of the READ is that of PSN 0x0"},
		{"MIDDLE too late", join(read(0, 600), whole(0)[:2], respond(2, format.OpReadResponseMiddle, 88, 0)), "the last response of the READ"},
		{"MIDDLE at first", join(read(0, 600), respond(0, format.OpReadResponseMiddle, 256, 0)), "it follows no response of the PSN before"},
		{"one is missing", join(read(0, 600), whole(0)[0], whole(0)[2]), "it follows no response of the PSN before"},
		{"too short", join(read(0, 600), respond(0, format.OpReadResponseFirst, 255, 1)), "255 bytes of payload, expected 256"},
		{"too long", join(read(0, 9), respond(0, format.OpReadResponseOnly, 10, 1)), "10 bytes of payload, expected 9"},
		{"FIRST twice", join(read(0, 600), whole(0)[0], whole(0)[0]), "nobody asked for it again (protocol section 3.7)"},
		{"an atomic twice", []step{atomic(0), respond(0, format.OpAtomicAck, 0, 1), respond(0, format.OpAtomicAck, 0, 1)}, "nobody asked for it again"},
		{"a NAK in it", join(read(0, 9), respond(0, format.OpReadResponseOnly, 9, 0x60<<24|1)), "syndrome 0x60, expected one of an ACK"},
		{"MSN too low", join(read(0, 9), respond(0, format.OpReadResponseOnly, 9, 0)), "MSN 0, expected 1 to 1"},
		{"MSN too high", join(read(0, 9), respond(0, format.OpReadResponseOnly, 9, 2)), "MSN 2, expected 1 to 1"},
		{"AckReq", join(read(0, 9), respond(0, format.OpReadResponseOnly, 9, 1).with(func(d *descriptor) { d.AckReq = 1 })), "an acknowledgement with AckReq"},
		{"goes on when refused", join(read(0, 600), whole(0)[0], answer(1, 0x62, 1), whole(0)[1]), "an answer behind a fatal NAK"},
		{"refused, the messages of before", join(read(0, 600), only(3), answer(0, 0x62, 3)), "MSN 3, expected 0"},
		{"RNR of a READ", join(read(0, 9), answer(0, 0x21, 0)), "RNR NAK of READ_REQUEST"},
	} {
		t.Run(c.name, func(t *testing.T) { require.ErrorContains(t, watch(t, c.steps).Err(), c.want) })
	}
}

// Shorthand for READs and atomics.
func read(psn, length uint64) step { return readFrom(psn, 0, length) }

func readFrom(psn, va, length uint64) step {
	return step{op: format.OpReadRequest, psn: psn, dma: length, a: 1, change: func(d *format.TxDescriptor[uint64]) { d.Ext[1] = va }}
}

func doubled(s step) step { s.action = wire.Duplicate; return s }

func atomic(psn uint64) step { return step{op: format.OpFetchAdd, psn: psn, a: 1} }

func respond(psn uint64, op format.Opcode, size int, aeth uint64) step {
	return step{op: op, psn: psn, size: size, aeth: aeth}
}

// responses are those of a READ of more bytes than a packet has, or of less.
func responses(psn uint64, length int, msn uint64) []step {
	if length <= 256 {
		return []step{respond(psn, format.OpReadResponseOnly, length, msn)}
	}
	steps := []step{respond(psn, format.OpReadResponseFirst, 256, msn)}
	for length -= 256; length > 256; length -= 256 {
		psn++
		steps = append(steps, respond(psn, format.OpReadResponseMiddle, 256, 0))
	}
	return append(steps, respond(psn+1, format.OpReadResponseLast, length, msn))
}

// join is steps and slices of them, one after the other.
func join(parts ...any) []step {
	var all []step
	for _, p := range parts {
		switch p := p.(type) {
		case step:
			all = append(all, p)
		case []step:
			all = append(all, p...)
		}
	}
	return all
}

// Each rule, broken by the last packet: the error names the packet, what is
// wrong with it, and the section.
func TestRefuses(t *testing.T) {
	type descriptor = format.TxDescriptor[uint64]
	for _, c := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"PSN too high", []step{only(0), only(2)}, "frame 2, a to b, SEND_ONLY to QP 0x22, PSN 0x0: expected PSN 0xffffff, the next one (protocol section 4.1)"},
		{"PSN too low", []step{only(psnMinus(1))}, "before the first PSN of the connection, 0xfffffe"},
		{"skips in a restart", []step{only(0), only(1), only(2), only(0), only(2)}, "it follows PSN 0xfffffe; those between are not acknowledged (protocol section 4.5)"},
		{"new behind a restart", []step{only(0), only(1), only(0), only(2)}, "those between are not acknowledged"},
		{"another opcode again", []step{only(0), write(0)}, "sent again, it was SEND_ONLY (protocol section 4.2)"},
		{"another length again", []step{only(0), {op: format.OpSendOnly, size: 4, a: 1}}, "sent again with 4 bytes, it had 3"},
		{"another header again", []step{write(0), {op: format.OpWriteOnly, size: 8, dma: 9, a: 1}}, "sent again with other headers"},
		{"another payload again", []step{only(0), {op: format.OpSendOnly, size: 3, a: 1, damage: payload}}, "sent again with another payload"},
		{"undefined", []step{{op: 0x1F, a: 1}}, "no request that there is"},
		{"MIDDLE without FIRST", []step{{op: format.OpSendMiddle, size: 256}}, "no message has begun (protocol section 3.5)"},
		{"FIRST twice", []step{first(0), first(1)}, "a message begins before the one before it ends, which began at PSN 0xfffffe"},
		{"ONLY inside", []step{first(0), write(1)}, "a message begins before the one before it ends"},
		{"WRITE behind SEND", []step{first(0), {op: format.OpWriteLast, psn: 1, size: 1, a: 1}}, "it follows SEND_FIRST"},
		{"short FIRST", []step{{op: format.OpSendFirst, size: 255}}, "255 bytes of payload, expected 256 to 256 (protocol section 1.5)"},
		{"empty LAST", []step{first(0), {op: format.OpSendLast, psn: 1, a: 1}}, "0 bytes of payload, expected 1 to 256"},
		{"long ONLY", []step{{op: format.OpSendOnly, size: 257, a: 1}}, "257 bytes of payload, expected 0 to 256"},
		{"less than the RETH", []step{{op: format.OpWriteOnly, size: 8, dma: 9, a: 1}}, "8 bytes in the message, its RETH says 9 (protocol section 4.2)"},
		{"less in the end", []step{{op: format.OpWriteFirst, size: 256, dma: 300}, {op: format.OpWriteLast, psn: 1, size: 43, a: 1}}, "299 bytes in the message, its RETH says 300"},
		{"goes on too long", []step{{op: format.OpWriteFirst, size: 256, dma: 512}, {op: format.OpWriteMiddle, psn: 1, size: 256}}, "512 bytes so far and the message goes on; its RETH says 512"},
		{"SE of a WRITE", []step{write(0).with(func(d *descriptor) { d.SE = 1 })}, "SE is set (protocol section 1.3)"},
		{"SE of a FIRST", []step{first(0).with(func(d *descriptor) { d.SE = 1 })}, "SE is set"},
		{"LAST without AckReq", []step{{op: format.OpSendOnly}}, "does not ask for an acknowledgement (protocol section 4.1)"},
		{"MigReq", []step{only(0).with(func(d *descriptor) { d.MigReq = 1 })}, "MigReq: 0x1, expected 0x0 (protocol section 1.3)"},
		{"P_Key", []step{only(0).with(func(d *descriptor) { d.PKey = 0x7FFF })}, "P_Key: 0x7fff, expected 0xffff"},
		{"BECN", []step{only(0).with(func(d *descriptor) { d.BECN = 1 })}, "BECN: 0x1, expected 0x0"},
		{"PadCnt", []step{only(0).with(func(d *descriptor) { d.PadCnt = 2 })}, "PadCnt 2 behind 3 bytes of payload, expected 1"},
		{"pad", []step{{op: format.OpSendOnly, size: 3, a: 1, damage: pad}}, "pad byte 0x01, expected 0 (protocol section 1.5)"},
		{"ICRC", []step{{op: format.OpSendOnly, size: 3, a: 1, damage: icrc}}, "the ICRC is bad (protocol section 1.7)"},
		{"trailer", []step{{op: format.OpSendOnly, size: 30, a: 1, damage: func(b []byte) []byte { return append(b, 0) }}}, "1 bytes behind the packet, expected none (protocol section 1.1)"},
		{"source port", []step{only(0).with(func(d *descriptor) { d.SrcPort = 4791 })}, "UDP source port 0x12b7, expected 0xc000 to 0xffff (protocol section 1.2)"},
		{"another source port", []step{only(0), only(1).with(func(d *descriptor) { d.SrcPort = 0xC124 })}, "UDP source port 0xc124, expected 0xc123 as before"},
		{"no such QP", []step{only(0).with(func(d *descriptor) { d.DestQP = 0x33 })}, "no connection has this queue pair (protocol section 2)"},
		{"partition", []step{only(0).with(func(d *descriptor) { d.PKey = 1 })}, "the receive side would not take it: pkey"},

		{"ACK of what was not sent", []step{only(0), ack(1, 1)}, "frame 2, b to a, ACKNOWLEDGE to QP 0x11, PSN 0xffffff: this PSN was not sent (protocol section 3.3)"},
		{"ACK of what was lost", []step{only(0).lost(), ack(0, 1)}, "acknowledged, but PSN 0xfffffe did not arrive (protocol section 3.6)"},
		{"ACK of what is late", []step{only(0).delayed(), ack(0, 1)}, "acknowledged, but PSN 0xfffffe did not arrive"},
		{"skips what no ACK that arrived has", []step{only(0), only(1), only(2), only(0), ack(1, 2).delayed(), only(2)}, "those between are not acknowledged"},
		{"ACK behind a gap", []step{only(0), only(1).lost(), only(2), ack(2, 3)}, "acknowledged, but PSN 0xffffff did not arrive"},
		{"ACK goes back", []step{only(0), only(1), ack(1, 2), ack(0, 2)}, "an older PSN than in an answer before, which had all before 0x0 (protocol section 3.7)"},
		{"MSN too low", []step{only(0), only(1), ack(1, 1)}, "MSN 1, expected 2 to 2, the messages that arrived (protocol section 3.13)"},
		{"MSN too high", []step{only(0), first(1), ack(1, 2)}, "MSN 2, expected 1 to 1"},
		{"NAK counts the message", []step{only(0), only(1), answer(1, 0x61, 2)}, "MSN 2, expected 1, the messages before (protocol section 3.6)"},
		{"NAK of what was acknowledged", []step{only(0), ack(0, 1), answer(0, 0x60, 0)}, "refused, but an answer before had all before 0xffffff"},
		{"NAK of what was not sent", []step{answer(0, 0x61, 0)}, "this PSN was not sent"},
		{"NAK of what was lost", []step{only(0).lost(), answer(0, 0x61, 0)}, "refused, but PSN 0xfffffe did not arrive"},
		{"sequence error without one", []step{only(0).lost(), answer(0, 0x60, 0)}, "sequence error, but no packet behind this one arrived"},
		{"RNR of a WRITE", []step{write(0), answer(0, 0x21, 0)}, "RNR NAK of WRITE_ONLY, which needs no receive WQE (protocol section 3.12)"},
		{"RNR of a WRITE_FIRST", []step{{op: format.OpWriteFirst, size: 256, dma: 300}, answer(0, 0x20, 0)}, "RNR NAK of WRITE_FIRST, which needs no receive WQE"},
		{"RNR of a LAST", []step{first(0), last(1), answer(1, 0x21, 0)}, "RNR NAK of SEND_LAST, which needs no receive WQE"},
		{"reserved syndrome", []step{only(0), answer(0, 0x64, 0)}, "syndrome 0x64 is reserved (protocol section 1.6)"},
		{"behind the end", []step{only(0), only(1), answer(0, 0x62, 0), ack(1, 2)}, "an answer behind a fatal NAK"},
		{"READ response", []step{only(0), respond(0, format.OpReadResponseOnly, 0, 0)}, "an answer to SEND_ONLY (protocol section 3.6)"},
		{"ACK with SE", []step{only(0), ack(0, 1).with(func(d *descriptor) { d.SE = 1 })}, "an acknowledgement with AckReq, SE or payload"},
		{"ACK with AckReq", []step{only(0), ack(0, 1).with(func(d *descriptor) { d.AckReq = 1 })}, "an acknowledgement with AckReq, SE or payload"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := watch(t, c.steps)
			require.ErrorContains(t, m.Err(), c.want)
			err := m.Err()
			m.Tap(only(50).crossing(t, 99))
			require.Equal(t, err, m.Err(), "the first stays")
		})
	}
}

func psnMinus(n uint64) uint64 { return 0x1000000 - n }

// payload changes the first byte of a payload of 3, pad its pad, icrc the sum.
func payload(b []byte) []byte { return fixed(b, len(b)-8) }
func pad(b []byte) []byte     { return fixed(b, len(b)-5) }

func fixed(b []byte, at int) []byte {
	b[at]++
	frames.FixICRC(b)
	return b
}

func icrc(b []byte) []byte {
	b[len(b)-1]++
	return b
}

// At the end, all has to be acknowledged.
func TestFinish(t *testing.T) {
	require.NoError(t, watch(t, nil).Finish())
	require.NoError(t, watch(t, []step{only(0), ack(0, 1)}).Finish())
	require.NoError(t, watch(t, []step{only(0), only(1), answer(0, 0x62, 0)}).Finish())
	require.ErrorContains(t, watch(t, []step{only(0), only(1), ack(0, 1)}).Finish(), "a to b, QP 0x22: PSN 0xffffff was sent and not acknowledged")
	require.ErrorContains(t, watch(t, []step{only(5)}).Finish(), "expected PSN 0xfffffe")
}

// Without the promise that buffers stay as they are, another payload is no fault.
func TestPayloadsMayChange(t *testing.T) {
	m := monitor.New()
	m.Add(monitor.Connection{QPN: [2]uint32{qpnA, qpnB}, PSN: [2]uint32{psnA, psnB}, PathMTU: 256})
	m.Tap(only(0).crossing(t, 1))
	m.Tap(step{op: format.OpSendOnly, size: 3, a: 1, damage: payload}.crossing(t, 2))
	m.Tap(wire.Crossing{Number: 3, Frame: []byte("not RoCE")})
	require.NoError(t, m.Err())
}

// A connection that is made anew starts from the beginning.
func TestAddAgain(t *testing.T) {
	m := watch(t, []step{only(0), only(1), answer(1, 0x61, 1)})
	m.Add(monitor.Connection{QPN: [2]uint32{qpnA, qpnB}, PSN: [2]uint32{psnA, psnB}, PathMTU: 512})
	m.Tap(step{op: format.OpSendOnly, size: 512, a: 1}.crossing(t, 4))
	m.Tap(ack(0, 1).crossing(t, 5))
	require.NoError(t, m.Finish())
}

func ExampleMonitor() {
	m := monitor.New()
	m.Add(monitor.Connection{QPN: [2]uint32{0x11, 0x22}, PSN: [2]uint32{100, 200}, PathMTU: 1024})
	frame, err := frames.Build(format.TxDescriptor[uint64]{
		Opcode: uint64(format.OpSendOnly), PKey: format.PKeyDefault, DestQP: 0x22, PSN: 101, AckReq: 1, SrcPort: 0xC000,
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Tap(wire.Crossing{Number: 1, RoCE: true, Frame: frame, Packet: wire.Packet{QP: 0x22, PSN: 101}})
	fmt.Println(m.Err())
	// Output:
	// frame 1, a to b, SEND_ONLY to QP 0x22, PSN 0x65: expected PSN 0x64, the next one (protocol section 4.1)
}
