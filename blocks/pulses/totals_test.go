package pulses_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/pulses"
	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

type totalsIO struct {
	In     hdl.Bits `hdl:"in"`
	Number hdl.Bits `hdl:"out"`
	Total  hdl.Bits `hdl:"out" w:"32"`
	Known  hdl.Bits `hdl:"out" w:"1"`
}

func totalsDef(n int) hdl.Def[totalsIO] {
	return hdl.Def[totalsIO]{
		Name: fmt.Sprintf("totals_%d", n), Doc: "Totals of counters, one after the other.",
		IO: totalsIO{In: hdl.W(n), Number: hdl.W(hdl.Log2(n))},
		Body: func(m *hdl.Module, p *totalsIO) {
			counters := make([]pulses.Counter, n)
			for i := range counters {
				counters[i] = pulses.Counter{Name: fmt.Sprint("c", i), Pulse: p.In.Bit(i)}
			}
			t := pulses.Count(m, counters)
			p.Number.Set(t.Number)
			p.Total.Set(t.Total)
			p.Known.Set(t.Known)
		},
	}
}

// Every pulse is in its counter's total a few cycles later, however often they come; each counter is told of once in as many cycles as there are counters.
func TestCount(t *testing.T) {
	for _, n := range []int{2, 5, 8, 41} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			design, p := hdltest.Build(t, totalsDef(n))
			hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
				r := rand.New(rand.NewPCG(hdltest.Seed(t), 2))
				s.Set(p.In, 0)
				s.Reset(2)
				sent, told := make([]uint64, n), make([]uint64, n)
				run := func(cycles int, pulse func(i int) bool) {
					for range cycles {
						in := uint64(0)
						for i := range n {
							if pulse(i) {
								in |= 1 << i
								sent[i]++
							}
						}
						s.Set(p.In, in)
						if s.Get(p.Known) == 1 {
							told[s.Get(p.Number)] = s.Get(p.Total)
						}
						s.Step()
					}
				}
				run(50*n, func(int) bool { return true })
				run(50*n, func(i int) bool { return r.IntN(i+1) == 0 })
				run(n+3, func(int) bool { return false })
				require.Equal(t, sent, told)
				require.Greater(t, sent[n-1], uint64(50*n))
			})
		})
	}
}
