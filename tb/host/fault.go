package host

import "slices"

// Kinds are the accesses that a fault answers.
type Kinds uint8

// Kinds of access.
const (
	Reads Kinds = 1 << iota
	Writes
)

// Fault is a range of addresses that answers a device with an error.
type Fault struct {
	memory *Memory
	first  uint64
	last   uint64
	kinds  Kinds
	hits   int
}

// InjectFault makes each access of a device fail that is of one of kinds and
// touches one of the size bytes from addr on, at least one. It lasts until
// [Fault.Remove].
func (m *Memory) InjectFault(addr, size uint64, kinds Kinds) *Fault {
	last := addr + (max(size, 1) - 1)
	if last < addr {
		last = m.last
	}
	f := &Fault{memory: m, first: addr, last: last, kinds: kinds}
	m.faults = append(m.faults, f)
	return f
}

// Remove ends the fault.
func (f *Fault) Remove() {
	f.memory.faults = slices.DeleteFunc(f.memory.faults, func(g *Fault) bool { return g == f })
}

// Hits returns how many accesses met the fault.
func (f *Fault) Hits() int { return f.hits }

func (m *Memory) faulty(write bool, addr uint64, n int) bool {
	kind := Reads
	if write {
		kind = Writes
	}
	for _, f := range m.faults {
		if f.kinds&kind != 0 && addr <= f.last && addr+uint64(n-1) >= f.first {
			f.hits++
			return true
		}
	}
	return false
}
