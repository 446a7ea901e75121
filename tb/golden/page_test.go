package golden_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// Page lists of every page size, read and written across a page boundary.
func TestPageSizes(t *testing.T) {
	for shift := uint64(format.PageShiftMin); shift <= format.PageShiftMax; shift++ {
		t.Run(fmt.Sprintf("2^%d bytes", shift), func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{})
			s := q.s
			page := uint64(1) << shift
			list := s.zeros(24, 8)
			var bus []uint64
			for i := range uint64(3) {
				addr, err := s.mem.Alloc(page, page)
				require.NoError(t, err)
				s.write(list+8*i, wordBytes(addr|i)) // the low bits of an entry do not count
				bus = append(bus, addr)
			}
			e := format.KeyEntry[uint64]{
				Key: uint64(s.newKey()), PD: testPD, State: format.KeyValid, VA: 5*page + 100, Length: 3*page - 200,
				Translation: list, Rights: format.AccessLocalWrite | format.AccessRemoteWrite, PageShift: shift,
			}
			s.must(format.CmdWriteKey, e)

			at := 6*page - 7 // the last 7 bytes of the first page and 13 of the second
			require.Equal(t, []string{nak(100, 0x1F, 1)}, q.inject(packetSpec{op: format.OpWriteOnly, size: 20, dma: 20, va: at, key: uint32(e.Key), seed: 8, a: 1}))
			want := noise(8, 20)
			require.Equal(t, want[:7], s.read(bus[0]+page-7, 7))
			require.Equal(t, want[7:], s.read(bus[1], 13))

			q.send(sendWR{op: format.WRSend, list: []format.SGE[uint64]{{Addr: at, Length: 20, LKey: e.Key}}})
			frame := q.frames()[0]
			require.Equal(t, want, frame[len(frame)-24:len(frame)-4])

			last := e.VA + e.Length - 1
			require.Equal(t, []string{nak(101, 0x1F, 2)}, q.inject(packetSpec{op: format.OpWriteOnly, psn: 1, size: 1, dma: 1, va: last, key: uint32(e.Key), a: 1}))
			require.Equal(t, noise(0, 1), s.read(bus[2]+page-101, 1))
			require.Equal(t, []string{nak(102, 0x62, 2)}, q.inject(packetSpec{op: format.OpWriteOnly, psn: 2, size: 2, dma: 2, va: last, key: uint32(e.Key), a: 1}))
		})
	}
}
