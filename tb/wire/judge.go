package wire

import "time"

// Judge decides what becomes of packets, one after the other, as a [Link] does: for models of a wire that carry no frames.
type Judge struct {
	f        Faults
	hits     []int
	attempts map[attemptKey]int
}

// NewJudge returns a judge of faults that has seen no packet.
func NewJudge(f Faults) *Judge {
	return &Judge{f: f, hits: make([]int, len(f.Rules)), attempts: map[attemptKey]int{}}
}

// Decide returns the rule that hits a packet which is sent at a time since the start, its Attempt counted here. Where none
// does, the rule's Action is Pass. In an outage it is Drop.
func (j *Judge) Decide(p Packet, now time.Duration) Rule {
	key := attemptKey{p.Direction, p.QP, p.PSN, p.Response}
	p.Attempt = j.attempts[key]
	j.attempts[key]++
	hit := Rule{}
	for i, r := range j.f.Rules {
		if !r.covers(p) {
			continue
		}
		j.hits[i]++
		if (r.Nth == 0 || r.Nth == j.hits[i]) && j.f.hits(i, p) {
			hit = r
			break
		}
	}
	if j.f.down(now) {
		return Rule{Action: Drop}
	}
	return hit
}
