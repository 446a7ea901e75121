package golden_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// What a key must grant, at both ends of its range and of the address space
// (protocol section 6).
func TestResponderKeys(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*format.KeyEntry[uint64])
		va     func(format.KeyEntry[uint64]) uint64
		size   int
		ok     bool
	}{
		{name: "all of it", size: 256, ok: true},
		{name: "its last byte", va: func(e format.KeyEntry[uint64]) uint64 { return e.VA + e.Length - 1 }, size: 1, ok: true},
		{name: "a byte before", va: func(e format.KeyEntry[uint64]) uint64 { return e.VA - 1 }, size: 2},
		{name: "a byte behind", va: func(e format.KeyEntry[uint64]) uint64 { return e.VA + e.Length - 1 }, size: 2},
		{name: "all of it and one", va: nil, size: 0},
		{name: "the end of the address space", change: top, va: func(format.KeyEntry[uint64]) uint64 { return math.MaxUint64 - 255 }, size: 256, ok: true},
		{name: "around the address space", change: top, va: func(format.KeyEntry[uint64]) uint64 { return math.MaxUint64 - 254 }, size: 256},
		{name: "another domain", change: func(e *format.KeyEntry[uint64]) { e.PD++ }, size: 4},
		{name: "reading alone", change: func(e *format.KeyEntry[uint64]) { e.Rights = format.AccessLocalWrite | format.AccessRemoteRead }, size: 4},
		{name: "local rights alone", change: func(e *format.KeyEntry[uint64]) { e.Rights = format.AccessLocalWrite }, size: 4},
		{name: "a key that is free", change: func(e *format.KeyEntry[uint64]) { e.State, e.Type = format.KeyFree, format.KeyFastRegion }, size: 4},
		{name: "a fast region", change: func(e *format.KeyEntry[uint64]) { e.Type = format.KeyFastRegion }, size: 4, ok: true},
		{name: "a window of another QP", change: func(e *format.KeyEntry[uint64]) { e.Type, e.QPN = format.KeyWindow2, 5 }, size: 4},
		{name: "a window of this QP", change: func(e *format.KeyEntry[uint64]) { e.Type, e.QPN = format.KeyWindow2, 0xA50002 }, size: 4, ok: true},
		{name: "a window of the domain", change: func(e *format.KeyEntry[uint64]) { e.Type = format.KeyWindow1 }, size: 4, ok: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := newTarget(t, qpConfig{})
			e := q.s.entry(256, format.AccessLocalWrite|format.AccessRemoteWrite)
			if c.change != nil {
				c.change(&e)
			}
			q.s.must(format.CmdWriteKey, e)
			va, dma := e.VA, uint64(c.size)
			if c.va != nil {
				va = c.va(e)
			}
			p := packetSpec{op: format.OpWriteOnly, size: c.size, dma: dma, va: va, key: uint32(e.Key), a: 1}
			if c.size == 0 { // 257 bytes of 256, told in the first packet
				p.op, p.size, p.dma = format.OpWriteFirst, 256, 257
			}
			want := nak(100, 0x62, 0)
			if c.ok {
				want = nak(100, 0x1F, 1)
			}
			require.Equal(t, []string{want}, q.inject(p))
			require.NoError(t, q.s.mem.CheckGuards())
		})
	}
}

// top moves a key to the end of the virtual address space.
func top(e *format.KeyEntry[uint64]) { e.VA = -e.Length }

// The MSN wraps (protocol section 9, case 47).
func TestResponderMSN(t *testing.T) {
	q, _ := newTarget(t, qpConfig{})
	q.s.nic.PresetMSN(q.number, 0xFFFFFE)
	for i, msn := range []int{0xFFFFFF, 0, 1} {
		reply := q.inject(packetSpec{op: format.OpWriteOnly, psn: uint64(i), a: 1})
		require.Equal(t, []string{nak(100+i, 0x1F, msn)}, reply)
	}
}
