package golden_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/wire"
)

// A WRITE of three packets, and one with immediate.
func TestWriteThreePackets(t *testing.T) {
	p := newPair(t, wire.Faults{})
	a, b := p.qps(qpConfig{mtu: format.MTU4096, psn: 1000})
	from, to := p.a.region(12288, 0), p.b.region(12288, allAccess)
	data := p.a.noise(from, 1)
	b.receive(77)

	a.send(sendWR{id: 5, op: format.WRWrite, flags: format.WRFlagSignaled, remote: to.va, rkey: to.key, list: from.whole()})
	p.run()
	require.Equal(t, []string{
		"a: WRITE_FIRST 0x3e8 dma 12288 4096 bytes",
		"a: WRITE_MIDDLE 0x3e9 4096 bytes",
		"a: WRITE_LAST 0x3ea 4096 bytes A",
		"b: ACKNOWLEDGE 0x3ea 0x1f msn 1",
	}, p.wireLog())
	require.Equal(t, data, p.b.bytes(to))
	require.Equal(t, []string{"5 SUCCESS RDMA_WRITE 0"}, brief(p.a.poll(a.sendCQ)))
	require.Empty(t, p.b.poll(b.recvCQ))

	p.log = nil
	p.a.noise(from, 2)
	a.send(sendWR{id: 6, op: format.WRWriteImm, imm: 0x44332211, remote: to.va, rkey: to.key, list: from.whole()[:1]})
	p.run()
	require.Equal(t, []string{
		"a: WRITE_FIRST 0x3eb dma 12288 4096 bytes",
		"a: WRITE_MIDDLE 0x3ec 4096 bytes",
		"a: WRITE_LAST_IMM 0x3ed imm 11223344 4096 bytes A",
		"b: ACKNOWLEDGE 0x3ed 0x1f msn 2",
	}, p.wireLog())
	require.Empty(t, p.a.poll(a.sendCQ), "not signaled")
	require.Equal(t, []string{"77 SUCCESS RECV_RDMA_WITH_IMM 12288 imm 11223344"}, brief(p.b.poll(b.recvCQ)))
	require.Equal(t, format.QPStatus[uint64]{QPN: b.number, State: uint64(format.QPRTS), NextPSN: 1000, OldestPSN: 1000, ExpPSN: 1006, MSN: 2, RQConsumer: 1}, b.query())
	require.Equal(t, format.QPStatus[uint64]{QPN: a.number, State: uint64(format.QPRTS), NextPSN: 1006, OldestPSN: 1006, ExpPSN: 1000, SQConsumer: 2}, a.query())
}

// A SEND of two packets over two buffers.
func TestSendScatter(t *testing.T) {
	p := newPair(t, wire.Faults{})
	a, b := p.qps(qpConfig{mtu: format.MTU4096, psn: 100, ipv6: true})
	from, first, second := p.a.region(7680, 0), p.b.region(2048, format.AccessLocalWrite), p.b.region(8192, format.AccessLocalWrite)
	data := p.a.noise(from, 1)
	before := p.b.bytes(second)
	b.receive(9, first.part(0, 2048), second.part(0, 8192))
	a.send(sendWR{id: 1, op: format.WRSend, flags: format.WRFlagSignaled | format.WRFlagSolicited, list: from.whole()})
	p.run()
	require.Equal(t, []string{
		"a: SEND_FIRST 0x64 4096 bytes",
		"a: SEND_LAST 0x65 3584 bytes SE A",
		"b: ACKNOWLEDGE 0x65 0x1f msn 1",
	}, p.wireLog())
	require.Equal(t, data[:2048], p.b.bytes(first))
	require.Equal(t, data[2048:], p.b.bytes(second)[:5632])
	require.Equal(t, before[5632:], p.b.bytes(second)[5632:])
	require.Equal(t, []string{"9 SUCCESS RECV 7680"}, brief(p.b.poll(b.recvCQ)))
	require.Equal(t, []string{"1 SUCCESS SEND 0"}, brief(p.a.poll(a.sendCQ)))
}
