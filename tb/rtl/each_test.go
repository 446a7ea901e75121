package rtl_test

import (
	"flag"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/core"
	"gornic/configs"
	"gornic/format"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
)

// built is a core that has been elaborated.
type built struct {
	config configs.Config
	design *hdl.Design
	io     *core.IO
}

// small is the smallest configuration, with room for all that a few connections may have
// on the way: what finds no room is lost, and takes a retransmission.
var small = sync.OnceValues(func() (b built, err error) {
	if b.config, err = configs.Load("tiny"); err != nil {
		return b, err
	}
	b.config.RxBuffer, b.config.RxPackets = 16<<10, 64
	b.design, b.io, err = rtl.Build(b.config)
	return b, err
})

// The simulators have that core prepared once for all tests.
var (
	native    = sim.NativeSimulator.Cached(ctx)
	verilated = verilator.Simulator.Cached(ctx)
)

// eachLab runs a test on two cores in both simulators, and in Verilator on a core and a
// reference, either way round, watched on the wire.
func eachLab(t *testing.T, test func(*testing.T, *rtl.Lab, *monitor.Monitor)) {
	nic, err := small()
	require.NoError(t, err)
	both := [2]rtl.Kind{rtl.Core, rtl.Core}
	for _, c := range []struct {
		simulator sim.Simulator
		sides     [][2]rtl.Kind
	}{
		{native, [][2]rtl.Kind{both}}, // some thousand cycles a second
		{verilated, [][2]rtl.Kind{both, {rtl.Core, rtl.Reference}, {rtl.Reference, rtl.Core}}},
	} {
		simulator := c.simulator
		for _, sides := range c.sides {
			t.Run(fmt.Sprintf("%s/%v to %v", simulator.Name, sides[0], sides[1]), func(t *testing.T) {
				watch := monitor.New()
				l, err := rtl.NewLab(nic.design, nic.io, rtl.Options{
					Config: nic.config, Sides: sides, Seed: hdltest.Seed(t), Taps: []wire.Tap{watch.Tap},
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
