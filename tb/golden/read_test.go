package golden_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden"
	"gornic/tb/wire"
)

// READs of every shape: the request takes as many PSNs as there are responses, and
// completes when the data is in memory (protocol sections 3.8 and 4.1).
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name string
		size uint64
		want []string
	}{
		{"nothing", 0, []string{"a: READ_REQUEST 0x64 dma 0 A", "b: READ_RESP_ONLY 0x64 0x1f msn 1"}},
		{"a byte", 1, []string{"a: READ_REQUEST 0x64 dma 1 A", "b: READ_RESP_ONLY 0x64 0x1f msn 1 1 bytes"}},
		{"an MTU", 256, []string{"a: READ_REQUEST 0x64 dma 256 A", "b: READ_RESP_ONLY 0x64 0x1f msn 1 256 bytes"}},
		{"an MTU and one", 257, []string{
			"a: READ_REQUEST 0x64 dma 257 A", "b: READ_RESP_FIRST 0x64 0x1f msn 1 256 bytes", "b: READ_RESP_LAST 0x65 0x1f msn 1 1 bytes",
		}},
		{"three MTUs", 768, []string{
			"a: READ_REQUEST 0x64 dma 768 A", "b: READ_RESP_FIRST 0x64 0x1f msn 1 256 bytes", "b: READ_RESP_MIDDLE 0x65 256 bytes",
			"b: READ_RESP_LAST 0x66 0x1f msn 1 256 bytes",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPair(t, wire.Faults{})
			a, b := p.qps(qpConfig{psn: 100})
			from, to := p.b.region(1000, format.AccessRemoteRead), p.a.region(1000, format.AccessLocalWrite)
			data, before := p.b.noise(from, 1), p.a.bytes(to)
			wr := sendWR{id: 5, op: format.WRRead, flags: format.WRFlagSignaled, remote: from.va + 3, rkey: from.key}
			if c.size > 0 {
				wr.list = []format.SGE[uint64]{to.part(7, c.size)}
			} else {
				wr.remote, wr.rkey = 1<<63+1, 0xFFFFFFFF // nobody looks at them
			}
			a.send(wr)
			p.run()
			require.Equal(t, c.want, p.wireLog())
			copy(before[7:], data[3:3+c.size])
			require.Equal(t, before, p.a.bytes(to))
			cqes := p.a.poll(a.sendCQ)
			require.Len(t, cqes, 1)
			require.Equal(t, format.CQE[uint64]{
				WRID: 5, ByteLen: c.size, QPN: a.number, Opcode: uint64(format.WCRead),
			}, cqes[0])
			responses := uint64(len(c.want) - 1)
			require.Equal(t, 100+responses, b.query().ExpPSN)
			require.Equal(t, uint64(1), b.query().MSN)
			require.Equal(t, 100+responses, a.query().OldestPSN)
			require.Empty(t, p.b.poll(b.recvCQ), "the responder's software notices nothing")
			require.Empty(t, p.b.events())
		})
	}
}

// The data goes over several pieces, with any offset, into page lists, out of page
// lists; and a QP that does not sign its work has no completion.
func TestReadScatters(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 30 {
		p := newPair(t, wire.Faults{})
		a, _ := p.qps(qpConfig{psn: 0xFFFFFE, logStride: 1, mtu: 1 + r.Uint64N(5)})
		from, to := p.b.pages(20000, format.AccessRemoteRead, r), p.a.pages(20000, format.AccessLocalWrite, r)
		want, data := p.a.load(to), p.b.load(from)
		offset := r.Uint64N(5000)
		wr := sendWR{op: format.WRRead, remote: from.va + offset, rkey: from.key}
		at, place := offset, uint64(0)
		for range 1 + r.IntN(6) {
			place += r.Uint64N(300)
			n := r.Uint64N(2000)
			wr.list = append(wr.list, to.part(place, n))
			copy(want[place:], data[at:at+n])
			at, place = at+n, place+n
		}
		a.send(wr)
		p.run()
		require.Equal(t, want, p.a.load(to))
		require.Empty(t, p.a.poll(a.sendCQ))
		require.Equal(t, uint64(1), a.query().SQConsumer)
	}
}

