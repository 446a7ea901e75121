package top

import "gornic/hdl"

// A second has about 1 << 26 cycles: alive blinks at about 1 Hz, or 4 Hz where port 0 has a link, and a
// light that shows events shines for an eighth of a second.
const (
	blinkSlow = 25
	blinkFast = 23
	eventBits = 23
)

// lights drives the LEDs: software's, or the board's status.
func (b *digital) lights() {
	m := b.m
	clock := m.Reg("blink", blinkSlow+1, 0)
	clock.Set(clock.AddK(1))
	up := func(i int) hdl.Bits {
		if i >= len(b.ports) {
			return hdl.K(1, 0)
		}
		return b.ports[i].Status.Link
	}
	fault := hdl.K(1, 0)
	if b.serial != nil {
		fault = b.shine("light_fault", b.serial.Counts.Any())
	}
	status := []hdl.Bits{
		hdl.Mux(up(0), clock.Bit(blinkFast), clock.Bit(blinkSlow)), up(0), up(1), b.peer().Up,
		b.shine("light_in", b.ports[0].Count.RxGood), b.shine("light_out", b.ports[0].Count.TxGood), b.core.IRQ, fault,
	}
	leds := b.boardregs.LEDs
	var lit []hdl.Bits
	for i := range b.p.Board.LEDs.Count {
		lit = append([]hdl.Bits{hdl.Mux(leds.Mine.Bit(i), leds.Value.Bit(i), status[i])}, lit...)
	}
	b.io.LEDs.Set(hdl.Cat(lit...))
	for i := b.p.Board.LEDs.Count; i < len(status); i++ {
		m.Unused(leds.Mine.Bit(i), leds.Value.Bit(i), status[i])
	}
}

// shine is one for a while after an event.
func (b *digital) shine(name string, event hdl.Bits) hdl.Bits {
	left := b.m.Reg(name, eventBits, 0)
	b.m.If(left.IsNot(0), func() { left.Set(left.SubK(1)) })
	b.m.If(event, func() { left.Set(hdl.Ones(eventBits)) })
	return left.Any()
}
