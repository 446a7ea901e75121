package board_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/fpga/blocks/top"
	boards "gornic/fpga/board"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/board"
	"gornic/tb/wire"
	"gornic/verbs"
)

var ctx = context.Background()

// small is the i9 with few of everything in its core, but packets as in captures of Linux, and a serial line as fast as it can be.
var small = sync.OnceValues(func() (*board.Design, error) {
	core, err := configs.Load("tiny")
	if err != nil {
		return nil, err
	}
	core.PathMTU, core.RxBuffer, core.RxPackets = 1024, 16<<10, 64
	b := boards.I9()
	b.Baud = b.PLL.CoreHz() / 8
	return board.Build(top.Params{Board: b, Core: core})
})

var checks = flag.Bool("board.checks", false, "keep the properties of the board in Verilator, too: its compiler takes minutes for them")

// The simulators have that board prepared once for all tests.
var (
	native    = sim.NativeSimulator.Cached(ctx)
	verilated = verilator.Simulator.Cached(ctx)
)

// open has a board come out of reset in a simulator; the test ends where that is not installed.
func open(t *testing.T, simulator sim.Simulator, o board.Options) *board.Lab {
	t.Helper()
	d, err := small()
	require.NoError(t, err)
	o.Simulator, o.Seed, o.NoChecks = simulator, hdltest.Seed(t), simulator.Name != native.Name && !*checks
	l, err := board.New(d, o)
	// Only the error of a simulator that is not installed: what does not build there fails.
	if simulator.Absent != nil && errors.Is(err, simulator.Absent) {
		t.Skipf("skipped: %v", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		t.Logf("%d cycles of the core", l.Cycle())
	})
	return l
}

// eachSim runs a test in both simulators.
func eachSim(t *testing.T, test func(*testing.T, *board.Lab)) {
	for _, s := range []sim.Simulator{native, verilated} {
		t.Run(s.Name, func(t *testing.T) { test(t, open(t, s, board.Options{})) })
	}
}

// ours are the addresses of a port of the board.
func ours(port int) (verbs.MAC, netip.Addr) {
	p := boards.I9().Ports[port]
	return verbs.MAC(p.MAC), p.IPv4
}

// end is a device with one queue pair and one registered buffer.
type end struct {
	t    *testing.T
	bus  verbs.Bus
	mac  verbs.MAC
	ipv4 netip.Addr
	dev  *verbs.Device
	buf  *verbs.Buffer
	mr   *verbs.MR
	cq   *verbs.CQ
	pd   *verbs.PD
	qp   *verbs.QP
	peer *end
}

const (
	bufferBytes = 4096
	rights      = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead
)

func newEnd(t *testing.T, bus verbs.Bus, mac verbs.MAC, ipv4 netip.Addr) *end {
	t.Helper()
	e := &end{t: t, bus: bus, mac: mac, ipv4: ipv4}
	var err error
	e.dev, err = verbs.Open(ctx, bus, verbs.Config{MAC: mac, LogKeys: 3, Events: 16})
	require.NoError(t, err)
	e.pd, err = e.dev.AllocPD()
	require.NoError(t, err)
	e.buf, err = e.dev.AllocBuffer(bufferBytes, 64)
	require.NoError(t, err)
	e.mr, err = e.pd.RegMR(ctx, e.buf.Addr(), e.buf.Size(), rights)
	require.NoError(t, err)
	e.cq, err = e.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 8})
	require.NoError(t, err)
	e.create()
	return e
}

