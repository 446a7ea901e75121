package transmit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/linktest"
	"gornic/blocks/transmit"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// With credits, the responses to READs and atomics have the code of their queue pair. The syndrome of an acknowledgement is what
// ackqueue made it, and that of a NAK in place of an answer its own.
func TestCredits(t *testing.T) {
	with := params(64)
	with.Credits = true
	design, io := hdltest.Build(t, transmit.Def(with))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		port := io.Credits[0]
		run := func(n int) {
			for range n {
				asked := s.Get(port.QP)
				b.run(1)
				s.Set(port.Code, (7+5*asked)&31) // a cycle later; before the first answer any queue pair may be asked for
			}
		}
		for qp := range 3 {
			b.answer(linktest.TxJob{QP: qp, Opcode: format.OpAtomicAck, MSN: 0x616263, Entry: linktest.ReplayEntry{PSN: 9}}, 0, nil)
			run(40)
			require.Len(t, b.descs, 1)
			require.EqualValues(t, uint64(7+5*qp)<<24|0x616263, b.descs[0].Ext[0], "queue pair %d", qp)
			b.ack.Send(linktest.Ack{QP: qp, Syndrome: 3, PSN: 5, MSN: 2})
			run(40)
			require.Len(t, b.descs, 2)
			require.EqualValues(t, 3<<24|2, b.descs[1].Ext[0])
			b.answer(linktest.TxJob{QP: qp, Opcode: format.OpReadResponseOnly, MSN: 4, PayloadLen: 8, Entry: linktest.ReplayEntry{PSN: 10}}, format.VendorKeyRights, nil)
			run(40)
			require.Len(t, b.descs, 3)
			require.EqualValues(t, format.SyndromeNAKAccess, b.descs[2].Ext[0]>>24)
			b.descs = nil
		}
	}, verilator.Simulator)
}
