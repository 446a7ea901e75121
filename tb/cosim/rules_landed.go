package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"gornic/format"
	"gornic/verbs"
)

// number is a number in the buffer of an end.
func (e *faultEnd) number(at int) uint64 { return binary.LittleEndian.Uint64(e.bytes(at, 8)) }

// landed compares what a message without a fault left in memory with what it is about,
// wherever the two ends of it are on the bus.
func landed(ctx context.Context, r *faultRig) error {
	w := r.work
	local, err := r.gather(ctx, sideA, w.send.SGL)
	if err != nil {
		return err
	}
	remote := []verbs.SGE{{Addr: w.send.RemoteAddr, LKey: w.send.RKey, Length: uint32(len(local))}}
	if isSendOp(w.send.Opcode) {
		remote = w.recv.SGL
	}
	there, err := r.gather(ctx, sideB, remote)
	switch {
	case err != nil:
		return err
	case isAtomic(w.send.Opcode):
		return r.counted(local, there)
	case !bytes.Equal(local, there[:len(local)]):
		return fmt.Errorf("%v: the %d bytes of host a are not those of host b", w.send.Opcode, len(local))
	}
	return nil
}

// counted compares the numbers behind an atomic.
func (r *faultRig) counted(result, there []byte) error {
	want := uint64(addend)
	if r.work.send.Opcode == verbs.WRFetchAdd {
		want += r.number
	}
	if got, old := binary.LittleEndian.Uint64(there), binary.LittleEndian.Uint64(result); got != want || old != r.number {
		return fmt.Errorf("%v of %#x made it %#x and returned %#x, expected %#x", r.work.send.Opcode, r.number, got, old, want)
	}
	return nil
}

// gather reads what elements name, by the key table.
func (r *faultRig) gather(ctx context.Context, s side, list []verbs.SGE) ([]byte, error) {
	var all []byte
	for _, x := range list {
		b, err := r.hosts[s].read(ctx, x)
		if err != nil {
			return nil, fmt.Errorf("host %v, %d bytes at %#x: %w", s, x.Length, x.Addr, err)
		}
		all = append(all, b...)
	}
	return all, nil
}

// read reads what an element names.
func (h *faultHost) read(ctx context.Context, x verbs.SGE) ([]byte, error) {
	if x.Length == 0 {
		return nil, nil
	}
	slot, err := h.keySlot(ctx, x.LKey)
	if err != nil {
		return nil, err
	}
	e, err := format.DecodeHost[format.KeyEntry[uint64]](h.Peek(slot.addr, int(slot.size)))
	if err != nil {
		return nil, err
	}
	var b []byte
	for i := range uint64(x.Length) {
		b = append(b, h.Peek(h.busOf(e, x.Addr+i), 1)[0])
	}
	return b, nil
}

// busOf is where a byte of a region is.
func (h *faultHost) busOf(e format.KeyEntry[uint64], va uint64) uint64 {
	if e.PageShift == 0 {
		return e.Translation + va - e.VA
	}
	page := va>>e.PageShift - e.VA>>e.PageShift
	return binary.LittleEndian.Uint64(h.Peek(e.Translation+8*page, 8)) + va&(1<<e.PageShift-1)
}
