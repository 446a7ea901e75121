package boardregs

import (
	"fmt"

	"gornic/blocks/link"
	"gornic/format"
	"gornic/hdl"
)

// Params are the parameters of the block.
type Params struct {
	Name       string     // of the board, up to 8 ASCII characters
	ClockKHz   int        // of the core
	Memory     int        // bytes of host memory on the board
	Hosts      int        // format.BoardHostSerial, format.BoardHostUDP
	Divisor    int        // of the serial line after reset
	ResetAfter int        // cycles from the write that asks for a reset to the reset
	Ports      []Defaults // of each Ethernet port, 1 or 2
}

// Defaults are the settings of a port after reset.
type Defaults struct {
	MAC     uint64 // 48 bits, the first byte on the wire the most significant
	IPv4    uint32 // the first byte on the wire the most significant
	RxDelay int    // taps
}

// nameBytes is the most characters of a name.
const nameBytes = 8

// Validate returns an error for parameters that the block cannot have.
func (p Params) Validate() error {
	if len(p.Name) < 1 || len(p.Name) > nameBytes {
		return fmt.Errorf("boardregs: the name %q: not 1 to %d bytes", p.Name, nameBytes)
	}
	if p.Divisor < format.BoardDivisorLeast || p.Divisor >= 1<<divisorBits {
		return fmt.Errorf("boardregs: a divisor of %d: not %d to %d", p.Divisor, format.BoardDivisorLeast, 1<<divisorBits-1)
	}
	if p.ResetAfter < 1 || p.ResetAfter >= 1<<resetBits {
		return fmt.Errorf("boardregs: a reset after %d cycles: not 1 to %d", p.ResetAfter, 1<<resetBits-1)
	}
	if len(p.Ports) < 1 || len(p.Ports) > format.BoardPorts {
		return fmt.Errorf("boardregs: %d ports: not 1 to %d", len(p.Ports), format.BoardPorts)
	}
	for i, d := range p.Ports {
		if d.MAC>>48 != 0 || d.RxDelay < 0 || d.RxDelay > format.BoardDelayTaps {
			return fmt.Errorf("boardregs: port %d has MAC %#x and a delay of %d taps: not 48 bits, 0 to %d", i, d.MAC, d.RxDelay, format.BoardDelayTaps)
		}
	}
	return nil
}

// Widths of settings.
const (
	divisorBits = 16
	delayBits   = 7
	resetBits   = 24
	addressBits = 12
)

// Port is the settings of an Ethernet port.
type Port struct {
	MAC     hdl.Bits `w:"48"` // the first byte on the wire the most significant
	IPv4    hdl.Bits `w:"32"` // the first byte on the wire the most significant; 0: none
	RxDelay hdl.Bits `w:"7"`  // taps
}

// Link is what the PHY of a port says.
type Link struct {
	Up     hdl.Bits `w:"1"`
	Speed  hdl.Bits `w:"2"` // 2: 1 Gb/s
	Duplex hdl.Bits `w:"1"`
}

// Peer is the PC that serves memory over UDP.
type Peer struct {
	Up      hdl.Bits `w:"1"`
	UDPPort hdl.Bits `w:"16"`
	IPv4    hdl.Bits `w:"32"`
	Session hdl.Bits `w:"32"`
}

// LEDs are those that software has taken (Mine), and what they show.
type LEDs struct {
	Value hdl.Bits `w:"8"`
	Mine  hdl.Bits `w:"8"`
}

// IO is the ports of the block.
type IO struct {
	Bus     link.AXILite `hdl:"in" name:"s_axil"`
	Ports   []Port       `hdl:"out"`
	Links   []Link       `hdl:"in"`
	Peer    Peer         `hdl:"in"`
	Counts  hdl.Bits     `hdl:"in"` // a pulse of each counter: bit i of format.BoardCounter i
	Divisor hdl.Bits     `hdl:"out" w:"16"`
	LEDs    LEDs         `hdl:"out" name:"leds"`
	Reset   hdl.Bits     `hdl:"out" w:"1"`
}

// Def is the block. Building it with parameters that are not valid fails.
func Def(p Params) hdl.Def[IO] {
	address := hdl.W(addressBits)
	return hdl.Def[IO]{
		Name: "boardregs_" + p.Name,
		Doc:  "AXI4-Lite slave: the registers of a board.",
		IO: IO{
			Bus:   link.AXILite{AWAddr: address, ARAddr: address},
			Ports: make([]Port, len(p.Ports)), Links: make([]Link, len(p.Ports)),
			Counts: hdl.W(format.BoardCounterCount),
		},
		Body: func(m *hdl.Module, io *IO) {
			if err := p.Validate(); err != nil {
				m.Reject("%v", err)
			}
			b := &block{m: m, p: p, io: io, writes: m.Wire("writes", 1)}
			b.write()
			b.settings()
			b.reset()
			b.read(b.count())
			b.properties()
		},
	}
}

