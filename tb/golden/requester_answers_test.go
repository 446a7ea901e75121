package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// The answers to requests (protocol sections 4.3 and 4.4). Four SENDs of two
// packets are on their way, PSN 0 to 7 behind the start.
func TestRequesterAnswers(t *testing.T) {
	done := func(n int) []string {
		return []string{"1 SUCCESS SEND 0", "2 SUCCESS SEND 0", "3 SUCCESS SEND 0", "4 SUCCESS SEND 0"}[:n]
	}
	flush := func(from int) []string {
		return []string{"1 WR_FLUSH_ERR (none)", "2 WR_FLUSH_ERR (none)", "3 WR_FLUSH_ERR (none)", "4 WR_FLUSH_ERR (none)"}[from-1:]
	}
	const none = 2 // retries less
	for _, c := range []struct {
		name    string
		answers []packetSpec
		sent    []string
		want    []string
		ignored uint32
		state   format.QPState
		retry   uint64
	}{
		{name: "ACK of the last: all", answers: []packetSpec{ack(7, 0x1F)}, want: done(4), state: format.QPRTS},
		{name: "any credits", answers: []packetSpec{ack(1, 0x00), ack(3, 0x0A)}, want: done(2), state: format.QPRTS},
		{name: "ACK inside a message", answers: []packetSpec{ack(2, 0x1F)}, want: done(1), state: format.QPRTS},
		{name: "MSN does not count", answers: []packetSpec{{op: format.OpAcknowledge, psn: 0, aeth: 0x1F000004}}, want: nil, state: format.QPRTS},
		{name: "the same ACK twice", answers: []packetSpec{ack(3, 0x1F), ack(3, 0x1F), ack(1, 0x1F)}, want: done(2), ignored: 2, state: format.QPRTS},
		{name: "ahead of all", answers: []packetSpec{ack(8, 0x1F), ack(1<<22, 0x1F)}, want: nil, ignored: 2, state: format.QPRTS},
		{name: "reserved syndromes", answers: []packetSpec{ack(7, 0x40), ack(7, 0x64), ack(7, 0x7F), ack(7, 0x80), ack(7, 0xFF)}, want: nil, ignored: 5, state: format.QPRTS},
		{name: "NAK 0x61", answers: []packetSpec{ack(4, 0x61)}, want: append(append(done(2), "3 REM_INV_REQ_ERR (the peer refused)"), flush(4)...), state: format.QPError},
		{name: "NAK 0x62", answers: []packetSpec{ack(0, 0x62)}, want: append([]string{"1 REM_ACCESS_ERR (the peer refused)"}, flush(2)...), state: format.QPError},
		{name: "NAK 0x63 inside a message", answers: []packetSpec{ack(7, 0x63)}, want: append(done(3), "4 REM_OP_ERR (the peer refused)"), state: format.QPError},
		{name: "a NAK of the past", answers: []packetSpec{ack(3, 0x1F), ack(2, 0x62)}, want: done(2), ignored: 1, state: format.QPRTS},
		{name: "a READ response to a SEND", answers: []packetSpec{{op: format.OpReadResponseOnly, psn: 1, size: 4}}, want: append([]string{"1 BAD_RESP_ERR (response that does not fit)"}, flush(2)...), state: format.QPError},
		{name: "an ATOMIC_ACK to a SEND", answers: []packetSpec{{op: format.OpAtomicAck, psn: 0}}, want: append([]string{"1 BAD_RESP_ERR (response that does not fit)"}, flush(2)...), state: format.QPError},
		{
			name: "NAK 0x60: from there again", answers: []packetSpec{ack(3, 0x60)}, want: done(1), state: format.QPRTS, // protocol section 9, case 49
			sent: []string{"SEND_LAST 0x67 44 bytes A", "SEND_FIRST 0x68 256 bytes", "SEND_LAST 0x69 44 bytes A", "SEND_FIRST 0x6a 256 bytes", "SEND_LAST 0x6b 44 bytes A"},
		},
		{
			name: "twice: once", answers: []packetSpec{ack(3, 0x60), ack(3, 0x60), ack(3, 0x60)}, want: done(1), state: format.QPRTS,
			sent: []string{"SEND_LAST 0x67 44 bytes A", "SEND_FIRST 0x68 256 bytes", "SEND_LAST 0x69 44 bytes A", "SEND_FIRST 0x6a 256 bytes", "SEND_LAST 0x6b 44 bytes A"},
		},
		{
			name: "behind progress, from there", answers: []packetSpec{ack(3, 0x60), ack(6, 0x60)}, want: done(3), state: format.QPRTS,
			sent: []string{"SEND_FIRST 0x6a 256 bytes", "SEND_LAST 0x6b 44 bytes A"},
		},
		{
			name: "NAK 0x60 without a retry left", answers: []packetSpec{ack(3, 0x60)}, retry: none,
			want: append(append(done(1), "2 RETRY_EXC_ERR (none)"), flush(3)...), state: format.QPError,
		},
		{name: "RNR NAK: a wait", answers: []packetSpec{ack(2, 0x21)}, want: done(1), state: format.QPRTS},
		{name: "NAK 0x60 in the wait does not cut it short", answers: []packetSpec{ack(2, 0x21), ack(2, 0x60)}, want: done(1), state: format.QPRTS},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{sigAll: 1, retry: 2 - c.retry, rnrRetry: 1})
			for i := range uint64(4) {
				q.post(sendWR{id: i + 1, op: format.WRSend, list: []format.SGE[uint64]{q.buf.part(0, 300)}})
			}
			q.send()
			require.Len(t, q.drain(), 8)
			require.Equal(t, c.sent, q.inject(c.answers...))
			require.Equal(t, c.want, brief(q.s.poll(q.sendCQ)))
			require.Equal(t, c.ignored, q.s.nic.Counter(format.CntRxIgnored))
			require.Equal(t, c.state, q.state())
		})
	}
}
