package resend_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/resend"
	"gornic/format"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// Cycles from job to job of a queue pair alone, as the package comment has them; host memory answers at once.
func TestCycles(t *testing.T) {
	for _, c := range []struct {
		name   string
		width  int
		wqes   [][]int // lengths of their SGEs
		cycles uint64
	}{
		{"a WQE each", 64, [][]int{{100}, {100}, {100}, {100}}, 28},
		{"a WQE each", 512, [][]int{{100}, {100}, {100}, {100}}, 21},
		{"packets of a WQE", 64, [][]int{{2048}}, 17},
		{"packets of a WQE", 512, [][]int{{2048}}, 17},
		{"two SGEs each", 512, [][]int{{100, 50}, {100, 50}, {100, 50}}, 24},
	} {
		t.Run(c.name, func(t *testing.T) {
			design, io := hdltest.Build(t, resend.Def(params(c.width)))
			b := newBench(t, hdltest.Open(t, sim.NativeSimulator, design, sim.Options{Seed: hdltest.Seed(t)}), io, 0, 0)
			q := b.open(0, format.MTU256, 3, 0, 0)
			for _, lengths := range c.wqes {
				b.post(q, b.wqe(format.WRWrite, 0, lengths...))
			}
			b.again(q)
			b.drain()
			require.Len(t, b.at, len(q.entries))
			for i := range b.at[1:] {
				if i > 0 {
					require.Equal(t, c.cycles, b.at[i+1]-b.at[i], "%d", b.at)
				}
			}
		})
	}
}