// block is the module while it is built.
type block struct {
	m  *hdl.Module
	p  Params
	io *IO

	writes hdl.Bits // a word is written
	at     hdl.Bits // to this offset in words
	data   hdl.Bits
}

// Responses of AXI.
const (
	respOKAY   = 0
	respSLVERR = 2
)

// write takes address and data together, and looks at them in the next cycle.
func (b *block) write() {
	m, bus := b.m, &b.io.Bus
	held, answers := m.Reg("write_held", 1, 0), m.Reg("write_answers", 1, 0)
	b.at, b.data = m.RegN("write_at", addressBits-2), m.RegN("write_data", 32)
	whole, resp := m.RegN("write_whole", 1), m.RegN("write_resp", 2)
	m.Unused(bus.AWProt, bus.AWAddr.Slice(1, 0))

	takes := hdl.AndAll(bus.AWValid, bus.WValid, held.Not(), answers.Not())
	bus.AWReady.Set(takes)
	bus.WReady.Set(takes)
	held.Set(takes)
	m.If(takes, func() {
		b.at.Set(bus.AWAddr.Slice(addressBits-1, 2))
		b.data.Set(bus.WData)
		whole.Set(bus.WStrb.All())
	})
	good := whole.And(b.writable())
	b.writes.Set(held.And(good))
	m.If(bus.BReady, func() { answers.SetK(0) })
	m.If(held, func() {
		answers.SetK(1)
		resp.Set(hdl.Mux(good, hdl.K(2, respOKAY), hdl.K(2, respSLVERR)))
	})
	bus.BValid.Set(answers)
	bus.BResp.Set(resp)
}

// is returns one bit: the write is to this offset.
func (b *block) is(offset uint32) hdl.Bits { return b.at.Is(uint64(offset) / 4) }

// writable returns one bit: there is such a register, and it can have that value.
func (b *block) writable() hdl.Bits {
	known := hdl.K(1, 0)
	for _, r := range format.BoardRegisters() {
		if r.Access != format.ReadOnly && r.Offset < portOffset(len(b.p.Ports)) {
			known = known.Or(b.is(r.Offset))
		}
	}
	fits := b.data.LtK(1 << divisorBits).And(b.data.Trunc(divisorBits).GeK(format.BoardDivisorLeast))
	resets := b.data.Is(format.BoardResetKey)
	return hdl.AndAll(known, b.is(format.BoardRegDivisor).Not().Or(fits), b.is(format.BoardRegReset).Not().Or(resets))
}

// settings are the registers that software sets.
func (b *block) settings() {
	set := func(offset uint32, name string, width int, reset uint64) hdl.Bits {
		r := b.m.Reg(name, width, reset)
		b.m.If(b.writes.And(b.is(offset)), func() { r.Set(b.data.Trunc(width)) })
		return r
	}
	leds := set(format.BoardRegLEDs, "led_register", 16, 0)
	hdl.Set(b.io.LEDs, LEDs{Value: leds.Slice(7, 0), Mine: leds.Slice(15, 8)})
	b.io.Divisor.Set(set(format.BoardRegDivisor, "divisor_register", divisorBits, uint64(b.p.Divisor)))
	for i, port := range b.io.Ports {
		at, d := portOffset(i), b.p.Ports[i]
		name := func(s string) string { return fmt.Sprintf("port%d_%s", i, s) }
		low := set(at+format.BoardPortMACLow, name("mac_low"), 32, d.MAC&0xFFFFFFFF)
		high := set(at+format.BoardPortMACHigh, name("mac_high"), 16, d.MAC>>32)
		hdl.Set(port, Port{
			MAC:     hdl.Cat(high, low),
			IPv4:    set(at+format.BoardPortIPv4, name("ipv4"), 32, uint64(d.IPv4)),
			RxDelay: set(at+format.BoardPortRxDelay, name("rx_delay"), delayBits, uint64(d.RxDelay)),
		})
	}
}

// portOffset is where the registers of a port begin.
func portOffset(port int) uint32 { return format.BoardRegPort + uint32(port)*format.BoardPortBytes }

// resetCycles is how long the reset lasts if it does not end itself.
const resetCycles = 16

// reset counts from the write that asks for it to the reset, and to its end.
func (b *block) reset() {
	m := b.m
	asked, count, high := m.Reg("reset_asked", 1, 0), m.Reg("reset_count", resetBits, 0), m.Reg("reset_high", 1, 0)
	m.If(asked, func() { count.Set(count.SubK(1)) })
	over := m.Reg("reset_count_over", 1, 0) // a cycle late
	over.Set(asked.And(count.None()))
	m.If(over, func() {
		asked.Set(high.Not())
		high.Set(high.Not())
		count.SetK(resetCycles)
		over.SetK(0)
	})
	m.If(b.writes.And(b.is(format.BoardRegReset)), func() {
		asked.SetK(1)
		high.SetK(0)
		count.SetK(uint64(b.p.ResetAfter))
		over.SetK(0)
	})
	b.io.Reset.Set(high)
}
