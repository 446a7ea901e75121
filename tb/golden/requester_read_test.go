package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/host"
)

// readTarget has on its way: a SEND of two packets (PSN 0, 1 behind the start), a READ
// of 600 bytes (2 to 4), an atomic (5), a SEND of one packet (6).
func readTarget(t *testing.T) (*target, region) {
	q, _ := newTarget(t, qpConfig{sigAll: 1, retry: 2, rnrRetry: 2})
	dest := q.s.region(1024, format.AccessLocalWrite)
	q.send(
		sendWR{id: 1, op: format.WRSend, list: []format.SGE[uint64]{q.buf.part(0, 300)}},
		sendWR{id: 2, op: format.WRRead, remote: 0x10000, rkey: 0xABCD, list: []format.SGE[uint64]{dest.part(0, 300), dest.part(400, 300)}},
		sendWR{id: 3, op: format.WRCompSwap, remote: 0x20000, rkey: 0xABCE, swap: 7, cmp: 8, list: []format.SGE[uint64]{dest.part(801, 8)}},
		sendWR{id: 4, op: format.WRSend},
	)
	require.Equal(t, []string{
		"SEND_FIRST 0x64 256 bytes", "SEND_LAST 0x65 44 bytes A", "READ_REQUEST 0x66 dma 600 A", "CMP_SWAP 0x69 7 8 A", "SEND_ONLY 0x6a A",
	}, q.drain())
	return q, dest
}

func atomicAck(psn, value uint64) packetSpec {
	return packetSpec{op: format.OpAtomicAck, psn: psn, aeth: 0x1F<<24 | 3, value: value}
}

