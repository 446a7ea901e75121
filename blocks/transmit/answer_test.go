package transmit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/transmit"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// each runs a test on a fresh block of 64 bits in both simulators.
func each(t *testing.T, test func(b *bench)) {
	design, io := hdltest.Build(t, transmit.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) { test(newBench(t, s, io)) }, verilator.Simulator)
}

// The NAK of an answer that cannot be had takes its place, and is the last thing that the peer hears: until the
// queue pair begins anew.
func TestRefusedAnswer(t *testing.T) {
	read := linktest.TxJob{QP: 1, Opcode: format.OpReadResponseMiddle, PayloadLen: 16, MSN: 77, Entry: linktest.ReplayEntry{PSN: 0xFFFFFF}}
	atomic := func(v format.VendorCode) linktest.TxJob {
		return linktest.TxJob{QP: 1, Opcode: format.OpAtomicAck, Failed: true, MSN: 77, Entry: linktest.ReplayEntry{PSN: 0xFFFFFF, Vendor: v}}
	}
	each(t, func(b *bench) {
		for _, c := range []struct {
			job      linktest.TxJob
			gathered format.VendorCode
			syndrome int
			event    format.AsyncEvent
			vendor   format.VendorCode
		}{
			{read, format.VendorKeyUnknown, format.SyndromeNAKAccess, format.EventQPAccessErr, format.VendorKeyUnknown},
			{read, format.VendorKeyPD, format.SyndromeNAKAccess, format.EventQPAccessErr, format.VendorKeyPD},
			{read, format.VendorKeyRights, format.SyndromeNAKAccess, format.EventQPAccessErr, format.VendorKeyRights},
			{read, format.VendorKeyRange, format.SyndromeNAKAccess, format.EventQPAccessErr, format.VendorKeyRange},
			{read, format.VendorBusRead, format.SyndromeNAKOp, format.EventQPFatal, format.VendorBusRead},
			{atomic(format.VendorBusRead), 0, format.SyndromeNAKOp, format.EventQPFatal, format.VendorBusRead},
			{atomic(format.VendorBusWrite), 0, format.SyndromeNAKOp, format.EventQPFatal, format.VendorBusWrite},
		} {
			t := b.t
			b.answer(c.job, c.gathered, nil)
			b.answer(linktest.TxJob{QP: 1, Opcode: format.OpReadResponseLast, PayloadLen: 8}, 0, []byte("dropped."))
			b.answer(linktest.TxJob{QP: 2, Opcode: format.OpReadResponseLast, PayloadLen: 8}, 0, []byte("another."))
			b.run(400)
			b.ack.Send(linktest.Ack{QP: 1, Syndrome: format.SyndromeNAKOp, PSN: 5})
			b.run(100)
			other := packet(linktest.TxJob{QP: 2, Opcode: format.OpReadResponseLast, PayloadLen: 8})
			nak := acknowledgement(linktest.Ack{QP: 1, Syndrome: c.syndrome, PSN: 0xFFFFFF, MSN: 77})
			b.compare(expected{
				descs:  []format.TxDescriptor[uint64]{nak, other},
				faults: []linktest.QPFault{{QP: 1, HasEvent: true, Event: c.event, Vendor: c.vendor}},
				frames: [][]byte{[]byte("another.")},
			})
			require.Empty(t, b.records)

			b.clear(1)
			b.ack.Send(linktest.Ack{QP: 1, Syndrome: format.SyndromeNoCredits, PSN: 5, MSN: 2})
			b.run(100)
			b.compare(expected{descs: []format.TxDescriptor[uint64]{acknowledgement(linktest.Ack{QP: 1, Syndrome: 0x1F, PSN: 5, MSN: 2})}})
		}
	})
}

// A queue pair in ERR answers what it accepted before; one that is gone, or has been taken back to INIT or RESET, does not.
func TestAnswersByState(t *testing.T) {
	each(t, func(b *bench) {
		for _, c := range []struct {
			qp    int
			state format.QPState
			sent  bool
		}{
			{1, format.QPReset, false}, {1, format.QPInit, false}, {1, format.QPRTR, true}, {1, format.QPRTS, true}, {1, format.QPSQD, true},
			{1, format.QPError, true}, {gone, format.QPRTS, false},
		} {
			b.refs[c.qp].State = c.state
			j := linktest.TxJob{QP: c.qp, Opcode: format.OpReadResponseOnly, PayloadLen: 8, MSN: 3}
			b.answer(j, 0, []byte("contents"))
			j2 := linktest.TxJob{QP: c.qp, Opcode: format.OpReadResponseOnly, PayloadLen: 8, MSN: 4}
			b.run(200)
			var want expected
			if c.sent {
				want = expected{descs: []format.TxDescriptor[uint64]{packet(j)}, frames: [][]byte{[]byte("contents")}}
			}
			b.compare(want)
			if !c.sent { // and it is not silenced by what it would not have said
				b.answer(j2, format.VendorKeyRange, nil)
				b.run(200)
				b.compare(expected{})
			}
		}
	})
}

// Headers of each opcode: from where its words come.
func TestHeaders(t *testing.T) {
	each(t, func(b *bench) {
		j := linktest.TxJob{
			QP: 1, VA: 0x0102030405060708, RKey: 0x11121314, DMALen: 0x21222324, Imm: 0x31323334,
			Swap: 0x4142434445464748, Compare: 0x5152535455565758, MSN: 0x616263,
		}
		for _, c := range []struct {
			kind  int
			op    format.Opcode
			words []uint64
		}{
			{link.JobPacket, format.OpReadRequest, []uint64{0x01020304, 0x05060708, 0x11121314, 0x21222324}},
			{link.JobPacket, format.OpCmpSwap, []uint64{0x01020304, 0x05060708, 0x11121314, 0x41424344, 0x45464748, 0x51525354, 0x55565758}},
			{link.JobPacket, format.OpFetchAdd, []uint64{0x01020304, 0x05060708, 0x11121314, 0x41424344, 0x45464748, 0x51525354, 0x55565758}},
			{link.JobPacket, format.OpSendOnlyInv, []uint64{0x31323334}},
			{link.JobPacket, format.OpWriteOnlyImm, []uint64{0x01020304, 0x05060708, 0x11121314, 0x21222324, 0x31323334}},
			{link.JobAnswer, format.OpReadResponseFirst, []uint64{0x1F616263}},
			{link.JobAnswer, format.OpReadResponseMiddle, nil},
			{link.JobAnswer, format.OpAtomicAck, []uint64{0x1F616263, 0x41424344, 0x45464748}},
		} {
			j.Kind, j.Opcode = c.kind, c.op
			if c.kind == link.JobAnswer {
				b.given++
			}
			b.job.Send(j)
			b.run(100)
			require.Len(b.t, b.descs, 1, "%v", c.op)
			d := without(b.descs[0])
			require.Equal(b.t, fmt.Sprint(c.words), fmt.Sprint(d.Ext[:len(c.words)]), "%v", c.op)
			require.Equal(b.t, make([]uint64, 7-len(c.words)), d.Ext[len(c.words):], "%v", c.op)
			b.descs = nil
		}
	})
}
