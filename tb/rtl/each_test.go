package rtl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/configs"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/tb/rtl"
	"gornic/tb/wire"
	"gornic/tb/wire/monitor"
)

// eachLab runs a test on each pair of NICs, in the smallest configuration, watched on the wire.
func eachLab(t *testing.T, test func(*testing.T, *rtl.Lab, *monitor.Monitor)) {
	config, err := configs.Load("tiny")
	require.NoError(t, err)
	for _, sides := range [][2]rtl.Kind{{rtl.Reference, rtl.Reference}} {
		t.Run(fmt.Sprintf("%v to %v", sides[0], sides[1]), func(t *testing.T) {
			watch := monitor.New()
			l, err := rtl.NewLab(nil, nil, rtl.Options{Config: config, Sides: sides, Seed: hdltest.Seed(t), Taps: []wire.Tap{watch.Tap}})
			require.NoError(t, err)
			test(t, l, watch)
		})
	}
}

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
