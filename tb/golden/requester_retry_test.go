package golden_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// The wait of an RNR NAK is at least its timer's, for all codes (protocol section 9, case 19); a
// second one for the same packet costs a retry, an ACK gives them back (protocol section 9, case 5).
func TestRequesterRNR(t *testing.T) {
	waits := []time.Duration{
		655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840, 5120, 7680, 10240, 15360, 20480,
		30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520,
	}
	for code, wait := range waits {
		q, _ := newTarget(t, qpConfig{rnrRetry: 7, timeout: 1})
		q.send(sendWR{op: format.WRSend})
		require.Len(t, q.drain(), 1)
		require.Empty(t, q.inject(ack(0, uint64(0x20+code))))
		q.s.nic.Tick(wait*time.Microsecond - 1)
		require.Empty(t, q.drain(), "code %d", code)
		q.s.nic.Tick(1)
		require.Equal(t, []string{"SEND_ONLY 0x64 A"}, q.drain(), "code %d", code)
	}
	const rnr = 0x21
	for _, c := range []struct {
		name    string
		retries uint64
		answers []packetSpec
		want    []string
	}{
		{"none", 0, []packetSpec{ack(0, rnr)}, []string{"1 RNR_RETRY_EXC_ERR (none)", "2 WR_FLUSH_ERR (none)"}}, // protocol section 9, case 44
		{"one", 1, []packetSpec{ack(0, rnr), ack(0, rnr)}, []string{"1 RNR_RETRY_EXC_ERR (none)", "2 WR_FLUSH_ERR (none)"}},
		{"given back", 1, []packetSpec{ack(0, rnr), ack(0, 0), ack(1, rnr), ack(1, 0)}, []string{"1 SUCCESS SEND 0", "2 SUCCESS SEND 0"}},
		{"for ever", 7, []packetSpec{ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(0, rnr), ack(1, 0)}, []string{"1 SUCCESS SEND 0", "2 SUCCESS SEND 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{sigAll: 1, rnrRetry: c.retries, retry: 0})
			q.send(sendWR{id: 1, op: format.WRSend}, sendWR{id: 2, op: format.WRSend})
			q.drain()
			for _, a := range c.answers {
				q.inject(a)
				q.s.nic.Tick(10 * time.Microsecond)
				q.drain()
			}
			require.Equal(t, c.want, brief(q.s.poll(q.sendCQ)))
		})
	}
}

// The timer: restarted by progress, off when nothing is on its way, and after
// retry_cnt restarts the end (protocol section 9, cases 26 and 27).
func TestRequesterTimeout(t *testing.T) {
	const timeout = 4096 * time.Nanosecond << 3
	q, _ := newTarget(t, qpConfig{sigAll: 1, retry: 2, timeout: 3})
	q.s.nic.Tick(100 * timeout)
	q.send(sendWR{id: 1, op: format.WRSend}, sendWR{id: 2, op: format.WRSend})
	both := []string{"SEND_ONLY 0x64 A", "SEND_ONLY 0x65 A"}
	require.Equal(t, both, q.drain())
	q.s.nic.Tick(timeout - 1)
	require.Empty(t, q.drain())
	q.s.nic.Tick(1)
	require.Equal(t, both, q.drain())
	q.s.nic.Tick(timeout - 1)
	require.Empty(t, q.inject(ack(0, 0)))
	q.s.nic.Tick(timeout - 1)
	require.Empty(t, q.drain(), "an ACK is progress")
	for range 2 {
		q.s.nic.Tick(timeout)
		require.Equal(t, both[1:], q.drain(), "retries are given back")
	}
	q.s.nic.Tick(timeout)
	require.Empty(t, q.drain())
	require.Equal(t, []string{"1 SUCCESS SEND 0", "2 RETRY_EXC_ERR (none)"}, brief(q.s.poll(q.sendCQ)))
}

// A resent message is cut at the same places, from the WQE.
func TestRequesterResends(t *testing.T) {
	const timeout = 4096 * time.Nanosecond << 1
	q, _ := newTarget(t, qpConfig{retry: 7, timeout: 1})
	q.send(sendWR{op: format.WRWriteImm, imm: 1, list: []format.SGE[uint64]{q.buf.part(1, 100), q.buf.part(200, 500)}})
	first := q.frames()
	require.Len(t, first, 3)
	q.s.nic.Receive(q.frame(ack(1, 0x60)))
	require.Equal(t, first[1:], q.frames())
	q.s.nic.Receive(q.frame(ack(1, 0x60)))
	require.Empty(t, q.frames(), "the same again changes nothing")
	q.s.nic.Tick(timeout)
	require.Equal(t, first[1:], q.frames(), "from the original PSN again")
}

// frames drains what the NIC sends.
func (q *target) frames() [][]byte {
	var out [][]byte
	for f, ok := q.s.nic.Send(); ok; f, ok = q.s.nic.Send() {
		out = append(out, f)
	}
	return out
}
