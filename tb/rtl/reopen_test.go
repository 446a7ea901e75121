package rtl_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/host"
	"gornic/tb/rtl"
	"gornic/tb/wire/monitor"
	"gornic/tb/workload"
	"gornic/tb/workload/play"
	"gornic/verbs"
)

// Two programs end in the middle of their work, without a word. Others open the same
// devices and do theirs; the devices touch nothing any more of what was before.
func TestOpenAgain(t *testing.T) {
	work := workload.Workload{
		Name: "again", Direction: workload.BothWays, Messages: 2, Operations: workload.Operations{Write: 1, Send: 1}, Sizes: workload.Sizes{List: []int{700}},
		QueuePairs: []workload.QueuePairs{{Count: 2, PathMTU: 256, IP: 4, SendSGEs: 1, RecvSGEs: 1, Depth: 4}},
	}
	eachLab(t, func(t *testing.T, l *rtl.Lab, watch *monitor.Monitor) {
		p, r := newPair(t, l, verbs.MTU256, watch), rand.New(rand.NewPCG(9, 10))
		for i, e := range p.ends {
			peer := p.ends[1-i]
			e.fill(r, 0, 8000)
			require.NoError(t, e.qp.PostRecv(ctx, verbs.RecvWR{SGL: []verbs.SGE{e.mr.SGE(40000, 9000)}}))
			write := verbs.SendWR{Opcode: verbs.WRWrite, SGL: []verbs.SGE{e.mr.SGE(0, 8000)}, RemoteAddr: peer.mr.Addr() + 20000, RKey: peer.mr.RKey()}
			send := verbs.SendWR{Opcode: verbs.WRSend, SGL: []verbs.SGE{e.mr.SGE(0, 8000)}}
			require.NoError(t, e.qp.PostSend(ctx, send, write, write))
		}
		require.NoError(t, l.Run(1500))
		for _, e := range p.ends {
			opened := false // the other program: it disables the device when all is gone
			e.OnAccess(func(a host.Access) {
				old := a.Addr >= e.buf.Addr() && a.Addr < e.buf.Addr()+e.buf.Size()
				require.False(t, opened && old && a.Source == host.Device, "%d bytes at %#x", len(a.Data), a.Addr)
			})
			again, err := verbs.Open(ctx, e.Host, verbs.Config{MAC: e.MAC})
			require.NoError(t, err)
			opened = true
			require.NoError(t, again.Close(ctx))
		}
		require.NoError(t, run(t, l, work, play.Options{Seed: 1, Patience: 200}))
		require.NoError(t, l.Close())
	})
}

// Who moves a queue pair to SQD in the middle of a message hears when it has gone, and
// its completion is there soon.
func TestDrained(t *testing.T) {
	eachLab(t, func(t *testing.T, l *rtl.Lab, watch *monitor.Monitor) {
		p, r := newPair(t, l, verbs.MTU256, watch), rand.New(rand.NewPCG(11, 12))
		a, b := p.ends[0], p.ends[1]
		data := a.fill(r, 0, 5000)
		write := verbs.SendWR{Opcode: verbs.WRWrite, Flags: verbs.SendSignaled, SGL: []verbs.SGE{a.mr.SGE(0, 5000)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()}
		require.NoError(t, a.qp.PostSend(ctx, write))
		require.NoError(t, a.qp.Modify(ctx, verbs.QPAttr{State: verbs.QPSQD, SQDNotify: true}, verbs.AttrState|verbs.AttrSQDNotify))
		require.NoError(t, a.qp.PostSend(ctx, write))
		var events []verbs.AsyncEvent
		for range 200 {
			var err error
			if events, err = a.dev.PollAsync(ctx); len(events) > 0 || err != nil {
				require.NoError(t, err)
				break
			}
			require.NoError(t, a.Wait(ctx))
		}
		require.Equal(t, []verbs.AsyncEvent{{Type: verbs.EventSQDrained, Number: a.qp.QPN(), QP: a.qp}}, events)
		s, err := a.qp.Status(ctx)
		require.NoError(t, err)
		require.Equal(t, s.NextPSN, s.OldestPSN, "nothing is on its way")
		if s.SQConsumer > 0 { // it had begun
			require.NoError(t, p.completion(a).Err())
			b.holds(0, data)
		}
		require.NoError(t, a.qp.Modify(ctx, verbs.QPAttr{State: verbs.QPRTS}, verbs.AttrState))
		for range 2 - s.SQConsumer {
			require.NoError(t, p.completion(a).Err())
		}
		b.holds(0, data)
		events, err = a.dev.PollAsync(ctx)
		require.NoError(t, err)
		require.Empty(t, events)
		p.end()
	})
}
