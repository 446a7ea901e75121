package check_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/check"
	"gornic/hdl/ir"
)

type pipelineIO struct {
	In  hdl.Stream[word] `hdl:"in"`
	Out hdl.Stream[word] `hdl:"out"`
}

type word struct {
	Data hdl.Bits `w:"512"`
	Keep hdl.Bits `w:"64"`
}

// pipeline has many stages of wide and of narrow logic, some 25 nodes each.
func pipeline(stages int) hdl.Def[pipelineIO] {
	return hdl.Def[pipelineIO]{Name: "pipeline", Body: func(m *hdl.Module, io *pipelineIO) {
		data, keep, valid := io.In.Data.Data, io.In.Data.Keep, io.In.Valid
		for i := range stages {
			d := m.RegN(fmt.Sprintf("data_%d", i), 512)
			k := m.Reg(fmt.Sprintf("keep_%d", i), 64, 0)
			v := m.Reg(fmt.Sprintf("valid_%d", i), 1, 0)
			rotated := hdl.Cat(data.Slice(503, 0), data.Slice(511, 504))
			count := k.Trunc(8).Add(keep.Slice(63, 56)).Xor(keep.Trunc(8))
			m.If(io.Out.Ready, func() {
				d.Set(hdl.Mux(keep.Bit(i%64), rotated, data.Xor(rotated)))
				k.Set(keep.Shr(count.Trunc(6)).Or(keep.ShlK(1)))
				m.If(keep.Any(), func() { v.Set(valid) }).Else(func() { v.Set(v.And(valid)) })
				m.Switch(count.Trunc(2),
					hdl.Case(1, func() { k.Set(keep.Not()) }),
					hdl.Case(2, func() { k.Set(keep.Sub(k)) }),
				)
			})
			data, keep, valid = d, k, v
		}
		hdl.Set(io.Out.Data, word{Data: data, Keep: keep})
		io.Out.Valid.Set(valid)
		io.In.Ready.Set(io.Out.Ready)
	}}
}

// nodes counts the expressions of a design.
func nodes(d *ir.Design) int {
	seen := map[*ir.Node]bool{}
	var visit func(n *ir.Node)
	visit = func(n *ir.Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		for _, a := range n.Args {
			visit(a)
		}
	}
	var block func(b *ir.Block)
	block = func(b *ir.Block) {
		for _, s := range b.Stmts {
			switch s := s.(type) {
			case *ir.Assign:
				visit(s.Value)
			case *ir.If:
				for _, arm := range s.Arms {
					visit(arm.Cond)
					block(arm.Body)
				}
			case *ir.Switch:
				visit(s.Subject)
				for _, arm := range s.Arms {
					block(arm.Body)
				}
			}
		}
	}
	for _, m := range d.All {
		block(m.Body)
	}
	return len(seen)
}

// BenchmarkRun checks a design of 20,000 nodes.
func BenchmarkRun(b *testing.B) {
	d, _, err := hdl.Build(pipeline(800))
	require.NoError(b, err)
	for b.Loop() {
		check.Run(d)
	}
	b.ReportMetric(float64(nodes(d)), "nodes")
}

// BenchmarkFalseLoop checks a design whose vectors seem to depend on
// themselves, which takes the look at single bits.
func BenchmarkFalseLoop(b *testing.B) {
	d, _, err := hdl.Build(hdl.Def[oneIO]{Name: "ripple", Body: func(m *hdl.Module, io *oneIO) {
		x := m.Wire("x", 512)
		x.Set(hdl.Cat(x.Slice(510, 0), io.A).Xor(hdl.Cat(x.Slice(509, 0), io.A, io.A)))
		io.Y.Set(x.Parity())
	}})
	require.NoError(b, err)
	for b.Loop() {
		check.Run(d)
	}
}
