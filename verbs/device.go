package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"gornic/format"
)

// Config is what [Open] needs to know. The zero value opens a device that has a
// MAC address already.
type Config struct {
	MAC        MAC    // of the port; zero: as the device has it
	LogKeys    int    // log2 of the entries of the key table, 1 to 24; 0: 10
	Events     int    // entries of event queue 0, rounded up to a power of two; 0: 256
	Moderation uint32 // least clock cycles between two interrupts of a vector
}

const (
	defaultLogKeys = 10
	defaultEvents  = 256
	maxLogKeys     = format.KeyIndexBits
)

// Device is an open device (ibv_context). Its methods and those of all that was
// made from it may be called from several goroutines; they take turns.
type Device struct {
	bus  Bus
	line io.Closer // what OpenDevice opened; nil: nothing
	attr DeviceAttr

	mu             turns // held by every exported method; the fields below are its
	closed         bool
	commandRunning bool
	logQPs         int
	keyTable       uint64 // bus address

	eq0   *EQ
	eqs   []*EQ // by number
	cqs   map[uint32]*CQ
	qps   map[uint32]*QP // by QPN
	mrs   map[uint32]*MR // by index of the key
	mws   map[uint32]*MW // by index of the key
	async []AsyncEvent   // not yet asked for

	eqNumbers *numbers
	cqNumbers *numbers
	qpNumbers *numbers // the indices
	pdNumbers *numbers
	mrNumbers *numbers          // the indices, of MRs and MWs
	qpTags    map[uint32]uint32 // of the next QP, by index
	mrTags    map[uint32]uint8  // of the next key, by index
}

// Open takes over the device behind bus: it reads what the device can do, sets
// the MAC address and the key table, makes event queue 0 and enables the device.
// What a program left behind that ended without [Device.Close] is destroyed first;
// the device accesses nothing of it any more when Open returns. Open wraps
// [ErrNoDevice] if there is none.
func Open(ctx context.Context, bus Bus, c Config) (*Device, error) {
	d := &Device{
		bus: bus, mu: newTurns(), cqs: map[uint32]*CQ{}, qps: map[uint32]*QP{}, mrs: map[uint32]*MR{}, mws: map[uint32]*MW{},
		qpTags: map[uint32]uint32{}, mrTags: map[uint32]uint8{},
	}
	if err := d.open(ctx, c); err != nil {
		return nil, fmt.Errorf("verbs: open: %w", err)
	}
	return d, nil
}

func (d *Device) open(ctx context.Context, c Config) error {
	if c.LogKeys == 0 {
		c.LogKeys = defaultLogKeys
	}
	if c.LogKeys < 1 || c.LogKeys > maxLogKeys {
		return invalid("LogKeys is %d, want 1 to %d", c.LogKeys, maxLogKeys)
	}
	if err := d.identify(ctx, c); err != nil {
		return err
	}
	if used, err := d.enabled(ctx); err != nil {
		return err
	} else if used {
		if err := d.takeOver(ctx); err != nil {
			return fmt.Errorf("what was left behind: %w", err)
		}
	}
	if err := d.setMAC(ctx, c.MAC); err != nil {
		return err
	}
	if err := d.setKeyTable(ctx, c.LogKeys); err != nil {
		return err
	}
	if err := d.enable(ctx, c); err != nil {
		return errors.Join(err, d.bus.Free(d.keyTable))
	}
	return nil
}

// enable makes event queue 0 and lets packets in and out.
func (d *Device) enable(ctx context.Context, c Config) error {
	if err := d.bus.WriteRegister(ctx, format.RegModeration, c.Moderation); err != nil {
		return err
	}
	if c.Events == 0 {
		c.Events = defaultEvents
	}
	var err error
	d.eq0, err = d.createEQ(ctx, EQInitAttr{Entries: c.Events})
	if refusedWith(err, format.CmdBadNumber) { // it was left behind by who did not come to enable the device
		if err = d.takeOver(ctx); err == nil {
			d.eq0, err = d.createEQ(ctx, EQInitAttr{Entries: c.Events})
		}
	}
	if err != nil {
		return fmt.Errorf("event queue: %w", err)
	}
	return d.bus.WriteRegister(ctx, format.RegControl, format.ControlEnable)
}

