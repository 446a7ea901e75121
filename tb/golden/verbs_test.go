package golden_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/golden/lab"
	"gornic/tb/host"
	"gornic/verbs"
)

var ctx = context.Background()

// party is a host in a lab, as a program has it: a device, a queue pair with a CQ
// for each queue, a buffer, and a second queue pair that must not be disturbed.
type party struct {
	t         *testing.T
	bus       *lab.Bus
	dev       *verbs.Device
	pd        *verbs.PD
	buf       *verbs.Buffer
	mr        *verbs.MR
	qp        *verbs.QP
	send      *verbs.CQ
	recv      *verbs.CQ
	bystander *verbs.QP
	idle      *verbs.CQ // of the bystander
}

const partyBytes = 8192

func newParty(t *testing.T, bus *lab.Bus, cqEntries int) *party {
	t.Helper()
	p := &party{t: t, bus: bus}
	var err error
	p.dev, err = verbs.Open(ctx, bus, verbs.Config{MAC: bus.MAC})
	require.NoError(t, err)
	p.pd, err = p.dev.AllocPD()
	require.NoError(t, err)
	p.buf, err = p.dev.AllocBuffer(partyBytes, 1)
	require.NoError(t, err)
	p.mr, err = p.pd.RegMR(ctx, p.buf.Addr(), partyBytes, verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
	require.NoError(t, err)
	cq := func(entries int) *verbs.CQ {
		q, err := p.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: entries})
		require.NoError(t, err)
		return q
	}
	p.send, p.recv, p.idle = cq(cqEntries), cq(cqEntries), cq(16)
	p.qp, p.bystander = p.newQP(p.send, p.recv), p.newQP(p.idle, p.idle)
	return p
}

func (p *party) newQP(send, recv *verbs.CQ) *verbs.QP {
	p.t.Helper()
	qp, err := p.pd.CreateQP(ctx, verbs.QPInitAttr{SendCQ: send, RecvCQ: recv, SigAll: true, Cap: verbs.QPCap{
		MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 2, MaxRecvSGE: 3,
	}})
	require.NoError(p.t, err)
	return qp
}

// parties connects both queue pairs of two hosts.
func parties(t *testing.T, cqEntries int, change func(*verbs.QPAttr)) (a, b *party) {
	t.Helper()
	l, err := lab.New(lab.Options{})
	require.NoError(t, err)
	a, b = newParty(t, l.A, cqEntries), newParty(t, l.B, cqEntries)
	attr := verbs.QPAttr{
		Access: verbs.AccessRemoteWrite, Port: 1, PathMTU: verbs.MTU1024, MinRNRTimer: 1, Timeout: 10, RetryCnt: 2, RNRRetry: 2,
	}
	if change != nil {
		change(&attr)
	}
	join := func(p, peer *party, qp, other *verbs.QP) {
		attr.AH, attr.DestQPN = verbs.AHAttr{Src: p.bus.IPv4, Dst: peer.bus.IPv4, DstMAC: peer.bus.MAC}, other.QPN()
		require.NoError(t, qp.Connect(ctx, attr))
	}
	join(a, b, a.qp, b.qp)
	join(b, a, b.qp, a.qp)
	join(a, b, a.bystander, b.bystander)
	join(b, a, b.bystander, a.bystander)
	t.Cleanup(func() { require.NoError(t, l.CheckGuards()) })
	return a, b
}

// completions waits for n completions, as words.
func (p *party) completions(q *verbs.CQ, n int) []string {
	p.t.Helper()
	var out []string
	for range 2000 {
		wc := make([]verbs.WC, 16)
		got, err := q.Poll(ctx, wc)
		require.NoError(p.t, err)
		for _, c := range wc[:got] {
			s := fmt.Sprintf("%d %v", c.WRID, c.Status)
			if c.Status != verbs.StatusSuccess {
				s += fmt.Sprintf(" (%v)", c.Vendor)
			}
			out = append(out, s)
		}
		if len(out) >= n {
			break
		}
		require.NoError(p.t, p.dev.Wait(ctx))
	}
	return out
}

func (p *party) state() verbs.QPState {
	p.t.Helper()
	attr, err := p.qp.Query(ctx)
	require.NoError(p.t, err)
	return attr.State
}

func (p *party) async() []string {
	p.t.Helper()
	events, err := p.dev.PollAsync(ctx)
	require.NoError(p.t, err)
	var out []string
	for _, e := range events {
		out = append(out, e.Type.String())
	}
	return out
}

// stillWorks sends a message over the bystanders.
func stillWorks(t *testing.T, a, b *party) {
	t.Helper()
	require.NoError(t, b.bystander.PostRecv(ctx, verbs.RecvWR{WRID: 91}))
	require.NoError(t, a.bystander.PostSend(ctx, verbs.SendWR{WRID: 90, Opcode: verbs.WRSendImm, Imm: 5}))
	require.Equal(t, []string{"90 SUCCESS"}, a.completions(a.idle, 1))
	require.Equal(t, []string{"91 SUCCESS"}, b.completions(b.idle, 1))
}

