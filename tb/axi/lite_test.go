package axi_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/registers"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
)

var registerParams = registers.Params{Sizes: link.Sizes{DataWidth: 64, QPBits: 3, CQBits: 2, EQBits: 1, ReplayBits: 4, ReadBits: 1}, MTU: 4096}

// Random accesses to the real registers, by the block's reference.
func TestLite(t *testing.T) {
	design, io := hdltest.Build(t, registers.Def(registerParams))
	for _, pauses := range []int{0, 60} {
		hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
			seed := hdltest.Seed(t)
			r := rand.New(rand.NewPCG(seed, 2))
			s.Set(io.Counts, 0)
			s.Set(io.Raise, 0)
			bells := sim.NewSink(s, io.Bell, hdltest.Gaps(t, 50))
			sim.NewSink(s, io.Go, sim.Pattern{})
			sim.NewSource(s, io.Done, sim.Pattern{})
			lite := axi.NewLite(s, io.Bus, axi.Alone(s), axi.LiteOptions{Seed: seed, Pauses: pauses})
			s.Reset(2)
			ref := registers.NewReference(1<<18 - 1)
			ref.Caps0, ref.Caps1, ref.Caps2 = 3|2<<8|1<<16|3<<24|5<<28, 8|16<<16, format.CapsCongestion|2<<8
			for range 500 {
				all := format.Registers()
				at, v := all[r.IntN(len(all))].Offset, r.Uint32()
				if r.IntN(2) == 0 && at != format.RegMailboxGo {
					requireResponse(t, lite.Write(at, v), ref.Write(at, v), true, at)
					continue
				}
				got, err := lite.Read(at)
				want, ok := ref.Read(at)
				requireResponse(t, err, ok, false, at)
				require.Equal(t, want, got)
			}
			require.NoError(t, lite.Write(format.DoorbellBase+format.DoorbellPageBytes, 0x00070008))
			require.Equal(t, []struct{ Page, Offset, Index, Number int }{{1, 0, 7, 8}}, sim.Received[struct{ Page, Offset, Index, Number int }](bells))
			_, err := lite.Read(1 << 20)
			require.Equal(t, &axi.ResponseError{Offset: 1 << 20, Response: 3}, err)
			bells.SetPattern(sim.Pattern{Kind: sim.Never})
			s.Step()
			require.ErrorIs(t, lite.Write(format.DoorbellBase, 0), sim.ErrLimit)
		}, verilator.Simulator)
	}
}

func requireResponse(t *testing.T, err error, ok, write bool, at uint32) {
	t.Helper()
	if ok {
		require.NoError(t, err)
		return
	}
	require.Equal(t, &axi.ResponseError{Write: write, Offset: at, Response: 2}, err)
}