// Responses leave in the order of the requests, and no ACK of the same QP passes one
// (protocol section 10, row 28).
func TestResponsesInOrder(t *testing.T) {
	p := newPair(t, wire.Faults{})
	a, b := p.qps(qpConfig{psn: 100, sigAll: 1})
	from, to := p.b.region(1024, allAccess), p.a.region(1024, format.AccessLocalWrite)
	b.receive(1)
	read := sendWR{id: 1, op: format.WRRead, remote: from.va, rkey: from.key, list: []format.SGE[uint64]{to.part(0, 600)}}
	add := sendWR{id: 2, op: format.WRFetchAdd, remote: (from.va + 7) &^ 7, rkey: from.key, list: []format.SGE[uint64]{to.part(600, 8)}}
	last := sendWR{id: 4, op: format.WRRead, remote: from.va, rkey: from.key}
	a.send(read, add, sendWR{id: 3, op: format.WRSend}, last)
	p.run()
	var answers []string
	for _, w := range p.wireLog() {
		if f := strings.Fields(w); f[0] == "b:" && f[1] != "ACKNOWLEDGE" {
			answers = append(answers, f[1]+" "+f[2])
		}
	}
	require.Equal(t, []string{
		"READ_RESP_FIRST 0x64", "READ_RESP_MIDDLE 0x65", "READ_RESP_LAST 0x66", "ATOMIC_ACK 0x67", "READ_RESP_ONLY 0x69",
	}, answers)
	require.Equal(t, []string{
		"1 SUCCESS RDMA_READ 600", "2 SUCCESS FETCH_ADD 8", "3 SUCCESS SEND 0", "4 SUCCESS RDMA_READ 0",
	}, brief(p.a.poll(a.sendCQ)))
}

// A long READ holds up neither the other QPs' answers nor its own QP's requests: both
// get on while it is answered (protocol section 10, row 28).
func TestLongReadHoldsUpNobody(t *testing.T) {
	p := newPair(t, wire.Faults{})
	a, b := p.qps(qpConfig{psn: 100})
	c, d := p.qps(qpConfig{psn: 100, sigAll: 1})
	from, to := p.b.region(256*200, allAccess), p.a.region(256*200, format.AccessLocalWrite)
	a.send(sendWR{op: format.WRRead, remote: from.va, rkey: from.key, list: to.whole()})
	for range 3 {
		p.link.Step()
	}
	d.receive(1)
	c.send(sendWR{id: 9, op: format.WRSend})
	a.receive(1)
	b.send(sendWR{op: format.WRSend})
	for range 12 {
		p.link.Step()
	}
	require.Equal(t, []string{"9 SUCCESS SEND 0"}, brief(p.a.poll(c.sendCQ)))
	require.Equal(t, []string{"1 SUCCESS RECV 0"}, brief(p.a.poll(a.recvCQ)), "a request of the QP that answers")
	require.Zero(t, a.query().SQConsumer, "and the READ is not done")
	p.run()
	require.Equal(t, uint64(1), a.query().SQConsumer)
	require.Equal(t, p.b.bytes(from), p.a.bytes(to))
}

// The requester has no more READs and atomics under way than it may, and what is
// behind them waits (protocol section 4.7).
func TestMaxRD(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	dest := q.s.region(64, format.AccessLocalWrite)
	read := func(id uint64) sendWR { return sendWR{id: id, op: format.WRRead, list: dest.whole()[:1]} }
	add := sendWR{id: 3, op: format.WRFetchAdd, list: []format.SGE[uint64]{dest.part(0, 8)}}
	q.send(sendWR{op: format.WRSend}, read(1), read(2), add, read(4), read(5), sendWR{op: format.WRSend})
	require.Len(t, q.drain(), 5, "one SEND and four of five")
	require.Empty(t, q.inject(ack(0, 0x1F)))
	require.Equal(t, []string{"READ_REQUEST 0x69 dma 64 A", "SEND_ONLY 0x6a A"}, q.inject(response(1, format.OpReadResponseOnly, 64)))
}

