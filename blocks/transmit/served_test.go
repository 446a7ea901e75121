package transmit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// told is that n READs of a queue pair have been answered.
func told(qp, n int) linktest.Served {
	return linktest.Served{QP: qp, Next: uint8(n), Most: uint8(n), Duplicates: uint8(3 * n)}
}

// gives an answer away, whose payload is still to come.
func (b *bench) gives(qp int) {
	b.given++
	b.run(5)
	b.job.Send(linktest.TxJob{Kind: link.JobAnswer, QP: qp, Opcode: format.OpReadResponseOnly, PayloadLen: 8})
}

// gathers the payload of the next one.
func (b *bench) gathers() {
	b.gathered.Send(0)
	hdltest.SendFrame(b.payload, []byte("contents"))
}

// What is told of answers comes when they have left: not before, though they may be dropped, and not after a fence behind them.
func TestServed(t *testing.T) {
	never := sim.Pattern{Kind: sim.Never}
	each(t, func(b *bench) {
		b.served.Send(told(1, 1))
		b.run(30)
		require.Equal(b.t, []linktest.Served{told(1, 1)}, b.told, "nothing is on its way")
		b.told = nil
		for i, qp := range []int{1, gone, 2} {
			b.gives(qp)
			b.served.Send(told(qp, 2+i))
			b.run(20)
		}
		b.left.SetPattern(never)
		b.job.Send(linktest.TxJob{Kind: link.JobFence, Entry: linktest.ReplayEntry{PSN: 2}})
		for i := range 3 {
			b.left.SetPattern(sim.Pattern{})
			b.run(200)
			require.Len(b.t, b.told, i)
			if i == 2 {
				b.left.SetPattern(never)
			}
			b.gathers()
			b.run(200)
		}
		require.Empty(b.t, b.fences, "the last one has not been heard")
		b.left.SetPattern(sim.Pattern{})
		b.run(50)
		require.Equal(b.t, []linktest.Served{told(1, 2), told(gone, 3), told(2, 4)}, b.told)
		require.Equal(b.t, []int{2}, b.fences)
		require.Len(b.t, b.frames, 2)
	})
}

// Served is taken at once, whatever the wire does: of each queue pair the newest is kept, until the answers before it have left.
func TestServedWhileTheWireStands(t *testing.T) {
	each(t, func(b *bench) {
		b.desc.SetPattern(sim.Pattern{Kind: sim.Never})
		for qp := range qps {
			b.gives(qp)
		}
		for n := range 100 {
			for qp := range qps {
				b.served.Send(told(qp, n))
			}
		}
		b.run(100 * qps * 10)
		require.Zero(b.t, b.served.Pending(), "resources waits for the wire")
		require.Empty(b.t, b.told)
		b.desc.SetPattern(sim.Pattern{})
		for range qps {
			b.gathers()
			b.run(100)
		}
		var newest []linktest.Served
		for qp := range qps {
			newest = append(newest, told(qp, 99))
		}
		require.ElementsMatch(b.t, newest, b.told)
	})
}

// A fence waits for what is told of answers before it, and not for that of answers behind it: those do not leave before the fence does.
func TestFenceBetweenAnswers(t *testing.T) {
	each(t, func(b *bench) {
		for i := range 3 {
			b.gives(1)
			b.served.Send(told(1, 2*i+1))
			b.run(20)
			b.job.Send(linktest.TxJob{Kind: link.JobFence, Entry: linktest.ReplayEntry{PSN: uint32(i)}})
			b.gives(2)
			b.served.Send(told(2, 2*i+2))
			b.run(20)
			b.gathers()
			b.run(200)
			require.Equal(b.t, []int{i}, b.fences)
			require.Equal(b.t, []linktest.Served{told(1, 2*i+1)}, b.told)
			b.gathers()
			b.run(200)
			require.Equal(b.t, []linktest.Served{told(1, 2*i+1), told(2, 2*i+2)}, b.told)
			b.fences, b.told = nil, nil
		}
	})
}

// While answers leave one after the other, each queue pair is told of in its turn, and at the end of all.
func TestServedInTurn(t *testing.T) {
	each(t, func(b *bench) {
		last := map[int]linktest.Served{}
		for n := range 60 {
			qp := n % 3
			b.gives(qp)
			b.gathers()
			last[qp] = told(qp, n)
			b.served.Send(last[qp])
			b.run(n % 7 * 10)
		}
		b.run(2000)
		got := map[int]linktest.Served{}
		for _, s := range b.told {
			require.GreaterOrEqual(b.t, s.Next, got[s.QP].Next, fmt.Sprint(s.QP))
			got[s.QP] = s
		}
		require.Equal(b.t, last, got)
	})
}
