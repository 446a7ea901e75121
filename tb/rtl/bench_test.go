package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
	"gornic/tb/rtl"
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
