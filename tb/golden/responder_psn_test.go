package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// PSNs that are not the expected one (protocol sections 3.3, 3.7, 3.12).
func TestResponderPSN(t *testing.T) {
	runCases(t, []responderCase{
		{
			name: "ahead: one NAK with the expected PSN", receive: []uint64{8},
			packets: []packetSpec{{op: format.OpSendOnly, psn: 3, a: 1}, {op: format.OpSendOnly, psn: 4, a: 1}, {op: format.OpSendOnly, psn: 1 << 22, a: 1}},
			replies: []string{nak(100, 0x60, 0)},
		},
		{
			name: "ahead, expected, ahead: two NAKs", receive: []uint64{8, 8},
			packets: []packetSpec{{op: format.OpSendOnly, psn: 1, a: 1}, {op: format.OpSendOnly, a: 1}, {op: format.OpSendOnly, psn: 2, a: 1}},
			replies: []string{nak(100, 0x60, 0), nak(100, 0x1F, 1), nak(101, 0x60, 1)}, recv: []string{"1 SUCCESS RECV 0"},
		},
		{
			name: "no NAK 0x60 behind an RNR NAK", packets: []packetSpec{{op: format.OpSendOnly, a: 1}, {op: format.OpSendOnly, psn: 1, a: 1}},
			replies: []string{nak(100, 0x20, 0)},
		},
		{
			name: "an RNR NAK again for the same packet again", packets: []packetSpec{{op: format.OpSendOnly, a: 1}, {op: format.OpSendOnly, a: 1}},
			replies: []string{nak(100, 0x20, 0), nak(100, 0x20, 0)},
		},
		{
			name: "2^23 behind is a duplicate", packets: []packetSpec{{op: format.OpSendOnly, psn: 1 << 23, a: 1}},
			replies: []string{nak(99, 0x1F, 0)},
		},
		{
			name: "2^23 - 1 ahead is ahead", packets: []packetSpec{{op: format.OpSendOnly, psn: 1<<23 - 1, a: 1}},
			replies: []string{nak(100, 0x60, 0)},
		},
		{
			name: "duplicates: acknowledged, not executed", receive: []uint64{8, 8},
			packets: []packetSpec{
				{op: format.OpSendOnly, size: 4, a: 1}, {op: format.OpWriteOnly, psn: 1, size: 4, dma: 4, a: 1},
				{op: format.OpSendOnly, size: 8, a: 1}, {op: format.OpWriteOnly, psn: 1, size: 8, dma: 8, key: 0xFFFFFFFF, a: 1},
				{op: format.OpSendOnly, size: 8},
			},
			replies: []string{nak(100, 0x1F, 1), nak(101, 0x1F, 2), nak(101, 0x1F, 2), nak(101, 0x1F, 2)},
			recv:    []string{"1 SUCCESS RECV 4"}, placed: []int{4}, written: []int{-1, 4},
		},
		{
			name: "a duplicate READ or unknown opcode is dropped", packets: []packetSpec{
				{op: format.OpReadRequest, psn: 0xFFFFFF, a: 1}, {op: format.OpFetchAdd, psn: 0xFFFFFF, a: 1}, {op: 0x1F, psn: 0xFFFFFF, a: 1},
			},
		},
		{
			name: "a duplicate leaves a message in progress alone", receive: []uint64{600},
			packets: []packetSpec{
				{op: format.OpSendFirst, size: 256}, {op: format.OpSendFirst, size: 256, a: 1}, {op: format.OpSendLast, psn: 1, size: 44, a: 1},
			},
			replies: []string{nak(100, 0x1F, 0), nak(101, 0x1F, 1)},
			recv:    []string{"1 SUCCESS RECV 300"}, placed: []int{256, -1, 44},
		},
		{
			name: "RNR at LAST_IMM: what came before stays", receive: nil,
			packets: []packetSpec{{op: format.OpWriteFirst, size: 256, dma: 300}, {op: format.OpWriteLastImm, psn: 1, size: 44, a: 1}},
			replies: []string{nak(101, 0x20, 0)}, written: []int{256},
		},
	})
}

// After an RNR NAK the retried packet goes through once a WQE is there.
func TestResponderAfterRNR(t *testing.T) {
	q, open := newTarget(t, qpConfig{})
	first := packetSpec{op: format.OpWriteFirst, size: 256, dma: 300, va: q.va, key: q.key, seed: 1}
	last := packetSpec{op: format.OpWriteLastImm, psn: 1, size: 44, a: 1, seed: 2, imm: 7}
	require.Equal(t, []string{nak(101, 0x20, 0)}, q.inject(first, last))
	q.receive(3)
	require.Equal(t, []string{nak(101, 0x1F, 1)}, q.inject(last))
	require.Equal(t, []string{"3 SUCCESS RECV_RDMA_WITH_IMM 300 imm 00000007"}, brief(q.s.poll(q.recvCQ)))
	require.Equal(t, append(noise(1, 256), noise(2, 44)...), q.s.bytes(open)[:300])
}

