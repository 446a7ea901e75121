package hdltest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gornic/hdl"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
	"gornic/hdl/stream"

	"github.com/stretchr/testify/require"
)

// failing is set in the process that runs the tests that fail on purpose.
const failing = "HDLTEST_FAILING"

func needFailing(t *testing.T) {
	t.Helper()
	if os.Getenv(failing) == "" {
		t.Skip("skipped: fails on purpose, in a process of its own")
	}
}

func TestFailingAwait(t *testing.T) {
	needFailing(t)
	design, io := hdltest.Build(t, stream.SliceDef(hdl.W(8)))
	hdltest.EachSim(t, design, func(t *testing.T, s *sim.Sim) {
		_, _ = hdltest.Seed(t), hdltest.Seed(t)
		in, out := sim.NewSource(s, io.In, sim.Pattern{}), sim.NewSink(s, io.Out, sim.Pattern{})
		in.Send(uint8(1))
		s.Await(100, out.Beats(2))
		_ = out.Take()[1] // not reached
	})
}

func TestFailingCheck(t *testing.T) {
	needFailing(t)
	design, io := hdltest.Build(t, stream.SliceDef(hdl.W(8)))
	s := hdltest.Open(t, sim.NativeSimulator, design, sim.Options{})
	s.Reset(1)
	s.Set(io.In.Valid, 1)
	s.Run(4)
	s.Set(io.In.Valid, 0) // against the rules
	for s.Get(io.In.Ready) == 0 {
		s.Step()
	}
}

func TestFailingBuild(t *testing.T) {
	needFailing(t)
	hdltest.Build(t, hdl.Def[struct{}]{Name: "empty"})
}

// runFailing returns what a failing test prints.
func runFailing(t *testing.T, test string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], append(args, "-test.run=^"+test+"$")...)
	cmd.Env = append(os.Environ(), failing+"=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "the test passes:\n%s", out)
	return string(out)
}

// A failure names the line of the test and ends it.
func TestFailures(t *testing.T) {
	out := runFailing(t, "TestFailingAwait")
	require.Regexp(t, `(?m)^ *failing_test.go:\d+: failing_test.go:\d+: Await: out has 0 of 2 beats after 100 cycles; in has 1 waiting; Reset was never called$`, out)
	require.Equal(t, 1, strings.Count(out, "repeat with -hdl.seed=1"), out)
	require.NotContains(t, out, "panic")

	out = runFailing(t, "TestFailingCheck")
	require.Regexp(t, `(?m)^ *failing_test.go:\d+: hdl/stream/.*: assume in_valid_holds failed in cycle`, out)

	out = runFailing(t, "TestFailingBuild")
	require.Regexp(t, `failing_test.go:\d+: build empty:\n *hdl/hdltest/failing_test.go:\d+: empty: the definition of empty has no Body`, out)
}

func TestWavesFlag(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	out := runFailing(t, "TestFailingAwait", "-hdl.waves="+dir)
	path := filepath.Join(dir, "TestFailingAwait.native.vcd")
	require.Contains(t, out, "waves: "+path)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), "in_valid")
}

// Each simulator has a file of its own; one without waves runs without them.
func TestWavesOfEachSim(t *testing.T) {
	design, _ := hdltest.Build(t, stream.SliceDef(hdl.W(8)))
	dir := t.TempDir()
	twin := sim.Simulator{Name: "twin", Open: sim.Native, Waves: ".waves"}
	none := sim.Simulator{Name: "none", Open: sim.Native}
	run := func(t *testing.T, s *sim.Sim) { s.Reset(1) }
	hdltest.EachSimWith(t, design, sim.Options{Waves: filepath.Join(dir, "x.vcd")}, run, twin, none)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	require.Equal(t, []string{"x.native.vcd", "x.twin.waves"}, names)
}
