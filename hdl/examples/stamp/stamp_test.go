package stamp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/examples/stamp"
	"gornic/hdl/formal"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/verilog"
	"gornic/hdl/verilog/lint"
	verilator "gornic/sim-verilator"
)

func TestNumbersAreConsecutive(t *testing.T) {
	design, io := hdltest.Build(t, stamp.Def(16, 4))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		in := sim.NewSource(s, io.In, hdltest.Gaps(t, 30)) // valid is held back in 30 % of the cycles
		out := sim.NewSink(s, io.Out, hdltest.Gaps(t, 50)) // ready in half of them
		s.Reset(2)
		type stamped struct{ Number, Item uint16 }
		var want []stamped
		for i := range uint16(100) {
			in.Send(1000 + i)
			want = append(want, stamped{i % 16, 1000 + i})
		}
		s.Await(2000, out.Beats(len(want)))
		assert.Equal(t, want, sim.Received[stamped](out))
	}, verilator.Simulator)
}

func TestLint(t *testing.T) {
	design, _ := hdltest.Build(t, stamp.Def(16, 4))
	lint.Check(t, design)
}

func TestNarrowNumbers(t *testing.T) {
	_, _, err := hdl.Build(stamp.Def(16, 1))
	require.ErrorContains(t, err, "stamp_16x1: numbers have 2 bits or more, not 1")
}

func TestProof(t *testing.T) {
	design, _ := hdltest.Build(t, stamp.Def(2, 3)) // small widths: the generator is what is proved
	formal.Check(t, design, formal.Options{Depth: 10, Induction: 1})
}

func TestEvents(t *testing.T) {
	design, io := hdltest.Build(t, stamp.Def(16, 8))
	hdltest.EachSimWith(t, design, sim.Options{Events: true}, func(t *testing.T, s *sim.Sim) {
		in := sim.NewSource(s, io.In, sim.Pattern{})
		out := sim.NewSink(s, io.Out, sim.Pattern{})
		s.Reset(2)
		in.Send(uint16(7), uint16(8))
		s.Await(10, out.Beats(2))
		s.Set(io.First, 0x40)
		s.Set(io.Load, 1)
		s.Step()
		var lines []string
		for _, e := range s.Events() {
			lines = append(lines, e.String())
		}
		assert.Equal(t, []string{
			"       3  stamped                          number=0",
			"       4  stamped                          number=1",
			"       6  renumbered                       from=2 to=0x40",
		}, lines)
	}, verilator.Simulator)
}

// write writes the block's Verilog to a folder.
func write(dir string) error {
	design, _, err := hdl.Build(stamp.Def(16, 24))
	if err != nil {
		return err
	}
	files, err := verilog.Emit(design, verilog.Options{Positions: true})
	if err != nil {
		return err
	}
	_, err = verilog.Write(dir, files) // stamp_16x24.v
	return err
}

// What docs/hdl.md shows is the code of this package, and the Verilog that it
// gives.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "hdl.md"))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, write(dir))
	shown := map[string]string{
		"go":      plain(read(t, "stamp.go") + read(t, "stamp_test.go")),
		"verilog": plain(read(t, filepath.Join(dir, "stamp_16x24.v"))),
	}
	snippets := 0
	for i, block := range strings.Split(string(page), "```") {
		language, code, _ := strings.Cut(block, "\n")
		if text, ok := shown[language]; ok && i%2 == 1 {
			snippets++
			assert.True(t, strings.Contains(text, plain(code)), "shown, but not so in the package:\n%s", code)
		}
	}
	assert.Greater(t, snippets, 5)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// plain takes the indentation and the empty lines away.
func plain(text string) string {
	var lines []string
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}
