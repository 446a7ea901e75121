package golden_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// responderCase is what a responder does with some packets. Packets of RETH
// without a key get the target's.
type responderCase struct {
	name    string
	config  qpConfig
	receive []uint64 // lengths of receive WQEs, wr_id 1, 2, ...
	setup   func(*target)
	packets []packetSpec
	replies []string
	recv    []string // completions of the receive queue
	send    []string // and of the send queue
	events  []string
	state   format.QPState // 0: RTS
	written []int          // sizes of the pieces that are in the region, from its start
	placed  []int          // and in the receive buffer
}

func (c responderCase) run(t *testing.T) {
	q, open := newTarget(t, c.config)
	before, beforeBuf := q.s.bytes(open), q.s.bytes(q.buf)
	for i, n := range c.receive {
		q.receive(uint64(i+1), q.buf.part(0, n))
	}
	if c.setup != nil {
		c.setup(q)
	}
	for i := range c.packets {
		p := &c.packets[i]
		p.seed = i
		if p.key == 0 {
			p.key = q.key
		}
		if p.va == 0 {
			p.va = q.va
		}
	}
	require.Equal(t, c.replies, q.inject(c.packets...), "replies")
	require.Equal(t, c.recv, brief(q.s.poll(q.recvCQ)), "receive completions")
	require.Equal(t, c.send, brief(q.s.poll(q.sendCQ)), "send completions")
	require.Equal(t, c.events, q.s.events(), "events")
	want := c.state
	if want == 0 {
		want = format.QPRTS
	}
	require.Equal(t, want, q.state())
	require.Equal(t, pieces(before, c.written), q.s.bytes(open), "region")
	require.Equal(t, pieces(beforeBuf, c.placed), q.s.bytes(q.buf), "receive buffer")
	require.NoError(t, q.s.mem.CheckGuards())
}

// pieces is memory that began as before and got the payloads of the packets with
// these sizes; a negative size is a packet without effect.
func pieces(before []byte, sizes []int) []byte {
	out := append([]byte(nil), before...)
	at := 0
	for seed, n := range sizes {
		if n > 0 {
			copy(out[at:], noise(seed, n))
			at += n
		}
	}
	return out
}

func runCases(t *testing.T, cases []responderCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, c.run)
	}
}

const qpName = "0xa50002" // the number of the target

var (
	reqErr    = []string{"QP_REQ_ERR " + qpName}
	accessErr = []string{"QP_ACCESS_ERR " + qpName}
	fatalErr  = []string{"QP_FATAL " + qpName}
)

func nak(psn int, syndrome, msn int) string {
	return fmt.Sprintf("ACKNOWLEDGE %#x %#x msn %d", psn, syndrome, msn)
}