// setMAC writes the MAC address, unless it is zero, and reads it back.
func (d *Device) setMAC(ctx context.Context, mac MAC) error {
	if mac != (MAC{}) {
		if err := d.write64(ctx, format.RegMACLow, mac.number()); err != nil {
			return err
		}
	}
	low, err := d.bus.ReadRegister(ctx, format.RegMACLow)
	if err != nil {
		return err
	}
	high, err := d.bus.ReadRegister(ctx, format.RegMACHigh)
	if err != nil {
		return err
	}
	d.attr.MAC = macOf(uint64(high)<<32 | uint64(low))
	return d.attr.MAC.check()
}

func (d *Device) setKeyTable(ctx context.Context, logKeys int) error {
	addr, err := d.allocZero(ctx, uint64(format.Size[format.KeyEntry[uint64]]())<<logKeys, tableAlign)
	if err != nil {
		return fmt.Errorf("key table: %w", err)
	}
	d.keyTable = addr
	if err := d.write64(ctx, format.RegKeyBaseLow, addr); err != nil {
		return err
	}
	return d.bus.WriteRegister(ctx, format.RegKeyLogSize, uint32(logKeys))
}

// write64 writes a pair of registers.
func (d *Device) write64(ctx context.Context, low uint32, value uint64) error {
	if err := d.bus.WriteRegister(ctx, low, uint32(value)); err != nil {
		return err
	}
	return d.bus.WriteRegister(ctx, low+4, uint32(value>>32))
}

// Close destroys everything that was made from the device, disables it and gives
// its shared memory back, all but that of [Buffer]s. Whatever fails, the rest is
// done; the errors are joined.
func (d *Device) Close(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	var errs []error
	for _, n := range slices.Sorted(maps.Keys(d.qps)) {
		errs = append(errs, d.qps[n].destroy(ctx))
	}
	for _, n := range slices.Sorted(maps.Keys(d.cqs)) {
		errs = append(errs, d.cqs[n].destroy(ctx))
	}
	for _, n := range slices.Sorted(maps.Keys(d.mws)) {
		errs = append(errs, d.mws[n].dealloc(ctx))
	}
	for _, n := range slices.Sorted(maps.Keys(d.mrs)) {
		errs = append(errs, d.mrs[n].deregister(ctx))
	}
	errs = append(errs, d.bus.WriteRegister(ctx, format.RegControl, 0))
	for _, q := range slices.Backward(slices.Clone(d.eqs)) {
		errs = append(errs, q.destroy(ctx))
	}
	errs = append(errs, d.bus.Free(d.keyTable))
	if d.line != nil {
		errs = append(errs, d.line.Close())
	}
	d.closed = true
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("verbs: close: %w", err)
	}
	return nil
}

// Wait lets the device work until it has something new, or for a short while, and
// takes in the events it reported. A loop that polls calls it between polls.
func (d *Device) Wait(ctx context.Context) error {
	if err := d.mu.LockContext(ctx); err != nil {
		return fmt.Errorf("verbs: wait: %w", err)
	}
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return err
	}
	if err := d.bus.Wait(ctx); err != nil {
		return fmt.Errorf("verbs: wait: %w", err)
	}
	return d.service(ctx)
}

// await lets the device work until ready, which is called with the lock held and
// after events were taken in, reports true or an error.
func (d *Device) await(ctx context.Context, ready func() (bool, error)) error {
	for {
		done, err := d.awaitOnce(ctx, ready)
		if done || err != nil {
			return err
		}
	}
}

func (d *Device) awaitOnce(ctx context.Context, ready func() (bool, error)) (bool, error) {
	if err := d.mu.LockContext(ctx); err != nil {
		return false, err
	}
	defer d.mu.Unlock()
	if err := d.usable(); err != nil {
		return false, err
	}
	if err := d.service(ctx); err != nil {
		return false, err
	}
	if done, err := ready(); done || err != nil {
		return done, err
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return false, d.bus.Wait(ctx)
}

func (d *Device) usable() error {
	if d.closed {
		return fmt.Errorf("verbs: device: %w", ErrDestroyed)
	}
	return nil
}

// doorbell writes a doorbell: its kind is its offset in the page.
func (d *Device) doorbell(ctx context.Context, page int, kind uint32, index uint16, number uint32) error {
	offset := uint32(format.DoorbellBase+page*format.DoorbellPageBytes) + kind
	if err := d.bus.WriteRegister(ctx, offset, uint32(index)<<16|number&0xFFFF); err != nil {
		return fmt.Errorf("doorbell: %w", err)
	}
	return nil
}
