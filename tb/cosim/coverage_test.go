package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gornic/format"
	"gornic/tb/coverage"
	"gornic/tb/frames/talk"
	"gornic/tb/rtl"
	"gornic/tb/wire"
)

// A random program and captures that are made up leave no hole in the table.
func TestCoverageHasNoHole(t *testing.T) {
	if testing.Short() { // 48 s of CPU; make test runs it
		t.Skip("a minute of simulation, in full without -short")
	}
	path := filepath.Join(t.TempDir(), "coverage.md")
	code, stdout, stderr := command(core(t.Context()),
		"-run", "^captures/made$|^programs/core-core$", "-sim", "native", "-config", "tiny", "-coverage", path)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, %s%s", code, stdout, stderr)
	}
	checkCoverage(t, path)
}

// The document has the table of a run of every scenario, of the opcodes that there are now, without a hole.
func TestCoverageDocument(t *testing.T) { checkCoverage(t, "../../docs/coverage.md") }

// checkCoverage looks for a row of each opcode, and for holes.
func checkCoverage(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if strings.Contains(text, "| **0**") || strings.Contains(text, "/ **0**") || !strings.Contains(text, " scenarios passed, 0 failed.\n") {
		t.Errorf("%s has a hole, or is of scenarios that failed:\n%s", path, text)
	}
	var none coverage.Table
	var empty strings.Builder
	if err := none.Write(&empty); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(empty.String()) {
		if name, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |"); strings.HasPrefix(line, "| ") && !strings.Contains(text, "| "+name+" |") {
			t.Errorf("%s has no row of %s", path, name)
		}
	}
}

// crosses is a scenario that has a packet cross a wire between a core and a reference.
func crosses(a talk.Asked) Scenario {
	return Scenario{Name: "crosses", Configs: []string{"tiny"}, Run: func(_ context.Context, env *Env) error {
		m := talk.Maker{QPN: 5, Peer: 6}
		m.Request(a)
		if m.Err == nil {
			env.counts([2]rtl.Kind{rtl.Core, rtl.Reference})(wire.Crossing{Frame: m.Frames[0].Data, Action: wire.Pass})
		}
		return m.Err
	}}
}

// The command writes the table, tells of holes, and fails where a core sent what cannot be.
func TestCoverage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coverage.md")
	args := []string{"-sim", "native", "-run", "crosses|x", "-coverage", path}
	code, _, stderr := command(testBench(fake{}, crosses(talk.Asked{Op: format.OpSendOnly})), args...)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"\tgo run ./tb/cosim -sim native -run 'crosses|x' -coverage " + path + "\n", "\n1 scenarios passed, 0 failed.\n",
		"| SEND_ONLY | 1 | **0** | - e | 1 / **0** | - b | **0** / **0** |\n",
	} {
		if !strings.Contains(string(b), part) {
			t.Errorf("no %q in\n%s", part, b)
		}
	}
	if code != 0 || !strings.Contains(stderr, "nothing was seen of: SEND_FIRST sent; ") || strings.Contains(stderr, "SEND_ONLY sent;") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	code, _, stderr = command(testBench(fake{}, crosses(talk.Asked{Op: format.OpWriteOnly, Solicited: true})), args...)
	if code != 1 || !strings.Contains(stderr, "WRITE_ONLY sent, solicited, cannot be") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	code, _, stderr = command(testBench(fake{}, other(errors.New("no"))), "-coverage", filepath.Join(path, "absent"))
	if code != 2 || !strings.Contains(stderr, "absent") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
