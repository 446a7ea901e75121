package host

import (
	"fmt"
	"math/rand/v2"
	"sort"
)

// PageBytes is the unit in which memory is kept, and the boundary that no AXI
// burst may cross.
const PageBytes = 4096

// Options of a [Memory]. The zero value is good.
type Options struct {
	Seed        uint64 // of places and patterns
	AddressBits int    // width of a bus address, 16 to 64; 0: 64
	Guard       int    // bytes of each guard zone; 0: 256
}

const (
	defaultGuard   = 256
	minAddressBits = 16
)

// Memory is a sparse memory. See the package comment.
type Memory struct {
	seed    uint64
	guard   uint64
	last    uint64 // the highest bus address
	random  *rand.Rand
	regions []region // by address
	recent  int      // the region of the last access
	pages   map[uint64]*[PageBytes]byte
	faults  []*Fault
	hooks   []*hook
}

// region is an allocation with its guard zones, from low to high, both included.
// The allocation itself is from start to end, both included.
type region struct{ low, start, end, high uint64 }

func (r region) size() uint64 { return r.end - r.start + 1 }

// New makes an empty memory. Options that make no sense are an error.
func New(o Options) (*Memory, error) {
	if o.AddressBits == 0 {
		o.AddressBits = 64
	}
	if o.Guard == 0 {
		o.Guard = defaultGuard
	}
	if o.AddressBits < minAddressBits || o.AddressBits > 64 {
		return nil, fmt.Errorf("host: an address of %d bits: want %d to 64", o.AddressBits, minAddressBits)
	}
	if o.Guard < 0 || o.Guard > 1<<min(o.AddressBits-2, 30) {
		return nil, fmt.Errorf("host: guard zones of %d bytes do not fit %d address bits", o.Guard, o.AddressBits)
	}
	return &Memory{
		seed: o.Seed, guard: uint64(o.Guard), last: ^uint64(0) >> (64 - o.AddressBits),
		random: rand.New(rand.NewPCG(o.Seed, 0x686F7374)),
		pages:  map[uint64]*[PageBytes]byte{},
	}, nil
}

// find returns the number of the region that holds addr, guard zones included.
func (m *Memory) find(addr uint64) (int, bool) {
	if i := m.recent; i < len(m.regions) && addr >= m.regions[i].low && addr <= m.regions[i].high {
		return i, true
	}
	i := m.after(addr) - 1
	if i < 0 || addr > m.regions[i].high {
		return 0, false
	}
	m.recent = i
	return i, true
}

// after returns the number of the first region that starts above addr.
func (m *Memory) after(addr uint64) int {
	return sort.Search(len(m.regions), func(i int) bool { return m.regions[i].low > addr })
}

// get copies memory to b, without any check.
func (m *Memory) get(addr uint64, b []byte) {
	for len(b) > 0 {
		n := inPage(addr, len(b))
		if p := m.pages[addr/PageBytes]; p != nil {
			copy(b[:n], p[addr%PageBytes:])
		} else {
			m.fill(addr, b[:n])
		}
		addr, b = addr+uint64(n), b[n:]
	}
}

// put copies b to memory, without any check.
func (m *Memory) put(addr uint64, b []byte) {
	for len(b) > 0 {
		n := inPage(addr, len(b))
		copy(m.page(addr)[addr%PageBytes:], b[:n])
		addr, b = addr+uint64(n), b[n:]
	}
}

// page returns the page of addr to write to.
func (m *Memory) page(addr uint64) *[PageBytes]byte {
	p := m.pages[addr/PageBytes]
	if p == nil {
		p = new([PageBytes]byte)
		m.fill(addr&^(PageBytes-1), p[:])
		m.pages[addr/PageBytes] = p
	}
	return p
}

// inPage returns how many of n bytes from addr on are in its page.
func inPage(addr uint64, n int) int { return min(n, int(PageBytes-addr%PageBytes)) }
