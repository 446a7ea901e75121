package rtl_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/tb/rtl"
	"gornic/tb/wire/monitor"
	"gornic/verbs"
)

// pair is two hosts with one connection between them.
type pair struct {
	t     *testing.T
	lab   *rtl.Lab
	watch *monitor.Monitor
	ends  [2]*end
}

// end is a device with one queue pair and one registered buffer.
type end struct {
	*rtl.Host
	t   *testing.T
	dev *verbs.Device
	buf *verbs.Buffer
	mr  *verbs.MR
	cq  *verbs.CQ
	qp  *verbs.QP
}

const bufferBytes = 64 << 10

// firstPSN of either end: numbers wrap in every program that is long enough.
var firstPSN = [2]uint32{0xFFFFFE, 7}

func newPair(t *testing.T, l *rtl.Lab, mtu verbs.MTU, watch *monitor.Monitor) *pair {
	p := &pair{t: t, lab: l, watch: watch}
	for i, h := range []*rtl.Host{l.A, l.B} {
		p.ends[i] = newEnd(t, h)
	}
	for i, e := range p.ends {
		peer := p.ends[1-i]
		require.NoError(t, e.qp.Connect(ctx, verbs.QPAttr{
			Access: verbs.AccessRemoteWrite, Port: 1, PathMTU: mtu,
			AH:      verbs.AHAttr{Src: e.IPv4, Dst: peer.IPv4, DstMAC: peer.MAC},
			DestQPN: peer.qp.QPN(), SQPSN: firstPSN[i], RQPSN: firstPSN[1-i],
			MaxRDAtomic: 1, MaxDestRDAtomic: 1, MinRNRTimer: 1, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
		}))
	}
	watch.Payloads = true
	watch.Add(monitor.Connection{QPN: [2]uint32{p.ends[0].qp.QPN(), p.ends[1].qp.QPN()}, PSN: firstPSN, PathMTU: mtu.Bytes()})
	return p
}

func newEnd(t *testing.T, h *rtl.Host) *end {
	e := &end{Host: h, t: t}
	var err error
	e.dev, err = verbs.Open(ctx, h, verbs.Config{MAC: h.MAC})
	require.NoError(t, err)
	pd, err := e.dev.AllocPD()
	require.NoError(t, err)
	e.buf, err = e.dev.AllocBuffer(bufferBytes, 64)
	require.NoError(t, err)
	e.mr, err = pd.RegMR(ctx, e.buf.Addr(), e.buf.Size(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite)
	require.NoError(t, err)
	e.cq, err = e.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 32})
	require.NoError(t, err)
	e.qp, err = pd.CreateQP(ctx, verbs.QPInitAttr{
		SendCQ: e.cq, RecvCQ: e.cq, Cap: verbs.QPCap{MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 2, MaxRecvSGE: 2, MaxInline: 32},
	})
	require.NoError(t, err)
	return e
}

// fill puts random bytes at an offset of the buffer, and returns them.
func (e *end) fill(r *rand.Rand, at, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	require.NoError(e.t, e.buf.Write(ctx, uint64(at), b))
	return b
}

// holds checks the buffer from an offset on.
func (e *end) holds(at int, want []byte) {
	e.t.Helper()
	got := make([]byte, len(want))
	require.NoError(e.t, e.buf.Read(ctx, uint64(at), got))
	for i := range got {
		if got[i] != want[i] {
			require.Failf(e.t, "memory differs", "byte %d of %d at %#x is %#02x, want %#02x; %d bytes are right from there on, of all %v",
				i, len(want), e.buf.Addr()+uint64(at+i), got[i], want[i], equalFrom(got[i+1:], want[i+1:]), bytes.Equal(got[i:], want[i:]))
		}
	}
}

func equalFrom(a, b []byte) int {
	n := 0
	for i := range a {
		if a[i] == b[i] {
			n++
		}
	}
	return n
}

// completion waits for the next one, in a bounded number of waits.
func (p *pair) completion(e *end) verbs.WC {
	p.t.Helper()
	wc := make([]verbs.WC, 1)
	for range 200 {
		n, err := e.cq.Poll(ctx, wc)
		require.NoError(p.t, err)
		if n == 1 {
			return wc[0]
		}
		require.NoError(p.t, e.Wait(ctx))
		require.NoError(p.t, p.watch.Err())
	}
	require.Failf(p.t, "no completion", "cycle %d; %s", p.lab.Cycle(), p.status())
	return verbs.WC{}
}

