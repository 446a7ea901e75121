package verilog_test

import (
	"regexp"
	"testing"

	"gornic/hdl"
	"gornic/hdl/stream"
	"gornic/hdl/verilog"
)

type passIO struct {
	In  hdl.Stream[hdl.Bits] `hdl:"in"`
	Out hdl.Stream[hdl.Bits] `hdl:"out"`
}

// What functions of the library make in a module is at the author's lines: the
// statements, the properties, and what a simulator prints.
func TestPositionsAreTheAuthors(t *testing.T) {
	d := of(hdl.Def[passIO]{
		Name: "pass",
		IO:   passIO{In: hdl.StreamOf(hdl.W(8)), Out: hdl.StreamOf(hdl.W(8))},
		Body: func(m *hdl.Module, io *passIO) {
			hdl.Connect(io.Out, stream.ForwardSlice(m, "u_slice", io.In))
			stream.AssertSource(m, "out", io.Out)
		},
	}).build(t)
	files := emit(t, d, verilog.Options{Positions: true, Checks: true})
	own := files[len(files)-1].Text
	lines := regexp.MustCompile(`(?m)// (\S+\.go:\d+)$|ASSERT %m \S+ (\S+)"`).FindAllSubmatch(own, -1)
	if len(lines) < 4 {
		t.Fatalf("%d positions\n%s", len(lines), own)
	}
	for _, l := range lines {
		if at := string(l[1]) + string(l[2]); !regexp.MustCompile(`^(hdl/verilog/)?position_test\.go:2[45678]$`).MatchString(at) {
			t.Errorf("a line is from %s\n%s", at, own)
		}
	}
	if part := files[0].Text; !regexp.MustCompile(`// slice\.go:\d+\n`).Match(part) {
		t.Errorf("the part has no lines of its own\n%s", part)
	}
}
