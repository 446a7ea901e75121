package main

import (
	"context"

	"gornic/format"
	"gornic/tb/host"
	"gornic/verbs"
)

// register makes a region and returns n bytes of it.
func (h *faultHost) register(ctx context.Context, pd *verbs.PD, attr verbs.MRInitAttr, offset uint64, n uint32) (verbs.SGE, error) {
	mr, err := h.keyed(func() (*verbs.MR, error) { return pd.CreateMR(ctx, attr) })
	if err != nil {
		return verbs.SGE{}, err
	}
	return mr.SGE(offset, n), nil
}

// keyed lets the device write to the key table meanwhile: commands make it do so.
func (h *faultHost) keyed(make func() (*verbs.MR, error)) (*verbs.MR, error) {
	h.commands = true
	defer func() { h.commands = false }()
	return make()
}

// keySlot is where the entry of a key is.
func (h *faultHost) keySlot(ctx context.Context, key uint32) (piece, error) {
	low, err := h.ReadRegister(ctx, format.RegKeyBaseLow)
	if err != nil {
		return piece{}, err
	}
	high, err := h.ReadRegister(ctx, format.RegKeyBaseHigh)
	size := uint64(format.Size[format.KeyEntry[uint64]]())
	return piece{uint64(high)<<32 + uint64(low) + uint64(key>>format.KeyTagBits)*size, size}, err
}

// unreadableKey makes the bus refuse to give the entry of a key.
func (h *faultHost) unreadableKey(ctx context.Context, key uint32) error {
	p, err := h.keySlot(ctx, key)
	if err == nil {
		h.InjectFault(p.addr, p.size, host.Reads)
	}
	return err
}

// scattered is a region of two pages, the second before the first on the bus, that
// begins some bytes before the end of its first page.
type scattered struct {
	sge    verbs.SGE
	pieces []piece // of sge, on the bus
	list   piece   // its page list
}

const (
	pageShift = 12
	pageBytes = 1 << pageShift
)

// pages makes n bytes of two pages, of which some are in the first.
func (h *faultHost) pages(ctx context.Context, first, n int) (scattered, error) {
	buf, err := h.dev.AllocBuffer(2*pageBytes, pageBytes)
	if err != nil {
		return scattered{}, err
	}
	h.taken()
	low, high := min(first, n), max(n-first, 0)
	s := scattered{pieces: []piece{{buf.Addr() + 2*pageBytes - uint64(first), uint64(low)}, {buf.Addr(), uint64(high)}}}
	s.sge, err = h.register(ctx, h.pd, verbs.MRInitAttr{
		Addr: 3*pageBytes - uint64(first), Length: pageBytes, Access: allAccess | verbs.AccessMWBind, Pages: []uint64{buf.Addr() + pageBytes, buf.Addr()}, PageSize: pageBytes,
	}, 0, uint32(n))
	if err == nil {
		s.list = h.taken()[0]
	}
	return s, err
}

// pagedKey is a region of scattered pages with some contents, of which the bus refuses
// to give the list, or not.
func (h *faultHost) pagedKey(ctx context.Context, contents []byte, unreadable bool) (verbs.SGE, error) {
	s, err := h.pages(ctx, 104, len(contents))
	if err != nil {
		return s.sge, err
	}
	if unreadable {
		h.InjectFault(s.list.addr, s.list.size, host.Reads)
	}
	for _, p := range s.pieces {
		if err := h.WriteMemory(ctx, p.addr, contents[:p.size]); err != nil {
			return s.sge, err
		}
		contents = contents[p.size:]
		h.allowed = append(h.allowed, p)
	}
	return s.sge, nil
}
