package responder_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
	"gornic/blocks/responder"
	"gornic/format"
)

// packet is one of a case: a request with the expected PSN, if not said otherwise.
type packet struct {
	op     format.Opcode
	length int
	dma    uint64
	fault  format.VendorCode
	revoke format.VendorCode
	kind   int
	skew   uint64 // of the bus address
	change func(*responder.Request)
}

// row is what a responder does with some packets.
type row struct {
	name    string
	access  bool  // the queue pair grants nothing
	receive []int // lengths of receive WQEs, wr_id 1, 2, ...
	wqe     func(*responder.WQE)
	packets []packet
	want    []string // of each packet that draws more than an ACK, or is the last one
}

const mtu = 256

// play sends the packets of a row, one after the other, and returns what each led to.
func (b *bench) play(x row) []string {
	ref := responder.Reference{MTU: mtu, Access: 15, MaxDest: 2, MinRNR: 12}
	if x.access {
		ref.Access = format.AccessLocalWrite
	}
	b.create(0, ref)
	p := b.pairs[0]
	p.psn = 100
	for i, n := range x.receive {
		wqe := wqeOf(b.t, uint64(i+1), format.SGE[uint64]{Addr: 1 << 20, Length: uint64(n), LKey: 9})
		if x.wqe != nil {
			x.wqe(&wqe)
		}
		b.post(0, wqe)
	}
	var got []string
	for _, sent := range x.packets {
		q := responder.Request{
			Kind: sent.kind, Opcode: sent.op, PSN: p.psn, Expected: p.psn, AckReq: true, Length: sent.length, PadCnt: -sent.length & 3,
			Imm: 0x11223344, SE: true, RETH: format.RETH[uint64]{VA: 1 << 33, RKey: 7, DMALen: sent.dma},
			Atomic: format.AtomicETH[uint64]{VA: 1 << 33, RKey: 7, SwapAdd: 11, Compare: 22},
		}
		if sent.change != nil {
			sent.change(&q)
		}
		b.commits = nil
		b.send(0, q, responder.Translation{Fault: sent.fault, Revoke: sent.revoke, Addr: 0xABC000 + sent.skew})
		b.drain()
		require.Len(b.t, b.commits, 1)
		got = append(got, brief(b.commits[0]))
	}
	return got
}

// brief says what a commit says.
func brief(c linktest.Commit) string {
	var words []string
	say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	switch c.Reply {
	case link.ReplyACK:
		say("ACK %d", c.PSN)
	case link.ReplyNAK:
		say("NAK %#x %d", c.Syndrome, c.PSN)
	}
	if c.Placed {
		say("placed")
	}
	if c.Message {
		say("message")
	}
	if c.Complete {
		d := c.Completion
		say("WQE %d %v", d.WRID, d.Status)
		if d.Status == format.StatusSuccess {
			say("opcode %d %d bytes", d.Opcode, d.ByteLen)
			switch d.Flags {
			case format.WCFlagWithImm:
				say("imm %x", d.Imm)
			case format.WCFlagWithInv:
				say("inv %x", d.Imm)
			}
		}
	}
	switch r := c.Resource; r.Kind {
	case link.ResourceRead:
		say("READ %d bytes at %#x of %d", r.Length, r.VA, r.RKey)
	case link.ResourceCompareSwap:
		say("compare and swap")
	case link.ResourceFetchAdd:
		say("fetch and add")
	}
	if c.Resource.Kind > link.ResourceRead && !c.Resource.Duplicate {
		say("at %#x", c.Resource.VA)
	}
	if c.Resource.Duplicate {
		say("again")
	}
	if c.Open {
		say("holds %d", c.Completion.WRID)
	}
	if c.Fatal {
		say("fatal")
	}
	if c.HasEvent {
		say("event %d", c.Event)
	}
	return strings.Join(words, ", ")
}