// A QP that may have none cannot post one.
func TestMaxRDNone(t *testing.T) {
	for _, op := range []format.WROpcode{format.WRRead, format.WRCompSwap} {
		q, _ := newTarget(t, qpConfig{noReads: true})
		dest := q.s.region(8, format.AccessLocalWrite)
		q.send(sendWR{id: 1, op: op, list: dest.whole()})
		require.Empty(t, q.drain())
		require.Equal(t, []string{"1 LOC_QP_OP_ERR (more READs and atomics than agreed)"}, brief(q.s.poll(q.sendCQ)))
	}
}

// The numbers that a device has.
func TestReadLimits(t *testing.T) {
	config := golden.DefaultConfig()
	config.Reads = 4
	s := newStation(t, 1, config)
	q := s.newQP(qpConfig{})
	s.must(format.CmdModifyQP, q.toInit())
	rtr := q.toRTR(peerQPN, 1, peerIP())
	rtr.MaxDestRD = 5
	require.Equal(t, format.CmdBadParameter, command(s, format.CmdModifyQP, rtr))
	rtr.MaxDestRD = 4
	s.must(format.CmdModifyQP, rtr)
	rts := q.toRTS()
	rts.MaxRD = 5
	require.Equal(t, format.CmdBadParameter, command(s, format.CmdModifyQP, rts))
	rts.MaxRD = 4
	s.must(format.CmdModifyQP, rts)
}

// A READ is one packet of the requester's window, whatever it reserves; those of 2^23
// PSNs together are not on their way at once.
func TestReadWindow(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	big := q.s.zeroKey(1<<31, format.AccessLocalWrite)
	half := func() sendWR {
		return sendWR{op: format.WRRead, list: []format.SGE[uint64]{{Addr: big.va, Length: 1 << 30, LKey: uint64(big.key)}}}
	}
	q.send(half(), half())
	require.Equal(t, []string{"READ_REQUEST 0x64 dma 1073741824 A"}, q.drain(), "2^22 PSNs; with the second 2^23")
	q.send(sendWR{op: format.WRSend})
	require.Empty(t, q.drain(), "the second is first")
	require.Equal(t, uint64(startPSN+1<<22), q.query().NextPSN)
}

// Timeout: the READ is asked for again, from where it is (protocol section 4.5).
func TestReadTimeout(t *testing.T) {
	const timeout = 4096 * time.Nanosecond << 3
	q, _ := newTarget(t, qpConfig{retry: 1, timeout: 3, sigAll: 1})
	dest := q.s.region(600, format.AccessLocalWrite)
	q.send(sendWR{id: 1, op: format.WRRead, remote: 0x1000, list: dest.whole()}, sendWR{id: 2, op: format.WRSend})
	require.Equal(t, []string{"READ_REQUEST 0x64 dma 600 A", "SEND_ONLY 0x67 A"}, q.drain())
	q.inject(response(0, format.OpReadResponseFirst, 256))
	q.s.nic.Tick(timeout)
	require.Equal(t, []string{"READ_REQUEST 0x65 dma 344 A", "SEND_ONLY 0x67 A"}, q.drain())
	require.Empty(t, q.inject(response(1, format.OpReadResponseFirst, 256)), "begins anew, and that is progress")
	q.s.nic.Tick(timeout)
	require.Equal(t, []string{"READ_REQUEST 0x66 dma 88 A", "SEND_ONLY 0x67 A"}, q.drain(), "from the original first PSN")
	require.Empty(t, q.inject(response(2, format.OpReadResponseOnly, 88)))
	require.Equal(t, []string{"1 SUCCESS RDMA_READ 600"}, brief(q.s.poll(q.sendCQ)))
	require.Equal(t, append(append(noise(0, 256), noise(1, 256)...), noise(2, 88)...), q.s.bytes(dest))
}