// Every fault over verbs: its status or event, on its queue pair alone, the rest
// flushed in order, and not a byte where none belongs.
func TestFaultsOverVerbs(t *testing.T) {
	flush := func(first, last int) (out []string) {
		for id := first; id <= last; id++ {
			out = append(out, fmt.Sprintf("%d WR_FLUSH_ERR (none)", id))
		}
		return out
	}
	write := func(a, b *party, change func(*verbs.SendWR)) verbs.SendWR {
		wr := verbs.SendWR{WRID: 2, Opcode: verbs.WRWrite, SGL: []verbs.SGE{a.mr.SGE(0, 3000)}, RemoteAddr: b.mr.Addr(), RKey: b.mr.RKey()}
		if change != nil {
			change(&wr)
		}
		return wr
	}
	for _, c := range []struct {
		name   string
		attr   func(*verbs.QPAttr)
		before func(a, b *party)
		second func(a, b *party) verbs.SendWR // between two good SENDs of no bytes
		want   string                         // what becomes of it
		recv   []string                       // B's receive completions behind that of the first SEND; B has posted 11 to 13
		events []string                       // B's
		quiet  bool                           // B notices nothing
		placed int                            // bytes of the WRITE that arrived in packets before
	}{
		{
			name: "remote key unknown", second: func(a, b *party) verbs.SendWR { return write(a, b, func(w *verbs.SendWR) { w.RKey += 1 << 8 }) },
			want: "REM_ACCESS_ERR (the peer refused)", recv: flush(12, 13), events: []string{"QP_ACCESS_ERR"},
		},
		{
			name: "a byte behind the region", second: func(a, b *party) verbs.SendWR {
				return write(a, b, func(w *verbs.SendWR) { w.RemoteAddr += partyBytes - 2999 })
			},
			want: "REM_ACCESS_ERR (the peer refused)", recv: flush(12, 13), events: []string{"QP_ACCESS_ERR"},
		},
		{
			name: "a byte before the region", second: func(a, b *party) verbs.SendWR {
				return write(a, b, func(w *verbs.SendWR) { w.RemoteAddr-- })
			},
			want: "REM_ACCESS_ERR (the peer refused)", recv: flush(12, 13), events: []string{"QP_ACCESS_ERR"},
		},
		{
			name: "around the end of the address space", second: func(a, b *party) verbs.SendWR {
				return write(a, b, func(w *verbs.SendWR) { w.RemoteAddr = ^uint64(0) - 100 })
			},
			want: "REM_ACCESS_ERR (the peer refused)", recv: flush(12, 13), events: []string{"QP_ACCESS_ERR"},
		},
		{
			name: "WRITE with immediate and a key that is dead", before: func(_, b *party) { require.NoError(t, b.mr.Dereg(ctx)) },
			second: func(a, b *party) verbs.SendWR {
				return write(a, b, func(w *verbs.SendWR) { w.Opcode = verbs.WRWriteImm; w.SGL[0].Length = 30 })
			},
			want: "REM_ACCESS_ERR (the peer refused)", recv: append([]string{"12 LOC_ACCESS_ERR (no such key)"}, flush(13, 13)...),
		},
		{
			name: "no right to write", attr: func(a *verbs.QPAttr) { a.Access = 0 },
			second: func(a, b *party) verbs.SendWR { return write(a, b, nil) },
			want:   "REM_INV_REQ_ERR (the peer refused)", recv: flush(12, 13), events: []string{"QP_REQ_ERR"},
		},
		{
			name: "SEND longer than the receive WQE", second: func(a, _ *party) verbs.SendWR {
				return verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SGL: []verbs.SGE{a.mr.SGE(0, 2049)}}
			},
			want: "REM_INV_REQ_ERR (the peer refused)",
			recv: append([]string{"12 LOC_LEN_ERR (message longer than the receive WQE)"}, flush(13, 13)...),
		},
		{
			name: "the receive WQE's key is dead", before: func(_, b *party) { require.NoError(t, b.mr.Dereg(ctx)) },
			second: func(a, _ *party) verbs.SendWR {
				return verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SGL: []verbs.SGE{a.mr.SGE(0, 20)}}
			},
			want: "REM_OP_ERR (the peer refused)", recv: append([]string{"12 LOC_PROT_ERR (no such key)"}, flush(13, 13)...),
		},
		{
			name: "bus fault of the peer", before: func(_, b *party) { b.bus.InjectFault(b.buf.Addr()+2500, 1, host.Writes) },
			second: func(a, b *party) verbs.SendWR { return write(a, b, nil) },
			want:   "REM_OP_ERR (the peer refused)", recv: flush(12, 13), events: []string{"QP_FATAL"}, placed: 2048,
		},
		{
			name: "own key unknown", quiet: true, second: func(a, b *party) verbs.SendWR { return write(a, b, func(w *verbs.SendWR) { w.SGL[0].LKey ^= 1 }) },
			want: "LOC_PROT_ERR (no such key)",
		},
		{
			name: "own bus fault", quiet: true, before: func(a, _ *party) { a.bus.InjectFault(a.buf.Addr(), 1, host.Reads) },
			second: func(a, b *party) verbs.SendWR { return write(a, b, nil) },
			want:   "LOC_PROT_ERR (error response to a read)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := parties(t, 16, c.attr)
			require.NoError(t, b.qp.PostRecv(ctx, verbs.RecvWR{WRID: 11},
				verbs.RecvWR{WRID: 12, SGL: []verbs.SGE{b.mr.SGE(4096, 1024), b.mr.SGE(6144, 1024)}}, verbs.RecvWR{WRID: 13}))
			before := b.read()
			if c.before != nil {
				c.before(a, b)
			}
			none := func(id uint64) verbs.SendWR { return verbs.SendWR{WRID: id, Opcode: verbs.WRSend} }
			require.NoError(t, a.qp.PostSend(ctx, none(1), c.second(a, b), none(3)))
			require.Equal(t, []string{"1 SUCCESS", "2 " + c.want, "3 WR_FLUSH_ERR (none)"}, a.completions(a.send, 3))
			require.Equal(t, verbs.QPError, a.state())
			require.Empty(t, a.async())
			stillWorks(t, a, b)
			if c.quiet {
				require.Equal(t, verbs.QPRTS, b.state())
				require.Equal(t, []string{"11 SUCCESS"}, b.completions(b.recv, 1))
				require.Equal(t, before, b.read())
				return
			}
			require.Equal(t, append([]string{"11 SUCCESS"}, c.recv...), b.completions(b.recv, 3))
			require.Equal(t, verbs.QPError, b.state())
			require.Equal(t, c.events, b.async())
			require.Equal(t, append(a.read()[:c.placed], before[c.placed:4096]...), b.read()[:4096])
		})
	}
}

