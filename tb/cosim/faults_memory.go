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

// unreadableList is n bytes of a region of pages whose list the bus refuses to give.
func (h *faultHost) unreadableList(ctx context.Context, n uint32) (verbs.SGE, error) {
	const page = 4096
	buf, err := h.dev.AllocBuffer(2*page, page)
	if err != nil {
		return verbs.SGE{}, err
	}
	h.taken()
	s, err := h.register(ctx, h.pd, verbs.MRInitAttr{
		Addr: page - 100, Length: page, Access: allAccess, Pages: []uint64{buf.Addr() + page, buf.Addr()}, PageSize: page,
	}, 0, n)
	if err != nil {
		return s, err
	}
	list := h.taken()[0]
	h.InjectFault(list.addr, list.size, host.Reads)
	return s, nil
}
