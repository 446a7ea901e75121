package report

import (
	"fmt"
	"math"

	"gornic/cycle/model"
)

// Measured is what a run measured, in units that do not depend on the clock: what
// result files hold.
type Measured struct {
	Messages   int64   `json:"messages"` // that completed
	Bytes      int64   `json:"bytes"`    // of their payload
	Cycles     int64   `json:"cycles"`   // from the first doorbell to the last completion
	ClockMHz   int     `json:"clock_mhz"`
	Rate       float64 `json:"message_rate"` // a second
	Goodput    float64 `json:"goodput_bps"`
	Latency    Latency `json:"latency_ns"` // doorbell to CQE
	Fairness   float64 `json:"fairness"`   // Jain's index of the queue pairs' rates: 1 is even
	Packets    int64   `json:"packets"`    // sent, with those that were sent again
	Resent     int64   `json:"resent"`
	Retries    int64   `json:"retries"` // times that a queue pair went back
	Lost       int64   `json:"lost"`    // on the wire
	Dropped    int64   `json:"dropped"` // by receivers, for want of room in their packet buffer
	Marked     int64   `json:"marked"`  // with CE
	CNPs       int64   `json:"cnps"`    // received
	RNRs       int64   `json:"rnrs"`    // received
	Doorbells  int64   `json:"doorbells"`
	CQEs       int64   `json:"cqes"`
	Caches     []Cache `json:"caches"`
	Blocks     []Block `json:"blocks"`
	Bottleneck string  `json:"bottleneck"`
}

// Latency is a distribution of nanoseconds.
type Latency struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean"`
	Min   float64 `json:"min"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p999"`
	Max   float64 `json:"max"`
}

// Cache is what a cache of one host's core did.
type Cache struct {
	Host    string  `json:"host"` // a, b; a1, a2 and so on are the other senders of an incast
	Name    string  `json:"name"`
	Hits    int64   `json:"hits"`
	Misses  int64   `json:"misses"`
	HitRate float64 `json:"hit_rate"` // 1 for one that was not used
}

// Block is where the cycles of a block of one host's core went.
type Block struct {
	Host    string  `json:"host"`
	Name    string  `json:"name"`
	Items   int64   `json:"items"`
	Busy    int64   `json:"busy"`
	Stalled []Stall `json:"stalled"` // by whom, most first
	Starved int64   `json:"starved"`
}

// Stall is how many cycles a block waited for another.
type Stall struct {
	By     string `json:"by"`
	Cycles int64  `json:"cycles"`
}

// hostName is the name of a host: a, b, and a1, a2 and so on are the other senders of an incast.
func hostName(node int) string {
	if node < 2 {
		return string(rune('a' + node))
	}
	return fmt.Sprintf("a%d", node-1)
}

// Measure is what is kept of a result.
func Measure(r *model.Result) Measured {
	m := Measured{
		Messages: r.Messages, Bytes: r.Bytes, Cycles: r.Cycles, ClockMHz: r.ClockMHz,
		Rate: r.Rate(), Goodput: r.Goodput(), Latency: latency(r), Fairness: fairness(r),
		Bottleneck: r.Bottleneck, Caches: []Cache{}, Blocks: []Block{},
	}
	for _, q := range r.QPs {
		m.Packets += q.Packets
		m.Resent += q.Resent
		m.Retries += q.Retries
		m.CNPs += q.CNPs
		m.RNRs += q.RNRs
	}
	for _, n := range r.Nodes {
		m.Lost += n.Lost
		m.Dropped += n.Dropped
		m.Marked += n.Marked
		m.Doorbells += n.Doorbells
		m.CQEs += n.CQEs
	}
	for _, c := range r.Caches {
		m.Caches = append(m.Caches, Cache{hostName(c.Node), c.Name, c.Hits, c.Misses, c.HitRate()})
	}
	for _, b := range r.Blocks {
		stalled := make([]Stall, len(b.Stalled))
		for i, s := range b.Stalled {
			stalled[i] = Stall(s)
		}
		m.Blocks = append(m.Blocks, Block{hostName(b.Node), b.Name, b.Items, b.Busy, stalled, b.Starved})
	}
	return m
}