// Messages of every shape, as they should be.
func TestResponderGood(t *testing.T) {
	runCases(t, []responderCase{
		{
			name: "SEND_ONLY", receive: []uint64{100},
			packets: []packetSpec{{op: format.OpSendOnly, size: 100, a: 1}},
			replies: []string{nak(100, 0x1F, 1)}, recv: []string{"1 SUCCESS RECV 100"}, placed: []int{100},
		},
		{
			name: "SEND_ONLY of no bytes into a WQE of no bytes", receive: []uint64{0},
			packets: []packetSpec{{op: format.OpSendOnly, a: 1}},
			replies: []string{nak(100, 0x1F, 1)}, recv: []string{"1 SUCCESS RECV 0"},
		},
		{
			name: "without AckReq no ACK", receive: []uint64{100},
			packets: []packetSpec{{op: format.OpSendOnly, size: 1}},
			recv:    []string{"1 SUCCESS RECV 1"}, placed: []int{1},
		},
		{
			name: "SEND of three packets with immediate", receive: []uint64{600},
			packets: []packetSpec{
				{op: format.OpSendFirst, size: 256},
				{op: format.OpSendMiddle, psn: 1, size: 256, a: 1},
				{op: format.OpSendLastImm, psn: 2, size: 88, a: 1, imm: 0x11223344},
			},
			replies: []string{nak(101, 0x1F, 0), nak(102, 0x1F, 1)},
			recv:    []string{"1 SUCCESS RECV 600 imm 11223344"}, placed: []int{256, 256, 88},
		},
		{
			name: "WRITE_ONLY", packets: []packetSpec{{op: format.OpWriteOnly, size: 256, dma: 256, a: 1}},
			replies: []string{nak(100, 0x1F, 1)}, written: []int{256},
		},
		{
			name:    "WRITE_ONLY of no bytes with a key that does not exist", // protocol section 9, case 8
			packets: []packetSpec{{op: format.OpWriteOnly, key: 0xFFFFFFFF, va: 1 << 63, a: 1}},
			replies: []string{nak(100, 0x1F, 1)},
		},
		{
			name: "WRITE_ONLY_IMM of no bytes", receive: []uint64{0},
			packets: []packetSpec{{op: format.OpWriteOnlyImm, key: 0xFFFFFFFF, imm: 0xCAFEF00D, a: 1}},
			replies: []string{nak(100, 0x1F, 1)}, recv: []string{"1 SUCCESS RECV_RDMA_WITH_IMM 0 imm cafef00d"},
		},
		{
			name: "WRITE of 600 bytes with immediate", receive: []uint64{8}, // protocol section 9, case 11
			packets: []packetSpec{
				{op: format.OpWriteFirst, size: 256, dma: 600},
				{op: format.OpWriteMiddle, psn: 1, size: 256},
				{op: format.OpWriteLastImm, psn: 2, size: 88, a: 1, imm: 1},
			},
			replies: []string{nak(102, 0x1F, 1)},
			recv:    []string{"1 SUCCESS RECV_RDMA_WITH_IMM 600 imm 00000001"}, written: []int{256, 256, 88},
		},
		{
			name: "a WRITE with immediate does not look at the receive WQE's list",
			setup: func(q *target) {
				q.receive(1, format.SGE[uint64]{Addr: 1, Length: 1 << 31, LKey: 0xDEAD})
			},
			packets: []packetSpec{{op: format.OpWriteOnlyImm, size: 4, dma: 4, imm: 2, a: 1}},
			replies: []string{nak(100, 0x1F, 1)},
			recv:    []string{"1 SUCCESS RECV_RDMA_WITH_IMM 4 imm 00000002"}, written: []int{4},
		},
		{
			name: "PSNs and MSN wrap", config: qpConfig{psn: 0xFFFFFE}, // protocol section 9, case 1
			packets: []packetSpec{
				{op: format.OpWriteFirst, size: 256, dma: 600},
				{op: format.OpWriteMiddle, psn: 1, size: 256},
				{op: format.OpWriteLast, psn: 2, size: 88, a: 1},
			},
			replies: []string{nak(0, 0x1F, 1)}, written: []int{256, 256, 88},
		},
		{
			name: "reserved bits and congestion bits", receive: []uint64{100}, // protocol section 9, case 36
			packets: []packetSpec{{op: format.OpSendOnly, size: 3, a: 1, patch: func(d *format.TxDescriptor[uint64]) {
				d.FECN, d.BECN, d.MigReq, d.TrafficClass = 1, 1, 1, 0xFF
			}}},
			replies: []string{nak(100, 0x1F, 1)}, recv: []string{"1 SUCCESS RECV 3"}, placed: []int{3},
		},
		{
			name: "the first request in RTR is reported, once", config: qpConfig{state: format.QPRTR}, receive: []uint64{9, 9},
			packets: []packetSpec{{op: format.OpSendOnly, a: 1}, {op: format.OpSendOnly, psn: 1, a: 1}},
			replies: []string{nak(100, 0x1F, 1), nak(101, 0x1F, 2)}, recv: []string{"1 SUCCESS RECV 0", "2 SUCCESS RECV 0"},
			events: []string{"COMM_EST " + qpName}, state: format.QPRTR,
		},
	})
}
