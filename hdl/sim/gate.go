package sim

// PatternKind says how a stream model picks the cycles in which it may act.
type PatternKind int

// The kinds of pattern.
const (
	Always   PatternKind = iota // in each cycle
	Never                       // in none
	Random                      // in Percent of the cycles, each drawn for itself
	Burst                       // on for 1..On cycles, then off for 1..Off cycles, lengths drawn
	Periodic                    // on for On cycles, then off for Off cycles
)

// Pattern is the gaps of a source or the pauses of a sink. The zero value is
// full speed.
type Pattern struct {
	Kind    PatternKind
	Percent uint32 // Random: 0..100
	On, Off uint32 // Burst and Periodic: at least 1
	Seed    uint64 // of Random and Burst
}

// Gate turns a pattern into one yes or no a cycle. It is the contract between
// backends: each implements it to the bit.
//
// A source: at each rising edge of its clock
//
//	reset high  -> valid is driven low, nothing else happens
//	otherwise   -> accepted = valid && ready (as sampled); if accepted, the head of the queue is removed
//	               go = gate.Next()         (always one draw)
//	               if valid && !accepted: everything holds
//	               else if go and the queue is not empty: valid high, data = the head
//	               else: valid low, and each word of the packed data = gate.Draw, cut to its width,
//	               in the cycle where valid falls; it holds afterwards
//
// A sink: at each rising edge of its clock
//
//	reset high  -> ready is driven low, nothing else happens
//	otherwise   -> accepted = valid && ready (as sampled); if accepted, the beat is recorded
//	               go = gate.Next()         (always one draw)
//	               ready = go && (!WaitValid || valid && !accepted)
//
// A stream without Ready behaves as if ready were always high.
type Gate struct {
	Pattern
	Draw  uint64 // the last number drawn
	state uint64
	left  uint32
	on    bool
}

// NewGate returns a gate at the start of its pattern.
func NewGate(p Pattern) Gate { return Gate{Pattern: p, state: p.Seed} }

// Next draws a number and says whether the model may act.
func (g *Gate) Next() bool {
	g.Draw = SplitMix64(&g.state)
	switch g.Kind {
	case Always:
		return true
	case Random:
		return g.scale(100) < g.Percent
	case Burst, Periodic:
		return g.phase()
	}
	return false
}

// phase counts down the present phase and starts the next one at zero. The
// first phase is on.
func (g *Gate) phase() bool {
	if g.left == 0 {
		g.on = !g.on
		length := g.Off
		if g.on {
			length = g.On
		}
		if g.Kind == Burst {
			length = 1 + g.scale(length)
		}
		g.left = max(length, 1)
	}
	g.left--
	return g.on
}

// scale maps the high half of the last draw to 0..n-1.
func (g *Gate) scale(n uint32) uint32 { return uint32(g.Draw >> 32 * uint64(n) >> 32) }

// SplitMix64 is Steele, Lea and Flood's generator ("Fast Splittable
// Pseudorandom Number Generators", 2014): it advances the state and returns
// 64 random bits.
func SplitMix64(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
