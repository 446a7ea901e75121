package resend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
)

// A WQE that cannot be read, or is not any more what was sent, is a fault; what stands behind it is sent.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		stride int
		make   func(b *bench) []byte
		change func(w []byte) // the WQE
		hole   int            // byte of the WQE that cannot be read; 0: none
		good   bool           // no fault
	}{
		{name: "first byte", stride: 1, hole: 1, make: sendOf(300, 400)},
		{name: "last byte", stride: 1, hole: 127, make: sendOf(300, 400)},
		{name: "byte behind", stride: 0, hole: 64, make: sendOf(300, 400), good: true},
		{name: "READ", hole: 40, make: func(b *bench) []byte { return b.wqe(format.WRRead, 0, 700) }},
		{name: "shorter", make: sendOf(300, 400), change: func(w []byte) { w[32+16+8]-- }},
		{name: "longer", make: sendOf(300, 300), change: func(w []byte) { w[32+16+8]++ }, good: true},
		{name: "an SGE less", make: sendOf(300, 400), change: func(w []byte) { w[2] = 1 }},
		{name: "no SGE", make: sendOf(300, 400), change: func(w []byte) { w[2] = 0 }},
		{name: "3 SGEs in 64 bytes", make: sendOf(300, 400), change: func(w []byte) { w[2] = 3 }},
		{name: "7 SGEs in 128 bytes", stride: 1, make: sendOf(300, 400, 0, 0, 0, 0), change: func(w []byte) { w[2] = 7 }},
		{name: "255 SGEs", stride: 1, make: sendOf(300, 400, 0, 0, 0, 0), change: func(w []byte) { w[2] = 255 }},
		{name: "inline now", make: sendOf(300, 400), change: func(w []byte) { w[1], w[2], w[3] = format.WRFlagInline, 0, 255 }},
		{name: "inline data shorter", make: inlineOf(32), change: func(w []byte) { w[3]-- }},
		{name: "more inline data than 64 bytes hold", make: inlineOf(32), change: func(w []byte) { w[3]++ }},
		{name: "more inline data than 128 bytes hold", stride: 1, make: inlineOf(96), change: func(w []byte) { w[3]++ }},
		{name: "inline data longer", stride: 1, make: inlineOf(90), change: func(w []byte) { w[3]++ }, good: true},
		{name: "a READ now", make: sendOf(300), change: func(w []byte) { w[0] = byte(format.WRRead) }},
		{name: "an atomic now", make: sendOf(300), change: func(w []byte) { w[0] = byte(format.WRFetchAdd) }},
		{name: "a LOCAL_INV now", make: sendOf(300), change: func(w []byte) { w[0] = byte(format.WRLocalInv) }},
		{name: "a READ no more", make: func(b *bench) []byte { return b.wqe(format.WRRead, 0, 700) }, change: func(w []byte) { w[0] = byte(format.WRSend) }},
		{name: "an atomic no more", make: func(b *bench) []byte { return b.wqe(format.WRFetchAdd, 0, 8) }, change: func(w []byte) { w[0] = byte(format.WRWrite) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := fresh(t, 0)
			q := b.open(0, format.MTU256, 3, c.stride, 0xFFFFFE)
			b.post(q, c.make(b))
			packets := len(q.entries)
			slot := q.entries[0].ref.Slot
			if c.change != nil {
				w := b.mem.Peek(slot, 64<<c.stride)
				c.change(w)
				b.mem.Poke(slot, w)
			}
			if c.hole != 0 {
				b.mem.Fault(func(addr uint64) bool { return addr == slot+uint64(c.hole) })
			}
			if c.good {
				b.again(q)
				b.drain()
				require.Len(t, b.psns(), packets)
				return
			}
			b.post(q, b.wqe(format.WRWrite, 0, 5))
			bad := 0
			for i := range packets {
				// The SGEs may still have what a packet before the last one takes.
				e := &q.entries[i]
				e.bad = c.change == nil || c.name != "shorter" && c.name != "an SGE less" || e.link.Last || c.name == "an SGE less" && i > 0
				if e.bad {
					bad++
				}
			}
			b.again(q)
			b.drain()
			require.Len(t, b.faults, bad)
			require.Len(t, b.psns(), packets+1-bad)

			// A WQE that was bad is read again, also by the next packet of it.
			b.mem.Fault(nil)
			b.mem.Poke(slot, q.entries[0].ref.WQE)
			for i := range q.entries {
				q.entries[i].bad = false
			}
			b.again(q)
			b.drain()
			require.Len(t, b.psns(), packets+1)
		})
	}
}

func sendOf(lengths ...int) func(b *bench) []byte {
	return func(b *bench) []byte { return b.wqe(format.WRSend, 0, lengths...) }
}

func inlineOf(n int) func(b *bench) []byte {
	return func(b *bench) []byte { return b.inline(format.WRSend, 0, n) }
}
