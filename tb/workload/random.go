package workload

import (
	"fmt"
	"math/rand/v2"

	"gornic/format"
	"gornic/tb/wire"
)

// Limits bound a random workload. A field that is 0 has its default.
type Limits struct {
	Connections int  // queue pairs at each host; default 16
	PathMTU     int  // bytes; default 4096
	Size        int  // bytes of a message; default 16384
	Messages    int  // of each queue pair and direction; default 20
	Depth       int  // of a queue, a power of two; default 32
	Reads       int  // READs and atomics of a queue pair at once; default 2
	Faults      bool // half of the workloads have a wire that loses, doubles, damages and delays packets
}

// orDefault fills in the defaults.
func (l Limits) orDefault() Limits {
	for _, f := range []struct {
		v         *int
		otherwise int
	}{{&l.Connections, 16}, {&l.PathMTU, 4096}, {&l.Size, 16384}, {&l.Messages, 20}, {&l.Depth, 32}, {&l.Reads, readsUsual}} {
		if *f.v <= 0 {
			*f.v = f.otherwise
		}
	}
	return l
}

// Random returns a workload of a seed: any directions, operations, sizes, path
// MTUs, lists and shares within the limits.
func Random(seed uint64, l Limits) Workload {
	l = l.orDefault()
	r := rand.New(rand.NewPCG(seed, 0x776F726B))
	w := Workload{
		Name:       fmt.Sprintf("random-%d", seed),
		Direction:  Direction(r.IntN(3)),
		Messages:   1 + r.IntN(l.Messages),
		Operations: randomOperations(r),
		Inline:     r.IntN(60),
		Signaled:   r.IntN(percent + 1),
		Solicited:  r.IntN(percent + 1),
		Sizes:      randomSizes(r, l.Size),
	}
	least := l.Depth
	for left := 1 + r.IntN(l.Connections); left > 0; {
		q := randomQueuePairs(r, l, left)
		w.QueuePairs = append(w.QueuePairs, q)
		left -= q.Count
		least = min(least, q.Depth)
	}
	w.Batch = Range{1, 1 + r.IntN(least)}
	if l.Faults && r.IntN(2) == 0 {
		w.Rules = []wire.Rule{
			{Action: wire.Drop, Rate: 1 + r.IntN(30000), Attempts: 3},
			{Action: wire.Corrupt, Rate: 1 + r.IntN(20000), Attempts: 3},
			{Action: wire.Duplicate, Rate: 1 + r.IntN(20000)},
			{Action: wire.Delay, Rate: 1 + r.IntN(20000), Attempts: 3},
			{Action: wire.Flip, Rate: 1 + r.IntN(10000), Attempts: 3},
			{Action: wire.Truncate, Rate: 1 + r.IntN(10000), Attempts: 3},
			{Action: wire.Mark, Rate: 1 + r.IntN(20000)},
		}
	}
	return w
}

func randomOperations(r *rand.Rand) Operations {
	var o Operations
	for _, x := range operations {
		*x.weight(&o) = r.IntN(3)
	}
	if o == (Operations{}) {
		o.SendImm = 1
	}
	return o
}

func randomQueuePairs(r *rand.Rand, l Limits, most int) QueuePairs {
	q := QueuePairs{
		Count: 1 + r.IntN(most), IP: 4 + 2*r.IntN(2), PathMTU: 256,
		SendSGEs: 1 + r.IntN(format.SendSGEs(format.LogStrideMax)), RecvSGEs: 1 + r.IntN(format.RecvSGEs(format.LogStrideMax)), Depth: 1,
		Reads: 1 + r.IntN(l.Reads),
	}
	for q.PathMTU < l.PathMTU && r.IntN(5) > 0 {
		q.PathMTU *= 2
	}
	for q.Depth < l.Depth && r.IntN(5) > 0 {
		q.Depth *= 2
	}
	return q
}

// randomSizes is one of the kinds of sizes, now and then of short messages alone.
func randomSizes(r *rand.Rand, most int) Sizes {
	if r.IntN(3) == 0 {
		most = min(most, 256)
	}
	low := r.IntN(2) * r.IntN(min(most, 64)+1)
	switch r.IntN(3) {
	case 0:
		return Sizes{List: []int{0, 1, most, r.IntN(most + 1), r.IntN(most + 1)}}
	case 1:
		return Sizes{Distribution: Uniform, Range: Range{low, most}}
	}
	return Sizes{Distribution: LogUniform, Range: Range{low, most}}
}
