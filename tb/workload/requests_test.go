package workload_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/tb/workload"
)

func load(t testing.TB, name string) workload.Workload {
	t.Helper()
	w, err := workload.Load(name)
	require.NoError(t, err)
	return w
}

// Every request of every workload keeps to its file.
func TestRequests(t *testing.T) {
	for _, name := range workload.Names() {
		w := load(t, name)
		all := slices.Collect(w.Requests(1))
		require.Len(t, all, w.Messages*w.Connections()*len(w.Direction.Senders()), name)
		for i, q := range all {
			c := w.Connection(q.QP)
			require.Equal(t, i, q.Number)
			require.LessOrEqual(t, q.Length, w.Sizes.Most())
			require.LessOrEqual(t, len(q.Source), c.SendSGEs)
			require.LessOrEqual(t, len(q.Recv), c.RecvSGEs)
			require.Equal(t, q.Op != format.WRWrite && !workload.HasResponse(q.Op), q.Consumes)
			if workload.HasResponse(q.Op) {
				bringsInto(t, w, q)
				continue
			}
			require.Empty(t, q.Into)
			sum := 0
			for _, p := range q.Source {
				require.LessOrEqual(t, p.Offset+p.Length, w.Buffers().Source)
				sum += p.Length
			}
			require.Equal(t, q.Length, sum)
			require.LessOrEqual(t, q.Sink+q.Length, w.Buffers().Sink)
			room := 0
			for _, p := range q.Recv {
				require.Equal(t, room, p.Offset)
				room += p.Length
			}
			require.LessOrEqual(t, room, w.Buffers().Slot)
			if q.Op == format.WRSend || q.Op == format.WRSendImm {
				require.GreaterOrEqual(t, room, q.Length)
			}
			if q.Inline {
				require.LessOrEqual(t, q.Length, format.InlineMax(workload.LogStride(c.SendSGEs, format.SendSGEs)))
				require.LessOrEqual(t, len(q.Source), 1)
			}
		}
		signaledInTime(t, w, all)
	}
}

// bringsInto checks where a READ or atomic takes from, and brings to.
func bringsInto(t *testing.T, w workload.Workload, q workload.Request) {
	t.Helper()
	buffers := w.Buffers()
	require.False(t, q.Inline || q.Solicited || q.Consumes)
	require.Empty(t, q.Source)
	require.LessOrEqual(t, len(q.Into), w.Connection(q.QP).SendSGEs)
	sum := 0
	for _, p := range q.Into {
		require.LessOrEqual(t, p.Offset+p.Length, buffers.Slot)
		sum += p.Length
	}
	require.Equal(t, q.Length, sum)
	require.Equal(t, 1, q.Packets(256))
	if q.Op == format.WRRead {
		require.LessOrEqual(t, q.Origin+q.Length, buffers.Source)
		return
	}
	require.Equal(t, 8, q.Length)
	require.LessOrEqual(t, q.Word+8, buffers.Words)
	require.Zero(t, q.Word%8)
}

// signaledInTime checks that no queue fills up with work that nobody hears of,
// and that the last of each has a completion and a doorbell.
func signaledInTime(t *testing.T, w workload.Workload, all []workload.Request) {
	t.Helper()
	type queue struct {
		from workload.Side
		qp   int
	}
	quiet, last := map[queue]int{}, map[queue]workload.Request{}
	for _, q := range all {
		k := queue{q.From, q.QP}
		quiet[k]++
		require.LessOrEqual(t, quiet[k], w.Connection(q.QP).Depth)
		if q.Signaled {
			quiet[k] = 0
		}
		last[k] = q
	}
	for _, q := range last {
		require.True(t, q.Signaled && q.Ring)
	}
}

// The same seed gives the same requests, another one others; those of a queue do
// not depend on what other queues there are.
func TestRequestsRepeat(t *testing.T) {
	w := load(t, "mixed")
	first := slices.Collect(w.Requests(5))
	require.Equal(t, first, slices.Collect(w.Requests(5)))
	require.NotEqual(t, first, slices.Collect(w.Requests(6)))

	less := w
	less.Direction = workload.AToB
	less.QueuePairs = w.QueuePairs[:1]
	of := func(all []workload.Request) []workload.Request {
		var out []workload.Request
		for _, q := range all {
			if q.From == workload.A && q.QP == 1 {
				q.Number = 0
				out = append(out, q)
			}
		}
		return out
	}
	require.Equal(t, of(first), of(slices.Collect(less.Requests(5))))
}

