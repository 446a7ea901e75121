package wire

import "fmt"

// Action is what becomes of a packet on the wire.
type Action uint8

// Actions.
const (
	Pass      Action = iota
	Drop             // it is lost
	Duplicate        // it arrives twice
	Corrupt          // a bit behind the BTH is flipped, so that the ICRC is wrong
	Delay            // 1 to 8 frames of its direction overtake it, or as many as there are
)

var actionNames = [...]string{"pass", "drop", "duplicate", "corrupt", "delay"}

func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return fmt.Sprintf("action %d", uint8(a))
}

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

// Million is the rate of a rule that hits every packet.
const Million = 1_000_000

// Rule is one way in which a wire fails.
type Rule struct {
	Action Action
	Class  Class
	Rate   int // packets in a million
	// Attempts limits the rule to the first so many times that a packet is sent;
	// 0: no limit. A rule with a limit below the retry count never ends a QP.
	Attempts int
	// Only, where it is not nil, limits the rule to one packet. Class counts, too;
	// its Response and Attempt do not.
	Only *Packet
}

// Faults are the ways in which a wire fails.
type Faults struct {
	Seed  uint64
	Rules []Rule // the first that hits a packet decides
}

// Decide returns what becomes of a packet. It is a pure function: rule i hits if
//
//	Hash(Seed, i, QP, PSN, class, Attempt) mod 1000000 < Rate
//
// with class 1 for a response, 0 for a request.
func (f Faults) Decide(p Packet) Action {
	for i, r := range f.Rules {
		if r.covers(p) && int(f.hash(i, p)%Million) < r.Rate {
			return r.Action
		}
	}
	return Pass
}

func (r Rule) covers(p Packet) bool {
	switch {
	case r.Class == Requests && p.Response, r.Class == Responses && !p.Response:
		return false
	case r.Attempts > 0 && p.Attempt >= r.Attempts:
		return false
	}
	return r.Only == nil || r.Only.QP == p.QP && r.Only.PSN == p.PSN
}

func (f Faults) hash(rule int, p Packet) uint64 {
	class := uint64(0)
	if p.Response {
		class = 1
	}
	return Hash(f.Seed, uint64(rule), uint64(p.QP), uint64(p.PSN), class, uint64(p.Attempt))
}

// delayMax is how many frames overtake a delayed one at most.
const delayMax = 8

// delay is how many frames overtake a packet.
func (f Faults) delay(p Packet) int { return 1 + int(f.hash(len(f.Rules)+1, p)%delayMax) }

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

// corrupt returns a copy of a RoCEv2 frame with one bit flipped between the BTH
// and the end of the packet. A flipped bit of the BTH could make it another QP's.
func (f Faults) corrupt(p Packet, frame []byte) []byte {
	out := append([]byte(nil), frame...)
	bth, end, _ := transport(frame)
	start := bth + bthBytes
	bit := int(f.hash(len(f.Rules), p) % uint64(8*(end-start)))
	out[start+bit/8] ^= 1 << (bit % 8)
	return out
}
