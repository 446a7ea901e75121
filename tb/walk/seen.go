package walk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Where is where something was seen.
type Where string

// Places.
const (
	A    Where = "A" // the requester's host and NIC
	B    Where = "B" // the responder's
	AToB Where = "A to B"
	BToA Where = "B to A" // the wire
)

// Seen is one observation.
type Seen struct {
	Cycle  uint64
	Where  Where
	What   string // "replay.recorded", "WRITE_FIRST", "posts send WQE"
	Values []Value
	Data   []byte // of a packet its payload; of an access what was written

	order int // place in its log, from 1; 0: nothing was seen
}

// Value is a number of an observation.
type Value struct {
	Name   string
	Number uint64
}

// Get returns the number of a name, 0 if there is none.
func (s Seen) Get(name string) uint64 {
	v, _ := s.find(name)
	return v
}

func (s Seen) find(name string) (uint64, bool) {
	for _, v := range s.Values {
		if v.Name == name {
			return v.Number, true
		}
	}
	return 0, false
}

// String is the observation in a line, for people.
func (s Seen) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s: %s", s.Cycle, s.Where, s.What)
	for _, v := range s.Values {
		fmt.Fprintf(&b, " %s", v)
	}
	return b.String()
}

func (v Value) String() string {
	if v.Number < 1<<24 {
		return fmt.Sprintf("%s=%d", v.Name, v.Number)
	}
	return fmt.Sprintf("%s=%#x", v.Name, v.Number)
}

// Log is what was seen in a play, by cycle.
type Log []Seen

// newLog puts observations in order. Those from outside come first in their cycle:
// a host acts between two cycles, and the hardware in the second.
func newLog(outside, hardware []Seen) Log {
	log := Log(slices.Concat(outside, hardware))
	slices.SortStableFunc(log, func(a, b Seen) int { return cmp.Compare(a.Cycle, b.Cycle) })
	return log.numbered()
}

// numbered gives each observation its place.
func (l Log) numbered() Log {
	for i := range l {
		l[i].order = i + 1
	}
	return l
}
