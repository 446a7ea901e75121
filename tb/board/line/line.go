package line

// Level is the line, for some cycles.
type Level struct {
	High   bool
	Cycles int
}

const dataBits = 8

// frameBits are a byte with its start and stop bit.
const frameBits = 1 + dataBits + 1

// Encode is a byte on the line, of bits that take so many cycles each.
func Encode(b byte, divisor int) []Level {
	levels := []Level{{false, divisor}}
	bit := func(high bool) {
		if last := &levels[len(levels)-1]; last.High == high {
			last.Cycles += divisor
		} else {
			levels = append(levels, Level{high, divisor})
		}
	}
	for i := range dataBits {
		bit(b>>i&1 == 1)
	}
	bit(true)
	return levels
}

// FrameCycles is how long a byte takes.
func FrameCycles(divisor int) int { return frameBits * divisor }

// Decoder finds bytes on a line that is high at first. Tell it each edge, and what time it is.
type Decoder struct {
	divisor uint64
	edges   []edge // that may matter yet
	low     bool   // before the first of them
	from    uint64 // no start bit begins before
	bytes   []byte
	breaks  int
}

type edge struct {
	cycle uint64
	low   bool
}

// NewDecoder returns a decoder for bits of so many cycles.
func NewDecoder(divisor int) *Decoder { return &Decoder{divisor: uint64(divisor)} }

// Edge tells that the line has a level from a cycle on.
func (d *Decoder) Edge(high bool, cycle uint64) { d.edges = append(d.edges, edge{cycle, !high}) }

// Until takes the bytes whose last bit was there before a cycle.
func (d *Decoder) Until(cycle uint64) {
	for {
		i := 0
		for i < len(d.edges) && !(d.edges[i].low && d.edges[i].cycle >= d.from) {
			i++
		}
		if i == len(d.edges) || d.edges[i].cycle+frameBits*d.divisor-d.divisor/2 > cycle {
			return
		}
		d.frame(d.edges[i].cycle)
	}
}

// frame samples the middle of each bit of a byte.
func (d *Decoder) frame(start uint64) {
	b := byte(0)
	for i := range uint64(dataBits) {
		if d.high(start + (2*i+3)*d.divisor/2) {
			b |= 1 << i
		}
	}
	d.from = start + (2*dataBits+3)*d.divisor/2
	if d.high(d.from) {
		d.bytes = append(d.bytes, b)
	} else {
		d.breaks++
	}
	for len(d.edges) > 0 && d.edges[0].cycle < d.from {
		d.low = d.edges[0].low
		d.edges = d.edges[1:]
	}
}

// high is the line in a cycle.
func (d *Decoder) high(cycle uint64) bool {
	low := d.low
	for _, e := range d.edges {
		if e.cycle > cycle {
			break
		}
		low = e.low
	}
	return !low
}

// Bytes returns what has come since the last call.
func (d *Decoder) Bytes() []byte {
	b := d.bytes
	d.bytes = nil
	return b
}

// Breaks is how many bytes had no stop bit.
func (d *Decoder) Breaks() int { return d.breaks }
