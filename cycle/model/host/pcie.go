package host

import (
	"fmt"
	"math"

	"gornic/cycle/simkit"
	"gornic/tb/wire"
)

// PCIeConfig is a link and what is behind it. Times are in cycles of the core.
type PCIeConfig struct {
	Gen, Lanes     int
	MPS, MRRS, RCB int // bytes
	Tags           int // reads outstanding
	Posted         int // header credits of writes
	NonPosted      int // and of reads
	Latency        float64
	Jitter         float64 // mean of what is added, exponential
	TailPerMille   int     // of reads that take Tail more
	Tail           float64
	Hz             float64 // of the core
	BeatBytes      int
	Seed           uint64
}

// gigatransfers of a lane in a second, by generation.
var gigatransfers = [...]float64{1: 2.5, 2: 5, 3: 8, 4: 16, 5: 32, 6: 64}

// Bytes of a TLP beside its payload: framing, sequence number and LCRC, and the header (of 64-bit addresses).
const (
	requestOverhead    = 24
	completionOverhead = 20
)

// unit is a fraction of a cycle in which times of the link are counted: integers, so that they are the same everywhere.
const unit = 1 << 10

// PCIe is memory behind a PCIe link, TLP by TLP: a read becomes requests of at most MRRS bytes, each with a tag and a credit; its
// data comes in completions of at most MPS bytes that end at multiples of RCB; a write becomes TLPs of at most MPS bytes.
// Both directions of the link carry what its rate lets them. Completions of one read are in order, and so are the answers that the core
// sees, as AXI wants it of one ID, and the bridge keeps it of all.
type PCIe struct {
	c        PCIeConfig
	perByte  int64   // units of a byte on the link
	up, down int64   // when each direction is free, in units: up is from the core to the host
	tags     []int64 // when each tag is free, in units
	np       []int64 // when each credit for a read is back
	p        []int64 // and for a write
	nextTag  int
	nextNP   int
	nextP    int
	beats    simkit.Cycle // of the channel of read beats: when it is free
	count    uint64
}

// NewPCIe returns memory behind a link. The error says what of the configuration cannot be.
func NewPCIe(c PCIeConfig) (*PCIe, error) {
	switch {
	case c.Gen < 1 || c.Gen >= len(gigatransfers):
		return nil, fmt.Errorf("pcie: generation %d: expected 1 to %d", c.Gen, len(gigatransfers)-1)
	case c.Lanes < 1 || c.Lanes > 16 || c.Lanes&(c.Lanes-1) != 0:
		return nil, fmt.Errorf("pcie: %d lanes: expected 1, 2, 4, 8 or 16", c.Lanes)
	case !power(c.MPS, 128, 4096):
		return nil, fmt.Errorf("pcie: MPS of %d bytes: expected a power of two from 128 to 4096", c.MPS)
	case !power(c.MRRS, 128, 4096):
		return nil, fmt.Errorf("pcie: MRRS of %d bytes: expected a power of two from 128 to 4096", c.MRRS)
	case c.RCB != 64 && c.RCB != 128:
		return nil, fmt.Errorf("pcie: RCB of %d bytes: expected 64 or 128", c.RCB)
	case c.Tags < 1 || c.Tags > 1024:
		return nil, fmt.Errorf("pcie: %d tags: expected 1 to 1024", c.Tags)
	case c.Posted < 1 || c.NonPosted < 1:
		return nil, fmt.Errorf("pcie: %d posted and %d non-posted credits: expected 1 or more of each", c.Posted, c.NonPosted)
	}
	p := &PCIe{
		c: c, perByte: int64(math.Round(unit * c.Hz / bytesPerSecond(c.Gen, c.Lanes))),
		tags: make([]int64, c.Tags), np: make([]int64, c.NonPosted), p: make([]int64, c.Posted),
	}
	p.perByte = max(p.perByte, 1)
	return p, nil
}

// bytesPerSecond is the rate of a link in one direction: that of its lanes less the encoding.
func bytesPerSecond(gen, lanes int) float64 {
	encoding := 128.0 / 130
	if gen < 3 {
		encoding = 0.8
	}
	return gigatransfers[gen] * 1e9 / 8 * encoding * float64(lanes)
}

func power(v, low, high int) bool { return low <= v && v <= high && v&(v-1) == 0 }

// Accepts is that of Bus: a tag and a credit have to be free.
func (p *PCIe) Accepts(now simkit.Cycle, write bool, _ int32) simkit.Cycle {
	free := p.p[p.nextP]
	if !write {
		free = max(p.tags[p.nextTag], p.np[p.nextNP])
	}
	return max(now, (free+unit-1)/unit)
}

// Read is that of Bus.
func (p *PCIe) Read(taken simkit.Cycle, beats, bytes int32) (first, last simkit.Cycle) {
	at, ends := taken*unit, int64(0)
	begins := int64(math.MaxInt64)
	for left := int(bytes); left > 0; {
		n := min(left, p.c.MRRS)
		left -= n
		from, to := p.request(at, n)
		begins, ends = min(begins, from), max(ends, to)
	}
	// The bridge gives beats without gaps: the first one so that the last one is there.
	last = max((ends+unit-1)/unit, p.beats+simkit.Cycle(beats)-1)
	first = max(last-simkit.Cycle(beats)+1, (begins+unit-1)/unit, p.beats)
	p.beats = last + 1
	return first, last
}

// request is one read request: when its first completion has come, and its last.
func (p *PCIe) request(at int64, bytes int) (first, last int64) {
	at = max(at, p.tags[p.nextTag], p.np[p.nextNP])
	p.up = max(p.up, at) + requestOverhead*p.perByte
	arrived := p.up + p.latency()
	p.np[p.nextNP] = arrived
	p.nextNP = (p.nextNP + 1) % len(p.np)
	first = math.MaxInt64
	for left := bytes; left > 0; {
		n := min(left, p.c.MPS)
		left -= n
		p.down = max(p.down, arrived) + int64(n+completionOverhead)*p.perByte
		first, last = min(first, p.down), p.down
	}
	p.tags[p.nextTag] = last
	p.nextTag = (p.nextTag + 1) % len(p.tags)
	return first, last
}

// latency is that of one read: from the request in the link to its first completion.
func (p *PCIe) latency() int64 {
	l := p.c.Latency
	p.count++
	if p.c.Jitter > 0 {
		u := float64(wire.Hash(p.c.Seed, p.count)>>11)/(1<<53) + 1.0/(1<<54)
		l -= math.Log(u) * p.c.Jitter
	}
	if p.c.TailPerMille > 0 && wire.Hash(p.c.Seed, p.count, 1)%1000 < uint64(p.c.TailPerMille) {
		l += p.c.Tail
	}
	return int64(l * unit)
}

// Write is that of Bus. A posted write is answered by the bridge as soon as it is on the link; its credit is back
// when the host has taken it, half the latency of a read later.
func (p *PCIe) Write(taken simkit.Cycle, _, bytes int32) simkit.Cycle {
	at := taken * unit
	for left := int(bytes); left > 0; {
		n := min(left, p.c.MPS)
		left -= n
		p.up = max(p.up, at, p.p[p.nextP]) + int64(n+requestOverhead)*p.perByte
		p.p[p.nextP] = p.up + int64(p.c.Latency*unit/2)
		p.nextP = (p.nextP + 1) % len(p.p)
	}
	return (p.up+unit-1)/unit + 1
}