func latency(r *model.Result) Latency {
	l := r.Latency
	return Latency{
		Count: l.Count, Mean: l.Mean * r.Nanoseconds(1), Min: r.Nanoseconds(l.Min), P50: r.Nanoseconds(l.P50),
		P99: r.Nanoseconds(l.P99), P999: r.Nanoseconds(l.P999), Max: r.Nanoseconds(l.Max),
	}
}

// fairness is Jain's index over the queue pairs that sent: of the bytes of a second of each, or of messages if those have
// no bytes.
func fairness(r *model.Result) float64 {
	var sum, squares, n float64
	for _, q := range r.QPs {
		if q.Messages == 0 || q.Last <= q.First {
			continue
		}
		done := float64(q.Messages)
		if r.Bytes > 0 {
			done = float64(q.Bytes)
		}
		rate := done / float64(q.Last-q.First)
		sum, squares, n = sum+rate, squares+rate*rate, n+1
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (n * squares)
}

// Metric is a number of a measurement.
type Metric struct {
	Name string // of its column
	Doc  string // for people, with the unit
	of   func(Measured) float64
}

// Of is the number, NaN if the measurement has none.
func (m Metric) Of(x Measured) float64 { return m.of(x) }

// Metrics returns the numbers of a measurement that tables and plots have, in order.
func Metrics() []Metric {
	all := []Metric{
		{"message_rate", "messages a second", func(m Measured) float64 { return m.Rate }},
		{"goodput_gbps", "goodput, Gbit/s", func(m Measured) float64 { return m.Goodput / 1e9 }},
		{"latency_mean_ns", "mean latency, ns", ofLatency(func(l Latency) float64 { return l.Mean })},
		{"latency_p50_ns", "median latency, ns", ofLatency(func(l Latency) float64 { return l.P50 })},
		{"latency_p99_ns", "99th percentile of latency, ns", ofLatency(func(l Latency) float64 { return l.P99 })},
		{"latency_p999_ns", "99.9th percentile of latency, ns", ofLatency(func(l Latency) float64 { return l.P999 })},
		{"latency_max_ns", "longest latency, ns", ofLatency(func(l Latency) float64 { return l.Max })},
		{"fairness", "Jain's index of the queue pairs' rates", func(m Measured) float64 { return m.Fairness }},
		{"messages", "messages", func(m Measured) float64 { return float64(m.Messages) }},
		{"bytes", "bytes of payload", func(m Measured) float64 { return float64(m.Bytes) }},
		{"cycles", "cycles", func(m Measured) float64 { return float64(m.Cycles) }},
		{"packets", "packets sent", func(m Measured) float64 { return float64(m.Packets) }},
		{"resent", "packets sent again", func(m Measured) float64 { return float64(m.Resent) }},
		{"retries", "times that a queue pair went back", func(m Measured) float64 { return float64(m.Retries) }},
		{"lost", "packets lost on the wire", func(m Measured) float64 { return float64(m.Lost) }},
		{"dropped", "packets dropped by receivers whose packet buffer was full", func(m Measured) float64 { return float64(m.Dropped) }},
		{"marked", "packets marked with CE", func(m Measured) float64 { return float64(m.Marked) }},
		{"cnps", "CNPs received", func(m Measured) float64 { return float64(m.CNPs) }},
		{"rnrs", "RNR NAKs received", func(m Measured) float64 { return float64(m.RNRs) }},
		{"doorbells", "doorbells rung", func(m Measured) float64 { return float64(m.Doorbells) }},
		{"cqes", "CQEs written", func(m Measured) float64 { return float64(m.CQEs) }},
	}
	for _, host := range []string{"a", "b"} {
		for _, cache := range []string{"context", "key", "translate_tx", "translate_rx", "wqe"} {
			all = append(all, Metric{"hit_rate_" + cache + "_" + host, "hit rate of the " + cache + " cache, host " + host, func(m Measured) float64 {
				return m.hitRate(host, cache)
			}})
		}
	}
	return all
}

// ofLatency is a number of a distribution, which has none if it is empty.
func ofLatency(of func(Latency) float64) func(Measured) float64 {
	return func(m Measured) float64 {
		if m.Latency.Count == 0 {
			return math.NaN()
		}
		return of(m.Latency)
	}
}

// hitRate is that of a cache, NaN if it was not used.
func (m Measured) hitRate(host, name string) float64 {
	for _, c := range m.Caches {
		if c.Host == host && c.Name == name && c.Hits+c.Misses > 0 {
			return c.HitRate
		}
	}
	return math.NaN()
}
