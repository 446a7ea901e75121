package model

import (
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/tb/workload"
)

// config is the pair of a configuration, by name.
func config(t testing.TB, name string) Config {
	nic, err := configs.Named(name)
	require.NoError(t, err)
	return Default(nic)
}

// parse reads a workload.
func parse(t testing.TB, text string, args ...any) workload.Workload {
	w, err := workload.Parse("test.yaml", fmt.Appendf(nil, text, args...))
	require.NoError(t, err)
	return w
}

// load is messages of one size over some queue pairs.
func load(t testing.TB, op string, size, qps, messages, mtu int) workload.Workload {
	return parse(t, `
direction: a_to_b
messages: %d
queue_pairs: [{count: %d, path_mtu: %d, ip: 4, send_sges: 1, recv_sges: 1, depth: 1024, reads: 16}]
operations: {%s: 1}
sizes: %d
batch: 32
`, messages, qps, mtu, op, size)
}

func run(t testing.TB, c Config, w workload.Workload, o Options) *Result {
	r, err := Run(t.Context(), c, w, o)
	require.NoError(t, err)
	return r
}

func (r *Result) each() float64 { return float64(r.Cycles) / float64(r.Messages) }

// refused are the workloads that come with gornic and that are not modelled, with the field that says so.
var refused = map[string]string{"remote": "operations.send_inv"}

// Every workload that comes with gornic runs to its end, or is refused for the field that is not modelled.
func TestWorkloads(t *testing.T) {
	for _, name := range workload.Names() {
		for _, core := range []string{"dc", "board"} {
			t.Run(name+"/"+core, func(t *testing.T) {
				w, err := workload.Load(name)
				require.NoError(t, err)
				c := config(t, core)
				if field, is := refused[name]; is {
					require.ErrorContains(t, c.Validate(w), field)
					return
				}
				require.NoError(t, c.Validate(w))
				r := run(t, c, w, Options{Seed: 1})
				require.Equal(t, int64(w.Messages*w.Connections()*len(w.Direction.Senders())), r.Messages)
				t.Logf("%d messages in %d cycles, %d steps: %s", r.Messages, r.Cycles, r.Steps, r.Bottleneck)
			})
		}
	}
}

// Two runs are the same, on one processor and on several; another seed is another run.
func TestDeterminism(t *testing.T) {
	w, err := workload.Load("lossy")
	require.NoError(t, err)
	c := config(t, "dc")
	first := run(t, c, w, Options{Seed: 5, Events: true})
	require.NotEmpty(t, first.Events)
	before := runtime.GOMAXPROCS(1)
	second := run(t, c, w, Options{Seed: 5, Events: true})
	runtime.GOMAXPROCS(before)
	require.Equal(t, first, second)
	require.NotEqual(t, first.Cycles, run(t, c, w, Options{Seed: 6}).Cycles)
}

// Single operations take the cycles that the RTL takes, warm and cold, and each access of host memory its latency.
func TestSingle(t *testing.T) {
	w := load(t, "write", 64, 1, 2, 1024)
	w.Arrival = workload.Arrival{Kind: workload.Every, Cycles: 5000}
	c := config(t, "dc")
	for latency, want := range map[int]int64{0: 65, 100: 265} {
		c.Host.Latency = latency
		r := run(t, c, w, Options{Seed: 1, Events: true})
		require.Equal(t, want, between(t, r, Doorbell, FirstOut, 0), "latency %d", latency)
		require.Equal(t, int64(38), between(t, r, LastIn, CQE, 0), "the acknowledgement's CQE: its write is posted")
		require.Equal(t, int64(67+latency), between(t, r, LastIn, AckOut, 1))
	}
}

// between is the cycles between two events of the last message; nodes: where the first is.
func between(t testing.TB, r *Result, from, to EventKind, node int) int64 {
	var a, b int64 = -1, -1
	for _, e := range r.Events {
		switch {
		case e.Node == node && e.Kind == from:
			a = e.Cycle
		case e.Node == node && e.Kind == to:
			b = e.Cycle
		}
	}
	require.Positive(t, a)
	require.Positive(t, b)
	return b - a
}

