package transmit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/transmit"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// A CNP leaves in RTR, RTS and SQD, before a job that waits for its payload, and is counted.
func TestCNP(t *testing.T) {
	for _, width := range []int{64, 128, 512} {
		design, io := hdltest.Build(t, transmit.Def(params(width)))
		hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
			b := newBench(t, s, io)
			b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 2, Opcode: format.OpSendOnly, PayloadLen: 8})
			counted := 0
			for _, state := range []format.QPState{format.QPReset, format.QPInit, format.QPRTR, format.QPRTS, format.QPSQD, format.QPError} {
				var want []int
				if state == format.QPRTR || state == format.QPRTS || state == format.QPSQD {
					want = []int{1}
				}
				b.refs[1].State = state
				b.cnp.Send(1)
				b.cnp.Send(gone)
				for range 100 {
					counted += int(s.Get(io.SentCNP))
					b.run(1)
				}
				require.Equal(t, want, b.notified(), state)
			}
			require.Equal(t, 3, counted)
			b.gathered.Send(0)
			hdltest.SendFrame(b.payload, []byte("contents"))
			b.run(100)
			require.Empty(t, b.notified())
			require.Equal(t, [][]byte{[]byte("contents")}, b.frames)
			require.Empty(t, b.faults)
			require.Len(t, b.records, 1)
		})
	}
}
