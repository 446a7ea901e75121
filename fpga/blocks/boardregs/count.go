package boardregs

import (
	"gornic/blocks/pulses"
	"gornic/format"
	"gornic/hdl"
)

// numberBits is the width of a counter's number.
func numberBits() int { return hdl.Log2(format.BoardCounterCount) }

// count gives the totals of all counters.
func (b *block) count() pulses.Totals {
	counters := make([]pulses.Counter, format.BoardCounterCount)
	for i := range counters {
		counters[i] = pulses.Counter{Name: format.BoardCounter(i).String(), Pulse: b.io.Counts.Bit(i)}
	}
	return pulses.Count(b.m, counters)
}
