package standin

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gornic/format"
	"gornic/tb/frames/talk"
)

// A region is memory of the station that has a key, and what it has to hold.
type region struct {
	s      *station
	what   string // for people
	key    uint32
	va     uint64 // of its first byte
	rights uint64
	kind   uint64 // format.KeyRegion or KeyFastRegion
	whole  bool   // numbers that are aligned in it are so on the bus
	held   bool   // its key is in the key table, and valid

	memory uint64 // bus address of its allocation
	addr   uint64 // of its first byte
	want   []byte
}

// regionMax is the most bytes of a region: more are a capture that is not understood.
const regionMax = 256 << 20

// alloc gives the region n bytes, at least 1. Its memory starts anywhere in a page.
func (r *region) alloc(n uint64) error {
	if n > regionMax {
		return fmt.Errorf("%s of %d bytes, want no more than %d", r.what, n, regionMax)
	}
	skip, align := uint64(0), uint64(1)
	if r.whole {
		skip, align = r.va&7, 8
	}
	var err error
	if r.memory, err = r.s.memory.Alloc(skip+n, align); err != nil {
		return err
	}
	r.addr = r.memory + skip
	r.want = r.s.memory.Peek(r.addr, int(n))
	return nil
}

// hold makes the key of the region.
func (r *region) hold() error {
	r.held = true
	return command(r.s, format.CmdWriteKey, format.KeyEntry[uint64]{
		Key: uint64(r.key), PD: domain, State: format.KeyValid, Type: r.kind, VA: r.va, Length: uint64(len(r.want)), Translation: r.addr, Rights: r.rights,
	})
}

// end takes the key out of the key table, valid or not.
func (r *region) end() error {
	r.held = false
	return command(r.s, format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(r.key)})
}

// load makes bytes at an offset what they are: the host writes them.
func (r *region) load(offset int, b []byte) error {
	r.put(offset, b)
	return r.s.memory.Write(r.addr+uint64(offset), b)
}

// put tells that bytes have to be at an offset from now on.
func (r *region) put(offset int, b []byte) { copy(r.want[offset:], b) }

// check compares memory with what it has to hold.
func (r *region) check() error { return r.checkPart(0, len(r.want)) }

// checkPart is check of n bytes at an offset.
func (r *region) checkPart(offset, n int) error {
	got := r.s.memory.Peek(r.addr+uint64(offset), n)
	for i, b := range r.want[offset : offset+n] {
		if got[i] != b {
			at := offset + i
			return fmt.Errorf("%s, byte %d of %d (virtual address %#x) is %#02x, expected %#02x", r.what, at, len(r.want), r.va+uint64(at), got[i], b)
		}
	}
	return nil
}

// free gives the memory back.
func (r *region) free() error { return r.s.memory.Free(r.memory) }

// span is the addresses of a region, both included, and what it has to be.
type span struct {
	from, to   uint64
	fast, word bool // a message ends it; atomics work on it
}

// targets makes the regions that a conversation names, exactly as large as the requests
// that were not refused for their key want them. Their keys are not made yet.
func targets(s *station, c *talk.Conversation) (map[uint32]*region, error) {
	regions, all := map[uint32]*region{}, spans(c)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		at := all[key]
		r := &region{
			s: s, what: fmt.Sprintf("region of key %#x", key), key: key, va: at.from, rights: format.AccessLocalWrite | peerRights, whole: at.word,
		}
		if at.fast {
			r.kind = format.KeyFastRegion
		}
		if err := r.alloc(at.to - at.from + 1); err != nil {
			return nil, err
		}
		regions[key] = r
	}
	return regions, nil
}

// spans are what a conversation wants of each key.
func spans(c *talk.Conversation) map[uint32]span {
	all := map[uint32]span{}
	at := func(key uint32) span {
		if s, ok := all[key]; ok {
			return s
		}
		return span{from: math.MaxUint64}
	}
	for _, r := range c.Requests() {
		m := r.Message
		if good := r.Fate == talk.Done || r.Fate == talk.Refused && r.Cause != talk.BadKey; !good || m == nil {
			continue
		}
		if m.Kind != talk.Send && m.Length > 0 && m.Length <= format.MessageMax {
			s := at(m.RKey)
			s.from, s.to, s.word = min(s.from, m.VA), max(s.to, m.VA+uint64(m.Length-1)), s.word || m.Kind == talk.Atomic
			all[m.RKey] = s
		}
		if m.Invalidates && r.Has(format.ExtIETH) {
			s := at(m.Ends)
			s.fast = true
			all[m.Ends] = s
		}
	}
	for key, s := range all {
		if s.to < s.from { // a key that is ended and not used
			all[key] = span{fast: true}
		}
	}
	return all
}

// keysOf are the keys that a capture names.
func keysOf(all []*talk.Conversation) map[uint32]bool {
	keys := map[uint32]bool{}
	for _, c := range all {
		for _, r := range c.Requests() {
			switch {
			case r.Has(format.ExtRETH):
				keys[uint32(r.RETH.RKey)] = true
			case r.Has(format.ExtAtomicETH):
				keys[uint32(r.AtomicETH.RKey)] = true
			case r.Has(format.ExtIETH):
				keys[uint32(r.IETH.RKey)] = true
			}
		}
	}
	return keys
}
