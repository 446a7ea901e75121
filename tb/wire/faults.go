package wire

import (
	"fmt"
	"time"

	"gornic/format"
)

// Action is what becomes of a packet on the wire.
type Action uint8

// Actions.
const (
	Pass      Action = iota
	Drop             // it is lost
	Duplicate        // it arrives twice
	Corrupt          // a bit behind the BTH is flipped, so that the ICRC is wrong
	Delay            // frames of its direction overtake it, or time passes: see Rule
	Flip             // one to three bits anywhere in its frame are flipped, where the ICRC does not look, too
	Truncate         // its frame ends early
	Mark             // a router marks it with CE (protocol section 1.8), if its sender said ECT
)

var actionNames = [...]string{"pass", "drop", "duplicate", "corrupt", "delay", "flip", "truncate", "mark"}

func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return fmt.Sprintf("action %d", uint8(a))
}

// Actions returns the names of all actions but [Pass], in their order.
func Actions() []string { return append([]string(nil), actionNames[Drop:]...) }

// ParseAction returns the action of a name, false if there is none.
func ParseAction(name string) (Action, bool) {
	for i, n := range actionNames {
		if n == name {
			return Action(i), true
		}
	}
	return Pass, false
}

// Class says which packets a rule is for.
type Class uint8

// Classes.
const (
	Both Class = iota
	Requests
	Responses
)

// Sender says whose packets a rule is for.
type Sender uint8

// Senders.
const (
	Either Sender = iota
	FromA
	FromB
)

// Million is the rate of a rule that hits every packet.
const Million = 1_000_000

// Rule is one way in which a wire fails.
type Rule struct {
	Action Action
	Class  Class
	Sender Sender
	Rate   int // packets in a million
	// Attempts limits the rule to the first so many times that a packet is sent;
	// 0: no limit. A rule with a limit below the retry count never ends a QP.
	Attempts int
	// Opcode, where it is not nil, limits the rule to packets of one kind.
	Opcode *format.Opcode
	// Only, where it is not nil, limits the rule to one packet: QP, where that is not 0, and PSN count.
	Only *Packet
	// Nth limits the rule to one packet of those that all of the above leave, counted on the link from 1; 0: all.
	Nth int
	// Frames is how many frames overtake a delayed one at most; 0: 8.
	Frames int
	// For, where it is not 0, makes a Delay one in time, of up to so long.
	For time.Duration
}

// Outage is a time in which a link loses every frame, of other protocols, too.
type Outage struct{ At, For time.Duration }

// Faults are the ways in which a wire fails.
type Faults struct {
	Seed    uint64
	Rules   []Rule // the first that hits a packet decides
	Outages []Outage
}

// Decide returns what becomes of a packet by the rules that have no Nth, whatever the time. It
// is a pure function: rule i hits if
//
//	Hash(Seed, i, QP, PSN, class, Attempt) mod 1000000 < Rate
//
// with class 1 for a response, 0 for a request.
func (f Faults) Decide(p Packet) Action {
	for i, r := range f.Rules {
		if r.Nth == 0 && f.hits(i, p) {
			return r.Action
		}
	}
	return Pass
}

// hits tells whether rule i hits a packet, but for its Nth.
func (f Faults) hits(i int, p Packet) bool {
	r := f.Rules[i]
	return r.covers(p) && int(f.hash(i, p)%Million) < r.Rate
}

func (r Rule) covers(p Packet) bool {
	switch {
	case r.Class == Requests && p.Response, r.Class == Responses && !p.Response,
		r.Sender == FromA && p.Direction != AToB, r.Sender == FromB && p.Direction != BToA,
		r.Attempts > 0 && p.Attempt >= r.Attempts,
		r.Opcode != nil && *r.Opcode != p.Opcode:
		return false
	}
	return r.Only == nil || (r.Only.QP == 0 || r.Only.QP == p.QP) && r.Only.PSN == p.PSN
}

// down tells whether the link is down.
func (f Faults) down(now time.Duration) bool {
	for _, o := range f.Outages {
		if now >= o.At && now-o.At < o.For {
			return true
		}
	}
	return false
}

func (f Faults) hash(rule int, p Packet) uint64 {
	class := uint64(0)
	if p.Response {
		class = 1
	}
	return Hash(f.Seed, uint64(rule), uint64(p.QP), uint64(p.PSN), class, uint64(p.Attempt))
}

// Hashes that rules do not use are those of numbers behind theirs.
const (
	hashDamage = iota
	hashDelay
)

func (f Faults) hashOf(purpose int, p Packet) uint64 { return f.hash(len(f.Rules)+purpose, p) }

// framesMost is how many frames overtake a delayed one at most, unless its rule says.
const framesMost = 8

// overtakers is how many frames overtake a packet.
func (f Faults) overtakers(r Rule, p Packet) int {
	most := r.Frames
	if most == 0 {
		most = framesMost
	}
	return 1 + int(f.hashOf(hashDelay, p)%uint64(most))
}

// pause is how long a packet is held up, a nanosecond or more.
func (f Faults) pause(r Rule, p Packet) time.Duration {
	return 1 + time.Duration(f.hashOf(hashDelay, p)%uint64(r.For))
}

// Hash mixes numbers, starting from 0: the hash so far is xored with each, then
// goes through a step of splitmix64.
func Hash(numbers ...uint64) uint64 {
	var h uint64
	for _, x := range numbers {
		h = (h ^ x) + 0x9E3779B97F4A7C15
		h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
		h = (h ^ h>>27) * 0x94D049BB133111EB
		h ^= h >> 31
	}
	return h
}