// The answers to READs and atomics (protocol sections 4.3 and 4.4).
func TestRequesterReadAnswers(t *testing.T) {
	const first, middle, last, only = format.OpReadResponseFirst, format.OpReadResponseMiddle, format.OpReadResponseLast, format.OpReadResponseOnly
	whole := []packetSpec{response(2, first, 256), response(3, middle, 256), response(4, last, 88)}
	done := []string{"1 SUCCESS SEND 0", "2 SUCCESS RDMA_READ 600", "3 SUCCESS COMP_SWAP 8", "4 SUCCESS SEND 0"}
	again := []string{"READ_REQUEST 0x66 dma 600 A", "CMP_SWAP 0x69 7 8 A", "SEND_ONLY 0x6a A"}
	ends := func(n int, what string) []string {
		out := append(append([]string(nil), done[:n]...), what)
		for id := n + 2; id <= 4; id++ {
			out = append(out, []string{"", "", "2", "3", "4"}[id]+" WR_FLUSH_ERR (none)")
		}
		return out
	}
	then := func(all ...any) (out []packetSpec) {
		for _, x := range all {
			switch x := x.(type) {
			case packetSpec:
				out = append(out, x)
			case []packetSpec:
				out = append(out, x...)
			}
		}
		return out
	}
	badAETH := response(2, first, 256)
	badAETH.aeth = 0x62 << 24
	badPad := response(4, last, 88)
	badPad.pad = 1
	badAtomic := atomicAck(5, 1)
	badAtomic.size = 4
	for _, c := range []struct {
		name    string
		answers []packetSpec
		sent    []string
		want    []string
		ignored uint32
		implied uint32 // looked at where it is given
		dead    bool
	}{
		{name: "all as it should be", answers: then(ack(1, 0x1F), whole, atomicAck(5, 8), ack(6, 0x1F)), want: done},
		{name: "the first response acknowledges what is before", answers: then(whole[:1]), want: done[:1]},
		{name: "the last response ends the READ alone", answers: then(whole), want: done[:2]},
		{name: "an atomic's answer acknowledges a SEND", answers: then(whole, atomicAck(5, 8)), want: done[:3]},
		{name: "one twice", answers: then(whole, whole, atomicAck(5, 8), atomicAck(5, 9)), want: done[:3], ignored: 4},
		{name: "FIRST in the middle is as good as MIDDLE", answers: then(whole[0], response(3, first, 256), response(4, only, 88)), want: done[:2]},
		{name: "MIDDLE at the start", answers: then(response(2, middle, 256)), want: done[:1]},

		{name: "an ACK of a later SEND does not end the READ", answers: then(ack(6, 0x1F)), want: done[:1], sent: again},
		{name: "nor one of the READ itself", answers: then(ack(4, 0x1F)), want: done[:1], sent: again},
		{name: "nor one of its request", answers: then(ack(2, 0x1F)), want: done[:1], sent: again},
		{name: "nor one of the atomic", answers: then(whole, ack(5, 0x1F)), want: done[:2], sent: again[1:]},
		{name: "an ACK behind a part of it", answers: then(whole[:1], ack(6, 0x1F)), want: done[:1], sent: []string{"READ_REQUEST 0x67 dma 344 A", "CMP_SWAP 0x69 7 8 A", "SEND_ONLY 0x6a A"}}, // protocol section 9, case 3
		{name: "asked again once", answers: then(ack(6, 0x1F), ack(6, 0x1F), whole[1], atomicAck(5, 8)), want: done[:1], sent: again, implied: 4},
		{name: "and then it is there", answers: then(ack(6, 0x1F), whole, atomicAck(5, 8), ack(6, 0x1F)), want: done},
		{name: "the answer to the atomic before the READ's", answers: then(atomicAck(5, 8)), want: done[:1], sent: again},
		{name: "a gap in the READ", answers: then(whole[0], whole[2]), want: done[:1], sent: []string{"READ_REQUEST 0x67 dma 344 A", "CMP_SWAP 0x69 7 8 A", "SEND_ONLY 0x6a A"}},
		{name: "the first is missing", answers: then(whole[1], whole[2]), want: done[:1], sent: again, implied: 2},
		{name: "NAK 0x60 behind it", answers: then(ack(6, 0x60)), want: done[:1], sent: again},
		{name: "NAK 0x60 of it", answers: then(ack(2, 0x60)), want: done[:1], sent: again},
		{name: "NAK 0x60 before it", answers: then(ack(1, 0x60)), want: nil, sent: append([]string{"SEND_LAST 0x65 44 bytes A"}, again...)},
		{name: "RNR NAK behind it", answers: then(ack(6, 0x21)), want: done[:1], sent: again},
		{name: "a fatal NAK behind it", answers: then(ack(6, 0x62)), want: done[:1], sent: again},
		{name: "NAK 0x60 of it again", answers: then(ack(2, 0x60), ack(2, 0x60), ack(2, 0x60)), want: done[:1], sent: again},
		{name: "data gives the retries back", answers: then(ack(2, 0x60), ack(2, 0x60), whole[0], ack(3, 0x60)), want: done[:1], sent: []string{"READ_REQUEST 0x67 dma 344 A", "CMP_SWAP 0x69 7 8 A", "SEND_ONLY 0x6a A"}},

		{name: "NAK 0x62 of the READ", answers: then(ack(2, 0x62)), want: ends(1, "2 REM_ACCESS_ERR (the peer refused)"), dead: true},
		{name: "in its middle", answers: then(whole[0], ack(3, 0x62)), want: ends(1, "2 REM_ACCESS_ERR (the peer refused)"), dead: true},
		{name: "at one whose data has come", answers: then(whole[:2], ack(2, 0x62)), want: ends(1, "2 REM_ACCESS_ERR (the peer refused)"), dead: true},
		{name: "but not when it is over", answers: then(whole, ack(3, 0x62)), want: done[:2], ignored: 1},
		{name: "nor NAK 0x60", answers: then(whole[:2], ack(2, 0x60)), want: done[:1], ignored: 1},
		{name: "at any of its PSNs", answers: then(ack(4, 0x63)), want: ends(1, "2 REM_OP_ERR (the peer refused)"), dead: true},
		{name: "NAK 0x61 of the atomic", answers: then(whole, ack(5, 0x61)), want: ends(2, "3 REM_INV_REQ_ERR (the peer refused)"), dead: true},

		{name: "an ATOMIC_ACK to a READ", answers: then(atomicAck(2, 8)), want: ends(1, "2 BAD_RESP_ERR (response that does not fit)"), dead: true},
		{name: "data to an atomic", answers: then(whole, response(5, only, 8)), want: ends(2, "3 BAD_RESP_ERR (response that does not fit)"), dead: true},
		{name: "data to a SEND", answers: then(response(1, only, 8)), want: ends(0, "1 BAD_RESP_ERR (response that does not fit)"), dead: true},
		{name: "LAST too early", answers: then(whole[0], response(3, last, 256)), want: ends(1, "2 BAD_RESP_ERR (response that does not fit)"), dead: true},
		{name: "ONLY of three", answers: then(response(2, only, 256)), want: ends(1, "2 BAD_RESP_ERR (response that does not fit)"), dead: true},
		{name: "MIDDLE too late", answers: then(whole[:2], response(4, middle, 256)), want: ends(1, "2 BAD_RESP_ERR (response that does not fit)"), dead: true},
		{name: "a NAK in its AETH", answers: then(badAETH), want: ends(1, "2 BAD_RESP_ERR (response that does not fit)"), dead: true},
		{name: "FIRST too short", answers: then(response(2, first, 252)), want: ends(1, "2 LOC_LEN_ERR (wrong packet length)"), dead: true},
		{name: "LAST too short", answers: then(whole[:2], response(4, last, 87)), want: ends(1, "2 LOC_LEN_ERR (wrong packet length)"), dead: true},
		{name: "LAST too long", answers: then(whole[:2], response(4, last, 89)), want: ends(1, "2 LOC_LEN_ERR (wrong packet length)"), dead: true},
		{name: "LAST with a wrong pad", answers: then(whole[:2], badPad), want: ends(1, "2 LOC_LEN_ERR (wrong packet length)"), dead: true},
		{name: "ATOMIC_ACK with payload", answers: then(whole, badAtomic), want: ends(2, "3 LOC_LEN_ERR (wrong packet length)"), dead: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, dest := readTarget(t)
			before := q.s.bytes(dest)
			require.Equal(t, c.sent, q.inject(c.answers...))
			require.Equal(t, c.want, brief(q.s.poll(q.sendCQ)))
			require.Equal(t, c.ignored, q.s.nic.Counter(format.CntRxIgnored))
			if c.implied > 0 {
				require.Equal(t, c.implied, q.s.nic.Counter(format.CntImpliedNAKs))
			}
			want := format.QPRTS
			if c.dead {
				want = format.QPError
			}
			require.Equal(t, want, q.state())
			require.NoError(t, q.s.mem.CheckGuards())
			after := q.s.bytes(dest)
			require.Equal(t, before[300:400], after[300:400], "between the pieces")
			require.Equal(t, before[700:801], after[700:801], "behind them")
			require.Equal(t, before[809:], after[809:])
			if len(c.want) >= 3 && !c.dead {
				require.Equal(t, append(append(noise(2, 256), noise(3, 256)...), noise(4, 88)...), append(after[:300:300], after[400:700]...))
				require.Equal(t, []byte{8, 0, 0, 0, 0, 0, 0, 0}, after[801:809], "a number, little-endian")
			}
		})
	}
}

