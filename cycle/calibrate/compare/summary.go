package compare

import (
	"math"
	"slices"

	"gornic/cycle/model"
)

// Summary is what users look at, of one run.
type Summary struct {
	Cycles   int64   `json:"cycles"`   // from the first doorbell to the last completion of a send
	Messages int     `json:"messages"` // whose completion was seen
	Mean     float64 `json:"mean"`     // latency in cycles, from a message's doorbell to its completion
	P50      int64   `json:"p50"`
	P99      int64   `json:"p99"`
	Packets  int     `json:"packets"` // that left, with acknowledgements
}

// queue is a send queue of a node.
type queue struct{ node, qp int }

// Summarize sums the events of a run up, the same way for the RTL and the model.
func Summarize(events []model.Event) Summary {
	var s Summary
	rung := map[queue][]model.Event{}
	var latencies []int64
	begin := First(events)
	for _, e := range events {
		q := queue{e.Node, e.QP}
		switch e.Kind {
		case model.Doorbell:
			rung[q] = append(rung[q], e)
		case model.CQE:
			s.Cycles = e.Cycle - begin
			if at, ok := doorbell(rung[q], e.WQE); ok {
				latencies = append(latencies, e.Cycle-at)
			}
		case model.FirstOut, model.AckOut:
			s.Packets++
		}
	}
	s.Messages = len(latencies)
	if s.Messages == 0 {
		return s
	}
	slices.Sort(latencies)
	var sum float64
	for _, l := range latencies {
		sum += float64(l)
	}
	s.Mean = sum / float64(s.Messages)
	s.P50, s.P99 = percentile(latencies, 50), percentile(latencies, 99)
	return s
}

// doorbell is the cycle of the first doorbell that rings for a work request.
func doorbell(rung []model.Event, wqe int) (int64, bool) {
	for _, e := range rung {
		if e.WQE >= wqe {
			return e.Cycle, true
		}
	}
	return 0, false
}

// percentile is the value that so many of a hundred do not exceed.
func percentile(sorted []int64, percent float64) int64 {
	i := int(math.Ceil(float64(len(sorted))*percent/100)) - 1
	return sorted[max(i, 0)]
}
