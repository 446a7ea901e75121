package boardregs

import "gornic/format"

// Reference is the block in plain Go.
type Reference struct {
	Params   Params
	Settings map[uint32]uint32 // by offset
	Links    []uint32          // of each port
	Peer     [3]uint32         // BoardRegPeer and the two behind it
	Counters [format.BoardCounterCount]uint32
}

// NewReference is a board after reset.
func NewReference(p Params) *Reference {
	r := &Reference{Params: p, Links: make([]uint32, len(p.Ports)), Settings: map[uint32]uint32{format.BoardRegLEDs: 0, format.BoardRegDivisor: uint32(p.Divisor)}}
	for i, d := range p.Ports {
		at := format.BoardRegPort + uint32(i)*format.BoardPortBytes
		r.Settings[at+format.BoardPortMACLow] = uint32(d.MAC)
		r.Settings[at+format.BoardPortMACHigh] = uint32(d.MAC >> 32)
		r.Settings[at+format.BoardPortIPv4] = d.IPv4
		r.Settings[at+format.BoardPortRxDelay] = uint32(d.RxDelay)
	}
	return r
}

// masks are the bits that settings have; all, where they are not listed.
var masks = map[uint32]uint32{
	format.BoardRegLEDs: 0xFFFF, format.BoardRegPort + format.BoardPortMACHigh: 0xFFFF, format.BoardRegPort + format.BoardPortRxDelay: 0x7F,
}

// Write writes a word; false: there is no such register, or it cannot have that value.
func (r *Reference) Write(offset, value uint32) bool {
	if _, ok := r.Settings[offset]; !ok {
		return offset == format.BoardRegReset && value == format.BoardResetKey
	}
	if offset == format.BoardRegDivisor && (value < 8 || value > 0xFFFF) {
		return false
	}
	first := offset
	if offset >= format.BoardRegPort {
		first = format.BoardRegPort + (offset-format.BoardRegPort)%format.BoardPortBytes
	}
	if mask, ok := masks[first]; ok {
		value &= mask
	}
	r.Settings[offset] = value
	return true
}

// Read reads a word; false: there is none.
func (r *Reference) Read(offset uint32) (uint32, bool) {
	if v, ok := r.Settings[offset]; ok {
		return v, true
	}
	name := append([]byte(r.Params.Name), make([]byte, 8)...)
	word := func(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24 }
	switch {
	case offset == format.BoardRegID:
		return format.BoardID, true
	case offset == format.BoardRegVersion:
		return 1 << 16, true
	case offset == format.BoardRegNameLow, offset == format.BoardRegNameHigh:
		return word(name[offset-format.BoardRegNameLow:]), true
	case offset == format.BoardRegClock:
		return uint32(r.Params.ClockKHz), true
	case offset == format.BoardRegMemory:
		return uint32(r.Params.Memory), true
	case offset == format.BoardRegHosts:
		return uint32(len(r.Params.Ports)<<8 | r.Params.Hosts), true
	case offset >= format.BoardRegPeer && offset <= format.BoardRegSession:
		return r.Peer[(offset-format.BoardRegPeer)/4], true
	case offset >= format.BoardRegCounters && offset < format.BoardRegCounters+4*uint32(format.BoardCounterCount):
		return r.Counters[(offset-format.BoardRegCounters)/4], true
	}
	for i, link := range r.Links {
		if offset == format.BoardRegPort+uint32(i)*format.BoardPortBytes+format.BoardPortLink {
			return link, true
		}
	}
	return 0, false
}
