package pulses

import (
	"gornic/hdl"
)

// A Counter is one of [Count]'s.
type Counter struct {
	Name  string
	Pulse hdl.Bits // one bit
}

// Totals are the totals of counters, told one after the other.
type Totals struct {
	Number hdl.Bits // this counter
	Total  hdl.Bits // has this total, as of a few cycles ago; 32 bits
	Known  hdl.Bits // from the first turn on
}

// Count counts the pulses of counters, modulo 2^32. Each has a few bits of its own, which count until its turn comes, one
// each cycle; then they are added to its total, in a small memory. That costs a quarter of what registers of 32 bits would.
func Count(m *hdl.Module, counters []Counter) Totals {
	n := len(counters)
	bits := hdl.Log2(n)
	turn, first := m.Reg("count_turn", bits, 0), m.Reg("count_first", 1, 1) // nothing is in the memory
	ends := turn.Is(uint64(n - 1))
	turn.Set(hdl.Mux(ends, turn.K(0), turn.AddK(1)))
	m.If(ends, func() { first.SetK(0) })

	// All turns but its own let n - 1 cycles pass, each with a pulse at most.
	width := hdl.Log2(n + 1)
	var recent []hdl.Bits
	for i, c := range counters {
		r := m.Reg("count_"+c.Name, width, 0)
		r.Set(hdl.Mux(turn.Is(uint64(i)), r.K(0), r).Add(c.Pulse.ZExt(width)))
		recent = append(recent, r)
	}

	// A stage to choose, a stage to add.
	at, chosen := m.Reg("count_at", bits, 0), m.Reg("count_chosen", width, 0)
	starts, adds := m.Reg("count_starts", 1, 0), m.Reg("count_adds", 1, 0)
	at.Set(turn)
	chosen.Set(hdl.Select(turn, recent...))
	starts.Set(first)
	adds.SetK(1)
	totals := m.LUTRAM("count_totals", 1<<bits, 32)
	total := hdl.Mux(starts, hdl.K(32, 0), totals.At(at)).Add(chosen.ZExt(32))
	totals.Write(at, adds, total)

	t := Totals{Number: m.RegN("counted", bits), Total: m.RegN("counted_total", 32), Known: m.Reg("counted_known", 1, 0)}
	t.Number.Set(at)
	t.Total.Set(total)
	t.Known.Set(adds)
	return t
}