// Buffers of READs and atomics need local write access, before the request leaves and
// when the data comes (protocol section 4.2; section 9, case 29).
func TestRequesterReadKeys(t *testing.T) {
	for _, op := range []format.WROpcode{format.WRRead, format.WRFetchAdd} {
		q, _ := newTarget(t, qpConfig{sigAll: 1})
		locked := q.s.region(64, format.AccessRemoteRead)
		q.send(sendWR{id: 1, op: op, list: []format.SGE[uint64]{locked.part(0, 8)}}, sendWR{id: 2, op: format.WRSend})
		require.Empty(t, q.drain(), "nothing leaves")
		require.Equal(t, []string{"1 LOC_PROT_ERR (right not granted)", "2 WR_FLUSH_ERR (none)"}, brief(q.s.poll(q.sendCQ)))
	}
	answers := map[format.WROpcode]packetSpec{format.WRRead: response(0, format.OpReadResponseOnly, 8), format.WRFetchAdd: atomicAck(0, 1)}
	for op, answer := range answers {
		for _, dies := range []bool{true, false} {
			q, _ := newTarget(t, qpConfig{sigAll: 1})
			open := q.s.region(64, format.AccessLocalWrite)
			before := q.s.bytes(open)
			q.send(sendWR{id: 1, op: op, list: []format.SGE[uint64]{open.part(0, 8)}})
			require.Len(t, q.drain(), 1)
			if dies {
				q.s.must(format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(open.key)})
			}
			q.inject(answer)
			if dies {
				require.Equal(t, []string{"1 LOC_PROT_ERR (no such key)"}, brief(q.s.poll(q.sendCQ)))
				require.Equal(t, before, q.s.bytes(open))
				continue
			}
			require.Len(t, q.s.poll(q.sendCQ), 1)
			require.Equal(t, format.QPRTS, q.state())
		}
	}
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	open := q.s.region(64, format.AccessLocalWrite)
	q.send(sendWR{id: 1, op: format.WRRead, list: open.whole()})
	q.drain()
	q.s.mem.InjectFault(open.addr, 64, host.Writes)
	q.inject(response(0, format.OpReadResponseOnly, 64))
	require.Equal(t, []string{"1 LOC_PROT_ERR (error response to a write)"}, brief(q.s.poll(q.sendCQ)))
}

