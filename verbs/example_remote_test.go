package verbs_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"gornic/verbs"
)

// One end reads the other's memory, and works on a number there: neither needs any
// software of the other end.
func Example_readAndAtomics() {
	ctx := context.Background()
	_, alice, bob := newEnds()
	alice.connect(ctx, bob)
	bob.connect(ctx, alice)
	all := verbs.AccessLocalWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic
	theirs := must(bob.pd.RegMR(ctx, bob.buf.Addr(), bob.buf.Size(), all))
	check(bob.buf.Write(ctx, 0, binary.LittleEndian.AppendUint64(nil, 40)))
	check(bob.buf.Write(ctx, 64, []byte("bob's own words")))

	check(alice.qp.PostSend(ctx,
		verbs.SendWR{
			WRID: 1, Opcode: verbs.WRRead, SGL: []verbs.SGE{alice.mr.SGE(0, 3), alice.mr.SGE(1024, 12)},
			RemoteAddr: theirs.Addr() + 64, RKey: theirs.RKey(),
		},
		verbs.SendWR{
			WRID: 2, Opcode: verbs.WRFetchAdd, SGL: []verbs.SGE{alice.mr.SGE(8, 8)},
			RemoteAddr: theirs.Addr(), RKey: theirs.RKey(), CompareAdd: 2,
		},
		verbs.SendWR{
			WRID: 3, Opcode: verbs.WRCompSwap, Flags: verbs.SendSignaled, SGL: []verbs.SGE{alice.mr.SGE(16, 8)},
			RemoteAddr: theirs.Addr(), RKey: theirs.RKey(), CompareAdd: 42, Swap: 7,
		},
	))
	for _, wc := range alice.completions(ctx, 1) {
		fmt.Println(wc.WRID, wc.Opcode, wc.Status, wc.ByteLen, "bytes")
	}
	b := make([]byte, 2048)
	check(alice.buf.Read(ctx, 0, b))
	fmt.Printf("%q and %q\n", b[:3], b[1024:1036])
	fmt.Println("the number was", binary.LittleEndian.Uint64(b[8:]), "then", binary.LittleEndian.Uint64(b[16:]))
	check(bob.buf.Read(ctx, 0, b[:8]))
	fmt.Println("and is", binary.LittleEndian.Uint64(b))

	// Output:
	// 3 COMP_SWAP SUCCESS 8 bytes
	// "bob" and "'s own words"
	// the number was 40 then 42
	// and is 7
}

// Bob lends a part of his memory through a window, for as long as he likes: here until
// Alice says that she is done.
func ExamplePD_AllocMW() {
	ctx := context.Background()
	_, alice, bob := newEnds()
	alice.connect(ctx, bob)
	bob.connect(ctx, alice)
	region := must(bob.pd.RegMR(ctx, bob.buf.Addr(), bob.buf.Size(), verbs.AccessLocalWrite|verbs.AccessMWBind))
	window := must(bob.pd.AllocMW(ctx, verbs.MWType2))
	check(bob.qp.PostSend(ctx, verbs.SendWR{
		WRID: 1, Opcode: verbs.WRBindMW, Flags: verbs.SendSignaled,
		Bind: verbs.BindMWWR{MW: window, RKey: verbs.IncRKey(window.RKey()), Info: verbs.MWBindInfo{
			MR: region, Addr: region.Addr() + 100, Length: 10, Access: verbs.AccessRemoteWrite,
		}},
	}))
	fmt.Println("bob:", bob.completions(ctx, 1)[0].Opcode)
	check(bob.qp.PostRecv(ctx, verbs.RecvWR{WRID: 2}))

	write := verbs.SendWR{
		WRID: 3, Opcode: verbs.WRWrite, Flags: verbs.SendInline, Inline: []byte("0123456789"),
		RemoteAddr: region.Addr() + 100, RKey: window.RKey(),
	}
	done := verbs.SendWR{WRID: 4, Opcode: verbs.WRSendInv, InvalidateRKey: window.RKey()}
	again := write
	again.WRID, again.Flags = 5, write.Flags|verbs.SendSignaled
	check(alice.qp.PostSend(ctx, write, done, again))
	wc := bob.completions(ctx, 1)[0]
	fmt.Println("bob:", wc.Opcode, wc.InvalidatedRKey == window.RKey())
	for _, wc := range alice.completions(ctx, 1) {
		fmt.Println("alice:", wc.Err())
	}
	b := make([]byte, 10)
	check(bob.buf.Read(ctx, 100, b))
	fmt.Printf("bob has %q\n", b)
	check(window.Dealloc(ctx))
	check(region.Dereg(ctx))

	// Output:
	// bob: BIND_MW
	// bob: RECV true
	// alice: work request 0x5 of QP 0x40: REM_ACCESS_ERR (the peer refused)
	// bob has "0123456789"
}

