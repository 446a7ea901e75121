package golden_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden"
	"gornic/tb/host"
)

// rnrWait is the shortest wait that a receiver can ask for, rnr the syndrome that does.
const (
	rnr     = 0x21
	rnrWait = 10 * time.Microsecond
)

// Nothing shortens the wait for a receiver, and nothing in it costs a retry: no NAK, no ACK timeout, no answer
// that is progress, which restarts the timer behind the wait only (protocol section 9, case 4).
func TestRequesterWaits(t *testing.T) {
	const timeout = 4096 * time.Nanosecond << 1 // shorter than the wait
	all := []string{"SEND_ONLY 0x64 A", "SEND_ONLY 0x65 A", "SEND_ONLY 0x66 A"}
	for _, c := range []struct {
		name string
		in   []packetSpec // in the wait
		sent []string     // behind it
	}{
		{"nothing", nil, all},
		{"a second RNR NAK", []packetSpec{ack(0, rnr+8)}, all},
		{"NAK 0x60", []packetSpec{ack(0, 0x60)}, all},
		{"an ACK that comes late", []packetSpec{ack(0, 0x1F)}, all[1:]},
		{"NAK 0x60 of a later one", []packetSpec{ack(1, 0x60)}, all[1:]},
		{"RNR NAK of a later one", []packetSpec{ack(1, rnr+8)}, all[1:]},
		{"all are there", []packetSpec{ack(2, 0x1F)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{retry: 0, rnrRetry: 1, timeout: 1}) // no restart is left
			q.send(sendWR{op: format.WRSend}, sendWR{op: format.WRSend}, sendWR{op: format.WRSend})
			require.Equal(t, all, q.drain())
			require.Empty(t, q.inject(ack(0, rnr)))
			q.s.nic.Tick(rnrWait / 2)
			require.Empty(t, q.inject(c.in...))
			q.s.nic.Tick(rnrWait/2 - 1)
			require.Empty(t, q.drain())
			q.s.nic.Tick(1)
			require.Equal(t, c.sent, q.drain())
			require.Equal(t, format.QPRTS, q.state())
			q.s.nic.Tick(timeout - 1)
			require.Empty(t, q.drain())
			require.Equal(t, format.QPRTS, q.state(), "the timer runs from the end of the wait")
			require.Zero(t, q.s.nic.Counter(format.CntTimeouts))
		})
	}
}

// New requests wait as those that were refused do, and begin with their time.
func TestRequesterWaitsWithNewRequests(t *testing.T) {
	q, _ := newTarget(t, qpConfig{rnrRetry: 7, timeout: 1})
	q.send(sendWR{op: format.WRSend})
	require.Len(t, q.drain(), 1)
	q.inject(ack(0, rnr))
	require.Empty(t, q.inject(ack(0, 0x1F)), "it was there")
	q.send(sendWR{op: format.WRSend})
	q.s.nic.Tick(rnrWait - 1)
	require.Empty(t, q.drain())
	q.s.nic.Tick(1)
	require.Equal(t, []string{"SEND_ONLY 0x65 A"}, q.drain())
}

// RNR NAKs cost no retry, restarts cost no RNR retry, and progress alone gives either back.
func TestRequesterCounts(t *testing.T) {
	const timeout = 4096 * time.Nanosecond << 1
	again := func(q *target) {
		q.s.nic.Tick(max(rnrWait, timeout))
		require.NotEmpty(q.s.t, q.drain())
	}
	q, _ := newTarget(t, qpConfig{sigAll: 1, retry: 1, rnrRetry: 2, timeout: 1})
	q.send(sendWR{id: 1, op: format.WRSend}, sendWR{id: 2, op: format.WRSend})
	q.drain()
	q.inject(ack(0, rnr))
	again(q)
	again(q) // a timeout: the restart that there is
	q.inject(ack(0, rnr))
	again(q)
	q.inject(ack(1, rnr)) // progress, and the first of the next
	again(q)
	again(q)
	q.inject(ack(1, rnr))
	again(q)
	require.Equal(t, []string{"1 SUCCESS SEND 0"}, brief(q.s.poll(q.sendCQ)))
	q.inject(ack(1, rnr))
	require.Equal(t, []string{"2 RNR_RETRY_EXC_ERR (none)"}, brief(q.s.poll(q.sendCQ)))
	for counter, want := range map[format.Counter]uint32{
		format.CntRNRNAKs: 5, format.CntTimeouts: 2, format.CntRNRExceeded: 1, format.CntRetriesExceeded: 0,
		format.CntReqCQEErrors: 1, format.CntTxResent: 3*2 + 3, format.CntRxIgnored: 0,
	} {
		require.Equal(t, want, q.s.nic.Counter(counter), "%v", counter)
	}
}

