package ethport

import "gornic/fpga/blocks/mac"

// WirePins is one cycle of RGMII in plain Go: bits 3:0 are the data pins, bit 4 the control pin.
type WirePins struct{ Rise, Fall byte }

// control is the control pin.
const control = 1 << 4

// ToPins is the pins of a symbol.
func ToPins(s mac.WireSymbol) WirePins {
	p := WirePins{Rise: s.Data & 0xF, Fall: s.Data >> 4}
	if s.Enable {
		p.Rise |= control
	}
	if s.Enable != s.Error {
		p.Fall |= control
	}
	return p
}

// FromPins is the symbol on pins.
func FromPins(p WirePins) mac.WireSymbol {
	enable, mixed := p.Rise&control != 0, p.Fall&control != 0
	return mac.WireSymbol{Data: p.Fall<<4 | p.Rise&0xF, Enable: enable, Error: enable != mixed}
}

// Idle is the pins between frames, with the status of the link in them.
func Idle(link bool, speed byte, duplex bool) WirePins {
	low := speed << 1
	if link {
		low |= 1
	}
	if duplex {
		low |= 8
	}
	return ToPins(mac.WireSymbol{Data: low<<4 | low})
}
