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

// Cycles from packet to packet at most, and the first segment comes in the cycle of its packet.
func TestCycles(t *testing.T) {
	design, io := hdltest.Build(t, requester.Def(params(512)))
	for op, most := range map[format.WROpcode]uint64{
		format.WRWrite: 6, format.WRSendInv: 6, format.WRRead: 6, format.WRCompSwap: 9, format.WRFetchAdd: 9,
	} {
		t.Run(op.String(), func(t *testing.T) {
			b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 0)
			b.oneEach(order(op))
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
				require.LessOrEqual(t, at[i+1]-at[i], most, "jobs at %d", at)
			}
		})
	}
}

// An entry is given back while a turn of its queue pair waits behind others: what the turn says stays.
func TestRetiredMeanwhile(t *testing.T) {
	design, io := hdltest.Build(t, requester.Def(params(512)))
	b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 0)
	b.oneEach(order(format.WRWrite))
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

// oneEach has each queue pair send a WQE.
func (b *bench) oneEach(w wqe) {
	for qp := range qps {
		b.open(qp, ready(0, 1024, 4)).post(w)
	}
}