// Rates that the RTL has, of two cores; one of 64-byte WRITEs of one queue pair is bound by the way from a request to its outcome.
func TestRates(t *testing.T) {
	for _, x := range []struct {
		op        string
		size, qps int
		want      float64
	}{{"write", 0, 1, 11.0}, {"write", 64, 1, 18.0}, {"write", 0, 16, 6.0}, {"write", 4096, 1, 66}, {"write", 4096, 16, 66}, {"send", 4096, 16, 65}} {
		r := run(t, config(t, "dc"), load(t, x.op, x.size, x.qps, 3200/x.qps, 4096), Options{Seed: 1, Warmup: 800})
		require.InEpsilon(t, x.want, r.each(), 0.03, "%+v: %s", x, r.Bottleneck)
	}
}

// A wire of a rate carries payload at the rate of its packets' overhead.
func TestPathMTU(t *testing.T) {
	c := config(t, "dc")
	c.Link.Gbps, c.Link.Framing = 50, 24
	for _, mtu := range []int{256, 512, 1024, 4096} {
		r := run(t, c, load(t, "send", 65536, 4, 40, mtu), Options{Seed: 1, Warmup: 40})
		const headers = 14 + 20 + 8 + 12 + 4 + 24
		want := 50e9 * float64(mtu) / float64(mtu+headers)
		require.InEpsilon(t, want, r.Goodput(), 0.02, "MTU %d: %s", mtu, r.Bottleneck)
	}
}

// READs of one queue pair are as many as may be outstanding in a round trip.
func TestReadsOutstanding(t *testing.T) {
	c := config(t, "dc")
	c.Link.Latency = 2000
	var rates []float64
	for _, reads := range []int{1, 2, 4, 8, 16} {
		w := load(t, "read", 64, 1, 200, 1024)
		w.QueuePairs[0].Reads = reads
		r := run(t, c, w, Options{Seed: 1})
		rates = append(rates, float64(reads)/r.each())
	}
	for i, r := range rates {
		require.InEpsilon(t, float64(int(1)<<i)*float64(int(1)<<i)*rates[0], r, 0.05*float64(i+1), "%v", rates)
	}
}

// Go-back-N: of W packets on their way when one is lost, all behind it are sent again.
func TestGoBackN(t *testing.T) {
	c := config(t, "dc")
	c.Link.Gbps, c.Link.Framing, c.Link.Latency = 50, 24, 200
	c.Retry.Timeout = 2 // what is lost twice waits for it
	lossless := run(t, c, load(t, "write", 65536, 1, 300, 1024), Options{Seed: 1}).Goodput()
	for _, p := range []float64{1e-3, 1e-2} {
		w := load(t, "write", 65536, 1, 300, 1024)
		w.Rules = parse(t, "direction: a_to_b\nmessages: 1\nqueue_pairs: [{count: 1, path_mtu: 1024, ip: 4}]\noperations: {write: 1}\nsizes: 0\nfaults: [{action: drop, rate: %g, packets: requests}]\n", p).Rules
		r := run(t, c, w, Options{Seed: 1})
		var q QP
		for _, x := range r.QPs {
			if x.Node == 0 {
				q = x
			}
		}
		require.Positive(t, r.Nodes[0].Lost)
		window := float64(q.Resent) / float64(r.Nodes[0].Lost)
		require.Less(t, window, 33.0, "no more than the replay ring has")
		share := r.Goodput() / lossless
		theory := (1 - p) / (1 - p + p*window)
		t.Logf("p %g: %.3f of the rate, %.1f packets again a loss: theory %.3f", p, share, window, theory)
		require.InDelta(t, theory, share, 0.12*(1-theory)+0.05)
	}
}

// A queue pair whose packets all get lost gives up behind its retries; the error tells.
func TestGivesUp(t *testing.T) {
	c := config(t, "dc")
	c.Retry.Timeout, c.Retry.Count = 1, 2
	w := load(t, "write", 64, 1, 3, 1024)
	w.Rules = parse(t, "direction: a_to_b\nmessages: 1\nqueue_pairs: [{count: 1, path_mtu: 1024, ip: 4}]\noperations: {write: 1}\nsizes: 0\nfaults: [{action: drop, rate: 1}]\n").Rules
	_, err := Run(t.Context(), c, w, Options{Seed: 1})
	require.ErrorContains(t, err, "failed with")
}

