package verbs_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/netip"
	"time"

	"gornic/tb/golden"
	"gornic/tb/host"
	"gornic/tb/wire"
	"gornic/verbs"
)

// One end sends a message, then writes into the other's memory and tells so by an
// immediate. The two devices are reference NICs, joined by a wire.
func Example() {
	ctx := context.Background()
	a, b := cable()
	alice, bob := newEnd(ctx, a, 1), newEnd(ctx, b, 2)
	defer alice.dev.Close(ctx)
	defer bob.dev.Close(ctx)
	alice.connect(ctx, bob)
	bob.connect(ctx, alice)

	// Bob has room for a message in the first half of his buffer, and for the
	// completion of a WRITE with immediate.
	check(bob.qp.PostRecv(ctx,
		verbs.RecvWR{WRID: 1, SGL: []verbs.SGE{bob.mr.SGE(0, 2048)}},
		verbs.RecvWR{WRID: 2},
	))

	// Alice sends from two pieces of her buffer, then writes to the second half of Bob's.
	check(alice.buf.Write(ctx, 0, []byte("hello, world")))
	check(alice.qp.PostSend(ctx,
		verbs.SendWR{
			WRID: 10, Opcode: verbs.WRSend, Flags: verbs.SendSolicited,
			SGL: []verbs.SGE{alice.mr.SGE(0, 7), alice.mr.SGE(7, 5)},
		},
		verbs.SendWR{
			WRID: 11, Opcode: verbs.WRWriteImm, Flags: verbs.SendSignaled | verbs.SendInline,
			Inline: []byte("written"), RemoteAddr: bob.mr.Addr() + 2048, RKey: bob.mr.RKey(), Imm: 0xC0FFEE,
		},
	))

	// Only the second was signaled; its completion frees the slots of both.
	for _, wc := range alice.completions(ctx, 1) {
		fmt.Println("alice:", wc.WRID, wc.Opcode, wc.Status)
	}
	for _, wc := range bob.completions(ctx, 2) {
		fmt.Println("bob:", wc.WRID, wc.Opcode, wc.ByteLen, "bytes")
		if wc.Flags&verbs.WCWithImm != 0 {
			fmt.Printf("bob: immediate %#x\n", wc.Imm)
		}
	}
	message, written := make([]byte, 12), make([]byte, 7)
	check(bob.buf.Read(ctx, 0, message))
	check(bob.buf.Read(ctx, 2048, written))
	fmt.Printf("bob has %q and %q\n", message, written)

	// Output:
	// alice: 11 RDMA_WRITE SUCCESS
	// bob: 1 RECV 12 bytes
	// bob: 2 RECV_RDMA_WITH_IMM 7 bytes
	// bob: immediate 0xc0ffee
	// bob has "hello, world" and "written"
}

// end is a device with one queue pair and one registered buffer.
type end struct {
	dev  *verbs.Device
	pd   *verbs.PD
	buf  *verbs.Buffer
	mr   *verbs.MR
	cq   *verbs.CQ
	qp   *verbs.QP
	mac  verbs.MAC
	addr netip.Addr
}

func newEnd(ctx context.Context, bus verbs.Bus, number byte) *end {
	e := &end{mac: verbs.MAC{2, 0, 0, 0, 0, number}, addr: netip.AddrFrom4([4]byte{10, 0, 0, number})}
	e.dev = must(verbs.Open(ctx, bus, verbs.Config{MAC: e.mac}))
	e.pd = must(e.dev.AllocPD())
	e.buf = must(e.dev.AllocBuffer(4096, 64))
	e.mr = must(e.pd.RegMR(ctx, e.buf.Addr(), e.buf.Size(), verbs.AccessLocalWrite|verbs.AccessRemoteWrite))
	e.cq = must(e.dev.CreateCQ(ctx, verbs.CQInitAttr{Entries: 32}))
	e.qp = must(e.pd.CreateQP(ctx, verbs.QPInitAttr{
		SendCQ: e.cq, RecvCQ: e.cq,
		Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 2, MaxRecvSGE: 1, MaxInline: 32},
	}))
	return e
}

// connect takes the queue pair to RTS. What it knows of the peer comes from there
// by other means, here from the same program.
func (e *end) connect(ctx context.Context, peer *end) {
	check(e.qp.Connect(ctx, verbs.QPAttr{
		Access: verbs.AccessRemoteWrite, Port: 1, PathMTU: verbs.MTU1024,
		AH:      verbs.AHAttr{Src: e.addr, Dst: peer.addr, DstMAC: peer.mac},
		DestQPN: peer.qp.QPN(), RQPSN: 1000, SQPSN: 1000,
		MaxRDAtomic: 4, MaxDestRDAtomic: 4, MinRNRTimer: 12, Timeout: 14, RetryCnt: 7, RNRRetry: 7,
	}))
}

// completions waits for n completions.
func (e *end) completions(ctx context.Context, n int) []verbs.WC {
	var all []verbs.WC
	wc := make([]verbs.WC, n)
	for len(all) < n {
		got := must(e.cq.PollWait(ctx, wc[:n-len(all)]))
		all = append(all, wc[:got]...)
	}
	return all
}

func check(err error) {
	if err != nil {
		log.Panic(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// nicBus is a bus to a reference NIC. While the driver waits, 10 microseconds pass,
// in which the wire carries a frame each way.
type nicBus struct {
	*host.Memory
	nic  *golden.NIC
	link *wire.Link
	idle int // waits since a frame was on the wire
	most int // of them; more are a mistake of the test
}

// cable makes two NICs, each with a host, and joins them.
func cable() (a, b *nicBus) {
	a, b = newNICBus(1), newNICBus(2)
	a.link = wire.NewLink(a.nic, b.nic, wire.Faults{})
	b.link = a.link
	return a, b
}

func newNICBus(seed uint64) *nicBus {
	memory := must(host.New(host.Options{Seed: seed}))
	return &nicBus{Memory: memory, nic: golden.NewNIC(golden.DefaultConfig(), host.DeviceSide{Memory: memory}), most: 100_000}
}

func (b *nicBus) ReadRegister(_ context.Context, offset uint32) (uint32, error) {
	return b.nic.ReadRegister(offset), nil
}

func (b *nicBus) WriteRegister(_ context.Context, offset, value uint32) error {
	b.nic.WriteRegister(offset, value)
	return nil
}

func (b *nicBus) Wait(ctx context.Context) error {
	b.nic.Tick(10 * time.Microsecond)
	if b.idle++; b.link.Step() > 0 {
		b.idle = 0
	}
	if b.idle > b.most {
		return errors.New("the wire was idle for long: what is the driver waiting for?")
	}
	return ctx.Err()
}
