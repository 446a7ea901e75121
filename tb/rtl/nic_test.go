package rtl_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
	"gornic/tb/host"
	"gornic/tb/rtl"
)

var ctx = context.Background()

// simulators are those that are installed, each with a name for a subtest.
func eachSimulator(t *testing.T, test func(t *testing.T, s sim.Simulator)) {
	for _, s := range []sim.Simulator{sim.NativeSimulator, verilator.Simulator} {
		t.Run(s.Name, func(t *testing.T) {
			test(t, s)
		})
	}
}

// Frames, registers, writes to memory and interrupts reach whom they should, whatever
// their length and the width of the bus.
func TestNIC(t *testing.T) {
	for _, width := range []int{64, 512} {
		eachSimulator(t, func(t *testing.T, simulator sim.Simulator) {
			design, io := hdltest.Build(t, echo(width))
			memory, err := host.New(host.Options{Seed: 1})
			require.NoError(t, err)
			base, err := memory.Alloc(4096, 4096)
			require.NoError(t, err)
			n, err := rtl.NewNIC(design, io, memory, rtl.NICOptions{Simulator: simulator, Seed: hdltest.Seed(t), AXI: axi.Options{LatencyMax: 20}, Pauses: 30})
			skipAbsent(t, simulator, err)
			defer func() { require.NoError(t, n.Close()) }()

			require.NoError(t, n.WriteRegister(format.RegKeyBaseLow, uint32(base)))
			require.NoError(t, n.WriteRegister(format.RegKeyBaseHigh, uint32(base>>32)))
			id, err := n.ReadRegister(format.RegID)
			require.NoError(t, err)
			require.EqualValues(t, format.DeviceID, id)
			_, err = n.ReadRegister(0xFF8)
			require.ErrorContains(t, err, "read at 0xff8: response 2")

			r := rand.New(rand.NewPCG(1, uint64(width)))
			for range 50 {
				frame := make([]byte, 1+r.IntN(300))
				for i := range frame {
					frame[i] = byte(r.Uint32())
				}
				n.Receive(frame)
				n.SendRaw(frame[:1])
				require.NotZero(t, n.Backlog())
				require.NoError(t, n.Run(200))
				require.Zero(t, n.Backlog())
				got, ok := n.Send()
				require.True(t, ok)
				require.Equal(t, frame, got)
				raw, ok := n.Raw()
				require.True(t, ok)
				require.Equal(t, frame[:1], raw)
				first := min(len(frame), width/8)
				require.Equal(t, frame[:first], memory.Peek(base, first))
				require.True(t, n.Interrupt())
				require.Equal(t, []uint8{0}, n.Vectors())
				require.NoError(t, n.WriteRegister(format.RegIRQPending, 1))
				require.False(t, n.Interrupt())
			}
			_, ok := n.Send()
			require.False(t, ok)
		})
	}
}

func skipAbsent(t testing.TB, s sim.Simulator, err error) {
	t.Helper()
	if s.Absent != nil {
		if errors.Is(err, s.Absent) {
			t.Skipf("skipped: %v", err)
		}
	}
	require.NoError(t, err)
}
