package rtl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks"
	"gornic/blocks/core"
	"gornic/configs"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/verbs"
)

// rate is a number of WRITEs of one size, posted at once on each of some queue
// pairs.
type rate struct {
	config      string
	qps, writes int
	bytes       int
	budget      float64 // cycles a packet, at most
}

func (r rate) String() string {
	return fmt.Sprintf("%s_%d_qps_%d_bytes", r.config, r.qps, r.bytes)
}

// The wire of 64 bits takes 18 cycles for the packet of a WRITE of 64 bytes, and so
// does the core, from one queue pair alone.
func TestRate(t *testing.T) {
	for _, r := range []rate{{"board", 1, 16, 64, 18.1}} {
		t.Run(r.String(), func(t *testing.T) {
			cycles := newRateLab(t, r).measure()
			t.Logf("%.1f cycles a packet", cycles)
			require.LessOrEqual(t, cycles, r.budget)
		})
	}
}

// BenchmarkRate reports the cycles between the packets of WRITEs.
func BenchmarkRate(b *testing.B) {
	for _, r := range []rate{
		{"board", 1, 16, 64, 0}, {"board", 1, 4, 4096, 0}, {"dc", 16, 16, 64, 0}, {"dc", 2, 4, 4096, 0},
	} {
		b.Run(r.String(), func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(newRateLab(b, r).measure(), "cycles/packet")
			}
		})
	}
}

// rateLab is two hosts with as many connections as the rate wants, and who notes when
// packets leave host A.
type rateLab struct {
	t       testing.TB
	r       rate
	lab     *rtl.Lab
	parties [2]rateParty
	packets int
	first   uint64 // cycle of the first packet
	last    uint64
}

type rateParty struct {
	*rtl.Host
	mr  *verbs.MR
	cq  *verbs.CQ
	qps []*verbs.QP
}

func newRateLab(t testing.TB, r rate) *rateLab {
	config, err := configs.Load(r.config)
	require.NoError(t, err)
	design, io, err := hdl.Build(core.Def(blocks.Core(config)))
	require.NoError(t, err)
	l := &rateLab{t: t, r: r}
	l.lab, err = rtl.NewLab(design, io, rtl.Options{
		Config: config, Sides: [2]rtl.Kind{rtl.Core, rtl.Core}, Seed: hdltest.Seed(t), Taps: []wire.Tap{l.tap}, Slice: 2,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.lab.Close()) })
	for i, h := range []*rtl.Host{l.lab.A, l.lab.B} {
		l.parties[i] = l.party(h)
	}
	for q := range r.qps {
		for i := range l.parties {
			l.connect(q, &l.parties[i], &l.parties[1-i])
		}
	}
	return l
}

func (l *rateLab) tap(x wire.Crossing) {
	if x.Direction != wire.AToB {
		return
	}
	if l.packets == 0 {
		l.first = l.lab.Cycle()
	}
	l.last = l.lab.Cycle()
	l.packets++
}

func (l *rateLab) party(h *rtl.Host) rateParty {
	p := rateParty{Host: h}
	dev, err := verbs.Open(ctx, h, verbs.Config{MAC: h.MAC})
	require.NoError(l.t, err)
	pd, err := dev.AllocPD()
	require.NoError(l.t, err)
	buf, err := dev.AllocBuffer(1<<14, 4096)
	require.NoError(l.t, err)
	p.mr, err = pd.RegMR(ctx, buf.Addr(), buf.Size(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
	require.NoError(l.t, err)
	p.cq, err = dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 1024})
	require.NoError(l.t, err)
	for range l.r.qps {
		qp, err := pd.CreateQP(ctx, verbs.QPInitAttr{
			SendCQ: p.cq, RecvCQ: p.cq, SigAll: true, Cap: verbs.QPCap{MaxSendWR: 32, MaxRecvWR: 8, MaxSendSGE: 1, MaxRecvSGE: 1},
		})
		require.NoError(l.t, err)
		p.qps = append(p.qps, qp)
	}
	return p
}

func (l *rateLab) connect(q int, p, peer *rateParty) {
	require.NoError(l.t, p.qps[q].Connect(ctx, verbs.QPAttr{
		Access: verbs.AccessRemoteWrite, Port: 1, PathMTU: verbs.MTU4096,
		AH:      verbs.AHAttr{Src: p.IPv4, Dst: peer.IPv4, DstMAC: peer.MAC},
		DestQPN: peer.qps[q].QPN(), MaxRDAtomic: 1, MaxDestRDAtomic: 1, MinRNRTimer: 1, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
	}))
}

// measure posts everything, waits for the completions, and returns the cycles from
// one packet to the next.
func (l *rateLab) measure() float64 {
	a, b := l.parties[0], l.parties[1]
	write := verbs.SendWR{
		Opcode: verbs.WRWrite, SGL: []verbs.SGE{a.mr.SGE(0, uint32(l.r.bytes))}, RemoteAddr: b.mr.Addr() + 8192, RKey: b.mr.RKey(),
	}
	all := make([]verbs.SendWR, l.r.writes)
	for i := range all {
		all[i] = write
	}
	for _, qp := range a.qps {
		require.NoError(l.t, qp.PostSend(ctx, all...))
	}
	wc := make([]verbs.WC, 64)
	for done := 0; done < l.r.qps*l.r.writes; {
		require.NoError(l.t, l.lab.Run(16))
		n, err := a.cq.Poll(ctx, wc)
		require.NoError(l.t, err)
		for _, w := range wc[:n] {
			require.Equal(l.t, verbs.StatusSuccess, w.Status)
		}
		done += n
		require.Less(l.t, l.lab.Cycle(), uint64(200_000))
	}
	return float64(l.last-l.first) / float64(l.packets-1)
}
