package hostnet_test

import (
	"bytes"
	"flag"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/blocks"
	"gornic/blocks/core"
	"gornic/configs"
	"gornic/fpga/blocks/access"
	"gornic/fpga/blocks/hostnet"
	"gornic/fpga/blocks/port"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"
	verilator "gornic/sim-verilator"
	"gornic/verbs"
	pc "gornic/verbs/hostnet"
)

// coreIO is the ports of a core whose host is a PC, and whose network a cable from its transmitter to its receiver.
type coreIO struct {
	MAC hdl.Bits     `hdl:"in" w:"48"`
	IP  hdl.Bits     `hdl:"in" w:"32"`
	In  stream.Frame `hdl:"in"`
	Out stream.Frame `hdl:"out"`

	Open   hdl.Bits `hdl:"out" w:"1"`
	Resent hdl.Bits `hdl:"out" w:"1"`
}

func coreDef(c configs.Config, p hostnet.Params) hdl.Def[coreIO] {
	return hdl.Def[coreIO]{
		Name: "core_over_udp",
		IO:   coreIO{In: stream.FrameOf(port.DataWidth), Out: stream.FrameOf(port.DataWidth)},
		Body: func(m *hdl.Module, io *coreIO) {
			nic := hdl.Instance(m, "u_core", core.Def(blocks.Core(c)))
			net := hdl.Instance(m, "u_hostnet", hostnet.Def(p))
			host := hdl.Instance(m, "u_access", access.Def(access.Params{Clients: 1, CoreBits: nic.Registers.AWAddr.Width()}))
			hdl.Connect(net.AXI, nic.Memory)
			hdl.Connect(host.Clients[0], net.Host)
			hdl.Connect(nic.Registers, host.Core)
			net.IRQ.Set(nic.IRQ)
			net.MAC.Set(io.MAC)
			net.IP.Set(io.IP)
			hdl.Connect(net.In, io.In)
			hdl.Connect(io.Out, net.Out)
			io.Open.Set(net.Open)
			io.Resent.Set(net.Resent)
			m.Unused(net.Session, net.PeerIP, net.PeerPort, net.Dropped, net.Lost)
			cable(m, nic)
			nowhere(m, host)
		},
	}
}

// cable brings what the core sends to where it receives.
func cable(m *hdl.Module, nic *core.IO) {
	f := stream.FrameFIFO(m, "u_cable", stream.Frame{
		Valid: nic.Tx.TValid, Ready: nic.Tx.TReady, Data: stream.Beat{Data: nic.Tx.TData, Keep: nic.Tx.TKeep, Last: nic.Tx.TLast, Err: nic.Tx.TUser},
	}, 1024)
	nic.Rx.TData.Set(f.Data.Data)
	nic.Rx.TKeep.Set(f.Data.Keep)
	nic.Rx.TLast.Set(f.Data.Last)
	nic.Rx.TUser.Set(f.Data.Err)
	nic.Rx.TValid.Set(f.Valid)
	f.Ready.Set(nic.Rx.TReady)

	for _, x := range []hdl.Bits{nic.RawTx.TData, nic.RawTx.TKeep, nic.RawTx.TLast, nic.RawTx.TUser, nic.RawTx.TValid} {
		x.Set(x.K(0))
	}
	nic.RawRx.TReady.SetK(1)
	m.Unused(nic.RawTx.TReady, nic.RawRx.TData, nic.RawRx.TKeep, nic.RawRx.TLast, nic.RawRx.TUser, nic.RawRx.TValid)
	stream.Discard(m, nic.Interrupt)
}

// nowhere ends the ways to a board's registers and memory, which are not there: nobody may use them.
func nowhere(m *hdl.Module, host *access.IO) {
	b, memory := host.Board, host.Memory
	for _, x := range []hdl.Bits{
		b.AWReady, b.WReady, b.BResp, b.BValid, b.ARReady, b.RData, b.RResp, b.RValid,
		memory.Access.Ready, memory.Reply.Valid, memory.Reply.Data.Data, memory.Reply.Data.Fault,
	} {
		x.Set(x.K(0))
	}
	m.Unused(
		b.AWAddr, b.AWProt, b.WData, b.WStrb, b.BReady, b.ARAddr, b.ARProt, b.RReady, memory.Reply.Ready,
		memory.Access.Data.Write, memory.Access.Data.Memory, memory.Access.Data.Addr, memory.Access.Data.Data, memory.Access.Data.Strobe,
	)
	m.Unused(b.AWValid, b.WValid, b.ARValid, memory.Access.Valid)
	m.Assert("nobody_there", hdl.OrAll(b.AWValid, b.WValid, b.ARValid, memory.Access.Valid).Not())
}

var checks = flag.Bool("hostnet.checks", false, "keep the properties in the core of TestCore: Verilator takes minutes more to build it")