// What cannot be is an error that names the field.
func TestValidate(t *testing.T) {
	w := load(t, "write", 64, 1, 1, 1024)
	for field, change := range map[string]func(*Config){
		"clock_mhz":      func(c *Config) { c.ClockMHz = 0 },
		"host.bus":       func(c *Config) { c.Host.Bus = "usb" },
		"host.page_bits": func(c *Config) { c.Host.PageBits = 4 },
		"link.senders":   func(c *Config) { c.Link.Senders = 0 },
		"nic.path_mtu":   func(c *Config) { c.NIC.PathMTU = 256 },
		"caches.context": func(c *Config) { c.Caches.Context = Cache{Entries: 5, Ways: 2} },
		"credits":        func(c *Config) { c.NIC.Credits = 1 },
		"generation":     func(c *Config) { c.Host.Bus, c.Host.PCIe.Gen = BusPCIe, 9 },
	} {
		c := config(t, "dc")
		change(&c)
		_, err := Run(t.Context(), c, w, Options{})
		require.ErrorContains(t, err, field)
	}
}

// A miss of a cache costs a read: with fewer contexts than queue pairs the rate falls, and with as many it does not.
func TestContextCache(t *testing.T) {
	rate := func(entries int) *Result {
		c := config(t, "dc")
		c.Host.Latency = 200
		c.Caches.Context = Cache{Entries: entries, Misses: 8}
		return run(t, c, load(t, "write", 64, 64, 40, 1024), Options{Seed: 1, Warmup: 640})
	}
	all, few := rate(64), rate(16)
	require.Greater(t, few.each(), 1.5*all.each())
	for _, c := range few.Caches {
		if c.Name == "context" && c.Node == 0 {
			require.Less(t, c.HitRate(), 0.8)
		}
	}
}

// Incast: without congestion control the switch loses packets; with it, fewer.
func TestIncast(t *testing.T) {
	at := func(enabled bool) *Result {
		c := config(t, "dc")
		c.Link = Link{Gbps: 50, Framing: 24, Latency: 250, Senders: 3, Switch: Switch{Buffer: 100_000, KMin: 10_000, KMax: 50_000, PMax: 1}}
		c.Retry.Timeout = 4
		c.DCQCN.Enabled = enabled
		return run(t, c, load(t, "write", 65536, 2, 20, 1024), Options{Seed: 1})
	}
	lost := func(r *Result) (n int64) {
		for _, x := range r.Nodes {
			n += x.Lost
		}
		return n
	}
	without, with := at(false), at(true)
	t.Logf("lost %d without, %d with congestion control; %.1f and %.1f Gb/s", lost(without), lost(with), without.Goodput()/1e9, with.Goodput()/1e9)
	require.Positive(t, lost(without))
	require.Less(t, lost(with), 7*lost(without)/10)
	require.LessOrEqual(t, with.Goodput(), 50e9)
}

// Latencies behind PCIe: reads of host memory take its latency, and no more are outstanding than there are tags.
func TestPCIe(t *testing.T) {
	c := config(t, "dc")
	c.Host.Bus = BusPCIe
	c.Host.PCIe.Latency = 900
	for _, tags := range []int{4, 8, 16} {
		c.Host.PCIe.Tags = tags
		r := run(t, c, load(t, "write", 4096, 4, 100, 4096), Options{Seed: 1, Warmup: 100})
		// Messages begin anywhere, so one more request than 8 is needed for most.
		most := float64(tags) * 512 * 8 / 900e-9
		require.Less(t, r.Goodput(), most)
		require.Greater(t, r.Goodput(), 0.75*most, "%d tags: %s", tags, r.Bottleneck)
	}
}

