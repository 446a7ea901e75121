package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/tools/toolset"
)

type countIO struct {
	Step  hdl.Bits `hdl:"in" w:"1"`
	Count hdl.Bits `hdl:"out" w:"3"`
}

// count5 goes up to 4; its assertion says that it stays below limit.
func count5(name string, limit uint64) hdl.Proof {
	return hdl.ProofOf(hdl.Def[countIO]{Name: name, Body: func(m *hdl.Module, io *countIO) {
		now := m.Reg("now", 3, 0)
		m.If(io.Step, func() { now.Set(hdl.Mux(now.Is(4), now.K(0), now.AddK(1))) })
		io.Count.Set(now)
		m.Assert("below", now.LtK(limit))
		m.Cover("at_four", now.Is(4))
	}}, 7, 1).Breaks(hdl.StuckAt1("now", 1), hdl.Invert("now", 0))
}

// vacuous has an assertion that is true of anything.
func vacuous() hdl.Proof {
	return hdl.ProofOf(hdl.Def[countIO]{Name: "vacuous", Body: func(m *hdl.Module, io *countIO) {
		now := m.Reg("now", 3, 0)
		m.If(io.Step, func() { now.Set(now.AddK(1)) })
		io.Count.Set(now)
		m.Assert("nothing", now.LeK(7))
	}}, 4, 1)
}

func runAll(t *testing.T, r runner, list ...hdl.Proof) (string, int) {
	t.Helper()
	for _, name := range []string{toolset.Yosys, toolset.Smtbmc, toolset.Z3} {
		toolset.Need(t, name)
	}
	var out, terminal bytes.Buffer
	failed, err := r.all(t.Context(), list, &out, &terminal)
	require.NoError(t, err)
	require.Empty(t, terminal.String(), "what is no terminal stays silent")
	return out.String(), failed
}

func TestRows(t *testing.T) {
	r := runner{known: memory{t.TempDir()}}
	text, failed := runAll(t, r, count5("tool_good", 5), count5("tool_bad", 4))
	require.Equal(t, 1, failed)
	require.Regexp(t, `(?m)^tool_good +z3 +1 +7 cycles +1 cycle +1 of 1 +2 of 2 +\d+\.\d$`, text)
	require.Regexp(t, `(?m)^tool_bad +z3 +1 +failed +- +- +0 of 0 +\d+\.\d$`, text)
	require.Contains(t, text, "assert below (tools/formal/formal_test.go:")
	require.Regexp(t, `(?m)^ +now( +\d)+ +4$`, text)
	require.True(t, strings.HasSuffix(text, "\n1 passed, 1 failed\n"), text)
}

// What passed is known; what failed is asked again, and so is a design that has changed.
func TestMemory(t *testing.T) {
	r := runner{known: memory{t.TempDir()}, options: options{json: true}}
	known := func(p hdl.Proof) bool {
		text, _ := runAll(t, r, p)
		var o outcome
		require.NoError(t, json.Unmarshal([]byte(text), &o))
		return o.Known
	}
	require.False(t, known(count5("tool_memory", 5)))
	require.True(t, known(count5("tool_memory", 5)))
	require.False(t, known(count5("tool_memory", 6)))
	require.False(t, known(count5("tool_memory", 4)))
	require.False(t, known(count5("tool_memory", 4)))
}

func TestPropertiesThatSayNothingFail(t *testing.T) {
	r := runner{known: memory{t.TempDir()}}
	text, failed := runAll(t, r, vacuous().Breaks(hdl.Invert("now").As("counts wrongly"), hdl.StuckAt0("step")))
	require.Equal(t, 1, failed)
	require.Contains(t, text, "broken copy not noticed: counts wrongly (now inverted): bounded proof passed")
	require.Contains(t, text, "broken copy not noticed: step stuck at 0: bounded proof passed")
	require.Regexp(t, `(?m)^vacuous .* 0 of 2 `, text)
}

func TestProofWithoutBrokenCopyFails(t *testing.T) {
	text, failed := runAll(t, runner{known: memory{t.TempDir()}}, vacuous())
	require.Equal(t, 1, failed)
	require.Contains(t, text, "the proof names no broken copy")
}

func TestFaultOfAnUnknownSignalFails(t *testing.T) {
	text, failed := runAll(t, runner{known: memory{t.TempDir()}}, vacuous().Breaks(hdl.Invert("later")))
	require.Equal(t, 1, failed)
	require.Contains(t, text, `no register, wire or port "later"; there are step, count, now`)
}

func TestMutantsAreAMeasure(t *testing.T) {
	r := runner{known: memory{t.TempDir()}, options: options{mutants: 3}}
	text, failed := runAll(t, r, count5("tool_mutants", 5))
	require.Zero(t, failed, text)
	require.Regexp(t, `(?m)^design .* copies +mutants +seconds$`, text)
	require.Regexp(t, `(?m)^tool_mutants .* 2 of 2 +[0-3] of 3 `, text)
}

func TestRunChooses(t *testing.T) {
	r := runner{options: options{run: regexp.MustCompile("^nothing$")}}
	_, err := r.all(t.Context(), []hdl.Proof{vacuous()}, &bytes.Buffer{}, &bytes.Buffer{})
	require.ErrorContains(t, err, `no design has a name that matches "^nothing$"`)
}

// Every name is there once, and every design has something to prove.
func TestLists(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range designs() {
		require.False(t, seen[p.Name], "%s is there twice", p.Name)
		seen[p.Name] = true
		require.Positive(t, p.Depth, p.Name)
		d, err := p.Build()
		require.NoError(t, err)
		require.NotEmpty(t, d.Top.Checks, p.Name)
		require.NotEmpty(t, p.Faults, "%s names no broken copy", p.Name)
	}
}