// events of the protocol, section 5.3
var (
	reqErr    = fmt.Sprintf("fatal, event %d", format.EventQPReqErr)
	accessErr = fmt.Sprintf("fatal, event %d", format.EventQPAccessErr)
	fatalErr  = fmt.Sprintf("fatal, event %d", format.EventQPFatal)
)

// The rows of protocol sections 3.4, 3.6, 3.7, 3.11 and 3.12.
func rows() []row {
	send := func(op format.Opcode, n int) packet { return packet{op: op, length: n} }
	write := func(op format.Opcode, n int, dma uint64) packet { return packet{op: op, length: n, dma: dma} }
	fault := func(p packet, f format.VendorCode) packet { p.fault = f; return p }
	kind := func(p packet, k int, change func(*responder.Request)) packet { p.kind, p.change = k, change; return p }
	noAck := func(q *responder.Request) { q.AckReq = false }
	return []row{
		{name: "SEND_ONLY", receive: []int{100}, packets: []packet{send(format.OpSendOnly, 100)},
			want: []string{"ACK 100, placed, message, WQE 1 SUCCESS, opcode 128 100 bytes"}},
		{name: "SEND of no bytes", receive: []int{0}, packets: []packet{send(format.OpSendOnly, 0)},
			want: []string{"ACK 100, message, WQE 1 SUCCESS, opcode 128 0 bytes"}},
		{name: "no AckReq", receive: []int{100}, packets: []packet{kind(send(format.OpSendOnly, 100), link.PSNExpected, noAck)},
			want: []string{"placed, message, WQE 1 SUCCESS, opcode 128 100 bytes"}},
		{name: "SEND of three packets", receive: []int{600},
			packets: []packet{send(format.OpSendFirst, 256), send(format.OpSendMiddle, 256), send(format.OpSendLastImm, 88)},
			want: []string{"ACK 100, placed, holds 1", "ACK 101, placed, holds 1",
				"ACK 102, placed, message, WQE 1 SUCCESS, opcode 128 600 bytes, imm 44332211"}},
		{name: "WRITE of three packets", packets: []packet{write(format.OpWriteFirst, 256, 600), write(format.OpWriteMiddle, 256, 0), write(format.OpWriteLast, 88, 0)},
			want: []string{"ACK 100, placed", "ACK 101, placed", "ACK 102, placed, message"}},
		{name: "WRITE with immediate", receive: []int{8},
			packets: []packet{write(format.OpWriteFirst, 256, 600), write(format.OpWriteMiddle, 256, 0), write(format.OpWriteLastImm, 88, 0)},
			want:    []string{"ACK 100, placed", "ACK 101, placed", "ACK 102, placed, message, WQE 1 SUCCESS, opcode 129 600 bytes, imm 44332211"}},
		{name: "WRITE of no bytes: no key", packets: []packet{fault(write(format.OpWriteOnly, 0, 0), format.VendorKeyUnknown)},
			want: []string{"ACK 100, message"}},
		{name: "WRITE of no bytes with immediate", receive: []int{8}, packets: []packet{fault(write(format.OpWriteOnlyImm, 0, 0), format.VendorKeyUnknown)},
			want: []string{"ACK 100, message, WQE 1 SUCCESS, opcode 129 0 bytes, imm 44332211"}},

		{name: "step 1", receive: []int{8}, packets: []packet{send(0x1F, 8)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 1 inside a SEND", receive: []int{600}, packets: []packet{send(format.OpSendFirst, 256), send(0x1F, 8)},
			want: []string{"ACK 100, placed, holds 1", "NAK 0x61 101, WQE 1 LOC_QP_OP_ERR, fatal"}},
		{name: "step 3", access: true, packets: []packet{write(format.OpWriteOnly, 8, 8)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 3, no bytes", access: true, packets: []packet{write(format.OpWriteOnly, 0, 0)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 4", packets: []packet{send(format.OpSendOnly, 8)}, want: []string{"NAK 0x2c 100"}},
		{name: "step 4 before 5 for a SEND", packets: []packet{send(format.OpSendFirst, 8)}, want: []string{"NAK 0x2c 100"}},
		{name: "step 4 for an immediate", packets: []packet{write(format.OpWriteOnlyImm, 8, 8)}, want: []string{"NAK 0x2c 100"}},
		{name: "step 4 for LAST with immediate", packets: []packet{write(format.OpWriteFirst, 256, 264), write(format.OpWriteLastImm, 8, 0), write(format.OpWriteLastImm, 8, 0)},
			want: []string{"ACK 100, placed", "NAK 0x2c 101", "NAK 0x2c 101"}},
		{name: "step 5, FIRST", receive: []int{600}, packets: []packet{send(format.OpSendFirst, 252)}, want: []string{"NAK 0x61 100, WQE 1 LOC_QP_OP_ERR, fatal"}},
		{name: "step 5, MIDDLE", receive: []int{600}, packets: []packet{send(format.OpSendFirst, 256), send(format.OpSendMiddle, 252)},
			want: []string{"ACK 100, placed, holds 1", "NAK 0x61 101, WQE 1 LOC_QP_OP_ERR, fatal"}},
		{name: "step 5, empty LAST", receive: []int{600}, packets: []packet{send(format.OpSendFirst, 256), send(format.OpSendLast, 0)},
			want: []string{"ACK 100, placed, holds 1", "NAK 0x61 101, WQE 1 LOC_QP_OP_ERR, fatal"}},
		{name: "step 5, ONLY", receive: []int{600}, packets: []packet{send(format.OpSendOnly, 260)}, want: []string{"NAK 0x61 100, WQE 1 LOC_QP_OP_ERR, fatal"}},
		{name: "step 5, WRITE", packets: []packet{write(format.OpWriteFirst, 252, 600)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 5, RETH", packets: []packet{write(format.OpWriteFirst, 256, 1<<31+1)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "the longest message", packets: []packet{write(format.OpWriteFirst, 256, 1<<31)}, want: []string{"ACK 100, placed"}},
		{name: "step 5 before 7", packets: []packet{fault(write(format.OpWriteFirst, 252, 600), format.VendorKeyUnknown)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 7", packets: []packet{fault(write(format.OpWriteOnly, 8, 8), format.VendorKeyUnknown)}, want: []string{"NAK 0x62 100, " + accessErr}},
		{name: "step 7 in MIDDLE: the key has died", packets: []packet{write(format.OpWriteFirst, 256, 600), fault(write(format.OpWriteMiddle, 256, 0), format.VendorKeyUnknown)},
			want: []string{"ACK 100, placed", "NAK 0x62 101, " + accessErr}},
		{name: "step 7 before 8", packets: []packet{fault(write(format.OpWriteOnly, 8, 12), format.VendorKeyRange)}, want: []string{"NAK 0x62 100, " + accessErr}},
		{name: "step 7 before 4", packets: []packet{fault(write(format.OpWriteOnlyImm, 8, 8), format.VendorKeyRights)}, want: []string{"NAK 0x62 100, " + accessErr}},
		{name: "step 7 with a receive WQE", receive: []int{8}, packets: []packet{fault(write(format.OpWriteOnlyImm, 8, 8), format.VendorKeyPD)},
			want: []string{"NAK 0x62 100, WQE 1 LOC_ACCESS_ERR, fatal"}},
		{name: "step 7, key table unreadable", packets: []packet{fault(write(format.OpWriteOnly, 8, 8), format.VendorBusRead)}, want: []string{"NAK 0x63 100, " + fatalErr}},
		{name: "step 8, less", packets: []packet{write(format.OpWriteOnly, 8, 12)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 8, more", packets: []packet{write(format.OpWriteOnly, 12, 8)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 8, FIRST of what fits one packet", packets: []packet{write(format.OpWriteFirst, 256, 256)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 8, bytes though there are none", packets: []packet{fault(write(format.OpWriteOnly, 8, 0), format.VendorKeyUnknown)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 8, LAST too early", packets: []packet{write(format.OpWriteFirst, 256, 600), write(format.OpWriteLast, 256, 0)},
			want: []string{"ACK 100, placed", "NAK 0x61 101, " + reqErr}},
		{name: "step 8, MIDDLE to the end", packets: []packet{write(format.OpWriteFirst, 256, 512), write(format.OpWriteMiddle, 256, 0)},
			want: []string{"ACK 100, placed", "NAK 0x61 101, " + reqErr}},
		{name: "step 8 before 4", packets: []packet{write(format.OpWriteOnlyImm, 8, 12)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 8, pad", receive: []int{8}, packets: []packet{kind(send(format.OpSendOnly, 6), link.PSNExpected, func(q *responder.Request) { q.PadCnt = 1 })},
			want: []string{"NAK 0x61 100, WQE 1 LOC_QP_OP_ERR, fatal"}},
		{name: "step 9", receive: []int{100}, packets: []packet{send(format.OpSendOnly, 101)}, want: []string{"NAK 0x61 100, WQE 1 LOC_LEN_ERR, fatal"}},
		{name: "step 9 in LAST", receive: []int{300}, packets: []packet{send(format.OpSendFirst, 256), send(format.OpSendLast, 45)},
			want: []string{"ACK 100, placed, holds 1", "NAK 0x61 101, WQE 1 LOC_LEN_ERR, fatal"}},
		{name: "step 9 before 10", receive: []int{100}, packets: []packet{fault(send(format.OpSendOnly, 101), format.VendorKeyUnknown)}, want: []string{"NAK 0x61 100, WQE 1 LOC_LEN_ERR, fatal"}},
		{name: "step 10, key", receive: []int{100}, packets: []packet{fault(send(format.OpSendOnly, 100), format.VendorKeyPD)}, want: []string{"NAK 0x63 100, WQE 1 LOC_PROT_ERR, fatal"}},
		{name: "step 10, key in MIDDLE", receive: []int{600}, packets: []packet{send(format.OpSendFirst, 256), fault(send(format.OpSendMiddle, 256), format.VendorKeyPD)},
			want: []string{"ACK 100, placed, holds 1", "NAK 0x63 101, WQE 1 LOC_PROT_ERR, fatal"}},
		{name: "step 10, SGEs", receive: []int{100}, wqe: func(w *responder.WQE) { w.Bytes[8] = 4 }, packets: []packet{send(format.OpSendOnly, 100)},
			want: []string{"NAK 0x63 100, WQE 1 LOC_QP_OP_ERR, fatal"}},
		{name: "step 10, SGEs of a WRITE are not looked at", receive: []int{100}, wqe: func(w *responder.WQE) { w.Bytes[8] = 4 }, packets: []packet{write(format.OpWriteOnlyImm, 8, 8)},
			want: []string{"ACK 100, placed, message, WQE 1 SUCCESS, opcode 129 8 bytes, imm 44332211"}},

		{name: "section 3.7", receive: []int{100}, packets: []packet{
			send(format.OpSendOnly, 100), kind(send(format.OpSendOnly, 100), link.PSNDuplicate, nil), kind(send(format.OpSendOnly, 100), link.PSNDuplicate, noAck),
			kind(send(0x1F, 5), link.PSNDuplicate, nil),
		}, want: []string{"ACK 100, placed, message, WQE 1 SUCCESS, opcode 128 100 bytes", "ACK 100", "", ""}},
		{name: "section 3.3", packets: []packet{
			kind(send(format.OpSendOnly, 100), link.PSNAhead, func(q *responder.Request) { q.PSN, q.SendNAK = 103, true }),
			kind(send(format.OpSendOnly, 100), link.PSNAhead, nil), kind(send(format.OpSendOnly, 100), link.PSNIgnored, nil),
		}, want: []string{"NAK 0x60 100", "", ""}},
		{name: "a request after one was refused", receive: []int{8}, packets: []packet{send(0x1F, 8), send(format.OpSendOnly, 8)}, want: []string{"NAK 0x61 100, " + reqErr, ""}},
	}
}

// The same rows for READs, atomics, and SENDs with invalidate (sections 3.8 to 3.10).
func fetchRows() []row {
	read := func(dma uint64) packet { return packet{op: format.OpReadRequest, dma: dma} }
	add, swap := packet{op: format.OpFetchAdd}, packet{op: format.OpCmpSwap}
	inv := func(n int) packet { return packet{op: format.OpSendOnlyInv, length: n} }
	with := func(p packet, change func(*packet)) packet { change(&p); return p }
	fault := func(p packet, f format.VendorCode) packet { p.fault = f; return p }
	revoke := func(p packet, f format.VendorCode) packet { p.revoke = f; return p }
	request := func(p packet, change func(*responder.Request)) packet { p.change = change; return p }
	again := func(p packet) packet { p.kind = link.PSNDuplicate; return p }
	dead := "fatal, event "
	invalid := "NAK 0x61 100, " + reqErr
	return []row{
		{name: "READ", packets: []packet{read(600)}, want: []string{"message, READ 600 bytes at 0x200000000 of 7"}},
		{name: "READ without AckReq", packets: []packet{request(read(600), func(q *responder.Request) { q.AckReq = false })},
			want: []string{"message, READ 600 bytes at 0x200000000 of 7"}},
		{name: "READ of no bytes: no key", packets: []packet{fault(read(0), format.VendorKeyUnknown)}, want: []string{"message, READ 0 bytes at 0x200000000 of 7"}},
		{name: "the longest READ", packets: []packet{read(1 << 31)}, want: []string{"message, READ 2147483648 bytes at 0x200000000 of 7"}},
		{name: "atomics", packets: []packet{add, swap}, want: []string{"message, fetch and add, at 0xabc000", "message, compare and swap, at 0xabc000"}},
		{name: "step 2, READ in a SEND", receive: []int{600}, packets: []packet{{op: format.OpSendFirst, length: 256}, read(8)},
			want: []string{"ACK 100, placed, holds 1", "NAK 0x61 101, WQE 1 LOC_QP_OP_ERR, fatal"}},
		{name: "step 2, atomic in a WRITE", packets: []packet{{op: format.OpWriteFirst, length: 256, dma: 300}, add}, want: []string{"ACK 100, placed", "NAK 0x61 101, " + reqErr}},
		{name: "step 3, READ", access: true, packets: []packet{read(8)}, want: []string{invalid}},
		{name: "step 3, READ of no bytes", access: true, packets: []packet{read(0)}, want: []string{invalid}},
		{name: "step 3, atomic", access: true, packets: []packet{swap}, want: []string{invalid}},
		{name: "step 4a", packets: []packet{read(8), add, read(8)},
			want: []string{"message, READ 8 bytes at 0x200000000 of 7", "message, fetch and add, at 0xabc000", "NAK 0x61 102, " + reqErr}},
		{name: "step 5, RETH", packets: []packet{read(1<<31 + 1)}, want: []string{invalid}},
		{name: "step 5, payload of a READ", packets: []packet{with(read(8), func(p *packet) { p.length = 8 })}, want: []string{invalid}},
		{name: "step 5, payload of an atomic", packets: []packet{with(add, func(p *packet) { p.length = 8 })}, want: []string{invalid}},
		{name: "step 6", packets: []packet{request(add, func(q *responder.Request) { q.Atomic.VA |= 4 })}, want: []string{invalid}},
		{name: "step 6 before 7", packets: []packet{fault(request(swap, func(q *responder.Request) { q.Atomic.VA |= 1 }), format.VendorKeyUnknown)}, want: []string{invalid}},
		{name: "step 7, READ", packets: []packet{fault(read(8), format.VendorKeyRights)}, want: []string{"NAK 0x62 100, " + accessErr}},
		{name: "step 7, atomic", packets: []packet{fault(swap, format.VendorKeyRange)}, want: []string{"NAK 0x62 100, " + accessErr}},
		{name: "step 7, key table unreadable", packets: []packet{fault(read(8), format.VendorBusRead)}, want: []string{"NAK 0x63 100, " + fatalErr}},
		{name: "behind step 7: not aligned on the bus", packets: []packet{with(add, func(p *packet) { p.skew = 4 })}, want: []string{invalid}},
		{name: "and step 7 before it", packets: []packet{fault(with(swap, func(p *packet) { p.skew = 1 }), format.VendorKeyPD)}, want: []string{"NAK 0x62 100, " + accessErr}},
		{name: "of a READ it does not matter", packets: []packet{with(read(8), func(p *packet) { p.skew = 7 })}, want: []string{"message, READ 8 bytes at 0x200000000 of 7"}},
		{name: "and nothing behind it", packets: []packet{fault(swap, format.VendorKeyPD), swap}, want: []string{"NAK 0x62 100, " + accessErr, ""}},
		{name: "section 3.7", packets: []packet{read(600), again(read(600)), again(add)},
			want: []string{"message, READ 600 bytes at 0x200000000 of 7", "READ 600 bytes at 0x200000000 of 7, again", "fetch and add, again"}},
		{name: "section 3.7, a payload of a READ is dropped", packets: []packet{read(600), again(with(read(600), func(p *packet) { p.length = 8 }))},
			want: []string{"message, READ 600 bytes at 0x200000000 of 7", "READ 600 bytes at 0x200000000 of 7, again"}},
		{name: "section 3.7 looks at no limit", access: true, packets: []packet{again(read(600)), again(swap)},
			want: []string{"READ 600 bytes at 0x200000000 of 7, again", "compare and swap, again"}},
		{name: "section 3.7 inside a message", receive: []int{600}, packets: []packet{{op: format.OpSendFirst, length: 256}, again(read(8)), {op: format.OpSendLast, length: 4}},
			want: []string{"ACK 100, placed, holds 1", "READ 8 bytes at 0x200000000 of 7, again", "ACK 101, placed, message, WQE 1 SUCCESS, opcode 128 260 bytes"}},

		{name: "SEND with invalidate", receive: []int{100}, packets: []packet{inv(8)},
			want: []string{"ACK 100, placed, message, WQE 1 SUCCESS, opcode 128 8 bytes, inv 11223344"}},
		{name: "of no bytes", receive: []int{100}, packets: []packet{inv(0)}, want: []string{"ACK 100, message, WQE 1 SUCCESS, opcode 128 0 bytes, inv 11223344"}},
		{name: "of two packets", receive: []int{600}, packets: []packet{revoke(packet{op: format.OpSendFirst, length: 256}, format.VendorKeyType), {op: format.OpSendLastInv, length: 8}},
			want: []string{"ACK 100, placed, holds 1", "ACK 101, placed, message, WQE 1 SUCCESS, opcode 128 264 bytes, inv 11223344"}},
		{name: "section 10, row 10", receive: []int{100}, packets: []packet{revoke(inv(8), format.VendorKeyType)}, want: []string{"NAK 0x62 100, WQE 1 REM_INV_REQ_ERR, fatal"}},
		{name: "row 10, no bytes", receive: []int{100}, packets: []packet{revoke(inv(0), format.VendorKeyBound)}, want: []string{"NAK 0x62 100, WQE 1 REM_INV_REQ_ERR, fatal"}},
		{name: "row 10 in LAST", receive: []int{600}, packets: []packet{{op: format.OpSendFirst, length: 256}, revoke(packet{op: format.OpSendLastInv, length: 8}, format.VendorKeyPD)},
			want: []string{"ACK 100, placed, holds 1", "NAK 0x62 101, WQE 1 REM_INV_REQ_ERR, fatal"}},
		{name: "row 10, step 10 before it", receive: []int{100}, packets: []packet{fault(revoke(inv(8), format.VendorKeyType), format.VendorKeyPD)},
			want: []string{"NAK 0x63 100, WQE 1 LOC_PROT_ERR, fatal"}},
		{name: "row 10, step 9 before it", receive: []int{4}, packets: []packet{revoke(inv(8), format.VendorKeyType)}, want: []string{"NAK 0x61 100, WQE 1 LOC_LEN_ERR, fatal"}},
		{name: "row 10, step 4 before it", packets: []packet{revoke(inv(8), format.VendorKeyType)}, want: []string{"NAK 0x2c 100"}},
		{name: "SEND with invalidate again", receive: []int{8}, packets: []packet{again(inv(8))}, want: []string{"ACK 99"}},
		{name: "out of turn", packets: []packet{{op: format.OpSendLastInv, length: 8}}, want: []string{"NAK 0x61 100, " + dead + fmt.Sprint(uint8(format.EventQPReqErr))}},
	}
}

func TestRows(t *testing.T) {
	each(t, 0, func(t *testing.T, b *bench) {
		for _, x := range append(rows(), fetchRows()...) {
			require.Equal(t, x.want, b.play(x), x.name)
		}
	})
}

// What was answered makes room; what is answered again takes none.
func TestResourcesAreFreed(t *testing.T) {
	each(t, 0, func(t *testing.T, b *bench) {
		b.create(0, responder.Reference{MTU: mtu, Access: 15, MaxDest: 3})
		p := b.pairs[0]
		fetch := func(kind int) string {
			b.commits = nil
			b.send(0, responder.Request{Kind: kind, Opcode: format.OpReadRequest, PSN: p.psn, Expected: p.psn, RETH: format.RETH[uint64]{DMALen: 4}}, responder.Translation{})
			b.drain()
			return brief(b.commits[0])
		}
		for i := range 600 { // counts are of 8 bits
			require.Contains(t, fetch(link.PSNExpected), "message")
			fetch(link.PSNDuplicate)
			if i >= 2 {
				b.serve(0, 1)
			}
		}
		fetch(link.PSNExpected)
		require.Contains(t, fetch(link.PSNExpected), "NAK 0x61")
		require.EqualValues(t, format.VendorResources, b.commits[0].Completion.Vendor)

		b.create(0, responder.Reference{MTU: mtu, Access: 15, MaxDest: 0})
		p = b.pairs[0]
		require.Contains(t, fetch(link.PSNExpected), "NAK 0x61", "none was agreed")
	})
}

// How many PSNs a READ takes: protocol section 3.8.
func TestPSNsOfReads(t *testing.T) {
	each(t, 0, func(t *testing.T, b *bench) {
		for size := 256; size <= 4096; size *= 2 {
			for _, c := range []struct{ bytes, psns int }{
				{0, 1}, {1, 1}, {size - 1, 1}, {size, 1}, {size + 1, 2}, {2 * size, 2}, {5*size + 1, 6},
				{1 << 31, 1 << 31 / size}, {1<<31 - 1, 1 << 31 / size}, {1<<31 - size, 1<<31/size - 1},
			} {
				b.create(0, responder.Reference{MTU: size, Access: 15, MaxDest: 1})
				p := b.pairs[0]
				before := p.psn
				b.send(0, responder.Request{Opcode: format.OpReadRequest, PSN: p.psn, Expected: p.psn, RETH: format.RETH[uint64]{DMALen: uint64(c.bytes)}}, responder.Translation{})
				b.drain()
				require.EqualValues(t, c.psns, (p.psn-before)&0xFFFFFF, "%d bytes, MTU %d", c.bytes, size)
			}
		}
	})
}

// A payload that has no place revokes nothing: no segment asks for it.
func TestNoRevokeWithoutPlace(t *testing.T) {
	each(t, 0, func(t *testing.T, b *bench) {
		b.play(row{receive: []int{4}, packets: []packet{{op: format.OpSendOnlyInv, length: 8}}})
		require.Equal(t, []responder.Segment{{Length: 8, Skip: true}}, b.results[len(b.results)-1].Segments)
		b.play(row{packets: []packet{{op: format.OpSendOnlyInv}}})
		require.Empty(t, b.results[len(b.results)-1].Segments)
	})
}

// An unreadable WQE refuses what needs it, behind the key of a WRITE.
func TestUnreadable(t *testing.T) {
	unreadable := func(w *responder.WQE) { w.Unreadable = true }
	each(t, 0, func(t *testing.T, b *bench) {
		for _, x := range []struct {
			name string
			p    packet
			want string
		}{
			{"SEND", packet{op: format.OpSendOnly, length: 8}, "NAK 0x63 100"},
			{"WRITE", packet{op: format.OpWriteOnlyImm, length: 8, dma: 8}, "NAK 0x63 100"},
			{"WRITE, bad key", packet{op: format.OpWriteOnlyImm, length: 8, dma: 8, fault: format.VendorKeyPD}, "NAK 0x62 100"},
		} {
			got := b.play(row{receive: []int{8}, wqe: unreadable, packets: []packet{x.p}})
			require.Contains(t, got[0], x.want, x.name)
			require.True(t, b.commits[0].Complete, x.name)
			require.Zero(t, b.commits[0].Completion.WRID, "%s: nobody knows it", x.name)
		}
	})
}

// Every place of the table of protocol section 3.5.
func TestSequence(t *testing.T) {
	before := map[string][]packet{
		"nothing":      nil,
		"SEND_FIRST":   {{op: format.OpSendFirst, length: mtu}},
		"SEND_MIDDLE":  {{op: format.OpSendFirst, length: mtu}, {op: format.OpSendMiddle, length: mtu}},
		"SEND_ONLY":    {{op: format.OpSendOnly, length: 4}},
		"WRITE_FIRST":  {{op: format.OpWriteFirst, length: mtu, dma: 2*mtu + 4}},
		"WRITE_MIDDLE": {{op: format.OpWriteFirst, length: mtu, dma: 3*mtu + 4}, {op: format.OpWriteMiddle, length: mtu}},
		"WRITE_LAST":   {{op: format.OpWriteFirst, length: mtu, dma: mtu + 44}, {op: format.OpWriteLast, length: 44}},
	}
	begins := []format.Opcode{0, 4, 5, 6, 0xA, 0xB, 0xC, 0x13, 0x14, 0x17}
	follows := map[string][]format.Opcode{
		"SEND_FIRST": {1, 2, 3, 0x16}, "SEND_MIDDLE": {1, 2, 3, 0x16}, "WRITE_FIRST": {7, 8, 9}, "WRITE_MIDDLE": {7, 8, 9},
	}
	each(t, 0, func(t *testing.T, b *bench) {
		for _, name := range slices.Sorted(maps.Keys(before)) {
			sent := before[name]
			allowed, open := follows[name]
			if !open {
				allowed = begins
			}
			for op := range format.Opcode(0x20) {
				p := packet{op: op, length: 4, dma: 4}
				switch info, _ := format.Lookup(op); info.Payload {
				case format.PayloadFull:
					p.length, p.dma = mtu, 2*mtu
				case format.PayloadNone:
					p.length = 0
				}
				got := b.play(row{receive: []int{4000, 4000}, packets: append(sent[:len(sent):len(sent)], p)})
				last := got[len(got)-1]
				where := fmt.Sprintf("%s, then %#x: %s", name, uint8(op), last)
				switch is := contains(allowed, op); {
				case is && (op == format.OpWriteLast || op == format.OpWriteLastImm): // too early, but in sequence
					require.Equal(t, format.VendorLength, format.VendorCode(b.commits[0].Completion.Vendor), where)
				case is:
					require.NotContains(t, last, "NAK", where)
				default:
					require.Contains(t, last, "NAK 0x61", where)
					require.Contains(t, []format.VendorCode{format.VendorSequence, format.VendorBadOpcode}, format.VendorCode(b.commits[0].Completion.Vendor), where)
					require.Equal(t, strings.HasPrefix(name, "SEND") && open, strings.Contains(last, "WQE 1 LOC_QP_OP_ERR"), where)
				}
			}
		}
	})
}

func contains(list []format.Opcode, op format.Opcode) bool {
	for _, x := range list {
		if x == op {
			return true
		}
	}
	return false
}