// Packets that never reach the transport of a queue pair: nothing happens but a
// counter (protocol section 2).
func TestResponderSilence(t *testing.T) {
	type patch = func(*format.TxDescriptor[uint64])
	for _, c := range []struct {
		name    string
		state   format.QPState
		patch   patch
		counter format.Counter
	}{
		{"no such QP", 0, func(d *format.TxDescriptor[uint64]) { d.DestQP = 0x77 }, format.CntRxBadQP},
		{"an old tag", 0, func(d *format.TxDescriptor[uint64]) { d.DestQP ^= 1 << 20 }, format.CntRxBadQP},
		{"another sender", 0, func(d *format.TxDescriptor[uint64]) { d.SrcLo++ }, format.CntRxBadAddress},
		{"another destination", 0, func(d *format.TxDescriptor[uint64]) { d.DstLo++ }, format.CntRxBadAddress},
		{"IPv6 for a QP of IPv4", 0, func(d *format.TxDescriptor[uint64]) { d.IPv6 = 1 }, format.CntRxBadAddress},
		{"QP in INIT", format.QPInit, nil, format.CntRxBadState},
		{"partition", 0, func(d *format.TxDescriptor[uint64]) { d.PKey = 1 }, format.CntRxPKey},
		{"UC", 0, func(d *format.TxDescriptor[uint64]) { d.Opcode = 0x24 }, format.CntRxRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{state: c.state})
			q.receive(1, q.buf.whole()...)
			require.Empty(t, q.inject(packetSpec{op: format.OpSendOnly, size: 4, a: 1, patch: c.patch}))
			require.Equal(t, uint32(1), q.s.nic.Counter(c.counter))
			require.Empty(t, q.s.poll(q.recvCQ))
			require.Empty(t, q.s.events())
			if c.state == 0 {
				require.Equal(t, uint64(startPSN), q.query().ExpPSN)
			}
		})
	}
}

// A frame with a wrong ICRC, a CNP and a frame for the host leave the transport
// alone.
func TestResponderOtherFrames(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	q.receive(1, q.buf.whole()...)
	bad := q.frame(packetSpec{op: format.OpSendOnly, size: 4, a: 1})
	bad[len(bad)-6] ^= 1
	q.s.nic.Receive(bad)
	require.Equal(t, uint32(1), q.s.nic.Counter(format.CntRxICRC))
	require.Empty(t, q.inject(packetSpec{op: format.OpCNP, size: 16, a: 1}))
	arp := append(append([]byte(nil), bad[:12]...), 8, 6, 1, 2, 3)
	q.s.nic.Receive(arp)
	raw, ok := q.s.nic.Raw()
	require.True(t, ok)
	require.Equal(t, arp, raw)
	_, ok = q.s.nic.Raw()
	require.False(t, ok)
	require.Equal(t, uint32(1), q.s.nic.Counter(format.CntRxPassed))
	require.Equal(t, uint64(startPSN), q.query().ExpPSN)
	require.Empty(t, q.s.poll(q.recvCQ))
}

// A key that dies between two packets of a message ends the message.
func TestResponderKeyDies(t *testing.T) {
	q, open := newTarget(t, qpConfig{})
	before := q.s.bytes(open)
	require.Empty(t, q.inject(packetSpec{op: format.OpWriteFirst, size: 256, dma: 300, va: q.va, key: q.key, seed: 1}))
	q.s.must(format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(q.key)})
	require.Equal(t, []string{nak(101, 0x62, 0)}, q.inject(packetSpec{op: format.OpWriteLast, psn: 1, size: 44, a: 1}))
	require.Equal(t, []string{"QP_ACCESS_ERR " + qpName}, q.s.events())
	require.Equal(t, append(noise(1, 256), before[256:]...), q.s.bytes(open))
}

// After its end a QP answers nothing.
func TestResponderSilentInError(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	bad := packetSpec{op: format.OpWriteOnly, size: 4, dma: 4, key: 0xFFFFFFFF, a: 1}
	require.Len(t, q.inject(bad), 1)
	require.Empty(t, q.inject(bad, packetSpec{op: format.OpSendOnly, psn: 5, a: 1}))
	require.Equal(t, uint32(2), q.s.nic.Counter(format.CntRxBadState))
	require.Equal(t, uint32(1), q.s.nic.Counter(format.CntTxNAKs))
}
