package axi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/dma"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	verilator "gornic/sim-verilator"
	"gornic/tb/axi"
	"gornic/tb/host"
)

// Cycles of a busy engine at 512 bits with the memory at work: each client has a
// read and a write of 16 beats under way. A turn is 1,000 cycles.
func BenchmarkMemory(b *testing.B) {
	design, io := hdltest.Build(b, dma.Def(params(512)))
	for _, simulator := range []sim.Simulator{sim.NativeSimulator, verilator.Simulator} {
		b.Run(simulator.Name, func(b *testing.B) {
			s := hdltest.Open(b, simulator, design, sim.Options{})
			memory, err := host.New(host.Options{})
			require.NoError(b, err)
			area, err := memory.Alloc(1<<20, host.PageBytes)
			require.NoError(b, err)
			m, err := axi.NewMemory(s, io.AXI, memory, axi.Options{LatencyMin: 100, LatencyMax: 150, Reorder: true})
			require.NoError(b, err)
			var feeds []func()
			for i := range clients {
				bursts, beats := sim.NewSource(s, io.Writes[i].Burst, sim.Pattern{}), sim.NewSource(s, io.Writes[i].Beat, sim.Pattern{})
				asked := sim.NewSource(s, io.Reads[i].Burst, sim.Pattern{})
				sim.NewSinkOf(s, sim.Ports(s, io.Writes[i].Done.Valid, io.Writes[i].Done.Ready, io.Writes[i].Done.Data), sim.Pattern{}, sim.SinkOptions{Discard: true})
				sim.NewSinkOf(s, sim.Ports(s, io.Reads[i].Beat.Valid, io.Reads[i].Beat.Ready, io.Reads[i].Beat.Data), sim.Pattern{}, sim.SinkOptions{Discard: true})
				burst := bursts.Pack(struct{ Addr, Len uint64 }{area + uint64(i)<<16, 15})
				beat := beats.Pack(struct {
					Data []byte
					Strb uint64
					Last bool
				}{make([]byte, 64), ^uint64(0), false})
				last := beats.Pack(struct {
					Data []byte
					Strb uint64
					Last bool
				}{make([]byte, 64), ^uint64(0), true})
				feeds = append(feeds, func() {
					for bursts.Pending() < 64 {
						bursts.SendWords(burst)
						asked.SendWords(burst)
						for range 15 {
							beats.SendWords(beat)
						}
						beats.SendWords(last)
					}
				})
			}
			s.Reset(2)
			for b.Loop() {
				for _, feed := range feeds {
					feed()
				}
				_, err := m.Run(1000)
				require.NoError(b, err)
			}
			n := m.Counters()
			b.ReportMetric(float64(b.N*1000)/b.Elapsed().Seconds(), "cycles/s")
			b.ReportMetric(float64(n.Reads.Beats+n.Writes.Beats)/float64(b.N*1000), "beats/cycle")
		})
	}
}
