package retry

import "gornic/hdl"

const (
	tickBits = 33 // deadlines are compared modulo twice the longest timeout
	rnrBits  = 18
)

// rnrUnits is the wait of each timer code of an RNR NAK in units of 10 us (protocol section 1.6).
var rnrUnits = [32]uint64{
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
}

// rnrTicks is how many ticks to wait for a timer code: rounded up, and one more, as the tick
// in which the wait begins has passed in part.
func (b *block) rnrTicks(code hdl.Bits) hdl.Bits {
	var ticks []uint64
	for _, units := range rnrUnits {
		ticks = append(ticks, (units*10_000+4095)/4096+1)
	}
	return b.m.Table("rnr_ticks", code, rnrBits, ticks...)
}

// ackTicks is how many ticks an ACK timeout takes that is not 0: 2^Timeout, and one more.
func (b *block) ackTicks() hdl.Bits {
	return hdl.K(tickBits, 1).Shl(b.timers().Timeout).Or(hdl.K(tickBits, 1))
}

// time counts ticks.
func (b *block) time() {
	m := b.m
	cycle := m.Reg("cycle", hdl.Log2(b.p.Tick), 0)
	b.ticks.Set(cycle.Is(uint64(b.p.Tick - 1)))
	cycle.Set(hdl.Mux(b.ticks, cycle.K(0), cycle.AddK(1)))
	m.If(b.ticks, func() { b.tick.Set(b.tick.AddK(1)) })
}