// The driver, unchanged, and a core whose host it is over a network that loses datagrams: SEND, RDMA WRITE and READ between two of
// its queue pairs. Then the program is gone, and the next one begins anew.
func TestCore(t *testing.T) {
	config, err := configs.Load("tiny")
	require.NoError(t, err)
	config.RxBuffer, config.RxPackets = 16<<10, 64
	design, io := hdltest.Build(t, coreDef(config, hostnet.Params{Window: 8, Store: 256, Receive: 512, Timeout: 3000, Retries: 10}))
	s := hdltest.Open(t, verilator.Simulator, design, sim.Options{Seed: hdltest.Seed(t), NoChecks: !*checks})
	l := newLAN(t, s, io.In, io.Out, sim.Pattern{})
	resent := 0
	l.each = func() { resent += int(s.Get(io.Resent)) }
	s.Set(io.MAC, boardMAC)
	s.Set(io.IP, boardIP)
	s.Reset(4)
	for _, w := range []*wire{&l.toPC, &l.toBoard} {
		w.delay, w.jitter, w.loss, w.twice = 50, 100, 1, 2
	}
	for round := range uint32(2) {
		bus, err := pc.Open(ctx, conn{l}, pc.Options{
			NoServer: true, Session: 5, Timeout: 30 * time.Microsecond, Tries: 200, Wait: 20 * time.Microsecond, Work: time.Microsecond,
		})
		require.NoError(t, err)
		require.Equal(t, 5+round, bus.Session(), "the second one is told")
		twoQueuePairs(t, bus)
	}
	require.NotZero(t, resent)
	t.Logf("%d cycles, %d datagrams of the board, %d times back", l.now, len(l.frameLog), resent)
}

// pair is two queue pairs of one device that are connected to each other.
type pair struct {
	t   *testing.T
	dev *verbs.Device
	cq  *verbs.CQ
	qps [2]*verbs.QP
	buf *verbs.Buffer
	mr  *verbs.MR
}

const pieceBytes = 1500

// twoQueuePairs sends messages from one queue pair of a device to another, and leaves without a word.
func twoQueuePairs(t *testing.T, bus verbs.Bus) {
	p := &pair{t: t}
	var err error
	mac, ip := verbs.MAC{2, 0, 0, 0, 0, 7}, netip.MustParseAddr("10.0.0.7")
	p.dev, err = verbs.Open(ctx, bus, verbs.Config{MAC: mac, LogKeys: 4, Events: 16})
	require.NoError(t, err)
	pd, err := p.dev.AllocPD()
	require.NoError(t, err)
	p.buf, err = p.dev.AllocBuffer(2*pieceBytes, 8)
	require.NoError(t, err)
	access := verbs.AccessRemoteWrite | verbs.AccessRemoteRead
	p.mr, err = pd.RegMR(ctx, p.buf.Addr(), p.buf.Size(), verbs.AccessLocalWrite|access)
	require.NoError(t, err)
	p.cq, err = p.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 8})
	require.NoError(t, err)
	for i := range p.qps {
		p.qps[i], err = pd.CreateQP(ctx, verbs.QPInitAttr{
			SendCQ: p.cq, RecvCQ: p.cq, Cap: verbs.QPCap{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1},
		})
		require.NoError(t, err)
	}
	for i, qp := range p.qps {
		require.NoError(t, qp.Connect(ctx, verbs.QPAttr{
			Access: access, Port: 1, PathMTU: verbs.MTU256, AH: verbs.AHAttr{Src: ip, Dst: ip, DstMAC: mac}, DestQPN: p.qps[1-i].QPN(),
			SQPSN: 5, RQPSN: 5, MaxRDAtomic: 1, MaxDestRDAtomic: 1, MinRNRTimer: 1, Timeout: 12, RetryCnt: 7, RNRRetry: 7,
		}))
	}
	p.message("a send", verbs.WRSend)
	p.message("an RDMA write", verbs.WRWrite)
	p.message("an RDMA read", verbs.WRRead)
}

// message moves the first piece of the buffer to the second, with what text is repeated in it.
func (p *pair) message(text string, op verbs.Opcode) {
	t := p.t
	want := bytes.Repeat([]byte(text), pieceBytes)[:pieceBytes]
	from, to, completions := 0, pieceBytes, 1
	wr := verbs.SendWR{Opcode: op, Flags: verbs.SendSignaled, RKey: p.mr.RKey()}
	switch op {
	case verbs.WRSend:
		require.NoError(t, p.qps[1].PostRecv(ctx, verbs.RecvWR{SGL: []verbs.SGE{p.mr.SGE(uint64(to), pieceBytes)}}))
		completions = 2
	case verbs.WRRead:
		from, to = to, from
	}
	wr.SGL, wr.RemoteAddr = []verbs.SGE{p.mr.SGE(0, pieceBytes)}, p.mr.Addr()+pieceBytes
	require.NoError(t, p.buf.Write(ctx, uint64(from), want))
	require.NoError(t, p.qps[0].PostSend(ctx, wr))
	wc := make([]verbs.WC, 4)
	for n, i := 0, 0; n < completions; i++ {
		require.Less(t, i, 10_000, text)
		got, err := p.cq.Poll(ctx, wc)
		require.NoError(t, err)
		for _, c := range wc[:got] {
			require.NoError(t, c.Err(), text)
		}
		n += got
		require.NoError(t, p.dev.Wait(ctx))
	}
	got := make([]byte, pieceBytes)
	require.NoError(t, p.buf.Read(ctx, uint64(to), got))
	require.Equal(t, string(want), string(got))
}
