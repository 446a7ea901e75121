package verbs

import (
	"context"
	"fmt"

	"gornic/format"
)

// DeviceAttr is what a device can do (ibv_device_attr).
type DeviceAttr struct {
	Major, Minor  int // version of the formats
	MAC           MAC
	MaxQP         int
	MaxQPWR       int // work requests of one queue
	MaxSendSGE    int
	MaxRecvSGE    int
	MaxInline     int // bytes
	MaxCQ         int
	MaxCQE        int // CQEs of one CQ
	MaxEQ         int
	MaxMR         int // MRs and MWs together
	MaxMTU        MTU
	MaxMessage    uint32 // bytes
	DataWidth     int    // bytes of its bus
	DoorbellPages int
	ReplayEntries int // packets without acknowledgement of one QP
	TimerTick     int // clock cycles of 4.096 us, the unit of retry timers; 0: not known
	MaxRdAtomic   int // READs and atomics of one QP that may be outstanding, in each direction (max_qp_rd_atom)

	Congestion  bool // QPs may have congestion control
	Atomics     bool // WRCompSwap and WRFetchAdd, and those of peers
	KeyRequests bool // WRLocalInv, WRRegMR and WRBindMW
}

const (
	logRingMax   = 15   // log2 of the entries of work queues, CQs and EQs
	logNumberMax = 16   // log2 of QPs, CQs and EQs: a doorbell has 16 bits for them
	tableAlign   = 4096 // of work queues, page lists and the key table
)

// Attr returns what the device can do.
func (d *Device) Attr() DeviceAttr { return d.attr }

// identify reads the registers that say what the device is.
func (d *Device) identify(ctx context.Context, c Config) error {
	var regs [5]uint32
	for i, offset := range [...]uint32{format.RegID, format.RegVersion, format.RegCaps0, format.RegCaps1, format.RegCaps2} {
		value, err := d.bus.ReadRegister(ctx, offset)
		if err != nil {
			return err
		}
		regs[i] = value
	}
	id, version, caps0, caps1, caps2 := regs[0], regs[1], regs[2], regs[3], regs[4]
	if id != format.DeviceID {
		return fmt.Errorf("%w: its id is %#x, want %#x", ErrNoDevice, id, uint32(format.DeviceID))
	}
	if version>>16 != format.VersionMajor {
		return fmt.Errorf("%w: version %d.%d, want %d", ErrNoDevice, version>>16, version&0xFFFF, format.VersionMajor)
	}
	d.logQPs = int(caps0 & 0x1F)
	logCQs, logEQs := caps0>>8&0x1F, caps0>>16&0x1F
	if max(uint32(d.logQPs), logCQs, logEQs) > logNumberMax {
		return fmt.Errorf("%w: capabilities %#x", ErrDevice, caps0)
	}
	d.attr = DeviceAttr{
		Major: int(version >> 16), Minor: int(version & 0xFFFF),
		MaxQP: 1 << d.logQPs, MaxQPWR: 1 << logRingMax,
		MaxSendSGE: format.SendSGEs(format.LogStrideMax), MaxRecvSGE: format.RecvSGEs(format.LogStrideMax),
		MaxInline: format.InlineMax(format.LogStrideMax),
		MaxCQ:     1 << logCQs, MaxCQE: 1 << logRingMax, MaxEQ: 1 << logEQs, MaxMR: 1<<c.LogKeys - 1,
		MaxMTU: MTU(caps0 >> 28 & 7), MaxMessage: format.MessageMax, DataWidth: 1 << (caps0 >> 24 & 7),
		DoorbellPages: int(caps1 & 0xFFFF), ReplayEntries: int(caps1 >> 16 & 0xFF),
		TimerTick: int(caps2 >> 16), MaxRdAtomic: int(caps2 >> 8 & 0xFF), Congestion: caps2&format.CapsCongestion != 0,
		Atomics: caps2&format.CapsNoAtomics == 0, KeyRequests: caps2&format.CapsNoKeyOps == 0,
	}
	d.eqNumbers = newNumbers(0, 1<<logEQs-1)
	d.cqNumbers = newNumbers(0, 1<<logCQs-1)
	d.qpNumbers = newNumbers(0, 1<<d.logQPs-1)
	d.pdNumbers = newNumbers(1, 1<<24-1)
	d.mrNumbers = newNumbers(1, 1<<c.LogKeys-1) // so no key is 0
	return nil
}

// Counter reads a counter of the device. It has 32 bits and wraps.
func (d *Device) Counter(ctx context.Context, c format.Counter) (uint32, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c < 0 || int(c) >= format.CounterCount {
		return 0, fmt.Errorf("verbs: %v: %w", c, ErrInvalid)
	}
	value, err := d.bus.ReadRegister(ctx, format.RegCounters+4*uint32(c))
	if err != nil {
		return 0, fmt.Errorf("verbs: %v: %w", c, err)
	}
	return value, nil
}
