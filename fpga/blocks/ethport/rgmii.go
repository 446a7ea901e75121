package ethport

import (
	"gornic/fpga/blocks/mac"
	"gornic/hdl"
	"gornic/hdl/stream"
)

// arrived is the symbol that is at the pins in a cycle (RGMII 2.0 section 3.4), in a register.
func arrived(m *hdl.Module, pins Pins) mac.Arrived {
	s := hdl.NewReg(m, "symbol", struct{ Data, Enable, Error hdl.Bits }{hdl.W(8), hdl.W(1), hdl.W(1)})
	s.Data.Set(hdl.Cat(pins.Fall.Data, pins.Rise.Data))
	s.Enable.Set(pins.Rise.Ctl)
	s.Error.Set(pins.Rise.Ctl.Xor(pins.Fall.Ctl))
	return mac.Arrived{Symbol: mac.Symbol{Data: s.Data, Enable: s.Enable}, Error: s.Error, Lost: hdl.K(1, 0)}
}

// setPins puts a symbol on the pins.
func setPins(pins Pins, s mac.Symbol) {
	pins.Rise.Data.Set(s.Data.Trunc(4))
	pins.Fall.Data.Set(s.Data.Slice(7, 4))
	pins.Rise.Ctl.Set(s.Enable)
	pins.Fall.Ctl.Set(s.Enable)
}

// Cycles of the core that a status has to last, and that the clock of a PHY at 10 Mb/s, 2.5 MHz, may take for tickEdges.
const (
	steadyCycles = 15
	aliveCycles  = 1023
	tickEdges    = 16
)

// told is what the receive side knows of the link, in domain rx: the present status, and a level that changes
// every tickEdges / 2 edges of the clock.
type told struct{ status, tick hdl.Bits }

// tell watches the symbols between frames: both control halves low.
func tell(m *hdl.Module, s mac.Arrived) told {
	status := hdl.CrossSafe(m.Reg("status_now", 4, 0))
	m.If(s.Enable.Or(s.Error).Not(), func() { status.Set(s.Data.Trunc(4)) })
	edges := m.Reg("edges", hdl.Log2(tickEdges), 0)
	edges.Set(edges.AddK(1))
	tick := hdl.CrossSafe(m.Reg("tick", 1, 0))
	tick.Set(edges.MSB())
	return told{status, tick}
}

// seeStatus is the status in the domain of the core. Its bits change at once and arrive one by one, so it counts when it
// has been the same for some cycles; without ticks there is no link.
func seeStatus(m *hdl.Module, t told) Status {
	seen := stream.Sync(m, "status_seen", t.status, 0)
	before := m.Reg("status_before", seen.Width(), 0)
	steady := m.Reg("steady", hdl.Log2(steadyCycles+1), 0)
	status := m.Reg("status", seen.Width(), 0)
	before.Set(seen)
	m.If(seen.Ne(before), func() {
		steady.SetK(0)
	}).ElseIf(steady.IsNot(steadyCycles), func() {
		steady.Set(steady.AddK(1))
	}).Else(func() {
		status.Set(before)
	})

	tick := stream.Sync(m, "tick_seen", t.tick, 0)
	tickBefore := m.Reg("tick_before", 1, 0)
	silence := m.Reg("silence", hdl.Log2(aliveCycles+1), aliveCycles)
	tickBefore.Set(tick)
	m.If(tick.Ne(tickBefore), func() {
		silence.SetK(0)
	}).ElseIf(silence.IsNot(aliveCycles), func() {
		silence.Set(silence.AddK(1))
	})
	m.If(silence.Is(aliveCycles), func() { status.SetK(0) })
	return Status{Link: status.Bit(0), Speed: status.Slice(2, 1), Duplex: status.Bit(3)}
}
