package model

// Result is what a run measured. All times are cycles of the core's clock.
type Result struct {
	Cycles   int64 // from the first doorbell to the last completion
	Messages int64 // that completed
	Bytes    int64 // of their payload
	ClockMHz int

	Latency Latency    // doorbell of a message to its CQE, of those that have one
	QPs     []QP       // by node, then queue pair
	Nodes   []Node     // a, b, and further senders
	Blocks  []Block    // of both nodes, in the order of docs/core.md
	Caches  []CacheUse // of both nodes
	// Bottleneck says in a sentence where the time went.
	Bottleneck string
	// Events is the log, in the order of cycles, where Options.Events asked for it.
	Events []Event
	// Simulated events, for figures of speed.
	Steps int64
}

// Rate is the messages of a second.
func (r *Result) Rate() float64 {
	if r.Cycles == 0 {
		return 0
	}
	return float64(r.Messages) / float64(r.Cycles) * float64(r.ClockMHz) * 1e6
}

// Goodput is the payload in bits of a second.
func (r *Result) Goodput() float64 {
	if r.Cycles == 0 {
		return 0
	}
	return float64(r.Bytes) * 8 / float64(r.Cycles) * float64(r.ClockMHz) * 1e6
}

// Nanoseconds converts cycles.
func (r *Result) Nanoseconds(cycles int64) float64 {
	return float64(cycles) * 1e3 / float64(r.ClockMHz)
}

// QP is what one end of a connection did.
type QP struct {
	Node, QP     int
	Messages     int64
	Bytes        int64
	Packets      int64 // sent, with those that were sent again
	Resent       int64
	Retries      int64 // times that its packets were sent again
	First, Last  int64 // cycle of the first doorbell and the last completion
	CNPs         int64 // received
	RNRs         int64 // received
	MeanLatency  float64
	WorstLatency int64
}

// Node is what one core did on its ports.
type Node struct {
	TxPackets, TxBeats int64 // of m_axis_tx, all packets
	RxPackets, RxBeats int64
	Lost               int64 // of what it sent, on the wire
	Marked             int64 // likewise, with CE
	ReadBeats          int64 // of the memory port
	WriteBeats         int64
	Doorbells          int64
	CQEs               int64
	Dropped            int64 // of what came, for want of room in the packet buffer
}

// Block is where the cycles of one block went. Busy, the sum of Stalled, and Starved are
// Result.Cycles together: it works, it has something to give that is not taken, or it has nothing to do.
type Block struct {
	Node    int
	Name    string // of the RTL
	Items   int64  // that it has dealt with
	Busy    int64
	Stalled []Stall // by whom, most first
	Starved int64
}

// Stall is how long a block waited for another.
type Stall struct {
	By     string // a block, a buffer or a rule
	Cycles int64
}

// CacheUse is what a cache did.
type CacheUse struct {
	Node         int
	Name         string // context, key, translate_tx, translate_rx, wqe
	Hits, Misses int64
}

// HitRate is the share of hits, 1 for a cache that was not used.
func (c CacheUse) HitRate() float64 {
	if c.Hits+c.Misses == 0 {
		return 1
	}
	return float64(c.Hits) / float64(c.Hits+c.Misses)
}

// Latency is a distribution of cycles.
type Latency struct {
	Count     int64
	Mean      float64
	Min, Max  int64
	P50, P99  int64
	P999      int64
	Histogram []Bucket // in order; empty buckets are left out
}

// Bucket is the number of values in [From, To).
type Bucket struct{ From, To, Count int64 }
