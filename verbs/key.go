package verbs

import (
	"context"
	"fmt"
	"slices"

	"gornic/format"
)

// IncRKey returns a key with the next tag: the low 8 bits (ibv_inc_rkey).
func IncRKey(key uint32) uint32 { return key&^tagMask | (key+1)&tagMask }

const tagMask = 1<<format.KeyTagBits - 1

// keyHolder is what an MR and an MW have in common: an index of the key table. Work
// requests change the tag behind the driver's back when they are executed, or do
// not, if they fail: past are the keys that the device may have.
type keyHolder struct {
	key  uint32   // as it is when all that is posted has succeeded
	past []uint32 // without key
}

// become notes a key that a work request was posted for.
func (h *keyHolder) become(key uint32) {
	if key == h.key {
		return
	}
	h.past = append(slices.DeleteFunc(h.past, func(k uint32) bool { return k == key }), h.key)
	h.key = key
}

func (h *keyHolder) index() uint32 { return h.key >> format.KeyTagBits }

// owns tells whether a key is of this index.
func (h *keyHolder) owns(key uint32) bool { return key>>format.KeyTagBits == h.index() }

// try runs a command on the key, whichever the device has.
func (h *keyHolder) try(command func(key uint32) error) error {
	err := command(h.key)
	for _, key := range slices.Backward(h.past) {
		if !refusedWith(err, format.CmdBadNumber) {
			break
		}
		err = command(key)
	}
	return err
}

// revoke ends the key.
func (h *keyHolder) revoke(ctx context.Context, d *Device) error {
	return h.try(func(key uint32) error {
		return run(ctx, d, format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(key)})
	})
}

// query returns the entry of the key as the device has it.
func (h *keyHolder) query(ctx context.Context, d *Device) (format.KeyEntry[uint64], error) {
	var entry format.KeyEntry[uint64]
	err := h.try(func(key uint32) error {
		var err error
		entry, err = query[format.KeyEntry[uint64]](ctx, d, format.CmdQueryKey, format.KeyRef[uint64]{Key: uint64(key)})
		return err
	})
	return entry, err
}

// makeKey writes the entry of a new key. If the device refuses, the index is free
// again.
func (d *Device) makeKey(ctx context.Context, e format.KeyEntry[uint64]) error {
	err := run(ctx, d, format.CmdWriteKey, e)
	if refused(err) {
		d.mrNumbers.release(uint32(e.Key) >> format.KeyTagBits)
	}
	return err
}

// takeKey returns a key: the one that is wanted, or one of the driver's choice,
// with a tag that its index did not have last time.
func (d *Device) takeKey(want uint32) (uint32, error) {
	if want != 0 {
		index := want >> format.KeyTagBits
		if err := d.mrNumbers.claim(index); err != nil {
			return 0, fmt.Errorf("index of key %#x: %w", want, err)
		}
		d.mrTags[index] = uint8(want) + 1
		return want, nil
	}
	index, err := d.mrNumbers.take()
	if err != nil {
		return 0, err
	}
	tag := d.mrTags[index]
	d.mrTags[index] = tag + 1
	return index<<format.KeyTagBits | uint32(tag), nil
}

// giveKey gives the index of a dead key back.
func (d *Device) giveKey(key uint32) {
	index := key >> format.KeyTagBits
	d.mrTags[index] = uint8(key) + 1
	d.mrNumbers.release(index)
}
