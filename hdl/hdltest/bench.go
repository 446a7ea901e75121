package hdltest

import (
	"context"
	"path/filepath"
	"testing"

	"gornic/hdl"
	"gornic/hdl/sim"
)

// chunk is how many cycles a benchmark runs between two calls of its feed.
const chunk = 4096

// BenchmarkCycles measures a design in cycles per second of processor time,
// which other load on the machine disturbs less than the time of day. setup attaches
// sources and sinks, which should discard, and returns a function that is called
// before every 4,096 cycles to keep them busy.
func BenchmarkCycles(b *testing.B, simulator sim.Simulator, d *hdl.Design, setup func(*sim.Sim) (feed func())) {
	b.Helper()
	s := Open(b, simulator, d, sim.Options{Seed: 1})
	feed := setup(s)
	s.Reset(2)
	feed()
	s.Run(chunk)
	start := cpuTime()
	b.ResetTimer()
	for left := b.N; left > 0; left -= chunk {
		feed()
		s.Run(min(left, chunk))
	}
	b.StopTimer()
	if err := s.Close(); err != nil { // a child's time is known when it has ended
		b.Fatal(err)
	}
	if used := cpuTime() - start; used > 0 {
		b.ReportMetric(float64(b.N)/used.Seconds(), "cycles/CPU-s")
	}
}

// GeneratedSimulator is the native simulator with generated Go; dir, inside a
// Go module that can import hdl/sim, keeps what is built.
func GeneratedSimulator(ctx context.Context, dir string) sim.Simulator {
	return sim.Simulator{Name: "generated", Open: sim.Generated(ctx, filepath.Clean(dir))}
}