// A region is registered and ended by work requests: no command of the device, and in
// order with the work that uses it.
func ExamplePD_AllocFastMR() {
	ctx := context.Background()
	_, alice, bob := newEnds()
	alice.connect(ctx, bob)
	bob.connect(ctx, alice)
	fast := must(alice.pd.AllocFastMR(ctx, 4))
	first, second := must(alice.dev.AllocBuffer(4096, 4096)), must(alice.dev.AllocBuffer(4096, 4096))
	check(first.Write(ctx, 4088, []byte("from two")))
	check(second.Write(ctx, 0, []byte(" buffers")))
	n := must(fast.MapSG(ctx, []verbs.BusRange{{Addr: first.Addr() + 4088, Length: 8}, {Addr: second.Addr(), Length: 8}}, 4096))
	fmt.Println(n, "pieces")
	key := verbs.IncRKey(fast.RKey())
	check(alice.qp.PostSend(ctx,
		verbs.SendWR{WRID: 1, Opcode: verbs.WRRegMR, Reg: verbs.RegMRWR{MR: fast, Key: key}},
		verbs.SendWR{
			WRID: 2, Opcode: verbs.WRWrite, SGL: []verbs.SGE{{Addr: first.Addr() + 4088, Length: 16, LKey: key}},
			RemoteAddr: bob.mr.Addr(), RKey: bob.mr.RKey(),
		},
		verbs.SendWR{WRID: 3, Opcode: verbs.WRLocalInv, Flags: verbs.SendSignaled, InvalidateRKey: key},
	))
	for _, wc := range alice.completions(ctx, 1) {
		fmt.Println(wc.WRID, wc.Opcode, wc.Status)
	}
	b := make([]byte, 16)
	check(bob.buf.Read(ctx, 0, b))
	fmt.Printf("%q\n", b)

	// Output:
	// 2 pieces
	// 3 LOCAL_INV SUCCESS
	// "from two buffers"
}

// A region moves: who has its old key is refused, who is told the new one is not.
func ExampleMR_Rereg() {
	ctx := context.Background()
	_, alice, bob := newEnds()
	alice.connect(ctx, bob)
	bob.connect(ctx, alice)
	other := must(bob.dev.AllocBuffer(64, 64))
	old := bob.mr.RKey()
	check(bob.mr.Rereg(ctx, verbs.ReregTranslation, nil, verbs.MRInitAttr{Addr: 0x1000, Length: 64, Bus: other.Addr()}))
	fmt.Println("new tag:", bob.mr.RKey() == verbs.IncRKey(old))
	write := verbs.SendWR{
		WRID: 1, Opcode: verbs.WRWrite, Flags: verbs.SendInline | verbs.SendSignaled, Inline: []byte("moved"), RemoteAddr: 0x1000, RKey: bob.mr.RKey(),
	}
	check(alice.qp.PostSend(ctx, write))
	fmt.Println(alice.completions(ctx, 1)[0].Status)
	b := make([]byte, 5)
	check(other.Read(ctx, 0, b))
	fmt.Printf("%q\n", b)
	write.RKey = old
	check(alice.qp.PostSend(ctx, write))
	fmt.Println(alice.completions(ctx, 1)[0].Status)

	// Output:
	// new tag: true
	// SUCCESS
	// "moved"
	// REM_ACCESS_ERR
}
