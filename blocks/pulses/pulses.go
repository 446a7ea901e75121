// Package pulses is for pulses that are counted: [Merge] brings those of several sources together, which may come in the same cycle, and [Count] keeps
// many totals in a small memory.
package pulses

import (
	"gornic/hdl"
)

// Merge returns one bit: a pulse for each pulse of the sources, one bit each, in the same cycle or, where more of them come at once, in one
// of the next that has none. Up to 2^bits - 1 pulses wait; more than those are lost, so sources that may come together in each cycle for a
// long time have no business here.
func Merge(m *hdl.Module, name string, bits int, sources ...hdl.Bits) hdl.Bits {
	wide := bits + hdl.Log2(len(sources)+1)
	waiting := m.Reg(name+"_waiting", bits, 0)
	sum := waiting.ZExt(wide)
	for _, s := range sources {
		sum = sum.Add(s.ZExt(wide))
	}
	any := sum.Any()
	left := hdl.Mux(any, sum.SubK(1), sum)
	full := left.Slice(wide-1, bits).Any()
	waiting.Set(hdl.Mux(full, waiting.K(1<<bits-1), left.Trunc(bits)))
	return any
}
