package verbs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"

	"gornic/format"
)

// MRInitAttr says what a memory region is.
type MRInitAttr struct {
	Addr   uint64 // its first virtual address, which SGEs and peers use; 0 with AccessZeroBased
	Length uint64 // bytes
	Access Access
	Bus    uint64 // where Addr is on the bus, if the region is contiguous there
	// Otherwise the bus addresses of its pages, from the one that Addr is in to
	// the one of the last byte. The pages are PageSize bytes, a power of two from
	// 4 KiB to 2 MiB, and aligned to it. A page may occur more than once.
	Pages    []uint64
	PageSize uint64
	Key      uint32 // the key it shall have; 0: the driver chooses
}

// MR is a memory region (ibv_mr).
type MR struct {
	keyHolder
	pd     *PD
	attr   MRInitAttr
	list   uint64 // bus address of the page list
	listed bool   // there is one
	fast   bool   // it is that of a [FastMR]
	dead   bool
	seen   *atomic.Pointer[sight]
}

// sight is what can be seen of a region without a turn at its device.
type sight struct {
	key          uint32
	addr, length uint64
}

// show makes seen what the region is.
func (m *MR) show() {
	if m.seen == nil {
		m.seen = new(atomic.Pointer[sight])
	}
	m.seen.Store(&sight{m.key, m.attr.Addr, m.attr.Length})
}

// RegMR registers length bytes of shared memory at a bus address under the same
// virtual address, or under 0 with [AccessZeroBased] (ibv_reg_mr).
func (p *PD) RegMR(ctx context.Context, addr, length uint64, access Access) (*MR, error) {
	attr := MRInitAttr{Addr: addr, Length: length, Access: access, Bus: addr}
	if access&AccessZeroBased != 0 {
		attr.Addr = 0
	}
	return p.CreateMR(ctx, attr)
}

// CreateMR registers a region of any kind (ibv_reg_mr_iova).
func (p *PD) CreateMR(ctx context.Context, attr MRInitAttr) (*MR, error) {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	m, err := p.createMR(ctx, attr)
	if err != nil {
		return nil, fmt.Errorf("verbs: register MR: %w", err)
	}
	return m, nil
}

func (p *PD) createMR(ctx context.Context, attr MRInitAttr) (*MR, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	if err := attr.check(); err != nil {
		return nil, err
	}
	key, err := p.d.takeKey(attr.Key)
	if err != nil {
		return nil, err
	}
	m := &MR{keyHolder: keyHolder{key: key}, pd: p, attr: attr}
	if err := m.writeKey(ctx); err != nil {
		return nil, err
	}
	p.add(m)
	return m, nil
}

// add makes a region known that the device has.
func (p *PD) add(m *MR) {
	m.show()
	p.users++
	p.d.mrs[m.index()] = m
}

// writeKey makes the page list and the entry of the key table. If the device
// refuses, both are given back.
func (m *MR) writeKey(ctx context.Context) error {
	if m.attr.paged() {
		if err := m.writeList(ctx); err != nil {
			m.pd.d.giveKey(m.key)
			return err
		}
	}
	err := m.pd.d.makeKey(ctx, m.entry())
	if refused(err) {
		err = errors.Join(err, m.freeList())
	}
	return err
}

// entry is the region in the key table.
func (m *MR) entry() format.KeyEntry[uint64] {
	e := format.KeyEntry[uint64]{
		Key: uint64(m.key), PD: uint64(m.pd.number), State: format.KeyValid, Type: format.KeyRegion,
		VA: m.attr.Addr, Length: m.attr.Length, Translation: m.attr.Bus, Rights: uint64(m.attr.Access),
	}
	if m.listed {
		e.Translation, e.PageShift = m.list, uint64(bits.TrailingZeros64(m.attr.PageSize))
	}
	return e
}

// writeList makes a page list of the region's pages.
func (m *MR) writeList(ctx context.Context) error {
	bus := m.pd.d.bus
	list, err := bus.Alloc(8*uint64(len(m.attr.Pages)), tableAlign)
	if err != nil {
		return fmt.Errorf("page list: %w", err)
	}
	if err := bus.WriteMemory(ctx, list, pageList(m.attr.Pages)); err != nil {
		return fmt.Errorf("page list: %w", errors.Join(err, bus.Free(list)))
	}
	m.list, m.listed = list, true
	return nil
}

