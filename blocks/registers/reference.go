package registers

import "gornic/format"

// Reference is what a driver sees of registers and mailbox, in plain Go.
type Reference struct {
	Caps0, Caps1 uint32
	Caps2        uint32
	Settings     map[uint32]uint32 // by offset
	Mailbox      [32]uint32
	Running      bool
	Code, Status uint32
	Pending      uint32
	Counters     [format.CounterCount]uint32
}

// widths are those of the registers that software sets.
var widths = map[uint32]int{
	format.RegControl: 1, format.RegMACLow: 32, format.RegMACHigh: 16, format.RegKeyBaseLow: 32, format.RegKeyBaseHigh: 32,
	format.RegKeyLogSize: 5, format.RegModeration: 32,
}

// NewReference is a device after reset, with a line rate in Mb/s.
func NewReference(lineRate uint64) *Reference {
	r := &Reference{Settings: map[uint32]uint32{}}
	for i, v := range format.CongestionDefaults(lineRate).Fields() {
		r.Settings[format.RegCongestion+4*uint32(i)] = uint32(v)
	}
	return r
}

// congestionWidths are those of the registers of congestion control, from the first one on.
var congestionWidths = [...]int{12, 18, 18, 18, 18, 18, 15, 16, 12, 12, 10, 10, 4, 8, 4, 1, 1}

// width is that of a register that software sets, 0 if it is none.
func width(offset uint32) int {
	if i := (int(offset) - format.RegCongestion) / 4; offset >= format.RegCongestion && i < len(congestionWidths) {
		return congestionWidths[i]
	}
	return widths[offset]
}

// Write writes a word below the doorbell pages; false: there is no such register
// now.
func (r *Reference) Write(offset, value uint32) bool {
	if w := width(offset); w > 0 {
		r.Settings[offset] = uint32(uint64(value) & (1<<w - 1))
		return true
	}
	switch {
	case offset == format.RegIRQPending:
		r.Pending &^= value
	case offset >= format.RegMailbox && offset < format.RegMailbox+format.MailboxBytes && !r.Running:
		r.Mailbox[(offset-format.RegMailbox)/4] = value
	case offset == format.RegMailboxGo && !r.Running:
		r.Running, r.Code = true, value&0xFF
	default:
		return false
	}
	return true
}

// Read reads a word below the doorbell pages; false: there is none.
func (r *Reference) Read(offset uint32) (uint32, bool) {
	if v, ok := r.Settings[offset]; ok || width(offset) > 0 {
		return v, true
	}
	flag := uint32(0)
	if r.Running {
		flag = 1
	}
	switch {
	case offset == format.RegID:
		return format.DeviceID, true
	case offset == format.RegVersion:
		return Version, true
	case offset == format.RegCaps0:
		return r.Caps0, true
	case offset == format.RegCaps1:
		return r.Caps1, true
	case offset == format.RegCaps2:
		return r.Caps2, true
	case offset == format.RegStatus:
		return r.Settings[format.RegControl] | flag<<1, true
	case offset == format.RegIRQPending:
		return r.Pending, true
	case offset == format.RegMailboxDone:
		return flag<<31 | r.Status, true
	case offset >= format.RegMailbox && offset < format.RegMailbox+format.MailboxBytes:
		return r.Mailbox[(offset-format.RegMailbox)/4], true
	case offset >= format.RegCounters && offset < format.RegCounters+4*uint32(format.CounterCount):
		return r.Counters[(offset-format.RegCounters)/4], true
	}
	return 0, false
}
