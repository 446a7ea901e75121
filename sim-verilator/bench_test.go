package verilator_test

import (
	"testing"

	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
)

// BenchmarkRun moves full beats through a 512-bit frame FIFO; one operation is a cycle.
func BenchmarkRun(b *testing.B) {
	for name, batch := range map[string]uint64{"a cycle a call": 1, "1000 cycles a call": 1000} {
		b.Run(name, func(b *testing.B) { benchmarkRun(b, batch) })
	}
}

func benchmarkRun(b *testing.B, batch uint64) {
	needVerilator(b)
	d, err := wideFIFO()
	if err != nil {
		b.Fatal(err)
	}
	s, err := verilator.Open(d, sim.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	in, out := streams(d)
	source := s.AddSource(in[0], sim.Pattern{})
	state := uint64(1)
	for range b.N {
		source.Push(randomBeat(in[0], &state))
	}
	s.AddSink(out[0], sim.Pattern{}, sim.SinkOptions{Discard: true})
	clock := d.Top.Clocks[0]
	s.Run(sim.RunRequest{Clock: clock, Edges: 2})
	s.SetReset(clock, false)
	b.ResetTimer()
	for done := uint64(0); done < uint64(b.N); done += batch {
		s.Run(sim.RunRequest{Clock: clock, Edges: batch})
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cycles/s")
	if f := s.Failure(); f != nil {
		b.Fatal(f)
	}
}

// BenchmarkOpen is the price of one more copy of a design that is compiled.
func BenchmarkOpen(b *testing.B) {
	needVerilator(b)
	d, err := wideFIFO()
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		s, err := verilator.Open(d, sim.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
