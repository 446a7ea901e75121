package verbs_test

import (
	"context"
	"fmt"
	"log"

	"gornic/tb/golden/lab"
	"gornic/verbs"
)

// One end sends a message, then writes into the other's memory and tells so by an
// immediate. The two devices are reference NICs, joined by a wire.
func Example() {
	ctx := context.Background()
	hosts := must(lab.New(lab.Options{Seed: 1}))
	alice, bob := newEnd(ctx, hosts.A, hosts.A), newEnd(ctx, hosts.B, hosts.B)
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
	host *lab.Bus // its addresses
}

// newEnd opens the device behind bus, which is that of host.
func newEnd(ctx context.Context, bus verbs.Bus, host *lab.Bus) *end {
	e := &end{host: host}
	e.dev = must(verbs.Open(ctx, bus, verbs.Config{MAC: host.MAC}))
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
		Access: verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic, Port: 1, PathMTU: verbs.MTU1024,
		AH:      verbs.AHAttr{Src: e.host.IPv4, Dst: peer.host.IPv4, DstMAC: peer.host.MAC},
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