// pageList is a page list as the device reads it.
func pageList(pages []uint64) []byte {
	b := make([]byte, 0, 8*len(pages))
	for _, page := range pages {
		b = binary.LittleEndian.AppendUint64(b, page)
	}
	return b
}

func (m *MR) freeList() error {
	if !m.listed {
		return nil
	}
	m.listed = false
	return m.pd.d.bus.Free(m.list)
}

func (a *MRInitAttr) check() error {
	const needLocal = AccessRemoteWrite | AccessRemoteAtomic
	switch {
	case a.Length == 0:
		return invalid("a region of no bytes")
	case a.Addr+(a.Length-1) < a.Addr || !a.paged() && a.Bus+(a.Length-1) < a.Bus:
		return invalid("%#x bytes at %#x: beyond the end of the address space", a.Length, a.Addr)
	case a.Access&^accessAll != 0:
		return invalid("access %#x", a.Access)
	case a.Access&needLocal != 0 && a.Access&AccessLocalWrite == 0:
		return invalid("remote write or atomic access needs local write access")
	case a.Access&AccessZeroBased != 0 && a.Addr != 0:
		return invalid("a zero-based region at %#x", a.Addr)
	case a.paged():
		return a.checkPages()
	case a.PageSize != 0:
		return invalid("a page size without pages")
	}
	return nil
}

func (a *MRInitAttr) paged() bool { return len(a.Pages) > 0 }

func (a *MRInitAttr) checkPages() error {
	if bits.OnesCount64(a.PageSize) != 1 || a.PageSize < 1<<format.PageShiftMin || a.PageSize > 1<<format.PageShiftMax {
		return invalid("page size %d, want a power of two from %d to %d", a.PageSize, 1<<format.PageShiftMin, 1<<format.PageShiftMax)
	}
	shift := bits.TrailingZeros64(a.PageSize)
	want := (a.Addr+(a.Length-1))>>shift - a.Addr>>shift + 1
	if uint64(len(a.Pages)) != want {
		return invalid("%d pages for %#x bytes at %#x, want %d of %d bytes", len(a.Pages), a.Length, a.Addr, want, a.PageSize)
	}
	for i, page := range a.Pages {
		if page&(a.PageSize-1) != 0 {
			return invalid("page %d at %#x is not aligned to %d bytes", i, page, a.PageSize)
		}
	}
	return nil
}

// LKey returns the key for SGEs. It is the same as RKey.
func (m *MR) LKey() uint32 { return m.seen.Load().key }

// RKey returns the key for peers.
func (m *MR) RKey() uint32 { return m.LKey() }

// Addr returns the first virtual address.
func (m *MR) Addr() uint64 { return m.seen.Load().addr }

// Length returns the length in bytes.
func (m *MR) Length() uint64 { return m.seen.Load().length }

// SGE returns the element for length bytes from offset on. It is not checked
// against the region: that is the device's concern.
func (m *MR) SGE(offset uint64, length uint32) SGE {
	seen := m.seen.Load()
	return SGE{Addr: seen.addr + offset, Length: length, LKey: seen.key}
}

// Query returns the region's entry of the key table as the device has it.
func (m *MR) Query(ctx context.Context) (format.KeyEntry[uint64], error) {
	m.pd.d.mu.Lock()
	defer m.pd.d.mu.Unlock()
	entry, err := m.query(ctx, m.pd.d)
	if err != nil {
		return entry, fmt.Errorf("verbs: query MR %#x: %w", m.key, err)
	}
	return entry, nil
}

// Dereg revokes the region's key (ibv_dereg_mr). When it returns, the device
// accesses the region no more. While memory windows are bound to it, it wraps
// [ErrBusy].
func (m *MR) Dereg(ctx context.Context) error {
	m.pd.d.mu.Lock()
	defer m.pd.d.mu.Unlock()
	err := m.alive()
	if err == nil {
		err = m.deregister(ctx)
	}
	if err != nil {
		return fmt.Errorf("verbs: deregister MR %#x: %w", m.key, err)
	}
	return nil
}

func (m *MR) alive() error {
	if m.dead {
		return ErrDestroyed
	}
	return m.pd.d.usable()
}

func (m *MR) deregister(ctx context.Context) error {
	if err := m.revoke(ctx, m.pd.d); err != nil {
		return err
	}
	return m.gone()
}

// gone forgets a region that the device has no more.
func (m *MR) gone() error {
	m.dead = true
	m.pd.users--
	delete(m.pd.d.mrs, m.index())
	m.pd.d.giveKey(m.key)
	return m.freeList()
}
