package verilog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/verilog"
)

type waitingIO struct {
	Waits hdl.Bits `hdl:"in" w:"1"`
	Valid hdl.Bits `hdl:"in" w:"1"`
	A     hdl.Bits `hdl:"in" w:"40"`
	B     hdl.Bits `hdl:"in" w:"40"`
	Out   hdl.Bits `hdl:"out" w:"40"`
}

// Checks in a row that begin with the same condition share an if, and so does a wide
// comparison have its own; what is narrow and alone stays in one line.
func TestGuards(t *testing.T) {
	def := hdl.Def[waitingIO]{Name: "waiting", Body: func(m *hdl.Module, io *waitingIO) {
		io.Out.Set(hdl.Mux(io.Waits.And(io.Valid), io.A, io.B))
		held := m.Past("held", hdl.Cat(io.A, io.B))
		m.Assert("stays", io.Waits.Not().Or(io.Valid))
		m.Assert("same", io.Waits.Not().Or(io.A.Eq(io.B)))
		m.Cover("both", io.Waits.And(io.Valid))
		m.Assert("alone", io.Valid.Not().Or(io.A.Any()))
		m.Assert("wide", io.Valid.Or(hdl.Cat(io.A, io.B).Eq(held)))
	}}
	text := string(emit(t, of(def).build(t), verilog.Options{Checks: true})[0].Text)
	_, text, _ = strings.Cut(text, "`ifdef GORNIC_CHECK")
	_, text, _ = strings.Cut(text, "if (!rst) begin\n")
	text, _, _ = strings.Cut(text, "\n        end\n    end\n`endif")
	text = strings.ReplaceAll(text, "\n            ", "\n")
	require.Equal(t, strings.TrimSpace(`
if (waits) begin
    if (!valid) begin
        $display("ASSERT %m stays ?");
        $stop;
    end
    if (a != b) begin
        $display("ASSERT %m same ?");
        $stop;
    end
    if (valid) begin
        if (cover_both_count == 64'd0) begin
            $display("COVER %m both ?");
        end
        cover_both_count <= cover_both_count + 64'd1;
    end
end
if (valid && !(|a)) begin
    $display("ASSERT %m alone ?");
    $stop;
end
if (!valid) begin
    if ({a, b} != held) begin
        $display("ASSERT %m wide ?");
        $stop;
    end
end`), strings.TrimSpace(text))
}
