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

// BenchmarkCycles measures a design in cycles per second. setup attaches
// sources and sinks, which should discard, and returns a function that is called
// before every 4,096 cycles to keep them busy.
func BenchmarkCycles(b *testing.B, simulator sim.Simulator, d *hdl.Design, setup func(*sim.Sim) (feed func())) {
	b.Helper()
	s := Open(b, simulator, d, sim.Options{Seed: 1})
	feed := setup(s)
	s.Reset(2)
	feed()
	s.Run(chunk)
	b.ResetTimer()
	for left := b.N; left > 0; left -= chunk {
		feed()
		s.Run(min(left, chunk))
	}
	b.StopTimer()
	if err := s.Err(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cycles/s")
}

// GeneratedSimulator is the native simulator with generated Go; dir, inside a
// Go module that can import hdl/sim, keeps what is built.
func GeneratedSimulator(ctx context.Context, dir string) sim.Simulator {
	return sim.Simulator{Name: "generated", Open: sim.Generated(ctx, filepath.Clean(dir))}
}
