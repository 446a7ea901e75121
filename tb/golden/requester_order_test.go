package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden"
)

// PSNs wrap while requests are on their way (protocol section 9, case 1).
func TestRequesterWraps(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1, psn: 0xFFFFFE})
	for id := range uint64(6) {
		q.post(sendWR{id: id, op: format.WRSend})
	}
	q.send()
	require.Equal(t, []string{
		"SEND_ONLY 0xfffffe A", "SEND_ONLY 0xffffff A", "SEND_ONLY 0x0 A", "SEND_ONLY 0x1 A", "SEND_ONLY 0x2 A", "SEND_ONLY 0x3 A",
	}, q.drain())
	require.Empty(t, q.inject(ack(1, 0x1F)))
	require.Len(t, q.s.poll(q.sendCQ), 2)
	require.Empty(t, q.inject(ack(5, 0x1F)))
	require.Len(t, q.s.poll(q.sendCQ), 4)
}

// A sequence error at the first PSN of a message of which everything was sent:
// all of it again, and the SEND behind it (protocol section 9, case 24).
func TestRequesterFirstPSNMissed(t *testing.T) {
	q, _ := newTarget(t, qpConfig{mtu: format.MTU4096, psn: 15729420, retry: 1})
	big := q.s.region(9824, 0)
	q.send(sendWR{op: format.WRWrite, list: big.whole()}, sendWR{op: format.WRSend})
	all := q.frames()
	require.Len(t, all, 4)
	q.s.nic.Receive(q.frame(ack(0, 0x60)))
	require.Equal(t, all, q.frames())
}

// Two queue pairs whose answers take turns both get on (protocol section 9, case 32c), and the long
// message of one holds the other's short ones up by a packet at most.
func TestRequestersTakeTurns(t *testing.T) {
	s := newStation(t, 9, golden.DefaultConfig())
	long := &target{qp: s.newQP(qpConfig{psn: startPSN, sigAll: 1})}
	short := &target{qp: s.newQP(qpConfig{psn: 0x900, sigAll: 1})}
	for _, q := range []*target{long, short} {
		q.connect(peerQPN, 1, peerIP())
	}
	big := s.region(256*8, 0)
	long.send(sendWR{id: 1, op: format.WRSend, list: big.whole()})
	for id := range uint64(4) {
		short.post(sendWR{id: 10 + id, op: format.WRSend})
	}
	short.send()
	var order []string
	for range 12 {
		frame, ok := s.nic.Send()
		require.True(t, ok)
		order = append(order, packetWords(t, frame)[:10])
	}
	require.Equal(t, []string{
		"SEND_FIRST", "SEND_ONLY ", "SEND_MIDDL", "SEND_ONLY ", "SEND_MIDDL", "SEND_ONLY ", "SEND_MIDDL", "SEND_ONLY ",
		"SEND_MIDDL", "SEND_MIDDL", "SEND_MIDDL", "SEND_LAST ",
	}, order)
	short.inject(ack(1, 0))
	long.inject(ack(3, 0))
	short.inject(ack(3, 0))
	long.inject(ack(7, 0))
	require.Len(t, s.poll(long.sendCQ), 1)
	require.Len(t, s.poll(short.sendCQ), 4)
}

// A message in trouble waits for those before it, which may have to be sent again,
// and its own first packets with them.
func TestRequesterTroubleWaits(t *testing.T) {
	q, _ := newTarget(t, qpConfig{sigAll: 1, retry: 1})
	q.send(
		sendWR{id: 1, op: format.WRSend},
		sendWR{id: 2, op: format.WRWrite, list: []format.SGE[uint64]{q.buf.part(0, 512), {Addr: 1, Length: 4, LKey: 0xBAD}}},
		sendWR{id: 3, op: format.WRSend},
	)
	sent := []string{"SEND_ONLY 0x64 A", "WRITE_FIRST 0x65 dma 516 256 bytes", "WRITE_MIDDLE 0x66 256 bytes"}
	require.Equal(t, sent, q.drain())
	require.Equal(t, sent, q.inject(ack(0, 0x60)))
	require.Empty(t, q.s.poll(q.sendCQ))
	require.Empty(t, q.inject(ack(1, 0)))
	require.Equal(t, []string{"1 SUCCESS SEND 0", "2 LOC_PROT_ERR (no such key)", "3 WR_FLUSH_ERR (none)"}, brief(q.s.poll(q.sendCQ)))
}
