package verilog_test

import (
	"strings"
	"testing"

	"gornic/hdl"
	"gornic/hdl/verilog"
)

type radixIO struct {
	Fill  hdl.Bits `hdl:"in" w:"4"`
	Kind  hdl.Bits `hdl:"in" w:"8"`
	Step  hdl.Bits `hdl:"in" w:"40"`
	Level hdl.Bits `hdl:"out" w:"4"`
	Known hdl.Bits `hdl:"out" w:"1"`
	Empty hdl.Bits `hdl:"out" w:"1"`
	Wide  hdl.Bits `hdl:"out" w:"40"`
	Low   hdl.Bits `hdl:"out" w:"8"`
	Mask  hdl.Bits `hdl:"out" w:"4"`
}

// Amounts are decimal wherever they stand, patterns are not.
func TestRadix(t *testing.T) {
	d, _, err := hdl.Build(hdl.Def[radixIO]{Name: "radix", Body: func(m *hdl.Module, io *radixIO) {
		level := m.Reg("level_now", 4, 3)
		filled := level.Add(io.Fill)
		level.Set(hdl.Mux(filled.GtK(12), filled.K(12), filled))
		io.Level.Set(level)
		io.Empty.Set(level.Is(0))
		io.Mask.Set(level.And(level.K(6)))
		io.Known.Set(io.Kind.Is(0x81).Or(io.Kind.Is(12)))
		wide := m.Reg("wide_sum", 40, 7)
		m.If(wide.Is(0x123456), func() { wide.SetK(9) }).Else(func() { wide.Set(wide.Add(io.Step)) })
		io.Wide.Set(wide)
		io.Low.Set(hdl.Mux(wide.Bit(0), wide.Trunc(8), hdl.K(8, 20)))
	}})
	if err != nil {
		t.Fatal(err)
	}
	text := string(emit(t, d, verilog.Options{})[0].Text)
	for _, want := range []string{
		"level_now <= 4'd3;",
		"level_now <= (filled > 4'd12) ? 4'd12 : filled;",
		"empty = (level_now == 4'd0);",
		"mask = level_now & 4'h6;",
		"(kind == 8'h81) | (kind == 8'h0c)",
		"wide_sum <= 40'd7;",
		"wide_sum == 40'h0000123456", // too large to be read in decimal
		"wide_sum <= 40'd9;",
		"low = wide_sum[0] ? wide_sum[7:0] : 8'd20;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
