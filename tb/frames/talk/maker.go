package talk

import (
	"gornic/format"
	"gornic/tb/frames"
)

// A Maker makes up the capture of a conversation. After an error it adds nothing.
type Maker struct {
	QPN, Peer uint32 // queue pairs of the responder and of the requester
	IPv6      bool
	Frames    []frames.Frame // so far
	Err       error          // the first one
}

// Asked is a request to be made up. What its opcode does not have is not looked at.
type Asked struct {
	Op        format.Opcode
	PSN       PSN
	Payload   []byte
	Ask       bool // for an acknowledgement
	Solicited bool
	RETH      format.RETH[uint64]
	Atomic    format.AtomicETH[uint64]
	Imm       uint32 // as a number of the wire; or the key to invalidate
}

// Request adds a request.
func (m *Maker) Request(a Asked) {
	d := m.headers(m.QPN, 0xAA, 0xBB)
	d.Opcode, d.PSN, d.AckReq, d.SE = uint64(a.Op), uint64(a.PSN)&0xFFFFFF, bit(a.Ask), bit(a.Solicited)
	d.PadCnt, d.BECN = uint64(-len(a.Payload))&3, bit(a.Op == format.OpCNP)
	info, _ := format.Lookup(a.Op)
	if at, ok := info.ExtOffset(format.ExtRETH); ok {
		copy(d.Ext[at/4:], []uint64{a.RETH.VA >> 32, a.RETH.VA & 0xFFFFFFFF, a.RETH.RKey, a.RETH.DMALen})
	}
	if at, ok := info.ExtOffset(format.ExtAtomicETH); ok {
		h := a.Atomic
		copy(d.Ext[at/4:], []uint64{
			h.VA >> 32, h.VA & 0xFFFFFFFF, h.RKey, h.SwapAdd >> 32, h.SwapAdd & 0xFFFFFFFF, h.Compare >> 32, h.Compare & 0xFFFFFFFF,
		})
	}
	for _, header := range []format.ExtHeader{format.ExtImmDt, format.ExtIETH} {
		if at, ok := info.ExtOffset(header); ok {
			d.Ext[at/4] = uint64(a.Imm)
		}
	}
	m.add(d, a.Payload)
}

// Answer adds an ACKNOWLEDGE.
func (m *Maker) Answer(psn PSN, syndrome uint8, msn int) {
	d := m.headers(m.Peer, 0xBB, 0xAA)
	d.Opcode, d.PSN = uint64(format.OpAcknowledge), uint64(psn)&0xFFFFFF
	d.Ext[0] = uint64(syndrome)<<24 | uint64(msn)
	m.add(d, nil)
}

// Respond adds a READ response or, with the number that memory had, an ATOMIC_ACK.
func (m *Maker) Respond(op format.Opcode, psn PSN, payload []byte, value uint64, msn int) {
	d := m.headers(m.Peer, 0xBB, 0xAA)
	d.Opcode, d.PSN, d.PadCnt = uint64(op), uint64(psn)&0xFFFFFF, uint64(-len(payload))&3
	if op != format.OpReadResponseMiddle {
		d.Ext[0] = format.SyndromeNoCredits<<24 | uint64(msn)
	}
	if op == format.OpAtomicAck {
		d.Ext[1], d.Ext[2] = value>>32, value&0xFFFFFFFF
	}
	m.add(d, payload)
}

// headers are those of a packet from one host to the other.
func (m *Maker) headers(qpn uint32, from, to uint64) format.TxDescriptor[uint64] {
	const mac, ipv4, ipv6 = 0x0200000000 << 8, 0x0A000000, 0xFD << 56
	d := format.TxDescriptor[uint64]{
		SrcMAC: mac | from, DstMAC: mac | to, SrcLo: ipv4 | from, DstLo: ipv4 | to, HopLimit: 64, DF: 1,
		SrcPort: 0xC000 | from, PKey: format.PKeyDefault, DestQP: uint64(qpn),
	}
	if m.IPv6 {
		d.IPv6, d.SrcHi, d.DstHi, d.SrcLo, d.DstLo, d.FlowLabel, d.DF = 1, ipv6, ipv6, from, to, from<<8|to, 0
	}
	return d
}

func (m *Maker) add(d format.TxDescriptor[uint64], payload []byte) {
	b, err := frames.Build(d, payload)
	if m.Err == nil {
		m.Err = err
	}
	if m.Err == nil {
		m.Frames = append(m.Frames, frames.Frame{Number: len(m.Frames) + 1, Data: b, Length: len(b)})
	}
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// ends tells that an opcode ends a message.
func ends(op format.Opcode) bool {
	info, _ := format.Lookup(op)
	return info.End
}

// pattern is n bytes that tell of a packet.
func pattern(psn PSN, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(int(psn) + 3*i)
	}
	return b
}

// Made makes up a capture of all that a responder answers to SENDs and WRITEs: ACKs, an RNR
// NAK, a NAK for a gap, and NAKs 0x61 to 0x63, each of which ends a queue pair. The
// path MTU is 256.
func Made(ipv6 bool) ([]frames.Frame, error) {
	m := &Maker{QPN: 0x22, Peer: 0x11, IPv6: ipv6}
	const ack, imm, psn = format.SyndromeNoCredits, 0x11223344, 0xFFFFFE
	ask := func(op format.Opcode, psn PSN, n int) {
		m.Request(Asked{Op: op, PSN: psn, Payload: pattern(psn, n), Ask: ends(op), Imm: imm})
	}
	write := func(op format.Opcode, psn PSN, n int, key, total uint64) {
		m.Request(Asked{
			Op: op, PSN: psn, Payload: pattern(psn, n), Ask: ends(op), RETH: format.RETH[uint64]{VA: 0x7F_0000_1003, RKey: key, DMALen: total},
		})
	}
	last := func() { m.Request(Asked{Op: format.OpSendOnly, PSN: psn + 5, Ask: true, Solicited: true}) }

	ask(format.OpSendFirst, psn, 256)
	m.Answer(psn, format.SyndromeRNR|12, 0)
	ask(format.OpSendFirst, psn, 256)
	ask(format.OpSendLastImm, psn+1, 44)
	m.Answer(psn+1, ack, 1)
	write(format.OpWriteFirst, psn+2, 256, 0xABCD01, 700)
	ask(format.OpWriteLastImm, psn+4, 188)
	m.Answer(psn+3, format.SyndromeNAK, 1)
	ask(format.OpWriteMiddle, psn+3, 256)
	ask(format.OpWriteLastImm, psn+4, 188)
	m.Answer(psn+4, ack, 2)
	for range 2 {
		last()
		m.Answer(psn+5, ack, 3)
	}

	m.QPN, m.Peer = 0x23, 0x12
	ask(format.OpSendMiddle, 100, 256)
	m.Answer(100, format.SyndromeNAKInv, 0)

	m.QPN, m.Peer = 0x24, 0x13
	write(format.OpWriteOnly, 7, 3, 0xABCD77, 3)
	m.Answer(7, format.SyndromeNAKAccess, 0)

	m.QPN, m.Peer = 0x25, 0x14
	ask(format.OpSendOnlyImm, 9, 2)
	m.Answer(9, ack, 1)
	ask(format.OpSendOnly, 10, 20)
	m.Answer(10, format.SyndromeNAKOp, 1)
	return m.Frames, m.Err
}
