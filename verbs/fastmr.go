package verbs

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"gornic/format"
)

// FastMR is a memory region for fast registration (ib_mr of ib_alloc_mr): made
// once, without memory, then registered by work requests. [FastMR.Map] or
// [FastMR.MapSG] say what the next [WRRegMR] registers; its key is good for the work
// requests behind that one, until a [WRLocalInv] or a peer's SEND with invalidate ends
// it. Then it may be registered again, with another tag of its key ([IncRKey]).
type FastMR struct {
	*MR      // Addr, Length and SGE are those of the last WRRegMR that was posted
	maxPages int
	mapping  MRMapping
	mapped   bool
}

// MRMapping says where a region is: the fields of [MRInitAttr].
type MRMapping struct {
	Addr     uint64
	Length   uint64
	Bus      uint64
	Pages    []uint64
	PageSize uint64
}

// AllocFastMR makes a region for fast registration of up to maxPages pages
// (ib_alloc_mr). With 0 it is for contiguous memory alone.
func (p *PD) AllocFastMR(ctx context.Context, maxPages int) (*FastMR, error) {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	f, err := p.allocFastMR(ctx, maxPages)
	if err != nil {
		return nil, fmt.Errorf("verbs: allocate MR: %w", err)
	}
	return f, nil
}

// maxFastPages bounds a region for fast registration: 2 GiB of the smallest pages.
const maxFastPages = 1 << 19

func (p *PD) allocFastMR(ctx context.Context, maxPages int) (*FastMR, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	if maxPages < 0 || maxPages > maxFastPages {
		return nil, invalid("%d pages, want 0 to %d", maxPages, maxFastPages)
	}
	key, err := p.d.takeKey(0)
	if err != nil {
		return nil, err
	}
	m := &MR{keyHolder: keyHolder{key: key}, pd: p, fast: true}
	if maxPages > 0 {
		if m.list, err = p.d.bus.Alloc(8*uint64(maxPages), tableAlign); err != nil {
			p.d.giveKey(key)
			return nil, fmt.Errorf("page list: %w", err)
		}
		m.listed = true
	}
	err = p.d.makeKey(ctx, format.KeyEntry[uint64]{
		Key: uint64(key), PD: uint64(p.number), State: format.KeyFree, Type: format.KeyFastRegion,
	})
	if refused(err) {
		return nil, errors.Join(err, m.freeList())
	}
	if err != nil {
		return nil, err
	}
	p.add(m)
	return &FastMR{MR: m, maxPages: maxPages}, nil
}

// Map says what the next WRRegMR registers. The page list is the device's as long as
// the key is good: call it only while it is not.
func (f *FastMR) Map(ctx context.Context, m MRMapping) error {
	f.pd.d.mu.Lock()
	defer f.pd.d.mu.Unlock()
	if err := f.remap(ctx, m); err != nil {
		return fmt.Errorf("verbs: map MR %#x: %w", f.key, err)
	}
	return nil
}

func (f *FastMR) remap(ctx context.Context, m MRMapping) error {
	if err := f.alive(); err != nil {
		return err
	}
	attr := MRInitAttr{Addr: m.Addr, Length: m.Length, Bus: m.Bus, Pages: m.Pages, PageSize: m.PageSize}
	if err := attr.check(); err != nil {
		return err
	}
	if len(m.Pages) > f.maxPages {
		return invalid("%d pages, at most %d", len(m.Pages), f.maxPages)
	}
	f.mapped = false
	if len(m.Pages) > 0 {
		if err := f.pd.d.bus.WriteMemory(ctx, f.list, pageList(m.Pages)); err != nil {
			return fmt.Errorf("page list: %w", err)
		}
	}
	f.mapping, f.mapped = m, true
	return nil
}

// BusRange is a piece of shared memory.
type BusRange struct {
	Addr   uint64 // bus address
	Length uint64 // bytes
}

// MapSG is [FastMR.Map] of pieces of memory that the region joins, in pages of
// pageSize bytes (ib_map_mr_sg). Its first virtual address is the bus address of the
// first piece. It returns how many pieces it took: all up to the first that does not
// start with a page, or that the one before does not end with a page before, or that
// no page is left for.
func (f *FastMR) MapSG(ctx context.Context, sg []BusRange, pageSize uint64) (int, error) {
	f.pd.d.mu.Lock()
	defer f.pd.d.mu.Unlock()
	m, n, err := f.join(sg, pageSize)
	if err == nil {
		err = f.remap(ctx, m)
	}
	if err != nil {
		return 0, fmt.Errorf("verbs: map MR %#x: %w", f.key, err)
	}
	return n, nil
}

func (f *FastMR) join(sg []BusRange, pageSize uint64) (MRMapping, int, error) {
	if bits.OnesCount64(pageSize) != 1 || len(sg) == 0 {
		return MRMapping{}, 0, invalid("%d pieces in pages of %d bytes", len(sg), pageSize)
	}
	m := MRMapping{Addr: sg[0].Addr, PageSize: pageSize}
	for i, s := range sg {
		first := s.Addr &^ (pageSize - 1)
		pages := (s.Addr + s.Length - first + pageSize - 1) / pageSize
		gap := i > 0 && (first != s.Addr || (m.Addr+m.Length)%pageSize != 0)
		if gap || s.Length == 0 || s.Addr+(s.Length-1) < s.Addr || pages > uint64(f.maxPages-len(m.Pages)) {
			return m, i, nil
		}
		for j := range pages {
			m.Pages = append(m.Pages, first+j*pageSize)
		}
		m.Length += s.Length
	}
	return m, len(sg), nil
}

// check finds what ibverbs refuses. The rules of keys are the device's concern.
func (r *RegMRWR) check(d *Device) error {
	switch {
	case r.MR == nil || r.MR.pd.d != d:
		return invalid("no region of this device")
	case r.MR.dead:
		return fmt.Errorf("MR %#x: %w", r.MR.key, ErrDestroyed)
	case !r.MR.mapped:
		return invalid("MR %#x is not mapped", r.MR.key)
	case !r.MR.owns(r.Key):
		return invalid("key %#x of a region with key %#x: only the tag may change", r.Key, r.MR.key)
	}
	return nil
}

func (r *RegMRWR) operands() format.RegMROperands[uint64] {
	m := &r.MR.mapping
	o := format.RegMROperands[uint64]{Length: m.Length, Translation: m.Bus, Rights: uint64(r.Access)}
	if len(m.Pages) > 0 {
		o.Translation, o.PageShift = r.MR.list, uint64(bits.TrailingZeros64(m.PageSize))
	}
	return o
}

// posted makes the region what it will be.
func (r *RegMRWR) posted() {
	m := &r.MR.mapping
	r.MR.become(r.Key)
	r.MR.attr = MRInitAttr{Addr: m.Addr, Length: m.Length, Access: r.Access, Bus: m.Bus, Pages: m.Pages, PageSize: m.PageSize}
	r.MR.show()
}
