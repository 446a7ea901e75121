package verilog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/verilog"
)

type item struct {
	Key  hdl.Bits `w:"4"`
	Flag hdl.Bits `w:"1"`
}

type aliasIO struct {
	In   hdl.Stream[item] `hdl:"in"`
	Out  hdl.Stream[item] `hdl:"out"`
	Copy hdl.Bits         `hdl:"out" w:"4"`
}

// aliases passes a stream through two others, of which properties read one,
// and has a wire that its author named.
func aliases(m *hdl.Module, io *aliasIO) {
	first := hdl.NewStream(m, "first", io.In.Data)
	second := hdl.NewStream(m, "second", io.In.Data)
	hdl.Connect(first, io.In)
	hdl.Connect(second, first)
	named := m.Wire("named", 4)
	named.Set(second.Data.Key)
	io.Copy.Set(named)
	full := m.Reg("full", 1, 0)
	second.Ready.Set(full.Not().Or(io.Out.Ready))
	held := hdl.NewReg(m, "held", io.In.Data)
	m.If(second.Fire(), func() { hdl.Set(held, second.Data) })
	m.If(second.Ready, func() { full.Set(second.Valid) })
	io.Out.Valid.Set(full)
	hdl.Set(io.Out.Data, held)
	m.Cover("passes", first.Fire().And(first.Data.Flag))
}

func TestAliasesOfBundlesAreFolded(t *testing.T) {
	text := aliasText(t, aliases, verilog.Options{Checks: true})
	assert.NotContains(t, text, "first_")
	assert.NotContains(t, text, "second_valid")
	assert.NotContains(t, text, "second_key")
	assert.Contains(t, text, "assign named = in_key;")
	assert.Contains(t, text, "cover (in_valid && second_ready && in_flag)")
}

// TestWiresInALoopStay has a design that package check refuses.
func TestWiresInALoopStay(t *testing.T) {
	d, _, _ := hdl.Elaborate(hdl.Def[aliasIO]{Name: "m", Body: func(m *hdl.Module, io *aliasIO) {
		a, b := hdl.NewWire(m, "a", io.In.Data), hdl.NewWire(m, "b", io.In.Data)
		hdl.Set(a, b)
		hdl.Set(b, a)
		io.Copy.Set(a.Key)
	}})
	files, err := verilog.Emit(d, verilog.Options{Anonymous: true})
	require.NoError(t, err)
	assert.Contains(t, string(files[0].Text), "assign copy = b_key;")
}

// TestHardwareIsTheSameWithoutProperties compares what stands before the
// properties with the text that has none.
func TestHardwareIsTheSameWithoutProperties(t *testing.T) {
	for _, d := range designs {
		with, err := verilog.Emit(d.build(t), verilog.Options{Checks: true})
		require.NoError(t, err)
		without, err := verilog.Emit(d.build(t), verilog.Options{})
		require.NoError(t, err)
		for i, f := range with {
			hardware, _, _ := strings.Cut(string(f.Text), "    // "+strings.Repeat("-", 70))
			const tail = "endmodule\n\n`default_nettype wire\n"
			hardware = strings.TrimSuffix(hardware, tail)
			want := strings.TrimSuffix(string(without[i].Text), tail)
			assert.Equal(t, strings.TrimSpace(want), strings.TrimSpace(hardware), f.Name)
		}
	}
}

// aliasText returns the text of a module.
func aliasText[IO any](t *testing.T, body func(m *hdl.Module, io *IO), o verilog.Options) string {
	t.Helper()
	d, _, err := hdl.Build(hdl.Def[IO]{Name: "m", Body: body})
	require.NoError(t, err)
	files, err := verilog.Emit(d, o)
	require.NoError(t, err)
	return string(files[0].Text)
}
