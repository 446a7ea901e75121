package standin

import (
	"fmt"
	"math"

	"gornic/format"
	"gornic/tb/frames/talk"
)

// A region is registered memory of the station, and what it has to hold.
type region struct {
	s    *station
	key  uint32
	va   uint64 // of its first byte
	addr uint64 // the same as a bus address
	want []byte
	what string // for people
	dead bool   // its key has been invalidated
}

// regionMax is the most bytes of a region: more are a capture that is not understood.
const regionMax = 256 << 20

// newRegion registers n bytes, at least 1, under a key. Its memory starts anywhere in a
// page.
func newRegion(s *station, what string, key uint32, va uint64, n uint64, rights uint64) (*region, error) {
	if n > regionMax {
		return nil, fmt.Errorf("%s of %d bytes, want no more than %d", what, n, regionMax)
	}
	addr, err := s.memory.Alloc(n, 1)
	if err != nil {
		return nil, err
	}
	r := &region{s: s, key: key, va: va, addr: addr, want: s.memory.Peek(addr, int(n)), what: what}
	return r, command(s, format.CmdWriteKey, format.KeyEntry[uint64]{
		Key: uint64(key), PD: domain, State: format.KeyValid, VA: va, Length: n, Translation: addr, Rights: rights,
	})
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

// free ends the key and gives the memory back.
func (r *region) free() error {
	if !r.dead {
		if err := command(r.s, format.CmdInvalidate, format.KeyRef[uint64]{Key: uint64(r.key)}); err != nil {
			return err
		}
	}
	return r.s.memory.Free(r.addr)
}

// targets makes the regions that the WRITEs of a conversation name, exactly as large as
// those that were not refused for their key want them.
func targets(s *station, c *talk.Conversation) (map[uint32]*region, error) {
	type span struct{ from, to uint64 } // both included
	spans := map[uint32]span{}
	for _, r := range c.Requests() {
		good := r.Fate == talk.Done || r.Fate == talk.Refused && r.Cause != talk.BadKey
		m := r.Message
		if !good || m == nil || !m.Write || m.Length == 0 || m.Length > format.MessageMax {
			continue
		}
		at, ok := spans[m.RKey]
		if !ok {
			at = span{math.MaxUint64, 0}
		}
		spans[m.RKey] = span{min(at.from, m.VA), max(at.to, m.VA+uint64(m.Length-1))}
	}
	regions := map[uint32]*region{}
	for key, at := range spans {
		what := fmt.Sprintf("region of key %#x", key)
		r, err := newRegion(s, what, key, at.from, at.to-at.from+1, format.AccessLocalWrite|format.AccessRemoteWrite)
		if err != nil {
			return nil, err
		}
		regions[key] = r
	}
	return regions, nil
}

// keysOf are the keys that a capture names.
func keysOf(all []*talk.Conversation) map[uint32]bool {
	keys := map[uint32]bool{}
	for _, c := range all {
		for _, r := range c.Requests() {
			if r.Has(format.ExtRETH) {
				keys[uint32(r.RETH.RKey)] = true
			}
			if r.Has(format.ExtIETH) {
				keys[uint32(r.IETH.RKey)] = true
			}
		}
	}
	return keys
}
