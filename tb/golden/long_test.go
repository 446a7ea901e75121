package golden_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/golden"
)

// A WRITE of 2^31 bytes, the longest there is: its beginning and its end, out of
// and into a region that is one page of 2 MiB over and over again.
func TestLongestMessage(t *testing.T) {
	x, y := newStation(t, 1, golden.DefaultConfig()), newStation(t, 2, golden.DefaultConfig())
	a, b := x.newQP(qpConfig{mtu: format.MTU4096, psn: 0xFFFF00}), y.newQP(qpConfig{mtu: format.MTU4096, psn: 0xFFFF00})
	connect(a, b)
	from, source := x.longest(1)
	to, sink := y.longest(2)
	a.send(sendWR{id: 7, op: format.WRWrite, flags: format.WRFlagSignaled, remote: to.va, rkey: to.key, list: from.whole()})
	carry := func(packets int) {
		for range packets {
			frame, ok := x.nic.Send()
			require.True(t, ok)
			y.nic.Receive(frame)
			for answer, ok := y.nic.Send(); ok; answer, ok = y.nic.Send() {
				x.nic.Receive(answer)
			}
		}
	}
	const packets, shown = format.MessageMax / 4096, 512
	carry(shown)
	require.Equal(t, x.read(source, 512*4096), y.read(sink, 512*4096))
	y.write(sink, noise(3, longPage))
	x.nic.SkipWrite(a.number, packets-2*shown)
	y.nic.SkipWritten(b.number, packets-2*shown)
	carry(shown)
	_, more := x.nic.Send()
	require.False(t, more)
	require.Equal(t, []string{"7 SUCCESS RDMA_WRITE 0"}, brief(x.poll(a.sendCQ)))
	require.Equal(t, uint64(1), b.query().MSN)
	require.Equal(t, uint64((0xFFFF00+packets)&0xFFFFFF), b.query().ExpPSN)
	require.True(t, bytes.Equal(x.read(source, longPage), y.read(sink, longPage)))
	require.NoError(t, y.mem.CheckGuards())
}

const longPage = 1 << format.PageShiftMax

// longest makes a region of 2^31 bytes out of one page, and returns its address.
func (s *station) longest(seed int) (region, uint64) {
	s.t.Helper()
	addr, err := s.mem.Alloc(longPage, longPage)
	require.NoError(s.t, err)
	s.write(addr, noise(seed, longPage))
	list := s.zeros(8*format.MessageMax/longPage, 8)
	s.write(list, bytes.Repeat(wordBytes(addr), format.MessageMax/longPage))
	r := region{va: 1 << 40, size: format.MessageMax, key: s.newKey()}
	s.must(format.CmdWriteKey, format.KeyEntry[uint64]{
		Key: uint64(r.key), PD: testPD, State: format.KeyValid, VA: r.va, Length: r.size, Translation: list,
		Rights: format.AccessLocalWrite | format.AccessRemoteWrite, PageShift: format.PageShiftMax,
	})
	return r, addr
}
