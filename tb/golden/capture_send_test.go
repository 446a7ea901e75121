package golden_test

import (
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/frames"
	"gornic/tb/golden"
)

// The NIC is given the work that made the requests of a capture, and sends the
// same: bit for bit, but for the IPv4 identification.
func TestCapturedRequests(t *testing.T) {
	for _, name := range []string{"send_all.pcap", "write_all.pcap"} {
		all := conversations(t, name)
		for _, qpn := range slices.Sorted(maps.Keys(all)) {
			c := all[qpn]
			t.Run(name, func(t *testing.T) {
				messages := 0
				for _, m := range splitMessages(c.requests) {
					wr, payload := workOf(m)
					sameRequests(t, m, wr, payload)
					messages++
				}
				require.Greater(t, messages, 8)
			})
		}
	}
}

// splitMessages cuts requests into messages.
func splitMessages(requests []frames.Frame) [][]frames.Frame {
	var all [][]frames.Frame
	for _, f := range requests {
		info, _ := format.Lookup(format.Opcode(golden.Receive(f.Data, false).Descriptor.Opcode))
		if info.Start {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], f)
	}
	return all
}

// workOf is the work request of a message.
func workOf(m []frames.Frame) (sendWR, []byte) {
	wr := sendWR{op: format.WRSend}
	var payload []byte
	for _, f := range m {
		r := golden.Receive(f.Data, false)
		op := format.Opcode(r.Descriptor.Opcode)
		payload = append(payload, r.Payload...)
		if h, ok := format.ExtHeaderOf[format.RETH[uint64]](r.Descriptor.Ext, op, format.ExtRETH); ok {
			wr.op, wr.remote, wr.rkey = format.WRWrite, h.VA, uint32(h.RKey)
		}
		if h, ok := format.ExtHeaderOf[format.ImmDt[uint64]](r.Descriptor.Ext, op, format.ExtImmDt); ok {
			imm := binary.BigEndian.AppendUint32(nil, uint32(h.Imm))
			wr.imm = binary.LittleEndian.Uint32(imm)
			if wr.op == format.WRSend {
				wr.op = format.WRSendImm
			} else {
				wr.op = format.WRWriteImm
			}
		}
		if r.Descriptor.SE != 0 {
			wr.flags = format.WRFlagSolicited
		}
		if h, ok := format.ExtHeaderOf[format.IETH[uint64]](r.Descriptor.Ext, op, format.ExtIETH); ok {
			wr.op, wr.imm = format.WRSendInv, uint32(h.RKey)
		}
	}
	return wr, payload
}

// standIn is a NIC with a QP that stands for the one that sent a captured frame, and has
// its number.
func standIn(t *testing.T, first []byte, qpn, mtu uint64) *qp {
	t.Helper()
	d := golden.Receive(first, false).Descriptor
	mac := func(at int) uint64 {
		return uint64(binary.BigEndian.Uint16(first[at:]))<<32 | uint64(binary.BigEndian.Uint32(first[at+2:]))
	}
	s := newStation(t, 3, golden.DefaultConfig())
	s.nic.WriteRegister(format.RegMACLow, uint32(mac(6)))
	s.nic.WriteRegister(format.RegMACHigh, uint32(mac(6)>>32))
	q := s.newQP(qpConfig{mtu: mtu, psn: d.PSN})
	q.renumber(qpn)
	s.must(format.CmdModifyQP, q.toInit())
	rtr := q.toRTR(d.DestQP, mac(0), [2]uint64{})
	rtr.AV = format.AV[uint64]{
		DstMAC: mac(0), HopLimit: uint64(first[22]), TrafficClass: d.TrafficClass, SrcPort: d.SrcPort, SrcLo: d.SrcLo, DstLo: d.DstLo,
	}
	s.must(format.CmdModifyQP, rtr)
	s.must(format.CmdModifyQP, q.toRTS())
	return q
}

// sameRequests posts the work on a NIC that stands for the capture's requester.
func sameRequests(t *testing.T, m []frames.Frame, wr sendWR, payload []byte) {
	t.Helper()
	q := standIn(t, m[0].Data, 0x55, format.MTU1024)
	if len(payload) > 0 {
		from := q.s.region(uint64(len(payload)), 0)
		q.s.write(from.addr, payload)
		wr.list = from.whole()
	}
	q.send(wr)
	for _, f := range m {
		q.sends(f)
	}
	_, more := q.s.nic.Send()
	require.False(t, more)
}

// sends compares what a NIC sends with a captured frame.
func (q *qp) sends(f frames.Frame) {
	q.s.t.Helper()
	got, ok := q.s.nic.Send()
	require.True(q.s.t, ok, "no frame %d", f.Number)
	require.Equal(q.s.t, withoutID(f.Data), withoutID(got), "frame %d", f.Number)
}