// Shares, sizes and times are as the file says, within what chance allows.
func TestRequestsShares(t *testing.T) {
	w := load(t, "mixed")
	w.Messages = 2000
	w.Arrival = workload.Arrival{Kind: workload.Poisson, Cycles: 300}
	ops := map[format.WROpcode]int{}
	short, signaled, solicited, consuming, total := 0, 0, 0, 0, 0
	var at uint64
	for q := range w.Requests(3) {
		ops[q.Op]++
		total++
		if q.Length < 128 { // half of the 14 powers of two
			short++
		}
		if q.Signaled {
			signaled++
		}
		if q.Consumes {
			consuming++
		}
		if q.Solicited {
			solicited++
		}
		at = max(at, q.At)
	}
	share := func(n, of int) float64 { return float64(n) / float64(of) }
	require.InDelta(t, 0.4, share(ops[format.WRWrite], total), 0.02)
	require.InDelta(t, 0.2, share(ops[format.WRWriteImm], total), 0.02)
	require.InDelta(t, 0.3, share(ops[format.WRSend], total), 0.02)
	require.InDelta(t, 0.1, share(ops[format.WRSendImm], total), 0.02)
	require.InDelta(t, 0.5, share(short, total), 0.02)
	require.InDelta(t, 0.6, share(signaled, total), 0.03)
	require.InDelta(t, 0.2, share(solicited, consuming), 0.02)
	require.InDelta(t, 2000*300, float64(at), 100000)
}

func TestArrivalEvery(t *testing.T) {
	w := load(t, "bulk")
	w.Arrival = workload.Arrival{Kind: workload.Every, Cycles: 50}
	for q := range w.Requests(1) {
		require.Equal(t, uint64(50*(q.Number+1)), q.At)
	}
}

func TestBatches(t *testing.T) {
	w := load(t, "bulk")
	for q := range w.Requests(1) {
		require.Equal(t, q.Number%8 == 7, q.Ring, "request %d", q.Number)
	}
}

func ExampleWorkload_Requests() {
	w, err := workload.Load("bulk")
	if err != nil {
		fmt.Println(err)
		return
	}
	for q := range w.Requests(1) {
		fmt.Println(q.Number, q.From, q.QP, q.Op, q.Length, "bytes")
		if q.Number == 2 {
			break
		}
	}
	// Output:
	// 0 a 0 RDMA_WRITE 4096 bytes
	// 1 a 0 RDMA_WRITE 4096 bytes
	// 2 a 0 RDMA_WRITE 4096 bytes
}

func BenchmarkRequests(b *testing.B) {
	w := load(b, "mixed")
	w.Messages = 1 << 30
	n := 0
	for range w.Requests(1) {
		if n++; n > b.N {
			break
		}
	}
}

// Lists are of any length up to what their queue pair has, and sizes of both ends
// of their range.
func TestRequestsReachTheirLimits(t *testing.T) {
	w := load(t, "mixed")
	w.Messages = 500
	w.Sizes = workload.Sizes{Distribution: workload.LogUniform, Range: workload.Range{Min: 33, Max: 40}}
	w.Inline = 0
	source, recv := map[int]int{}, map[int]int{}
	sizes := map[int]bool{}
	for q := range w.Requests(2) {
		source[q.QP] = max(source[q.QP], len(q.Source))
		recv[q.QP] = max(recv[q.QP], len(q.Recv))
		sizes[q.Length] = true
	}
	for qp := range w.Connections() {
		require.Equal(t, w.Connection(qp).SendSGEs, source[qp])
		require.Equal(t, w.Connection(qp).RecvSGEs, recv[qp])
	}
	require.Len(t, sizes, 8)
	require.True(t, sizes[33] && sizes[40])
}

// A rate is of a host: its queue pairs share it.
func TestRateIsShared(t *testing.T) {
	w, err := workload.Parse("rate.yaml", []byte("direction: a_to_b\nmessages: 500\nqueue_pairs: [{count: 8, path_mtu: 256, ip: 4}]\n"+
		"operations: {write: 1}\nsizes: 64\narrival: {kind: every, per_million: 2000}\n"))
	require.NoError(t, err)
	require.Equal(t, workload.Arrival{Kind: workload.Every, Rate: 2000}, w.Arrival)
	last := uint64(0)
	for q := range w.Requests(1) {
		last = max(last, q.At)
	}
	require.EqualValues(t, 500*8*1_000_000/2000, last)
	again, err := workload.Parse("rate.yaml", w.Text())
	require.NoError(t, err)
	require.Equal(t, w, again)
}
