package rtl_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
)

// eachLab runs a test on each pair of NICs, in the smallest configuration, watched on the wire.
func eachLab(t *testing.T, test func(*testing.T, *rtl.Lab, *monitor.Monitor)) {
	config, err := configs.Load("tiny")
	require.NoError(t, err)
	design, io, err := rtl.Build(config)
	require.NoError(t, err)
	for _, simulator := range []sim.Simulator{sim.NativeSimulator, verilator.Simulator} {
		for _, sides := range [][2]rtl.Kind{
			{rtl.Reference, rtl.Reference}, {rtl.Core, rtl.Reference}, {rtl.Reference, rtl.Core}, {rtl.Core, rtl.Core},
		} {
			t.Run(fmt.Sprintf("%s/%v to %v", simulator.Name, sides[0], sides[1]), func(t *testing.T) {
				watch := monitor.New()
				l, err := rtl.NewLab(design, io, rtl.Options{
					Config: config, Sides: sides, Seed: hdltest.Seed(t), Taps: []wire.Tap{watch.Tap},
					NIC: rtl.NICOptions{Simulator: simulator, AXI: axi.Options{LatencyMax: 40, Reorder: true, Pauses: 10, Strict: true}, Pauses: 10, Waves: *waves},
				})
				skipAbsent(t, simulator, err)
				test(t, l, watch)
			})
		}
	}
}

var waves = flag.String("rtl.waves", "", "file of waves of tests of labs, such as x.vcd: x.a.vcd, x.b.vcd; run one test")

// counters are those of a NIC that are not zero.
func counters(h *rtl.Host) map[string]uint32 {
	all := map[string]uint32{}
	for i := range format.CounterCount {
		if v, err := h.ReadRegister(ctx, format.RegCounters+4*uint32(i)); err == nil && v != 0 {
			all[format.Counter(i).String()] = v
		}
	}
	return all
}
