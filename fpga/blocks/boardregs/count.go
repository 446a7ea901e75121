package boardregs

import (
	"fmt"

	"gornic/format"
	"gornic/hdl"
)

// counters are the totals. Each counter has a few bits of its own, which count its pulses until its turn comes;
// then they are added to its total, in a small memory.
type counters struct {
	number hdl.Bits // this counter
	total  hdl.Bits // has this total, as of a few cycles ago; 32 bits
	known  hdl.Bits // from the first turn on
}

// numberBits is the width of a counter's number.
func numberBits() int { return hdl.Log2(format.BoardCounterCount) }

// count gives each counter its turn, one each cycle.
func (b *block) count() counters {
	m, n := b.m, format.BoardCounterCount
	turn, first := m.Reg("count_turn", numberBits(), 0), m.Reg("count_first", 1, 1) // nothing is in the memory
	ends := turn.Is(uint64(n - 1))
	turn.Set(hdl.Mux(ends, turn.K(0), turn.AddK(1)))
	m.If(ends, func() { first.SetK(0) })

	// All turns but its own let n - 1 cycles pass, each with a pulse at most.
	width := hdl.Log2(n + 1)
	var recent []hdl.Bits
	for i := range n {
		r := m.Reg(fmt.Sprintf("count_%v", format.BoardCounter(i)), width, 0)
		r.Set(hdl.Mux(turn.Is(uint64(i)), r.K(0), r).Add(b.io.Counts.Bit(i).ZExt(width)))
		recent = append(recent, r)
	}

	// A stage to choose, a stage to add.
	at, chosen := m.Reg("count_at", numberBits(), 0), m.Reg("count_chosen", width, 0)
	starts, adds := m.Reg("count_starts", 1, 0), m.Reg("count_adds", 1, 0)
	at.Set(turn)
	chosen.Set(hdl.Select(turn, recent...))
	starts.Set(first)
	adds.SetK(1)
	totals := m.LUTRAM("count_totals", 1<<numberBits(), 32)
	total := hdl.Mux(starts, hdl.K(32, 0), totals.At(at)).Add(chosen.ZExt(32))
	totals.Write(at, adds, total)

	c := counters{number: m.RegN("counted", numberBits()), total: m.RegN("counted_total", 32), known: m.Reg("counted_known", 1, 0)}
	c.number.Set(at)
	c.total.Set(total)
	c.known.Set(adds)
	return c
}