// Pieces of no bytes have no key, and a READ may have nothing else.
func TestRequesterReadNeedsNoKey(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1})
	none := format.SGE[uint64]{Addr: 1, LKey: 0xBAD}
	q.send(sendWR{id: 1, op: format.WRRead, list: []format.SGE[uint64]{none, none}})
	require.Equal(t, []string{"READ_REQUEST 0x64 dma 0 A"}, q.drain())
	q.inject(response(0, format.OpReadResponseOnly, 0))
	require.Equal(t, []string{"1 SUCCESS RDMA_READ 0"}, brief(q.s.poll(q.sendCQ)))
}

// WQEs of READs and atomics that make no sense, each with a twin that does.
func TestRequesterRefusesReadWQE(t *testing.T) {
	for _, c := range []struct {
		name string
		op   format.WROpcode
		bad  func(*sendWR, region)
		want string
	}{
		{"inline READ", format.WRRead, func(w *sendWR, _ region) { w.list, w.inline = nil, make([]byte, 8) }, "LOC_QP_OP_ERR (more SGEs or inline bytes than the slot has)"},
		{"inline atomic", format.WRFetchAdd, func(w *sendWR, _ region) { w.list, w.inline = nil, make([]byte, 8) }, "LOC_QP_OP_ERR (more SGEs or inline bytes than the slot has)"},
		{"READ of three SGEs", format.WRRead, func(w *sendWR, r region) { w.list = append(w.list, w.list[0], w.list[0]) }, "LOC_QP_OP_ERR (more SGEs or inline bytes than the slot has)"},
		{"atomic without SGE", format.WRFetchAdd, func(w *sendWR, _ region) { w.list = nil }, "LOC_QP_OP_ERR (more SGEs or inline bytes than the slot has)"},
		{"atomic of two SGEs", format.WRCompSwap, func(w *sendWR, _ region) { w.list = append(w.list, w.list[0]) }, "LOC_QP_OP_ERR (more SGEs or inline bytes than the slot has)"},
		{"atomic of 7 bytes", format.WRCompSwap, func(w *sendWR, r region) { w.list[0].Length = 7 }, "LOC_LEN_ERR (wrong packet length)"},
		{"atomic of 16 bytes", format.WRFetchAdd, func(w *sendWR, r region) { w.list[0].Length = 16 }, "LOC_LEN_ERR (wrong packet length)"},
		{"READ of 2^31 and one", format.WRRead, func(w *sendWR, r region) { w.list = []format.SGE[uint64]{{Length: 1 << 31}, {Length: 1}} }, "LOC_LEN_ERR (message too long)"},
		{"READ of 2^23 packets", format.WRRead, func(w *sendWR, r region) { w.list = []format.SGE[uint64]{{Length: 1 << 31}} }, "LOC_LEN_ERR (message too long)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{sigAll: 1, logStride: 0})
			dest := q.s.region(64, format.AccessLocalWrite)
			good := sendWR{id: 1, op: c.op, list: []format.SGE[uint64]{dest.part(0, 8)}}
			q.send(good)
			require.Len(t, q.drain(), 1)
			bad := sendWR{id: 2, op: c.op, list: []format.SGE[uint64]{dest.part(0, 8)}}
			c.bad(&bad, dest)
			q.send(bad)
			require.Empty(t, q.drain())
			if c.op == format.WRRead {
				q.inject(response(0, format.OpReadResponseOnly, 8))
			} else {
				q.inject(atomicAck(0, 1))
			}
			cqes := brief(q.s.poll(q.sendCQ))
			require.Len(t, cqes, 2)
			require.Equal(t, "2 "+c.want, cqes[1])
		})
	}
}
