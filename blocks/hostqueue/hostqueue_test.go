package hostqueue_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/hostqueue"
	"gornic/blocks/linktest"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

// Everything at random, one thing after the other: registers, rings, buffers, frames and interrupts are as the
// reference has them, with holes in memory, too.
func TestAgainstReference(t *testing.T) {
	for _, c := range []struct{ width, latency int }{{64, 30}, {128, 0}, {256, 7}, {512, 40}} {
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			design, io := hdltest.Build(t, hostqueue.Def(params(c.width)))
			for _, gaps := range []uint32{0, 30} {
				hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
					p := newProgram(t, s, io, gaps)
					p.latency(c.latency)
					for range 1500 {
						p.act()
						p.settle()
						p.compare()
					}
					p.buffersOf()
					require.Greater(t, p.count["received"], 40)
					require.Greater(t, p.count["dropped"], 40)
					require.Greater(t, p.count["sent"], 40)
				}, linktest.Others(c.width)...)
			}
		})
	}
}