// Timers are in units of the configuration.
func TestRequesterTick(t *testing.T) {
	const tick = 160 * time.Nanosecond
	config := golden.DefaultConfig()
	config.Tick = tick
	s := newStation(t, 9, config)
	q := &target{qp: s.newQP(qpConfig{psn: startPSN, retry: 7, rnrRetry: 7, timeout: 3}), peer: peerQPN}
	q.connect(peerQPN, 1, peerIP())
	q.send(sendWR{op: format.WRSend})
	require.Len(t, q.drain(), 1)
	s.nic.Tick(tick<<3 - 1)
	require.Empty(t, q.drain())
	s.nic.Tick(1)
	require.Len(t, q.drain(), 1)
	q.inject(ack(0, rnr+11)) // 0.64 ms
	const wait = 640 * time.Microsecond * tick / golden.DefaultTick
	s.nic.Tick(wait - 1)
	require.Empty(t, q.drain())
	s.nic.Tick(1)
	require.Len(t, q.drain(), 1)
}

// A packet that cannot be sent again ends its request when it is the oldest, but not if the peer had it before.
func TestRequesterCannotResend(t *testing.T) {
	const timeout = 4096 * time.Nanosecond << 1
	for _, had := range []bool{true, false} {
		q, _ := newTarget(t, qpConfig{sigAll: 1, retry: 7, timeout: 1})
		source := q.s.region(600, format.AccessLocalWrite)
		q.send(sendWR{id: 1, op: format.WRSend}, sendWR{id: 2, op: format.WRSend, list: []format.SGE[uint64]{source.part(0, 600)}})
		require.Len(t, q.drain(), 4)
		fault := q.s.mem.InjectFault(source.addr+300, 1, host.Reads)
		q.s.nic.Tick(timeout)
		require.Equal(t, []string{"SEND_ONLY 0x64 A", "SEND_FIRST 0x65 256 bytes"}, q.drain())
		require.Empty(t, q.s.poll(q.sendCQ))
		fault.Remove()
		if had {
			q.inject(ack(3, 0x1F))
			require.Equal(t, []string{"1 SUCCESS SEND 0", "2 SUCCESS SEND 0"}, brief(q.s.poll(q.sendCQ)))
			continue
		}
		q.inject(ack(1, 0x1F))
		require.Equal(t, []string{"1 SUCCESS SEND 0", "2 LOC_PROT_ERR (error response to a read)"}, brief(q.s.poll(q.sendCQ)))
	}
}

// While packets are still being sent again, no timeout is counted: the wire may be slower than the timer.
func TestRequesterTimerWaitsForResends(t *testing.T) {
	const timeout = 4096 * time.Nanosecond << 1
	q, _ := newTarget(t, qpConfig{sigAll: 1, retry: 1, timeout: 1})
	q.send(sendWR{id: 1, op: format.WRSend, list: []format.SGE[uint64]{q.buf.part(0, 1000)}})
	require.Len(t, q.drain(), 4)
	q.s.nic.Tick(timeout)
	for range 4 {
		_, ok := q.s.nic.Send()
		require.True(t, ok)
		q.s.nic.Tick(3 * timeout)
		require.Equal(t, format.QPRTS, q.state())
	}
	require.Equal(t, uint32(1), q.s.nic.Counter(format.CntTimeouts))
	require.Empty(t, q.drain())
	require.Equal(t, format.QPError, q.state())
}