// status is what the devices say of themselves.
func (p *pair) status() string {
	text := ""
	for i, e := range p.ends {
		s, err := e.qp.Status(ctx)
		text += fmt.Sprintf("end %d: %+v %v; counters %v\n", i, s, err, counters(e.Host))
	}
	return text
}

// end checks what has to hold when all is done.
func (p *pair) end() {
	p.t.Helper()
	require.NoError(p.t, p.lab.Run(2000))
	require.NoError(p.t, p.watch.Finish())
	require.NoError(p.t, p.lab.CheckGuards())
	require.NoError(p.t, p.lab.Close())
	for _, n := range []*rtl.NIC{p.lab.A.Core(), p.lab.B.Core()} {
		if n != nil {
			require.Zero(p.t, n.Pauses(), "pauses within frames")
		}
	}
}

// lengths of messages at a path MTU of 256 bytes: none, one and several packets,
// with any pad.
var lengths = []int{1, 64, 0, 3, 256, 257, 511, 1024, 1030, 5000}

// WRITEs land where they should, and complete in order.
func TestWrite(t *testing.T) {
	eachLab(t, func(t *testing.T, l *rtl.Lab, watch *monitor.Monitor) {
		p, r := newPair(t, l, verbs.MTU256, watch), rand.New(rand.NewPCG(1, 2))
		a, b := p.ends[0], p.ends[1]
		for i, n := range lengths {
			from, to := 100+i, 1000+3*i
			data := a.fill(r, from, n)
			around := b.fill(r, to-64, n+128)
			copy(around[64:], data)
			require.NoError(t, a.qp.PostSend(ctx, verbs.SendWR{
				WRID: uint64(i), Opcode: verbs.WRWrite, Flags: verbs.SendSignaled,
				SGL: []verbs.SGE{a.mr.SGE(uint64(from), uint32(n))}, RemoteAddr: b.mr.Addr() + uint64(to), RKey: b.mr.RKey(),
			}))
			wc := p.completion(a)
			require.Equal(t, verbs.StatusSuccess, wc.Status, "%d bytes: %+v", n, wc)
			require.EqualValues(t, i, wc.WRID)
			b.holds(to-64, around)
		}
		p.end()
	})
}

// SENDs land in the receive WQEs, and complete on either side.
func TestSend(t *testing.T) {
	eachLab(t, func(t *testing.T, l *rtl.Lab, watch *monitor.Monitor) {
		p, r := newPair(t, l, verbs.MTU256, watch), rand.New(rand.NewPCG(3, 4))
		a, b := p.ends[0], p.ends[1]
		for i, n := range lengths {
			from, to := 101+i, 2000+5*i
			data := a.fill(r, from, n)
			around := b.fill(r, to-64, n+128)
			copy(around[64:], data)
			half := uint32(n / 2)
			require.NoError(t, b.qp.PostRecv(ctx, verbs.RecvWR{
				WRID: uint64(100 + i), SGL: []verbs.SGE{b.mr.SGE(uint64(to), half), b.mr.SGE(uint64(to)+uint64(half), 6000)},
			}))
			require.NoError(t, a.qp.PostSend(ctx, verbs.SendWR{
				WRID: uint64(i), Opcode: verbs.WRSendImm, Imm: uint32(0xABC00 + i), Flags: verbs.SendSignaled,
				SGL: []verbs.SGE{a.mr.SGE(uint64(from), uint32(n))},
			}))
			got := p.completion(b)
			require.Equal(t, verbs.StatusSuccess, got.Status, "%d bytes: %+v", n, got)
			require.EqualValues(t, 100+i, got.WRID)
			require.EqualValues(t, n, got.ByteLen)
			require.EqualValues(t, 0xABC00+i, got.Imm)
			b.holds(to-64, around)
			sent := p.completion(a)
			require.Equal(t, verbs.StatusSuccess, sent.Status)
			require.EqualValues(t, i, sent.WRID)
		}
		p.end()
	})
}