// read is the buffer of a party as it is on the bus.
func (p *party) read() []byte {
	p.t.Helper()
	b := make([]byte, partyBytes)
	require.NoError(p.t, p.buf.Read(ctx, 0, b))
	return b
}

// A receiver that never is ready, and one that becomes so in time.
func TestRNROverVerbs(t *testing.T) {
	imm := verbs.SendWR{WRID: 1, Opcode: verbs.WRSendImm}
	a, b := parties(t, 16, nil)
	require.NoError(t, a.qp.PostSend(ctx, imm))
	require.Equal(t, []string{"1 RNR_RETRY_EXC_ERR (none)"}, a.completions(a.send, 1))
	require.Equal(t, verbs.QPRTS, b.state())
	stillWorks(t, a, b)

	a, b = parties(t, 16, func(attr *verbs.QPAttr) { attr.RNRRetry, attr.MinRNRTimer = 7, 12 })
	require.NoError(t, a.qp.PostSend(ctx, imm))
	for range 20 {
		require.NoError(t, a.dev.Wait(ctx))
	}
	require.Empty(t, a.completions(a.send, 0))
	require.NoError(t, b.qp.PostRecv(ctx, verbs.RecvWR{WRID: 2}))
	require.Equal(t, []string{"1 SUCCESS"}, a.completions(a.send, 1))
	require.Equal(t, []string{"2 SUCCESS"}, b.completions(b.recv, 1))
}

// A CQ that is too small: its event, its queue pair's end, and nobody else's.
func TestCQOverflowOverVerbs(t *testing.T) {
	a, b := parties(t, 2, nil)
	for id := range uint64(4) {
		require.NoError(t, a.qp.PostSend(ctx, verbs.SendWR{WRID: id, Opcode: verbs.WRWrite}))
	}
	for range 20 {
		require.NoError(t, a.dev.Wait(ctx))
	}
	require.Equal(t, []string{"CQ_ERR", "QP_FATAL"}, a.async())
	require.Equal(t, verbs.QPError, a.state())
	require.Equal(t, []string{"0 SUCCESS", "1 SUCCESS"}, a.completions(a.send, 2))
	require.Equal(t, verbs.QPRTS, b.state())
	stillWorks(t, a, b)
}

// A completion event for each arming, with a solicited message and without.
func TestEventsOverVerbs(t *testing.T) {
	a, b := parties(t, 16, nil)
	eq := b.dev.EQ()
	send := func(flags verbs.SendFlags) {
		require.NoError(t, b.qp.PostRecv(ctx, verbs.RecvWR{}))
		require.NoError(t, a.qp.PostSend(ctx, verbs.SendWR{Opcode: verbs.WRSend, Flags: flags}))
		require.Len(t, a.completions(a.send, 1), 1)
		require.Len(t, b.completions(b.recv, 1), 1)
	}
	event := func() bool {
		cq, err := eq.Poll(ctx)
		require.NoError(t, err)
		return cq == b.recv
	}
	require.NoError(t, b.recv.ReqNotify(ctx, true))
	send(0)
	require.False(t, event())
	send(verbs.SendSolicited)
	require.True(t, event())
	send(verbs.SendSolicited)
	require.False(t, event(), "once")
	require.NoError(t, b.recv.ReqNotify(ctx, false))
	send(0)
	require.True(t, event())
}