// Quantiles are those of the values, as far as buckets go.
func TestLatencies(t *testing.T) {
	var d distribution
	for v := range int64(10000) {
		d.add(v)
	}
	l := d.result()
	require.Equal(t, int64(10000), l.Count)
	require.InEpsilon(t, 4999.5, l.Mean, 1e-9)
	require.InEpsilon(t, 5000, l.P50, 1.0/64)
	require.InEpsilon(t, 9900, l.P99, 1.0/64)
	for _, v := range []int64{0, 1, 127, 128, 129, 1 << 20, 1<<40 + 12345} {
		i := index(v)
		require.LessOrEqual(t, lowest(i), v)
		require.Greater(t, lowest(i+1), v)
	}
	require.False(t, math.IsNaN(l.Mean))
}

func benchmark(b *testing.B, op string, size, qps int, latency int) {
	c := config(b, "dc")
	c.Host.Latency = latency
	b.ReportAllocs()
	w := load(b, op, size, qps, max(1, b.N/qps), 4096)
	r := run(b, c, w, Options{Seed: 1})
	b.ReportMetric(float64(r.Cycles)/b.Elapsed().Seconds(), "cycles/s")
	b.ReportMetric(float64(r.Messages)/b.Elapsed().Seconds(), "messages/s")
	b.ReportMetric(float64(r.Steps)/float64(r.Messages), "steps/message")
}

func BenchmarkWrite64(b *testing.B)      { benchmark(b, "write", 64, 16, 0) }
func BenchmarkWrite4096(b *testing.B)    { benchmark(b, "write", 4096, 16, 0) }
func BenchmarkRead4096(b *testing.B)     { benchmark(b, "read", 4096, 16, 0) }
func BenchmarkWriteLatency(b *testing.B) { benchmark(b, "write", 64, 1, 2000) }

// A trace has what blocks did in its window, and its file is whole or not there.
func TestTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.sqlite3")
	w := load(t, "write", 64, 2, 20, 1024)
	plain := run(t, config(t, "dc"), w, Options{Seed: 1})
	traced := run(t, config(t, "dc"), w, Options{Seed: 1, Trace: path, From: 100, To: 300})
	require.Equal(t, plain, traced)
	require.NoFileExists(t, path+".part")
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	var tasks, early int
	require.NoError(t, db.QueryRow("select count(*) from trace").Scan(&tasks))
	require.NoError(t, db.QueryRow("select count(*) from trace where EndTime <= ? or StartTime >= ?", 100/250e6, 300/250e6).Scan(&early))
	require.Greater(t, tasks, 50)
	require.Zero(t, early)

	_, err = Run(t.Context(), config(t, "dc"), w, Options{Seed: 1, Trace: filepath.Join(t.TempDir(), "no", "folder")})
	require.Error(t, err)
}

// READs of several packets, to several SGEs, come whole, and nothing is sent twice.
func TestLongReads(t *testing.T) {
	for _, core := range []string{"dc", "board"} {
		w := parse(t, `
direction: both
messages: 100
queue_pairs: [{count: 4, path_mtu: 256, ip: 6, send_sges: 6, recv_sges: 2, depth: 16, reads: 4}]
operations: {read: 3, write: 1, fetch_add: 1, send: 1}
sizes: {distribution: log_uniform, min: 0, max: 9000}
inline: 50
`)
		c := config(t, core)
		c.NIC.Reads = max(c.NIC.Reads, 4)
		r := run(t, c, w, Options{Seed: 3})
		require.Equal(t, int64(800), r.Messages)
		for _, q := range r.QPs {
			require.Zero(t, q.Resent, "%s: %+v", core, q)
			require.Zero(t, q.Retries)
		}
	}
}

// A receiver keeps up with its wire while keys are missed: no packet is dropped for want of room, and so none sent again.
func TestMissedKeysDropNothing(t *testing.T) {
	w := parse(t, `
direction: both
messages: 24
queue_pairs: [{count: 8, path_mtu: 1024, ip: 4, send_sges: 1, recv_sges: 1, depth: 8}]
operations: {write: 1}
sizes: 1024
`)
	c := config(t, "board")
	c.Link.Whole, c.Link.Latency = true, 2
	r := run(t, c, w, Options{})
	for i, n := range r.Nodes {
		require.Zero(t, n.Dropped, "core %d", i)
		require.EqualValues(t, 8*24*2, n.TxPackets, "core %d: WRITEs and their acknowledgements, once each", i)
	}
}
