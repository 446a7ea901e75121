package responder_test

import (
	"fmt"
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
	kind   int
	change func(*responder.Request)
}

// row is what a responder does with some packets.
type row struct {
	name    string
	access  bool  // the queue pair does not grant writing
	receive []int // lengths of receive WQEs, wr_id 1, 2, ...
	wqe     func(*responder.WQE)
	packets []packet
	want    []string // of each packet that draws more than an ACK, or is the last one
}

const mtu = 256

// play sends the packets of a row, one after the other, and returns what each led to.
func (b *bench) play(x row) []string {
	b.create(0, responder.Reference{MTU: mtu, Writable: !x.access, MinRNR: 12})
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
		}
		if sent.change != nil {
			sent.change(&q)
		}
		b.commits = nil
		b.send(0, q, sent.fault)
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
			if d.Flags == format.WCFlagWithImm {
				say("imm %x", d.Imm)
			}
		}
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
		{name: "step 1, READ", packets: []packet{write(format.OpReadRequest, 0, 8)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 1, atomics", packets: []packet{send(format.OpFetchAdd, 0)}, want: []string{"NAK 0x61 100, " + reqErr}},
		{name: "step 1, SEND with invalidate", receive: []int{8}, packets: []packet{send(format.OpSendOnlyInv, 8)}, want: []string{"NAK 0x61 100, " + reqErr}},
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
			kind(send(format.OpFetchAdd, 0), link.PSNDuplicate, nil), kind(write(format.OpReadRequest, 0, 9), link.PSNDuplicate, nil), kind(send(0x1F, 5), link.PSNDuplicate, nil),
		}, want: []string{"ACK 100, placed, message, WQE 1 SUCCESS, opcode 128 100 bytes", "ACK 100", "", "", "", ""}},
		{name: "section 3.3", packets: []packet{
			kind(send(format.OpSendOnly, 100), link.PSNAhead, func(q *responder.Request) { q.PSN, q.SendNAK = 103, true }),
			kind(send(format.OpSendOnly, 100), link.PSNAhead, nil), kind(send(format.OpSendOnly, 100), link.PSNIgnored, nil),
		}, want: []string{"NAK 0x60 100", "", ""}},
		{name: "a request after one was refused", receive: []int{8}, packets: []packet{send(0x1F, 8), send(format.OpSendOnly, 8)}, want: []string{"NAK 0x61 100, " + reqErr, ""}},
	}
}

func TestRows(t *testing.T) {
	each(t, 0, func(t *testing.T, b *bench) {
		for _, x := range rows() {
			require.Equal(t, x.want, b.play(x), x.name)
		}
	})
}

// An unreadable WQE refuses what needs it, behind the key of a WRITE.
func TestUnreadable(t *testing.T) {
	unreadable := func(w *responder.WQE) { w.Unreadable = true }
	each(t, 0, func(t *testing.T, b *bench) {
		for name, x := range map[string]struct {
			p    packet
			want string
		}{
			"SEND":           {packet{op: format.OpSendOnly, length: 8}, "NAK 0x63 100"},
			"WRITE":          {packet{op: format.OpWriteOnlyImm, length: 8, dma: 8}, "NAK 0x63 100"},
			"WRITE, bad key": {packet{op: format.OpWriteOnlyImm, length: 8, dma: 8, fault: format.VendorKeyPD}, "NAK 0x62 100"},
		} {
			got := b.play(row{receive: []int{8}, wqe: unreadable, packets: []packet{x.p}})
			require.Contains(t, got[0], x.want, name)
			require.True(t, b.commits[0].Complete, name)
			require.Zero(t, b.commits[0].Completion.WRID, "%s: nobody knows it", name)
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
	begins := []format.Opcode{0, 4, 5, 6, 0xA, 0xB}
	follows := map[string][]format.Opcode{
		"SEND_FIRST": {1, 2, 3}, "SEND_MIDDLE": {1, 2, 3}, "WRITE_FIRST": {7, 8, 9}, "WRITE_MIDDLE": {7, 8, 9},
	}
	each(t, 0, func(t *testing.T, b *bench) {
		for name, sent := range before {
			allowed, open := follows[name]
			if !open {
				allowed = begins
			}
			for op := range format.Opcode(0x20) {
				p := packet{op: op, length: 4, dma: 4}
				if info, _ := format.Lookup(op); info.Payload == format.PayloadFull {
					p.length, p.dma = mtu, 2*mtu
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
