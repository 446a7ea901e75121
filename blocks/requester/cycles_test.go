package requester_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/linktest"
	"gornic/blocks/requester"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// A packet comes 6 cycles after the one before, at most, and the first segment in the cycle of its packet.
func TestCycles(t *testing.T) {
	design, io := hdltest.Build(t, requester.Def(params(512)))
	b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 0)
	b.oneEach()
	for qp := range qps {
		b.grant.Send(qp)
	}
	var at []uint64
	for range 200 {
		before := b.job.Count()
		b.step()
		require.Equal(t, b.job.Count(), b.segment.Count(), "segments and jobs")
		if b.job.Count() > before {
			at = append(at, b.s.Cycle())
		}
	}
	require.Len(t, at, qps)
	for i := range at[1:] {
		require.LessOrEqual(t, at[i+1]-at[i], uint64(6), "jobs at %d", at)
	}
}

// An entry is given back while a turn of its queue pair waits behind others: what the turn says stays.
func TestRetiredMeanwhile(t *testing.T) {
	design, io := hdltest.Build(t, requester.Def(params(512)))
	b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 0)
	b.oneEach()
	b.job.SetPattern(sim.Pattern{Kind: sim.Never})
	for qp := range qps {
		b.grant.Send(qp)
	}
	for range 60 {
		b.step()
	}
	for qp := range qps {
		b.retired.Send(linktest.Retired{QP: qp, Count: 0xFFFF})
	}
	for range 20 {
		b.step()
	}
	require.Zero(t, b.job.Count())
	b.job.SetPattern(sim.Pattern{})
	for range 100 {
		b.step()
	}
	require.EqualValues(t, qps, b.job.Count())
}

// oneEach has each queue pair send a WRITE of 64 bytes.
func (b *bench) oneEach() {
	t := b.t
	for qp := range qps {
		q := &queue{ref: requester.Reference{State: format.QPRTS, MTU: 1024, Entries: 1 << replayBits}, here: 1, fault: []bool{false}}
		wqe, err := format.AppendHost(nil, format.SendControl[uint64]{Opcode: uint64(format.WRWrite), NumSGE: 1})
		require.NoError(t, err)
		wqe, err = format.AppendHost(wqe, format.SGE[uint64]{Length: 64})
		require.NoError(t, err)
		q.wqes = [][]byte{wqe}
		b.queues[qp] = q
	}
	for qp := range qps {
		b.clear(qp, 0)
	}
}
