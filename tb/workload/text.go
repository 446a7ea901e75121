package workload

import (
	"fmt"
	"strings"
)

// Text returns the workload as a file that [Parse] reads back to the same, but
// for the name: what a failed random workload is saved as.
func (w Workload) Text() []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("direction: %v", w.Direction)
	line("messages: %d", w.Messages)
	line("queue_pairs:")
	for _, q := range w.QueuePairs {
		line("  - {count: %d, path_mtu: %d, ip: %d, send_sges: %d, recv_sges: %d, reads: %d, depth: %d}",
			q.Count, q.PathMTU, q.IP, q.SendSGEs, q.RecvSGEs, q.Reads, q.Depth)
	}
	line("operations: {%s}", w.Operations.text())
	line("sizes: %s", w.Sizes.text())
	line("inline: %d", w.Inline)
	line("signaled: %d", w.Signaled)
	line("solicited: %d", w.Solicited)
	line("batch: {min: %d, max: %d}", w.Batch.Min, w.Batch.Max)
	line("arrival: %s", w.Arrival.text())
	if len(w.Rules) > 0 {
		line("faults:")
	}
	for _, r := range w.Rules {
		line("  - %s", ruleText(r))
	}
	if len(w.Outages) > 0 {
		line("outages:")
	}
	for _, o := range w.Outages {
		line("  - %s", outageText(o))
	}
	return []byte(b.String())
}

func (o Operations) text() string {
	var all []string
	for _, x := range operations {
		all = append(all, fmt.Sprintf("%s: %d", x.name, *x.weight(&o)))
	}
	return strings.Join(all, ", ")
}

func (s Sizes) text() string {
	if s.Distribution == Listed {
		return strings.ReplaceAll(fmt.Sprint(s.List), " ", ", ")
	}
	return fmt.Sprintf("{distribution: %s, min: %d, max: %d}", distributions[s.Distribution-Uniform], s.Min, s.Max)
}

func (a Arrival) text() string {
	if a.Kind == Closed {
		return "{kind: closed}"
	}
	if a.Cycles == 0 {
		return fmt.Sprintf("{kind: %s, per_million: %d}", arrivals[a.Kind], a.Rate)
	}
	return fmt.Sprintf("{kind: %s, cycles: %d}", arrivals[a.Kind], a.Cycles)
}
