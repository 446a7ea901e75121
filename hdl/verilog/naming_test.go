package verilog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gornic/hdl"
	"gornic/hdl/stream"
	"gornic/hdl/verilog"
)

type namesIO struct {
	In  hdl.Stream[hdl.Bits] `hdl:"in"`
	Out hdl.Stream[hdl.Bits] `hdl:"out"`
	A   hdl.Bits             `hdl:"in" w:"8"`
	B   hdl.Bits             `hdl:"in" w:"8"`
	Y   hdl.Bits             `hdl:"out" w:"8"`
	Z   hdl.Bits             `hdl:"out" w:"8"`
}

type taker struct {
	take hdl.Bits
	sum  hdl.Bits
}

func newTaker(t *taker) *taker { return t }

func bigger(x, y hdl.Bits) hdl.Bits { return hdl.Mux(x.Gt(y), x, y) }

// twice returns what it is given, so that a wire is made of it.
func use(io *namesIO, sum, flag hdl.Bits) {
	io.Y.Set(hdl.Mux(flag, sum, sum.Not()))
	io.Z.Set(hdl.Mux(flag, sum.Xor(io.A), sum.And(io.B)))
}

func pass(io *namesIO) { hdl.Connect(io.Out, io.In) }

// A wire has the name of the Go variable or field that took its value, and no
// other's.
func TestWiresHaveTheNameOfWhatTookThem(t *testing.T) {
	for name, c := range map[string]struct {
		body       func(m *hdl.Module, io *namesIO)
		want, none []string
	}{
		"variable": {func(m *hdl.Module, io *namesIO) {
			pass(io)
			total := io.A.Add(io.B)
			use(io, total, io.A.Any())
		}, []string{"wire [7:0] total = a + b;"}, nil},
		"helper function": {func(m *hdl.Module, io *namesIO) {
			pass(io)
			most := bigger(io.A, io.B)
			use(io, most, io.A.Any())
		}, []string{"wire [7:0] most = "}, nil},
		"function literal": {func(m *hdl.Module, io *namesIO) {
			pass(io)
			add := func(x, y hdl.Bits) hdl.Bits { return x.Add(y) }
			total := add(io.A, io.B)
			use(io, total, io.A.Any())
		}, []string{"wire [7:0] total = a + b;"}, nil},
		"argument": {func(m *hdl.Module, io *namesIO) {
			gated := stream.Gate(m, "gate", io.In, io.A.Ge(io.B))
			hdl.Connect(io.Out, gated)
			use(io, io.A, io.A.Any())
		}, []string{"b <= a"}, []string{" gated"}},
		"field": {func(m *hdl.Module, io *namesIO) {
			pass(io)
			r := &taker{take: io.In.Fire()}
			use(io, io.A, r.take)
		}, []string{"wire r_take = in_valid & in_ready;"}, []string{" r "}},
		"two fields of a line": {func(m *hdl.Module, io *namesIO) {
			pass(io)
			r := taker{take: io.In.Fire(), sum: io.A.Add(io.B)}
			use(io, r.sum, r.take)
		}, []string{"wire [7:0] r_sum = a + b;", "wire r_take = in_valid & in_ready;"}, []string{" r "}},
		"field of an argument": {func(m *hdl.Module, io *namesIO) {
			pass(io)
			r := newTaker(&taker{take: io.In.Fire(), sum: io.A.Add(io.B)})
			use(io, r.sum, r.take)
		}, []string{"wire [7:0] sum = a + b;", "wire take = in_valid & in_ready;"}, []string{" r "}},
		"appended": {func(m *hdl.Module, io *namesIO) {
			pass(io)
			var sums []hdl.Bits
			for i := range 2 {
				sums = append(sums, io.A.AddK(uint64(i+1)))
			}
			use(io, sums[0], sums[1].Any())
		}, []string{"wire [7:0] sums_0 = a + 8'd1;"}, nil},
		"inside an operation": {func(m *hdl.Module, io *namesIO) {
			pass(io)
			total := bigger(io.A.Add(io.B), io.B)
			use(io, total, io.A.Any())
		}, []string{"wire [7:0] total_sum = a + b;"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d, _, err := hdl.Build(hdl.Def[namesIO]{
				Name: "names", IO: namesIO{In: hdl.StreamOf(hdl.W(8)), Out: hdl.StreamOf(hdl.W(8))}, Body: c.body,
			})
			if err != nil {
				t.Fatal(err)
			}
			text := string(emit(t, d, verilog.Options{})[0].Text)
			for _, want := range c.want {
				assert.Contains(t, text, want)
			}
			for _, none := range c.none {
				assert.NotContains(t, text, none)
			}
		})
	}
}
