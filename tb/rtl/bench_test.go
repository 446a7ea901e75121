package rtl_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/hdl/hdltest"
	"gornic/hdl/ir"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
	"gornic/tb/workload"
	"gornic/tb/workload/play"
)

// What two hosts and a wire cost, without the core: the device echoes frames and
// writes a word of each to memory, and there are always frames on the wire in either
// direction. A turn is 10,000 cycles of both.
func BenchmarkLab(b *testing.B) {
	config, err := configs.Load("board")
	require.NoError(b, err)
	design, io := hdltest.Build(b, echo(config.DataWidth))
	for _, simulator := range []sim.Simulator{sim.NativeSimulator, verilator.Simulator} {
		b.Run(simulator.Name, func(b *testing.B) {
			l, err := rtl.NewLab(design, io, rtl.Options{
				Config: config, NIC: rtl.NICOptions{Simulator: simulator, AXI: axi.Options{LatencyMin: 50, LatencyMax: 100, Reorder: true}},
			})
			skipAbsent(b, simulator, err)
			for range 4 {
				l.A.Receive(make([]byte, 1000))
				l.B.Receive(make([]byte, 1000))
			}
			for b.Loop() {
				require.NoError(b, l.Run(10000))
			}
			b.ReportMetric(float64(10000*b.N)/b.Elapsed().Seconds(), "cycles/s")
			require.NoError(b, l.Close())
		})
	}
}

// Two cores of the board configuration in Verilator play the workload mixed, both ways,
// with every packet, completion and byte checked, as in a scenario; with the properties
// of the cores and without them. It reports cycles of both cores per second of processor
// time, and how much of the time goes by outside the calls of the simulator: in memory,
// drivers, wire and checks.
func BenchmarkLabCores(b *testing.B) {
	config, err := configs.Load("board")
	require.NoError(b, err)
	config.RxBuffer = 64 << 10 // so that nothing is lost
	design, io, err := rtl.Build(config)
	require.NoError(b, err)
	for name, noChecks := range map[string]bool{"checks": false, "nochecks": true} {
		b.Run(name, func(b *testing.B) {
			w, err := workload.Load("mixed")
			require.NoError(b, err)
			inside := &stopwatch{open: verilator.Open}
			var cycles uint64
			var used, all time.Duration
			for b.Loop() {
				watch := monitor.New()
				l, err := rtl.NewLab(design, io, rtl.Options{
					Config: config, Taps: []wire.Tap{watch.Tap},
					NIC: rtl.NICOptions{Simulator: sim.Simulator{Open: inside.Open}, NoChecks: noChecks, AXI: axi.Options{LatencyMax: 40, Reorder: true}},
				})
				skipAbsent(b, verilator.Simulator, err)
				inside.elapsed = 0
				begun, start := processorTime(), time.Now()
				require.NoError(b, run(b, l, w, play.Options{Seed: 1, Watch: watch}))
				used += processorTime() - begun
				all += time.Since(start)
				inside.total += inside.elapsed
				cycles += l.Cycle()
				require.NoError(b, l.Close())
			}
			b.ReportMetric(float64(cycles)/used.Seconds(), "cycles/cpu-s")
			b.ReportMetric(100*(1-float64(inside.total)/float64(all)), "%outside")
			b.ReportMetric(0, "ns/op") // compiling is in it
		})
	}
}

// stopwatch opens simulations whose runs it times.
type stopwatch struct {
	open           sim.Open
	elapsed, total time.Duration
}

type timed struct {
	sim.Backend
	watch *stopwatch
}

func (s *stopwatch) Open(d *ir.Design, o sim.Options) (sim.Backend, error) {
	b, err := s.open(d, o)
	return timed{b, s}, err
}

func (t timed) Run(r sim.RunRequest) sim.RunResult {
	start := time.Now()
	defer func() { t.watch.elapsed += time.Since(start) }()
	return t.Backend.Run(r)
}

// processorTime is what the process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
