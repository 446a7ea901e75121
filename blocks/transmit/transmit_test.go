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
	verilator "gornic/sim-verilator"
)

// An acknowledgement goes before a job that waits for its payload, and needs no
// entry; one of a queue pair in state ERR leaves, too.
func TestAcknowledgements(t *testing.T) {
	design, io := hdltest.Build(t, transmit.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		b.refs[2].State = format.QPError
		b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpSendOnly, PayloadLen: 8})
		b.run(50)
		b.ack.Send(linktest.Ack{QP: 0, Syndrome: format.SyndromeNoCredits, PSN: 0x123456, MSN: 0xABCDEF})
		b.ack.Send(linktest.Ack{QP: 2, Syndrome: format.SyndromeNAKAccess, PSN: 1, MSN: 2})
		b.run(100)
		require.Len(t, b.descs, 2)
		require.Empty(t, b.records)
		require.Equal(t, acknowledgement(linktest.Ack{QP: 0, Syndrome: 0x1F, PSN: 0x123456, MSN: 0xABCDEF}), without(b.descs[0]))
		require.Equal(t, acknowledgement(linktest.Ack{QP: 2, Syndrome: 0x62, PSN: 1, MSN: 2}), without(b.descs[1]))
		b.gathered.Send(0)
		hdltest.SendFrame(b.payload, []byte("12345678"))
		b.run(100)
		require.Len(t, b.descs, 3)
		require.Equal(t, [][]byte{[]byte("12345678")}, b.frames)
	}, verilator.Simulator)
}

// A packet with inline data leaves when its data is here, whole, and not that of
// the packet before it: so there is no pause in a frame.
func TestInlineIsWaitedFor(t *testing.T) {
	design, io := hdltest.Build(t, transmit.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		b.outSink.SetPattern(sim.Pattern{Kind: sim.Never})
		for range 2 {
			b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpSendOnly, PayloadLen: 8, Inline: true})
		}
		b.run(200)
		require.Empty(t, b.descs)
		hdltest.SendFrame(b.inline, []byte("12345678"))
		b.run(200)
		require.Len(t, b.descs, 1, "the second packet's data is not here")
		b.outSink.SetPattern(sim.Pattern{})
		b.run(200)
		require.Len(t, b.descs, 1)
		hdltest.SendFrame(b.inline, []byte("abcdefgh"))
		b.run(200)
		require.Len(t, b.descs, 2)
		require.Equal(t, [][]byte{[]byte("12345678"), []byte("abcdefgh")}, b.frames)
	}, verilator.Simulator)
}

// A packet leaves when the payload of one before it that is dropped is gone: while it
// is not, its own is not there, and there would be a pause in the frame.
func TestDroppedPayloadIsWaitedFor(t *testing.T) {
	design, io := hdltest.Build(t, transmit.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		b.refs[2].State = format.QPError
		for qp := 1; qp <= 2; qp++ {
			b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 3 - qp, Opcode: format.OpSendOnly, PayloadLen: 16})
			b.gathered.Send(0)
		}
		b.run(200)
		require.Empty(t, b.descs)
		hdltest.SendFrame(b.payload, []byte("this is dropped."))
		b.run(200)
		require.Len(t, b.descs, 1)
		hdltest.SendFrame(b.payload, []byte("and this leaves."))
		b.run(200)
		require.Equal(t, [][]byte{[]byte("and this leaves.")}, b.frames)
	}, verilator.Simulator)
}

// A fence comes out behind the jobs before it.
func TestFence(t *testing.T) {
	design, io := hdltest.Build(t, transmit.Def(params(64)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		b := newBench(t, s, io)
		b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpSendOnly, PayloadLen: 8})
		b.job.Send(linktest.TxJob{Kind: link.JobFence, Entry: linktest.ReplayEntry{PSN: 3}})
		b.run(100)
		require.Empty(t, b.fences)
		b.gathered.Send(0)
		hdltest.SendFrame(b.payload, []byte("12345678"))
		b.run(100)
		require.Equal(t, []int{3}, b.fences)
		require.Len(t, b.records, 1)
	}, verilator.Simulator)
}

// A packet takes 6 cycles of the block where its payload is one beat: a request, or an answer.
func TestCycles(t *testing.T) {
	design, io := hdltest.Build(t, transmit.Def(params(512)))
	for name, send := range map[string]func(b *bench){
		"request": func(b *bench) {
			b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpSendOnly, PayloadLen: 64})
			b.gathered.Send(0)
			hdltest.SendFrame(b.payload, make([]byte, 64))
		},
		"READ": func(b *bench) {
			b.job.Send(linktest.TxJob{Kind: link.JobPacket, QP: 1, Opcode: format.OpReadRequest, Probes: true})
			b.gathered.Send(0)
		},
		"sent again": func(b *bench) {
			b.job.Send(linktest.TxJob{Kind: link.JobResend, QP: 1, Opcode: format.OpSendOnly, PayloadLen: 64})
			b.gathered.Send(0)
			hdltest.SendFrame(b.payload, make([]byte, 64))
		},
		"answer": func(b *bench) {
			b.answer(linktest.TxJob{QP: 1, Opcode: format.OpReadResponseOnly, PayloadLen: 64}, 0, make([]byte, 64))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{}), io)
			for _, p := range []*sim.Source{b.ack, b.job, b.gathered, b.payload, b.context_} {
				p.SetPattern(sim.Pattern{})
			}
			for _, k := range []*sim.Sink{b.askContext, b.desc, b.record} {
				k.SetPattern(sim.Pattern{})
			}
			const n = 50
			for range n {
				send(b)
			}
			cycles := 0
			for len(b.descs) < n {
				b.run(1)
				cycles++
				require.Less(t, cycles, 8*n)
			}
			require.LessOrEqual(t, cycles, 6*n+10)
		})
	}
}

func TestValidate(t *testing.T) {
	require.NoError(t, params(64).Validate())
	require.Error(t, params(65).Validate())
	require.Error(t, transmit.Params{Sizes: link.Sizes{DataWidth: 64}}.Validate())
}
