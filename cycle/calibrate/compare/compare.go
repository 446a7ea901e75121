// Package compare compares what the model does with what the RTL does, event by event, and by what users look at: throughput and
// latency.
//
// Start with [Events] for the one and [Summarize] for the other.
package compare

import (
	"cmp"
	"fmt"
	"slices"

	"gornic/cycle/model"
)

// Pair is an event in the RTL and in the model: cycles since the first doorbell of either.
type Pair struct {
	Event      model.Event // Cycle is that of the RTL
	RTL, Model int64
}

// Error is by how many cycles the model is late.
func (p Pair) Error() int64 { return p.Model - p.RTL }

// Comparison is all of a run.
type Comparison struct {
	Pairs []Pair        // in the order of the RTL
	Only  []model.Event // of the RTL, which the model does not have
	Extra []model.Event // of the model, which the RTL does not have
}

// key names an event among those of a run: the occurrence of one that comes again, as a packet that is sent again.
type key struct {
	node, qp, wqe int
	kind          model.EventKind
	psn           uint32
	opcode        uint8
	occurrence    int
}

// keyed gives each event its key, and its cycle since the first doorbell.
func keyed(events []model.Event) ([]key, []int64) {
	keys, at := make([]key, len(events)), make([]int64, len(events))
	begin, seen := First(events), map[key]int{}
	for i, e := range events {
		k := key{node: e.Node, qp: e.QP, kind: e.Kind}
		if ofQueue(e.Kind) {
			k.wqe = e.WQE
		} else {
			k.psn, k.opcode = e.PSN, e.Opcode
		}
		n := seen[k]
		seen[k]++
		k.occurrence = n
		keys[i], at[i] = k, e.Cycle-begin
	}
	return keys, at
}

// ofQueue tells that an event is of a work request, not of a packet.
func ofQueue(k model.EventKind) bool {
	switch k {
	case model.Doorbell, model.WQERead, model.CQE, model.RecvCQE:
		return true
	}
	return false
}

// First is the cycle of the first doorbell, 0 without any.
func First(events []model.Event) int64 {
	for _, e := range events {
		if e.Kind == model.Doorbell {
			return e.Cycle
		}
	}
	return 0
}

// Events pairs the events of the RTL with those of the model. Both are in the order of cycles.
func Events(rtl, modelled []model.Event) Comparison {
	var c Comparison
	theirs, at := keyed(modelled)
	where := map[key]int{}
	for i, k := range theirs {
		where[k] = i
	}
	ours, cycle := keyed(rtl)
	for i, k := range ours {
		j, ok := where[k]
		if !ok {
			c.Only = append(c.Only, rtl[i])
			continue
		}
		delete(where, k)
		c.Pairs = append(c.Pairs, Pair{Event: rtl[i], RTL: cycle[i], Model: at[j]})
	}
	for i, k := range theirs {
		if _, left := where[k]; left {
			c.Extra = append(c.Extra, modelled[i])
		}
	}
	return c
}

// Worst is the pair with the greatest error, false if there is none.
func (c Comparison) Worst() (Pair, bool) {
	if len(c.Pairs) == 0 {
		return Pair{}, false
	}
	return slices.MaxFunc(c.Pairs, func(a, b Pair) int { return cmp.Compare(abs(a.Error()), abs(b.Error())) }), true
}

// Err is nil if every event is there in both, no further apart than so many cycles; else it names the worst.
func (c Comparison) Err(cycles int64) error {
	if len(c.Only) > 0 {
		return fmt.Errorf("%d events of the RTL are not in the model, the first is %s", len(c.Only), Describe(c.Only[0]))
	}
	if len(c.Extra) > 0 {
		return fmt.Errorf("%d events of the model are not in the RTL, the first is %s", len(c.Extra), Describe(c.Extra[0]))
	}
	for _, p := range c.Pairs {
		if abs(p.Error()) > cycles {
			return fmt.Errorf("%s: cycle %d in the RTL, %d in the model", Describe(p.Event), p.RTL, p.Model)
		}
	}
	return nil
}

// Describe is an event for people.
func Describe(e model.Event) string {
	s := fmt.Sprintf("%v of host %s, queue pair %d", e.Kind, [...]string{"a", "b"}[e.Node&1], e.QP)
	if ofQueue(e.Kind) {
		return fmt.Sprintf("%s, work request %d", s, e.WQE)
	}
	return fmt.Sprintf("%s, PSN %d, opcode %#x, %d bytes", s, e.PSN, e.Opcode, e.Bytes)
}

func abs(x int64) int64 { return max(x, -x) }