// create makes a queue pair, in the place of the one before.
func (e *end) create() {
	e.t.Helper()
	var err error
	if e.qp != nil {
		require.NoError(e.t, e.qp.Destroy(ctx))
	}
	e.qp, err = e.pd.CreateQP(ctx, verbs.QPInitAttr{
		SendCQ: e.cq, RecvCQ: e.cq, Cap: verbs.QPCap{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	require.NoError(e.t, err)
}

// firstPSN of either end: numbers wrap in every test that is long enough.
var firstPSN = [2]uint32{0xFFFFFE, 7}

// connect connects the queue pairs of two ends. The timeouts are for a wire that is as it should be, and slow hosts.
func connect(t *testing.T, a, b *end) {
	t.Helper()
	a.peer, b.peer = b, a
	for i, e := range []*end{a, b} {
		peer := e.peer
		require.NoError(t, e.qp.Connect(ctx, verbs.QPAttr{
			Access: rights &^ verbs.AccessLocalWrite, Port: 1, PathMTU: verbs.MTU256,
			AH:      verbs.AHAttr{Src: e.ipv4, Dst: peer.ipv4, DstMAC: peer.mac},
			DestQPN: peer.qp.QPN(), SQPSN: firstPSN[i], RQPSN: firstPSN[1-i],
			MaxRDAtomic: 1, MaxDestRDAtomic: 1, MinRNRTimer: 1, Timeout: 8, RetryCnt: 7, RNRRetry: 7,
		}))
	}
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
	require.Equal(e.t, want, got)
}

// completion waits for the next one, in a bounded number of waits. The peer's host waits, too: over UDP, that is when it serves
// the board.
func (e *end) completion() verbs.WC {
	e.t.Helper()
	wc := make([]verbs.WC, 1)
	for range 500 {
		n, err := e.cq.Poll(ctx, wc)
		require.NoError(e.t, err)
		if n == 1 {
			return wc[0]
		}
		require.NoError(e.t, e.bus.Wait(ctx))
		require.NoError(e.t, e.peer.bus.Wait(ctx))
	}
	status, err := e.qp.Status(ctx)
	require.Failf(e.t, "no completion", "queue pair: %+v %v", status, err)
	return verbs.WC{}
}

// peerOf is a host with the reference NIC at port 0.
func peerOf(t *testing.T, l *board.Lab, faults wire.Faults, taps ...wire.Tap) *end {
	t.Helper()
	p, err := board.NewPeer(l, hdltest.Seed(t), faults, taps...)
	require.NoError(t, err)
	return newEnd(t, p, p.MAC, p.IPv4)
}

// walk does W1, S1 and R1 of the walks (package walk) from a to b: a WRITE, a SEND and a READ of several packets, and none of
// their bytes is anywhere else.
func walk(t *testing.T, a, b *end, sizes ...int) {
	t.Helper()
	r := rand.New(rand.NewPCG(hdltest.Seed(t), 1))
	for i, n := range sizes {
		write(t, r, a, b, uint64(i), n)
		send(t, r, a, b, uint64(100+i), n)
		read(t, r, a, b, uint64(200+i), n)
	}
}

// around is the bytes beside a message that are looked at.
const around = 32

func write(t *testing.T, r *rand.Rand, a, b *end, id uint64, n int) {
	t.Helper()
	data, want := a.fill(r, 65, n), b.fill(r, 1003-around, n+2*around)
	copy(want[around:], data)
	require.NoError(t, a.qp.PostSend(ctx, verbs.SendWR{
		WRID: id, Opcode: verbs.WRWrite, Flags: verbs.SendSignaled,
		SGL: []verbs.SGE{a.mr.SGE(65, uint32(n))}, RemoteAddr: b.mr.Addr() + 1003, RKey: b.mr.RKey(),
	}))
	done(t, a, id)
	b.holds(1003-around, want)
}

func send(t *testing.T, r *rand.Rand, a, b *end, id uint64, n int) {
	t.Helper()
	data, want := a.fill(r, 130, n), b.fill(r, 2005-around, n+2*around)
	copy(want[around:], data)
	require.NoError(t, b.qp.PostRecv(ctx, verbs.RecvWR{WRID: id, SGL: []verbs.SGE{b.mr.SGE(2005, uint32(n))}}))
	require.NoError(t, a.qp.PostSend(ctx, verbs.SendWR{
		WRID: id, Opcode: verbs.WRSendImm, Imm: 0xABC, Flags: verbs.SendSignaled, SGL: []verbs.SGE{a.mr.SGE(130, uint32(n))},
	}))
	got := done(t, b, id)
	require.EqualValues(t, n, got.ByteLen)
	require.EqualValues(t, 0xABC, got.Imm)
	b.holds(2005-around, want)
	done(t, a, id)
}

func read(t *testing.T, r *rand.Rand, a, b *end, id uint64, n int) {
	t.Helper()
	data, want := b.fill(r, 257, n), a.fill(r, 1507-around, n+2*around)
	copy(want[around:], data)
	require.NoError(t, a.qp.PostSend(ctx, verbs.SendWR{
		WRID: id, Opcode: verbs.WRRead, Flags: verbs.SendSignaled,
		SGL: []verbs.SGE{a.mr.SGE(1507, uint32(n))}, RemoteAddr: b.mr.Addr() + 257, RKey: b.mr.RKey(),
	}))
	done(t, a, id)
	a.holds(1507-around, want)
}

// done is the completion of a work request that succeeds.
func done(t *testing.T, e *end, id uint64) verbs.WC {
	t.Helper()
	wc := e.completion()
	require.Equal(t, verbs.StatusSuccess, wc.Status, "%+v", wc)
	require.Equal(t, id, wc.WRID)
	return wc
}
