package golden

import (
	"encoding/binary"

	"gornic/format"
)

// ReadRegister reads a register at an offset in bytes. What is not there, or is
// not for reading, reads as 0.
func (n *NIC) ReadRegister(offset uint32) uint32 {
	switch {
	case offset%4 != 0:
		return 0
	case within(offset, format.RegMailbox, format.MailboxBytes):
		return binary.LittleEndian.Uint32(n.mailbox[offset-format.RegMailbox:])
	case within(offset, format.RegCounters, 4*uint32(format.CounterCount)):
		return n.counters[(offset-format.RegCounters)/4]
	}
	if r, _ := n.congestionAt(offset); r != nil {
		return *r
	}
	switch offset {
	case format.RegID:
		return format.DeviceID
	case format.RegVersion:
		return format.VersionMajor<<16 | format.VersionMinor
	case format.RegCaps0:
		return n.config.caps0()
	case format.RegCaps1:
		return n.config.caps1()
	case format.RegCaps2:
		return n.config.caps2()
	case format.RegControl, format.RegStatus:
		return n.port.enabledBit()
	case format.RegMACLow:
		return uint32(n.port.mac)
	case format.RegMACHigh:
		return uint32(n.port.mac >> 32)
	case format.RegKeyBaseLow:
		return uint32(n.port.keyBase)
	case format.RegKeyBaseHigh:
		return uint32(n.port.keyBase >> 32)
	case format.RegKeyLogSize:
		return n.port.keyLogSize
	case format.RegModeration:
		return n.port.moderation
	case format.RegIRQPending:
		return n.port.irqPending
	case format.RegMailboxDone:
		return uint32(n.done)
	}
	return 0
}

// WriteRegister writes a register or rings a doorbell at an offset in bytes.
// What is not there, or is not for writing, is left as it is.
func (n *NIC) WriteRegister(offset, value uint32) {
	switch {
	case offset >= format.DoorbellBase:
		n.doorbell(offset-format.DoorbellBase, value)
		return
	case offset%4 != 0:
		return
	case within(offset, format.RegMailbox, format.MailboxBytes):
		binary.LittleEndian.PutUint32(n.mailbox[offset-format.RegMailbox:], value)
		return
	}
	if r, width := n.congestionAt(offset); r != nil {
		*r = value & (1<<width - 1)
		return
	}
	switch offset {
	case format.RegControl:
		n.port.enabled = value&format.ControlEnable != 0
	case format.RegMACLow:
		n.port.mac = n.port.mac&^0xFFFFFFFF | uint64(value)
	case format.RegMACHigh:
		n.port.mac = uint64(value&0xFFFF)<<32 | n.port.mac&0xFFFFFFFF
	case format.RegKeyBaseLow:
		n.port.keyBase = n.port.keyBase&^0xFFFFFFFF | uint64(value&^63)
	case format.RegKeyBaseHigh:
		n.port.keyBase = uint64(value)<<32 | n.port.keyBase&0xFFFFFFFF
	case format.RegKeyLogSize:
		n.port.keyLogSize = min(value, format.KeyIndexBits)
	case format.RegModeration:
		n.port.moderation = value
	case format.RegIRQPending:
		n.port.irqPending &^= value
	case format.RegMailboxGo:
		n.done = n.command(value)
	}
}

func within(offset, start, size uint32) bool { return offset >= start && offset-start < size }

func (p port) enabledBit() uint32 {
	if p.enabled {
		return format.ControlEnable
	}
	return 0
}
